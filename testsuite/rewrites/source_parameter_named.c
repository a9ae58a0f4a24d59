/* Every caller names a rank: the receive is no site. */
#include <mpi.h>

static int receive_sum(int source, int count)
{
    int value, sum = 0;
    while (count-- > 0) {
        MPI_Recv(&value, 1, MPI_INT, source, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && size > 1) {
        sum = receive_sum(1, 2);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum;
}

/* expect:
hook in receive_sum: 7
+#include <ft.h>
+        ft_hook_at(ID1);
*/
