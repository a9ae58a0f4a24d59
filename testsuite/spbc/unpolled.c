/* unpolled: two receives by wildcard of rank 2 have met their messages when rank 3 dies, and rank
 * 2, which waits for that one, has not asked about them. The first message was a synchronous one,
 * whose sender knows that it was met: the second is a consequence of that. Both are in logs, that
 * of rank 0 behind many others that rank 2 wants last.
 *
 * arguments: [steps 20] [the step with these messages 10] [messages before them 1000]
 *
 * ranks: 4
 * test: 20 10
 * pace: 2000
 */
#include "program.h"

enum { NEXT, MANY, MET, THEN, LAST };
enum { LATE_US = 100000 };

static long many;

static void put(uint64_t state, int to, int tag)
{
    MPI_Send(&state, 1, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
}

static uint64_t get(int from, int tag)
{
    uint64_t got;

    MPI_Recv(&got, 1, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got;
}

static void sends(uint64_t state)
{
    for (long i = 0; i < many; i++)
        put(state, 2, MANY);
    MPI_Ssend(&state, 1, MPI_UINT64_T, 2, MET, MPI_COMM_WORLD);
    put(state, 1, THEN);
}

static void passes_on(uint64_t state)
{
    get(0, THEN);
    put(state, 2, MET);
    put(state, 3, THEN);
}

static uint64_t receives(uint64_t state)
{
    uint64_t got[2];
    MPI_Request request[2];
    MPI_Status status[2];

    for (int i = 0; i < 2; i++)
        MPI_Irecv(&got[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, MET, MPI_COMM_WORLD, &request[i]);
    state = mix(state ^ get(3, LAST));
    MPI_Waitall(2, request, status);
    for (int i = 0; i < 2; i++)
        state = mix(mix(state ^ got[i]) + (uint64_t)status[i].MPI_SOURCE);
    for (long i = 0; i < many; i++)
        state = mix(state ^ get(0, MANY));
    return state;
}

/* The call that counts ranks is the second of its kind. */
static void dies(uint64_t state)
{
    int ranks;

    get(1, THEN);
    pause_us(LATE_US);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    put(state, 2, LAST);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, when;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    when = argument(argc, argv, 2, 10);
    many = argument(argc, argv, 3, 1000);
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
            dies(state);
    }
    return program_end("unpolled", state);
}
