/* lagging: in each round rank 1 makes a log, then rank 0 takes checkpoints alone and appends to it
 * for the first time, and then rank 1 appends.
 *
 * arguments: [rounds 3] [steps of rank 0 in each 40]
 *
 * ranks: 2
 * test: 3 40
 * pace: 2000
 */
#include "program.h"

static long steps; /* of rank 0 in each round */

static void name_of(long round, char name[32])
{
    snprintf(name, 32, "log.%ld", round);
}

static void line(long round, long number)
{
    char name[32];
    FILE *file;

    name_of(round, name);
    file = fopen(name, "a");
    check(file != NULL && fprintf(file, "line %ld rank %d\n", number, rank) > 0, "log", number);
    fclose(file);
}

static void wait_for(int tag)
{
    long token;

    MPI_Recv(&token, 1, MPI_LONG, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void tell(int tag, long number)
{
    MPI_Send(&number, 1, MPI_LONG, 1 - rank, tag, MPI_COMM_WORLD);
}

/* Until there are so many checkpoints; natively nobody waits. The sleeps are safe points. */
static void await_checkpoints(int count)
{
    for (int i = 0; getenv("FT_TEST_EVENTS") && !events_seen("\"rollback\"") && i < 1000 &&
                    events_seen("\"checkpoint-commit\"") < count;
         i++)
        usleep(5000);
}

/* The log is made in the middle, behind checkpoints of all ranks. */
static void go_ahead(long number)
{
    long round = (number - 1) / steps, at = (number - 1) % steps;

    if (round == 0 && at == steps / 2) /* the one of all ranks, behind those of the start */
        await_checkpoints(3);
    if (at == steps / 2) {
        tell(0, number);
        wait_for(1);
    }
    if (round == 0 && at > steps / 2 && at % 4 == 2)
        await_checkpoints(events_seen("\"checkpoint-commit\"") + 1);
    if (at + 1 == steps) {
        line(round, number);
        tell(2, number);
        wait_for(3);
    }
}

static void stay_behind(long number)
{
    long round = number - 1;

    wait_for(0);
    line(round, round);
    tell(1, number);
    wait_for(2);
    line(round, number);
    tell(3, number);
}

static uint64_t logs_digest(long rounds)
{
    char text[1 << 12], name[32];
    uint64_t all = 0;

    for (long round = 0; round < rounds; round++) {
        name_of(round, name);
        FILE *file = fopen(name, "r");
        size_t length = file ? fread(text, 1, sizeof text, file) : 0;

        check(file != NULL, name, round);
        fclose(file);
        all = mix(all ^ digest(length, text, length));
    }
    return all;
}

int main(int argc, char **argv)
{
    long rounds;

    program_start(&argc, &argv);
    rounds = argument(argc, argv, 1, 3);
    steps = argument(argc, argv, 2, 40);
    for (long number = 1; number <= (rank == 0 ? rounds * steps : rounds); number++) {
        step(number);
        if (rank == 0)
            go_ahead(number);
        else
            stay_behind(number);
    }
    return program_end("lagging", logs_digest(rounds));
}
