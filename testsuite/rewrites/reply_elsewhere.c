/* The answer is sent by another function, which gets the sender as a number. */
#include <mpi.h>

static void answer(int *values, int count, int target, MPI_Comm comm)
{
    for (int i = 0; i < count; i++)
        values[i] = -values[i];
    MPI_Send(values, count, MPI_INT, target, 3, comm);
}

static void serve(int clients, MPI_Comm comm)
{
    int values[4], count;
    MPI_Status status;
    while (clients-- > 0) {
        /* expect: channel-deterministic (source) */
        MPI_Recv(values, 4, MPI_INT, MPI_ANY_SOURCE, 2, comm, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        answer(values, count, status.MPI_SOURCE, comm);
    }
}

int main(int argc, char **argv)
{
    int rank, size, values[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        serve(size - 1, MPI_COMM_WORLD);
    } else {
        MPI_Send(values, 4, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(values, 4, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return values[0];
}

/* expect:
pattern in main: 29 to 34, by nothing
hook in serve: 15
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+        ft_hook_at(ID2);
+        FT_SITE(ID3); :: any source; channel-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_END_ITERATION(ftcc_ID1);
*/
