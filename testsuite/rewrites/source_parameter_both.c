/* A function that does more than forward: its receive is one site, which is a wildcard for some of
 * its callers only. */
#include <mpi.h>

static int receive_sum(int source, int tag, int count)
{
    int value, sum = 0;
    while (count-- > 0) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        sum = receive_sum(MPI_ANY_SOURCE, 3, size - 1);
        for (int i = 1; i < size; i++)
            MPI_Send(&sum, 1, MPI_INT, i, 4, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        sum = receive_sum(0, 4, 1);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 22 to 29, by nothing
no hook in receive_sum: 8
hook in main: 24
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        FT_SITE(ID2); :: maybe any source; send-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
-            MPI_Send(&sum, 1, MPI_INT, i, 4, MPI_COMM_WORLD);
+            { ft_hook_at(ID3); MPI_Send(&sum, 1, MPI_INT, i, 4, MPI_COMM_WORLD); }
+    FT_END_ITERATION(ftcc_ID1);
*/
