/* One exchange, called from three places; a collective separates all of them. */
#include <mpi.h>

static int exchange(int rank, int size, int value)
{
    int sum = 0, got;
    MPI_Request requests[64];
    for (int i = 0; i < size; i++)
        MPI_Isend(&value, 1, MPI_INT, i, 5, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic (source), pattern collective */
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
    }
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return sum + rank;
}

int main(int argc, char **argv)
{
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum = exchange(rank, size, 1);
    for (int i = 0; i < 3; i++)
        sum = exchange(rank, size, sum);
    sum += exchange(rank, size, 2);
    MPI_Finalize();
    return sum;
}

/* expect:
pattern in exchange: 8 to 14, by collective
no hook in exchange: 8
no hook in exchange: 10
hook in main: 27
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+        FT_SITE(ID2); :: any source; send-deterministic
+    FT_END_ITERATION(ftcc_ID1);
-        sum = exchange(rank, size, sum);
+        { ft_hook_at(ID3); sum = exchange(rank, size, sum); }
*/
