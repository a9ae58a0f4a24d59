/* A random number chooses what is sent, by the labels of a switch. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    srand((unsigned)time(NULL));
    switch (rand() % 3) {
    case 0:
        value = 5;
        break;
    case 1:
        value = 6;
        break;
    default:
        value = 7;
        break;
    }
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
    else if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (start < 0)
        return value;
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
