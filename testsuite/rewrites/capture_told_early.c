/* The others are let go before the master has their results: they may be a round ahead. */
#include <mpi.h>

enum { MASTER, RESULT = 1, GO };

int main(int argc, char **argv)
{
    int rank, size, value, go = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        if (rank == MASTER) {
            for (int i = 1; i < size; i++)
                MPI_Send(&go, 1, MPI_INT, i, GO, MPI_COMM_WORLD);
            for (int i = 1; i < size; i++) {
                /* expect: send-deterministic or non-deterministic (source), finding capture */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
                sum += value;
            }
        } else {
            MPI_Send(&rank, 1, MPI_INT, MASTER, RESULT, MPI_COMM_WORLD);
            MPI_Recv(&go, 1, MPI_INT, MASTER, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 13 to 25, by nothing, not trusted
logged: 18
hook in main: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+                FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
