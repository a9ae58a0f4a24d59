/* differs: rank 0 sends to rank 1 and hears from it in each step. It reads a clock by a system
 * call, which nobody records; so when it does its work again, after its own death, it does another
 * thing at step 10 than it did before.
 *
 * arguments: WHAT (see `strays`; "nothing": the clock changes nothing)
 *
 * ranks: 2
 * test: nothing
 */
#include <signal.h>
#include "program.h"

#define STEPS 20
#define LATE 2000000000L /* nanoseconds since the start */

static long start;

static long clock_unseen(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int is_late(void)
{
    return clock_unseen() - start > LATE;
}

/* One step of rank 0, in another way than before. */
static void stray(const char *what, long number)
{
    long value[3] = {number, number, number}, answer;

    if (strcmp(what, "more") == 0)
        MPI_Send(value, 1, MPI_LONG, 1, 7, MPI_COMM_WORLD);
    if (strcmp(what, "tag") == 0)
        MPI_Send(value, 1, MPI_LONG, 1, 8, MPI_COMM_WORLD);
    else if (strcmp(what, "size") == 0)
        MPI_Send(value, 3, MPI_LONG, 1, 7, MPI_COMM_WORLD);
    else if (strcmp(what, "content") == 0)
        MPI_Send(&(long){-number}, 1, MPI_LONG, 1, 7, MPI_COMM_WORLD);
    else if (strcmp(what, "fewer") != 0)
        MPI_Send(value, 1, MPI_LONG, 1, 7, MPI_COMM_WORLD);
    if (strcmp(what, "receive") == 0)
        MPI_Recv(&answer, 1, MPI_LONG, 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(&answer, 1, MPI_LONG, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static uint64_t sum_of(const char *what, long number, int late)
{
    long value = number, sum = 0;

    if (late && strcmp(what, "collective") == 0)
        MPI_Reduce(&value, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (late && strcmp(what, "summand") == 0)
        MPI_Allreduce(&(long){-value}, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return (uint64_t)sum;
}

static void first(const char *what, long number, int late)
{
    long answer;

    if (late) {
        stray(what, number);
        return;
    }
    MPI_Send(&number, 1, MPI_LONG, 1, 7, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_LONG, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(answer == number + 1, "the answer", number);
}

static void second(void)
{
    long value[3];

    MPI_Recv(value, 3, MPI_LONG, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value[0]++;
    MPI_Send(value, 1, MPI_LONG, 0, 9, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "nothing";
    uint64_t sums = 0;

    start = clock_unseen();
    program_start(&argc, &argv);
    for (long number = 1; number <= STEPS; number++) {
        int late = number == 10 && is_late();

        step(number);
        if (late && strcmp(what, "end") == 0)
            break;
        if (rank == 0)
            first(what, number, late);
        else
            second();
        sums += sum_of(what, number, rank == 0 && late);
    }
    if (rank == 0 && death_due()) {
        while (!is_late())
            pause_us(10000);
        raise(SIGKILL);
    }
    return program_end("differs", sums);
}
