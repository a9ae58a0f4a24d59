/* met: a synchronous send to another cluster ends when its message has met a receive, and not
 * before, although the receiver has rolled back and gets many others again first. Rank 0 sends rank
 * 2 many messages, begins another one that is pending when rank 2 dies, and after the death three
 * that come to the queue: two that it tests, or gives up, and one that it waits for. Behind that
 * rank 1 sends, too: rank 2, which receives from anybody, gets that one last. Rank 3 may die while
 * rank 0 waits.
 *
 * arguments: [steps 20] [the step with these messages 10] [messages before them 1000]
 *     [deaths that ranks 0 and 3 wait for 0]
 *
 * ranks: 4
 * test: 20 10
 * pace: 2000
 */
#include "program.h"

enum { NEXT, MANY, PENDING, QUEUED, GIVEN_UP, EARLY, MET, THEN };
enum { TESTS = 10, TEST_US = 1000, RECEIVE_US = 200, LATE_US = 100000 };

static long many, deaths;

static void put(uint64_t *state, int to, int tag)
{
    MPI_Send(state, 1, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
}

static uint64_t receive(int from, int tag, MPI_Status *status)
{
    uint64_t got;

    MPI_Recv(&got, 1, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, status);
    return got;
}

static void begin(uint64_t *state, int tag, MPI_Request *request)
{
    MPI_Issend(state, 1, MPI_UINT64_T, 2, tag, MPI_COMM_WORLD, request);
}

/* Whether one of them ends, though rank 2 receives them behind the answer. */
static uint64_t ends_early(MPI_Request *request)
{
    int one = 0, index, early = 0;

    for (int i = 0; i < TESTS && !early; i++) {
        MPI_Test(&request[0], &one, MPI_STATUS_IGNORE);
        early |= one;
        MPI_Testany(2, request, &index, &one, MPI_STATUS_IGNORE);
        early |= one;
        pause_us(TEST_US);
    }
    return (uint64_t)early;
}

static void sends(uint64_t state)
{
    MPI_Request request[2], given_up;
    uint64_t early;
    int ranks;

    for (long i = 0; i < many; i++)
        put(&state, 2, MANY);
    begin(&state, PENDING, &request[0]);
    events_await("\"event\": \"death\"", (int)deaths);
    begin(&state, QUEUED, &request[1]);
    begin(&state, GIVEN_UP, &given_up);
    MPI_Request_free(&given_up);
    early = ends_early(request);
    put(&early, 2, EARLY);
    MPI_Ssend(&state, 1, MPI_UINT64_T, 2, MET, MPI_COMM_WORLD);
    put(&state, 1, THEN);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

/* The calls that count ranks are the second of their kind: ranks can die there. */
static uint64_t receives(uint64_t state)
{
    MPI_Status status;
    int ranks;

    for (long i = 0; i < many; i++) {
        state = mix(state ^ receive(0, MANY, MPI_STATUS_IGNORE));
        pause_us(RECEIVE_US);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    state = mix(state + receive(0, EARLY, MPI_STATUS_IGNORE));
    for (int tag = PENDING; tag <= GIVEN_UP; tag++)
        state = mix(state ^ receive(0, tag, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++) {
        state = mix(state ^ receive(MPI_ANY_SOURCE, MET, &status));
        state = mix(state + (uint64_t)status.MPI_SOURCE);
    }
    return state;
}

static void passes_on(uint64_t state)
{
    receive(0, THEN, MPI_STATUS_IGNORE);
    put(&state, 2, MET);
}

static void dies_late(void)
{
    int ranks;

    events_await("\"event\": \"death\"", (int)deaths);
    MPI_Iprobe(MPI_ANY_SOURCE, MET, MPI_COMM_WORLD, &ranks, MPI_STATUS_IGNORE);
    pause_us(LATE_US);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, when;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    when = argument(argc, argv, 2, 10);
    many = argument(argc, argv, 3, 1000);
    deaths = argument(argc, argv, 4, 0);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, NEXT);
        if (number != when)
            continue;
        if (rank == 0)
            sends(state);
        else if (rank == 1)
            passes_on(state);
        else if (rank == 2)
            state = receives(state);
        else
            dies_late();
    }
    return program_end("met", state);
}
