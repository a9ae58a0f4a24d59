/* A barrier on a duplicate of the communicator has the same ranks, and separates the rounds. */
#include <mpi.h>

static MPI_Comm control;

static void start(MPI_Comm comm)
{
    MPI_Comm_dup(comm, &control);
}

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start(MPI_COMM_WORLD);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < size; i++)
            MPI_Isend(&round, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source), pattern collective */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(control);
    }
    MPI_Comm_free(&control);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 20 to 26, by collective
hook in main: 19
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
