/* A reduction of nothing is no barrier: nobody waits for anybody. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value, sum = 0;
    MPI_Request requests[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < size; i++)
            MPI_Isend(&round, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < size; i++) {
            /* expect: send-deterministic or non-deterministic (source), finding capture */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += value;
        }
        MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in main: 12 to 18, by nothing, not trusted
logged: 16
hook in main: 11
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+            FT_SITE(ID3); :: any source; non-deterministic
+        FT_END_ITERATION(ftcc_ID1);
*/
