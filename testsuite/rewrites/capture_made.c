/* A communicator for each round: all ranks agree on it before anybody sends in it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Comm round_comm;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &round_comm);
        for (int i = 0; i < size; i++)
            MPI_Isend(&round, 1, MPI_INT, i, 5, round_comm, &requests[i]);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source), pattern collective */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, round_comm, MPI_STATUS_IGNORE);
            sum += value;
        }
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
        MPI_Comm_free(&round_comm);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 14 to 20, by collective
hook in main: 12
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, round_comm);
+            FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
