/* A clock chooses which variable is sent. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, other = 1, *chosen = &value;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    if (MPI_Wtime() - start > 0.001)
        chosen = &other;
    if (rank == 1)
        MPI_Send(chosen, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
    else if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
