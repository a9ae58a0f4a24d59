/* A ring: each waits for the one message that it has asked for, with a call that is made for
 * choosing.
 * prints: checksum 9 */
#include <mpi.h>
#include <stdio.h>

enum { SLOTS = 2 };

/* One of the two requests is always empty: there is nothing to choose. MPI_Wait says the same. */
static long stage_run(int rank, int size)
{
    int slot;
    long item[SLOTS] = {0, 0}, sum = 0;
    MPI_Request requests[SLOTS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int i = 0; i < SLOTS; i++) {
        MPI_Irecv(&item[i], 1, MPI_LONG, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Send(&sum, 1, MPI_LONG, (rank + 1) % size, i, MPI_COMM_WORLD);
        /* expect: deterministic (index), finding waitany-is-wait */
        MPI_Waitany(SLOTS, requests, &slot, MPI_STATUS_IGNORE);
        sum += item[slot] + rank + i;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    long sum, most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum = stage_run(rank, size);
    MPI_Reduce(&sum, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %ld\n", most);
    MPI_Finalize();
    return 0;
}
