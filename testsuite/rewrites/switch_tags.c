/* options: -std=c89 -pedantic */
/* A switch over tags, with sites behind its labels, falling through. */
#include <mpi.h>

enum { ONE = 1, TWO = 2, NONE = 3 };

int main(int argc, char **argv)
{
    int rank, size, value, left, pairs = 0, ones = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (left = rank == 0 ? size - 1 : 0; left > 0; left--) {
        /* expect: send-deterministic (source, tag) */
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        switch (status.MPI_TAG) {
        case TWO:
            /* expect: send-deterministic (source) */
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TWO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            pairs++;
            break;
        case ONE:
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, ONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ones++;
            /* fall through */
        default:
            break;
        }
    }
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank % 2 ? ONE : TWO, MPI_COMM_WORLD);
    MPI_Bcast(&pairs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&ones, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return pairs + ones;
}
