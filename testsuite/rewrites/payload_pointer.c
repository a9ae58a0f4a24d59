/* Addresses in a message: in a field of a record, and by themselves. */
#include <mpi.h>
#include <stddef.h>

struct node {
    struct node *next;
    long value;
};

int main(int argc, char **argv)
{
    int rank, size;
    struct node node, last, *pointer = &last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last.next = NULL;
    node.next = &last;
    node.value = last.value = rank;
    if (rank == 0) {
        MPI_Send(&node, sizeof node, MPI_BYTE, 1, 0, MPI_COMM_WORLD); /* expect: finding payload-noise */
        MPI_Send(&last, sizeof last, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&pointer, sizeof pointer, MPI_BYTE, 1, 1, MPI_COMM_WORLD); /* expect: finding payload-noise */
        MPI_Send(pointer, sizeof *pointer, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        MPI_Send(&node.value, sizeof node.value, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&node, sizeof node, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&node, sizeof node, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&pointer, sizeof pointer, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&last, sizeof last, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&node.value, sizeof node.value, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
