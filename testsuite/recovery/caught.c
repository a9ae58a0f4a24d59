/* caught: rank 0 waits for a synchronous send, by a call for many requests, while a checkpoint is
 * taken and until the message is met, with no other checkpoint between. A round is ten steps: rank
 * 0 sends in the first one, and rank 1 receives in the last one, after the checkpoint that the
 * tenth hook asks for. In every second pair of rounds a receive is pending, too, whose message
 * comes later. Rank 2 tells rank 1 to begin, because what rank 0 sends there behind the message
 * would hide it, and does not run ahead, because a collective that it has entered comes first.
 *
 * arguments: [rounds 4]
 *
 * ranks: 3
 * test: 4
 */
#include "program.h"

enum { DATA, GO, ON, AFTER, NOTHING };

static void say(int to, int tag, uint64_t value)
{
    MPI_Send(&value, 1, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
}

static uint64_t hear(int from, int tag)
{
    uint64_t value;

    MPI_Recv(&value, 1, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

/* The first of both ends, and the second one does not. */
static void wait_first(MPI_Request *request, long round)
{
    int index[2], count = 1;

    if (round % 2)
        MPI_Waitsome(2, request, &count, index, MPI_STATUSES_IGNORE);
    else
        MPI_Waitany(2, request, index, MPI_STATUS_IGNORE);
    check(count == 1 && index[0] == 0, "the request that has ended", index[0]);
}

static uint64_t send(uint64_t state, long round)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    uint64_t got = 0;

    MPI_Issend(&state, 1, MPI_UINT64_T, 1, DATA, MPI_COMM_WORLD, &request[0]);
    if (round % 4 > 1)
        MPI_Irecv(&got, 1, MPI_UINT64_T, 1, AFTER, MPI_COMM_WORLD, &request[1]);
    say(2, GO, 0);
    wait_first(request, round);
    say(1, ON, 0);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    return got;
}

/* Some time after the checkpoint of this round, which is not the first one of the run. Its safe
 * points are calls of MPI. */
static void commit_await(long round)
{
    int flag;

    while (getenv("FT_TEST_EVENTS") && events_seen("\"checkpoint-commit\"") < round + 2) {
        MPI_Iprobe(0, NOTHING, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        pause_us(1000);
    }
    pause_us(100000);
}

static uint64_t receive(long round)
{
    uint64_t value;

    commit_await(round);
    value = hear(0, DATA);
    hear(0, ON);
    if (round % 4 > 1)
        say(0, AFTER, mix(value));
    say(2, ON, 0);
    return value;
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps;

    program_start(&argc, &argv);
    steps = 10 * argument(argc, argv, 1, 4);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        long round = (number - 1) / 10;

        step(number);
        if (number % 10 == 1 && rank == 0)
            state = mix(state ^ send(state, round));
        if (number % 10 == 1 && rank == 1)
            hear(2, GO);
        if (number % 10 == 1 && rank == 2)
            say(1, GO, hear(0, GO));
        if (number % 10 == 0 && rank == 1)
            state = mix(state ^ receive(round));
        if (number % 10 == 0 && rank == 2)
            hear(1, ON);
    }
    return program_end("caught", state);
}
