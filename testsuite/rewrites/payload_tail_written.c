/* Buffers that are written up to their ends, each in its way, and one that is not. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, twice[8], bytes[8], alone[3], set[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 0; i < 4; i++) {
            twice[i] = i;
            twice[i + 4] = i;
        }
        for (int i = 0; i < 4; i++)
            bytes[i] = i;
        alone[0] = rank;
        alone[1] = size;
        set[0] = set[1] = set[2] = rank;
        MPI_Send(twice, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(bytes, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(alone, 3, MPI_INT, 1, 2, MPI_COMM_WORLD); /* expect: finding payload-noise */
        MPI_Send(set, 3, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(twice, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(bytes, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(alone, 3, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(set, 3, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
