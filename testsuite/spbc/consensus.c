/* consensus: loops that poll, at sites of which ftcc proves that no message depends on them. In each
 * step every rank sends numbers to some others, who do not know of it: a sparse exchange by
 * non-blocking consensus (Hoefler, Siebert, Lumsdaine, 2010).
 *
 * A rank that rolls back finds the messages of all steps at once, of other clusters, and the barrier
 * that ends a loop is over for it before the last message of its own cluster is there. The loops may
 * read a clock, which has to be read as often as before.
 *
 * arguments: [steps 60 [1: read a clock 0]]
 *
 * ranks: 4
 * test: 60 0
 * test: 60 1
 * pace: 5000
 */
#include "program.h"

enum { MOST = 16, NEWS = 1 };

static uint64_t history, values[MOST];
static long late, clocks;

/* Numbers for the next one, two, ... ranks. */
static void exchange(int count, double begun)
{
    MPI_Request sends[MOST], barrier;
    MPI_Status status;
    uint64_t mine = mix(history), got;
    int done = 0, waiting = 0, arrived, sent;

    for (int i = 0; i < count; i++)
        MPI_Issend(&mine, 1, MPI_UINT64_T, (rank + 1 + i) % size, NEWS, MPI_COMM_WORLD, &sends[i]);
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, NEWS, MPI_COMM_WORLD, &arrived, &status);
        if (arrived) {
            MPI_Recv(&got, 1, MPI_UINT64_T, status.MPI_SOURCE, NEWS, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            values[status.MPI_SOURCE] = got;
        }
        if (waiting) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            MPI_Testall(count, sends, &sent, MPI_STATUSES_IGNORE);
            if (sent) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                waiting = 1;
            }
        }
        if (clocks && MPI_Wtime() - begun > 600)
            late++;
    }
}

int main(int argc, char **argv)
{
    double begun;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    check(size <= MOST, "ranks", size);
    history = (uint64_t)rank;
    clocks = argument(argc, argv, 2, 0);
    begun = MPI_Wtime();
    for (long number = 1; number <= steps; number++) {
        uint64_t sum;

        step(number);
        memset(values, 0, sizeof values);
        exchange((int)((rank + number) % size), begun);
        for (int r = 0; r < size; r++)
            history = mix(history ^ values[r]);
        MPI_Allreduce(&history, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        history = mix(history ^ sum);
        if (rank == 0 && number % 20 == 0)
            printf("step %ld\n", number);
    }
    check(late == 0, "late", (int)late);
    return program_end("consensus", history);
}
