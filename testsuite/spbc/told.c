/* told: rank 0 writes a file, and tells the others by a message; they read it some steps later. And
 * rank 1 reads a file, and tells rank 0, which then writes it anew. A rank that has died in between
 * is slow when it does its part again.
 *
 * arguments: [steps 25] [1: they wait for the death, in between 0]
 *
 * ranks: 4
 * test: 25
 * pace: 3000
 */
#include "program.h"

static void put(const char *name, long value)
{
    FILE *file = fopen(name, "w");

    check(file != NULL && fprintf(file, "%ld\n", value) > 0 && fclose(file) == 0, name, value);
}

static long get(const char *name)
{
    FILE *file = fopen(name, "r");
    long value = -1;

    check(file != NULL && fscanf(file, "%ld", &value) == 1, name, rank);
    fclose(file);
    return value;
}

/* Natively nobody waits. The sleeps are safe points. */
static void await_event(const char *kind, int count)
{
    for (int i = 0; getenv("FT_TEST_EVENTS") && i < 4000 && events_seen(kind) < count; i++)
        usleep(5000);
}

static void be_slow(void)
{
    if (events_seen("\"rollback\""))
        pause_us(300000);
}

static uint64_t do_step(long number, int waits)
{
    if (number == 2 && rank == 0)
        put("given", 17);
    if (number == 11) /* the one of all ranks, behind those of the start */
        await_event("\"checkpoint-commit\"", size + 1);
    if (number == 17 && waits)
        await_event("\"contained\"", 1);
    if (number >= 12 && number <= 13)
        be_slow();
    if (number == 12 && rank == 1)
        check(get("given") == 17, "given", number);
    if (number == 13 && rank == 0)
        put("told", 42);
    if (number == 18 && rank == 0)
        put("given", 18);
    return number == 18 && rank != 0 ? mix((uint64_t)get("told")) : 0;
}

int main(int argc, char **argv)
{
    uint64_t state, got;
    long steps;
    int waits;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 25);
    waits = (int)argument(argc, argv, 2, 0);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state ^ do_step(number, waits));
        if (number < 12)
            state = ring_shift(state, 0);
        if (number == 13)
            MPI_Barrier(MPI_COMM_WORLD);
        MPI_Sendrecv(&state, 1, MPI_UINT64_T, rank, 1, &got, 1, MPI_UINT64_T, rank, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = got;
    }
    return program_end("told", state);
}
