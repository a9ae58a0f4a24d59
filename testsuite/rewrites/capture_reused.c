/* The variable names another communicator after the exchange, one of half the ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Comm comm = MPI_COMM_WORLD, next;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    for (int round = 0; round < 4; round++) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        for (int i = 0; i < size; i++)
            MPI_Isend(&round, 1, MPI_INT, i, 5, comm, &requests[i]);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE);
            sum += value;
        }
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
        next = comm;
        if (round == 1)
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &next);
        comm = next;
        MPI_Barrier(comm);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 13 to 19, by nothing, not trusted
logged: 17
hook in main: 10
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, comm);
+            FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
