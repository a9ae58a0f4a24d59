/* A local variable that only ever holds the wildcard, and one that only ever holds a rank. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, sum = 0, anybody, root = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    anybody = MPI_ANY_SOURCE;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, anybody, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        for (int i = 1; i < size; i++)
            MPI_Send(&sum, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, root, 0, MPI_COMM_WORLD);
        MPI_Recv(&sum, 1, MPI_INT, root, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 11 to 22, by nothing
no hook in main: 12
hook in main: 17
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID2); :: any source; send-deterministic
-            MPI_Send(&sum, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
+            { ft_hook_at(ID3); MPI_Send(&sum, 1, MPI_INT, i, 1, MPI_COMM_WORLD); }
+    FT_END_ITERATION(ftcc_ID1);
*/
