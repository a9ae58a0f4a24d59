/* A function answers by the clock, and its answer chooses what is sent. */
#include <mpi.h>

static int is_late(double start)
{
    if (MPI_Wtime() - start > 0.001)
        return 1;
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, value = 3;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    value = is_late(start) ? 1 : 2;
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
    else if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
