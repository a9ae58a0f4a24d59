/* steps: ranks with a large heap that is written to all the time, in short steps with a barrier
 * each; rank 0 prints when each step began and how long it took (seconds, CLOCK_MONOTONIC). For the
 * pause of a checkpoint, the slowdown while it is written, and the time of a recovery.
 *
 *     steps [megabytes of a rank] [steps] [microseconds a step sleeps] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void work(char *heap, size_t bytes, long number, long microseconds)
{
    struct timespec time = {0, microseconds * 1000};

    for (size_t at = (size_t)(number % 16) * 4096; at < bytes; at += 16 * 4096)
        heap[at] = (char)(heap[at] + number);
    nanosleep(&time, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)(argc > 1 ? atol(argv[1]) : 100) << 20;
    long steps = argc > 2 ? atol(argv[2]) : 3000, pause = argc > 3 ? atol(argv[3]) : 1000;
    double *times, sum = 0;
    char *heap;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    heap = malloc(bytes);
    memset(heap, rank + 1, bytes);
    times = calloc((size_t)steps + 1, sizeof(*times));
    for (long number = 0; number < steps; number++) {
        times[number] = seconds();
        work(heap, bytes, number, pause);
    }
    times[steps] = seconds();
    for (size_t at = 0; at < bytes; at += 4096)
        sum += heap[at];
    if (rank == 0) {
        for (long number = 0; number < steps; number++)
            printf("%.6f %.6f\n", times[number], times[number + 1] - times[number]);
        printf("sum %g\n", sum);
    }
    MPI_Finalize();
    return 0;
}
