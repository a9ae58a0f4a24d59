/* Random numbers from a seed that is a clock. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, throw;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    srand((unsigned)time(NULL) + (unsigned)rank);
    throw = rand() % 6;
    if (rank == 1)
        MPI_Send(&throw, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
    else if (rank == 0)
        MPI_Recv(&throw, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
