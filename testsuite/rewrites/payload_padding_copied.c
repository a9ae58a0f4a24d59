/* A record is assigned as a whole: its gaps come along, into memory that had clean ones. */
#include <mpi.h>

struct item {
    int count;
    double value;
};

struct message {
    struct item items[2];
    int sender;
};

static struct item kept, clean;

int main(int argc, char **argv)
{
    int rank, size;
    struct item item;
    struct message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    item.count = size;
    item.value = rank;
    kept = item;
    clean.count = size;
    message.items[0] = clean;
    message.items[1] = clean;
    message.sender = rank;
    if (rank == 0) {
        MPI_Send(&kept, sizeof kept, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
        MPI_Send(&clean, sizeof clean, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(message.items, 2 * sizeof(struct item), MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&kept, sizeof kept, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&clean, sizeof clean, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(message.items, 2 * sizeof(struct item), MPI_BYTE, 0, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
