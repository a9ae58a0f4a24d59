/* options: -std=c89 -pedantic */
/* Sites without braces around them, also behind else, and inside each other. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, i, value, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank == 1 ? 2 : 1, MPI_COMM_WORLD);
    else
        for (i = 1; i < size; i++)
            if (i == 1)
                MPI_Recv(&sum, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else if (i < 100)
                /* expect: send-deterministic (source) */
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            else
                value = 0;
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum;
}
