/* Two rounds of one tag with a barrier between them, and two loops of which a run enters one: each
 * set is complete. */
#include <mpi.h>

static void exchange(int rank, int size, int careful, int *sum)
{
    int value;
    if (rank) {
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < size; i++) {
        if (careful) {
            MPI_Status status;
            /* expect: send-deterministic (source) */
            MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
        } else {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        *sum += value;
    }
}

int main(int argc, char **argv)
{
    int rank, size, first = 0, second = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange(rank, size, argc > 1, &first);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(rank, size, argc > 1, &second);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&second, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in exchange: 8 to 23, by collective
hook in exchange: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID2);
+            FT_SITE(ID3); :: any source; send-deterministic
+            FT_SITE(ID4); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
