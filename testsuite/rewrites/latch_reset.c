/* As if once: but each report that comes opens the latch again, so that the number of words that are
 * passed on depends on how the reports meet the turns of the loop. */
#include <mpi.h>
#include <stddef.h>
#include <stdbool.h>

enum { REPORT = 1, WORD, END };

int main(int argc, char **argv)
{
    int rank, size, reports = 0, found;
    bool told = false, ended = false;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(NULL, 0, MPI_BYTE, 0, REPORT, MPI_COMM_WORLD);
    while (rank == 0 && !ended) {
        /* expect: non-deterministic or unknown (source, flag) */
        MPI_Iprobe(MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        if (found) {
            /* expect: non-deterministic or unknown (source) */
            MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            reports++;
            told = false;
        }
        if (reports >= 2 && !told) {
            MPI_Send(NULL, 0, MPI_BYTE, size - 1, WORD, MPI_COMM_WORLD);
            told = true;
        }
        if (reports == size)
            ended = true;
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 16 to 32, by nothing
logged: 19
logged: 22
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source, flag; unknown
+            FT_SITE(ID4); :: any source; unknown
+    FT_END_ITERATION(ftcc_ID1);
*/
