/* cancelled: rank 1 cancels a receive too late, because a drain has taken its message in the call
 * of MPI_Cancel. Behind a rollback to a moment before it the message is late itself. In later steps
 * rank 1 receives by a wildcard, which must not wait for anything that is known of the cancelled
 * one.
 *
 * arguments: [steps 20] [the step with the cancelled receive 10]
 *            [milliseconds that a death of rank 1 has behind it 0]
 *
 * ranks: 4
 * test: 20 10
 * pace: 2000
 */
#include "program.h"

/* In the step before, so that no checkpoint of the next hook holds rank 0 in front of it. */
static void send(uint64_t state)
{
    if (events_seen("\"rollback\""))
        pause_us(200000);
    MPI_Send(&state, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
}

/* Its cluster's checkpoint of the start, one of all ranks, and its cluster's of this hook have
 * begun when rank 1 cancels. The last one is hardly ever complete in its second call of
 * MPI_Comm_size: the image is large. */
static uint64_t cancel(uint64_t state, long patience)
{
    MPI_Request request;
    MPI_Status status;
    uint64_t got;
    int flag, ranks;

    MPI_Irecv(&got, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &request);
    if (!events_seen("\"rollback\""))
        events_await("\"epoch\": 0, \"cluster\": 0, \"ranks\": 2", 2);
    MPI_Cancel(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    if (flag)
        MPI_Recv(&got, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&got, 1, MPI_UINT64_T, 0, 2, MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (long i = 0; i < patience && !events_seen("\"rollback\""); i++)
        pause_us(1000);
    return mix(state ^ got);
}

static uint64_t told(uint64_t state)
{
    uint64_t got = state;

    if (rank == 0)
        MPI_Send(&state, 1, MPI_UINT64_T, 1, 3, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&got, 1, MPI_UINT64_T, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mix(state ^ got);
}

int main(int argc, char **argv)
{
    static char ballast[16 << 20];
    uint64_t state, got;
    long steps, when, patience;

    program_start(&argc, &argv);
    if (rank == 1)
        memset(ballast, 1, sizeof(ballast));
    steps = argument(argc, argv, 1, 20);
    when = argument(argc, argv, 2, 10);
    patience = argument(argc, argv, 3, 0);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number == when && rank == 1)
            state = cancel(state, patience);
        state = ring_shift(state, 0);
        if (number == when - 1 && rank == 0)
            send(state);
        if (number == when && rank == 0) {
            MPI_Recv(&got, 1, MPI_UINT64_T, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            state = mix(state ^ got);
        }
        if (number > when)
            state = told(state);
    }
    return program_end("cancelled", state + (uint64_t)ballast[state % sizeof(ballast)]);
}
