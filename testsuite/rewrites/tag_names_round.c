/* A tag that changes each turn, but names no sender: several messages can match. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 3; round++) {
        if (rank > 1) {
            MPI_Send(&rank, 1, MPI_INT, 0, 100 + round, MPI_COMM_WORLD);
        } else if (rank == 0) {
            for (int i = 2; i < size; i++) {
                /* expect: non-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 100 + round, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                MPI_Send(&value, 1, MPI_INT, 1, round, MPI_COMM_WORLD);
            }
        } else {
            for (int i = 2; i < size; i++)
                MPI_Recv(&value, 1, MPI_INT, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 23, by tag
logged: 16
hook in main: 10
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+                FT_SITE(ID3); :: any source; non-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
