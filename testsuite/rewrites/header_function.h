/* A function in a header of the program. */
#ifndef HEADER_FUNCTION_H
#define HEADER_FUNCTION_H
#include <mpi.h>

static inline int header_gather(int count, int *table)
{
    int value, left = count;
    MPI_Status status;
    while (left-- > 0) {
        /* expect: send-deterministic (source) */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        table[status.MPI_SOURCE] = value;
    }
    return count;
}

#endif
