/* Records whose gaps nobody here can know: received ones, and those that a library fills. */
#include <mpi.h>
#include <stdio.h>

struct item {
    char kind;
    double value;
};

int main(int argc, char **argv)
{
    int rank, size;
    struct item item, read, *pointer = &read;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, &item, sizeof item, MPI_BYTE, MPI_PROC_NULL,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    item.kind = 'b';
    item.value = rank;
    if (fread(pointer, sizeof read, 1, stdin) != 1)
        pointer->kind = 'c';
    if (rank == 0) {
        MPI_Send(&item, sizeof item, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&read, sizeof read, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&read, sizeof read, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
