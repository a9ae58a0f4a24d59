/* The bytes of a structure are sent, with its gaps. */
#include <mpi.h>

struct item {
    char kind;
    double value;
};

int main(int argc, char **argv)
{
    int rank, size;
    struct item item;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    item.kind = 'a';
    item.value = rank;
    if (rank == 1)
        /* expect: finding payload-noise */
        MPI_Send(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(&item, sizeof item, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
