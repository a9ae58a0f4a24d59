/* Wrappers in a file of their own: only the whole program knows what they are. */
#include "two_files.h"

int comm_receive(int *value, int source, int tag, MPI_Status *status)
{
    return MPI_Recv(value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, status);
}

int comm_gather(int *sum, int count)
{
    int value;
    while (count-- > 0) {
        /* expect: send-deterministic (source) */
        comm_receive(&value, MPI_ANY_SOURCE, 7, MPI_STATUS_IGNORE);
        *sum += value;
    }
    return 0;
}
