/* A barrier of a part of the ranks, half of them here, separates nothing for the others. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Comm half;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < size; i++)
            MPI_Isend(&round, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic or non-deterministic (source), finding capture */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(half);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 14 to 20, by nothing, not trusted
logged: 18
hook in main: 13
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID3); :: any source; send-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
