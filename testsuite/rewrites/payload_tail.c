/* More is sent than was written: the rest is whatever the memory held. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int i = 0; i < 4; i++)
            values[i] = i;
        MPI_Send(values, 8, MPI_INT, 0, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
    } else if (rank == 0) {
        MPI_Recv(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return values[0];
}

/* expect:
no hook
*/
