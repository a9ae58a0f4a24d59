/* counted: receives by wildcard that ftcc trusts, and that are polled. How often a poll found
 * nothing is told to all others, and compared with what they remember at the end: a rank that rolls
 * back must count the same again, although its messages are all there.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * pace: 5000
 */
#include "program.h"

enum { MOST = 16, TELL = 1 };

static uint64_t history;

/* Answers how many polls it took. */
static long collect(void)
{
    MPI_Request receives[MOST], sends[MOST];
    uint64_t mine = mix(history), theirs[MOST], sum = 0;
    int count = 0, flag = 0;
    long polls = 0;

    for (int i = 0; i < size - 1; i++)
        MPI_Irecv(&theirs[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, TELL, MPI_COMM_WORLD, &receives[i]);
    for (int r = 0; r < size; r++)
        if (r != rank)
            MPI_Isend(&mine, 1, MPI_UINT64_T, r, TELL, MPI_COMM_WORLD, &sends[count++]);
    while (!flag) {
        MPI_Testall(count, receives, &flag, MPI_STATUSES_IGNORE);
        polls++;
    }
    MPI_Waitall(count, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size - 1; i++)
        sum += theirs[i];
    history = mix(history ^ sum);
    return polls;
}

int main(int argc, char **argv)
{
    long steps, *mine, *told;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    check(size <= MOST, "ranks", size);
    mine = calloc((size_t)steps, sizeof *mine);
    told = calloc((size_t)(steps * size), sizeof *told);
    for (long number = 0; number < steps; number++) {
        step(number + 1);
        mine[number] = collect();
        MPI_Allgather(&mine[number], 1, MPI_LONG, &told[number * size], 1, MPI_LONG,
                      MPI_COMM_WORLD);
        if (rank == 0 && number % 10 == 0)
            printf("step %ld\n", number);
    }
    for (int r = 0; r < size; r++) {
        long *theirs = calloc((size_t)steps, sizeof *theirs);

        if (r == rank)
            memcpy(theirs, mine, (size_t)steps * sizeof *mine);
        MPI_Bcast(theirs, (int)steps, MPI_LONG, r, MPI_COMM_WORLD);
        for (long number = 0; number < steps; number++)
            check(told[number * size + r] == theirs[number], "another count was told", number);
        free(theirs);
    }
    return program_end("counted", history);
}
