/* The callee may touch the record: nobody knows what it does to its padding. */
#include <mpi.h>
#include <stdlib.h>

struct message {
    char kind;
    double value;
};

int main(int argc, char **argv)
{
    int rank;
    struct message *message = malloc(sizeof *message);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ((void (*)(void))message)();
    message->kind = 1;
    message->value = 2;
    if (rank == 0)
        MPI_Send(message, sizeof *message, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
no hook
*/
