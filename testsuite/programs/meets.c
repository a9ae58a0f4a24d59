/* meets: a synchronous send ends when it is met, and not when a checkpoint or a recovery takes its
 * message away from where it lay. In each round rank 0 tests one to rank 1 many times in vain,
 * before it lets rank 2 tell rank 1 to receive it. Ranks 2 and 3 have one by the blocking call.
 *
 * arguments: [rounds 60] [tests 100]
 *
 * ranks: 4
 * test: 60 100
 * soak: 300 200
 * pace: 4000
 * hooks: uneven
 * kill: 0@MPI_Issend:40
 * kill: 1@hook:40
 */
#include "program.h"

enum { DATA, GO, COMES, ASKS };

static void say(int to, int tag)
{
    MPI_Send(&rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void hear(int from, int tag)
{
    int said;

    MPI_Recv(&said, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(said == from, "who says so", said);
}

static void send_tested(uint64_t value, long tests)
{
    MPI_Request request;
    int flag = 0;

    MPI_Issend(&value, 1, MPI_UINT64_T, 1, DATA, MPI_COMM_WORLD, &request);
    for (long i = 0; i < tests; i++) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        check(!flag, "a synchronous send has ended too early, at test", i);
    }
    say(2, ASKS);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    hear(1, COMES);
}

static uint64_t receive(int from)
{
    uint64_t value;

    say(from, COMES);
    MPI_Recv(&value, 1, MPI_UINT64_T, from, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static uint64_t turn(uint64_t state, long tests)
{
    switch (rank) {
    case 0:
        send_tested(state, tests);
        break;
    case 1:
        hear(2, GO);
        return receive(0);
    case 2:
        hear(0, ASKS);
        say(1, GO);
        MPI_Ssend(&state, 1, MPI_UINT64_T, 3, DATA, MPI_COMM_WORLD);
        hear(3, COMES);
        break;
    default:
        hear(1, GO);
        return receive(2);
    }
    return state;
}

int main(int argc, char **argv)
{
    long rounds, tests;
    uint64_t state;

    program_start(&argc, &argv);
    rounds = argument(argc, argv, 1, 60);
    tests = argument(argc, argv, 2, 100);
    state = (uint64_t)rank;
    for (long number = 1; number <= rounds; number++) {
        step(number);
        state = mix(state + turn(state, tests));
        if (rank == 1)
            say(3, GO);
    }
    return program_end("meets", state);
}
