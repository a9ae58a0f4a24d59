/* The bytes of a structure without gaps: nothing to find. */
#include <mpi.h>

struct item {
    int kind, count;
    double value;
};

int main(int argc, char **argv)
{
    int rank, size;
    struct item item;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    item.kind = 1;
    item.count = size;
    item.value = rank;
    if (rank == 1)
        MPI_Send(&item, sizeof item, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(&item, sizeof item, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
