/* One of several blocks keeps what came last, another one is cleared. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, who, *blocks[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 4; i++)
        blocks[i] = calloc(4, sizeof *blocks[i]);
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: non-deterministic (source), finding order-escapes */
            MPI_Recv(&who, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            *blocks[1] = who;
        }
        for (int i = 0; i < 4; i++)
            blocks[2][i] = 0;
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Bcast(blocks[1], 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 13 to 23, by nothing
logged: 16
hook in main: 14
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; non-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
