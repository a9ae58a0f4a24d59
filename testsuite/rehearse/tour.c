/* tour: a little of many kinds of calls, with output that all of them decide, and that is the same
 * in each run.
 *
 * arguments: [steps 8] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;

/* Everybody tells rank 0, which takes it in any order; the sum does not know of it. */
static long collect(long mine)
{
    long sum = mine, one;

    if (rank > 0)
        MPI_Send(&mine, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&one, 1, MPI_LONG, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += one;
    }
    MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return sum;
}

static long exchange(long mine)
{
    long theirs = 0;
    MPI_Request request;

    MPI_Isend(&mine, 1, MPI_LONG, (rank + 1) % size, 2, MPI_COMM_WORLD, &request);
    MPI_Recv(&theirs, 1, MPI_LONG, (rank + size - 1) % size, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return theirs;
}

int main(int argc, char **argv)
{
    long value, total, steps = argc > 1 ? atol(argv[1]) : 8;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank + 1;
    for (long number = 1; number <= steps; number++) {
        usleep(10000);
        value = 3 * exchange(value) + collect(value) % 1000;
        MPI_Allreduce(&value, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            printf("step %ld: %ld\n", number, total);
    }
    printf("rank %d has %ld\n", rank, value);
    MPI_Finalize();
    return 0;
}
