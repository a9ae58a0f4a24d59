/* Tested between pieces of work, and passed on once, when it is there. */
#include <mpi.h>

static double work(double x)
{
    for (int i = 0; i < 1000; i++)
        x = 0.5 * (x + 2 / x);
    return x;
}

int main(int argc, char **argv)
{
    int rank, size, value = 1, flag = 0;
    double x = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Irecv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    while (rank > 0 && !flag) {
        x = work(x);
        /* expect: deterministic or send-deterministic or channel-deterministic (flag) */
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag && rank + 1 < size)
            MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return x > 2;
}

/* expect:
hook in main: 23
+#include <ft.h>
+        ft_hook_at(ID1);
+        FT_SITE(ID2); :: flag; channel-deterministic
*/
