/* Random numbers from a fixed seed are the same in each run. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, throw;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    srand(42u + (unsigned)rank);
    throw = rand() % 6;
    if (rank == 1)
        MPI_Send(&throw, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(&throw, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
