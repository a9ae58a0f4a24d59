/* A count of messages is compared with what the last of them said: when, and whether, it is reached
 * depends on the order of arrival. */
#include <mpi.h>
#include <stddef.h>
#include <stdbool.h>

enum { REPORT = 1, WORD, END };

int main(int argc, char **argv)
{
    int rank, size, reports = 0, wanted = 1, found;
    bool told = false, ended = false;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(&rank, 1, MPI_INT, 0, REPORT, MPI_COMM_WORLD);
    while (rank == 0 && !ended) {
        /* expect: non-deterministic or unknown (source, flag), finding poll-steers-sends? */
        MPI_Iprobe(MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        if (found) {
            /* expect: non-deterministic or unknown (source) */
            MPI_Recv(&wanted, 1, MPI_INT, MPI_ANY_SOURCE, REPORT, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            reports++;
        }
        if (reports == wanted && !told) {
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
+        FT_SITE(ID3); :: any source, flag; non-deterministic
+            FT_SITE(ID4); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
