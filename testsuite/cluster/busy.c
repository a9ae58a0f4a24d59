/* busy: a ring in which rank 2 computes for BUSY seconds in the comparison function of a qsort, once: there no signal
 * of ftrun can lead it to the gate. The others wait for it, and one of them dies meanwhile.
 *
 * ranks: 4
 */
#include <sys/syscall.h>
#include "program.h"

#define BUSY 12

static double now(void)
{
    struct timespec at;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static int greater(const void *one, const void *other)
{
    static int done;
    double end = now() + BUSY;

    while (!done && now() < end)
        continue;
    done = 1;
    return *(const int *)one - *(const int *)other;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    program_start(&argc, &argv);
    for (int number = 1; number <= 30; number++) {
        int mine[3] = {rank, number, 7}, got[3] = {0};

        step(number);
        if (rank == 2 && number == 15)
            qsort(mine, 3, sizeof *mine, greater);
        MPI_Sendrecv(mine, 3, MPI_INT, (rank + 1) % size, 0, got, 3, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        sum = digest(sum, got, sizeof got);
    }
    return program_end("busy", sum);
}
