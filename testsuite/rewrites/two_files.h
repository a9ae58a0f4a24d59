/* Declarations that the two files share. */
#include <mpi.h>
int comm_receive(int *value, int source, int tag, MPI_Status *status);
int comm_gather(int *sum, int count);
