/* The receive does not name what the probe has found, and by itself it looks harmless: but whether it
 * happens decides what is sent, so that it is no better than the probe. */
#include <mpi.h>
#include <stddef.h>

enum { NEWS = 1, TICK };

int main(int argc, char **argv)
{
    int rank, size, news, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, NEWS, MPI_COMM_WORLD);
    for (int left = size - 1; rank == 0 && left > 0;) {
        /* expect: non-deterministic (source, flag), finding poll-steers-sends */
        MPI_Iprobe(MPI_ANY_SOURCE, NEWS, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        if (found) {
            /* expect: non-deterministic (source) */
            MPI_Recv(&news, 1, MPI_INT, MPI_ANY_SOURCE, NEWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            left--;
        } else {
            MPI_Send(NULL, 0, MPI_BYTE, size - 1, TICK, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 14 to 26, by nothing
logged: 18
logged: 21
hook in main: 16
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source, flag; non-deterministic
+            FT_SITE(ID4); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
