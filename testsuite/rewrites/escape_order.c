/* The order of arrival is kept in an array, and orders the answers: each goes its own channel. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, sources[64], values[64];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < size - 1; i++) {
            /* expect: channel-deterministic (source), finding order-escapes */
            MPI_Recv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            sources[i] = status.MPI_SOURCE;
        }
        for (int i = 0; i < size - 1; i++)
            MPI_Send(&values[i], 1, MPI_INT, sources[i], 3, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 11 to 22, by nothing
no hook in main: 12
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; channel-deterministic
-            MPI_Send(&values[i], 1, MPI_INT, sources[i], 3, MPI_COMM_WORLD);
+            { ft_hook_at(ID3); MPI_Send(&values[i], 1, MPI_INT, sources[i], 3, MPI_COMM_WORLD); }
+    FT_END_ITERATION(ftcc_ID1);
*/
