/* The exchange is that of a half; what all ranks, or all that the halves were made of, call together
 * separates its rounds, too. */
#include <mpi.h>

static void exchange(MPI_Comm comm, int round, int *sum)
{
    int size, value;
    MPI_Request requests[64];
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        MPI_Isend(&round, 1, MPI_INT, i, 5, comm, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source), pattern collective */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, MPI_STATUS_IGNORE);
        *sum += value;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, sum = 0, most;
    MPI_Comm all, half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_split(all, rank % 2, rank, &half);
    for (int round = 0; round < 10; round++) {
        exchange(half, round, &sum);
        MPI_Allreduce(&sum, &most, 1, MPI_INT, MPI_MAX, all);
    }
    MPI_Finalize();
    return most;
}

/* expect:
pattern in exchange: 9 to 17, by collective
hook in main: 28
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, comm);
+        FT_SITE(ID2); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
+        ft_hook_at(ID3);
*/
