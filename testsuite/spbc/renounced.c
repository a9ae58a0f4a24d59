/* renounced: of two receives from another cluster that are in the image the life before has
 * cancelled the first. Behind the rollback the second one meets the first message, and while the
 * rank still computes a rank of a third cluster dies, so what it has received is told.
 *
 * arguments: [steps 10] [the step with the cancellation 8]
 *
 * ranks: 3
 * test: 10 8
 * pace: 20000
 */
#include "program.h"

static uint64_t got[3];
static MPI_Request never, next;

/* The checkpoint is there when the first life leaves; the second one computes until the other death
 * has been survived, and leaves its epoch from here. */
static uint64_t compute(uint64_t state)
{
    uint64_t value = state;

    if (!events_seen("\"rollback\""))
        pause_us(300000);
    while (events_seen("\"rollback\"") && events_seen("\"event\": \"contained\"") < 2)
        for (long i = 0; i < 20000000; i++)
            value = mix(value);
    return value == 0 ? state + 1 : state; /* so that it is computed */
}

static uint64_t renounce(uint64_t state)
{
    int ranks;

    state = compute(state);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    MPI_Send(&state, 1, MPI_UINT64_T, 0, 3, MPI_COMM_WORLD);
    MPI_Wait(&next, MPI_STATUS_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Recv(&got[2], 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mix(mix(state ^ got[1]) ^ got[2]);
}

static void answer(uint64_t state)
{
    uint64_t go, first = mix(state), second = mix(first);

    MPI_Recv(&go, 1, MPI_UINT64_T, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&first, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, when;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 10);
    when = argument(argc, argv, 2, 8);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number == when - 3 && rank == 1) {
            MPI_Irecv(&got[0], 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &never);
            MPI_Irecv(&got[1], 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &next);
        }
        state = ring_shift(state, 0);
        if (number == when && rank == 1)
            state = renounce(state);
        if (number == when && rank == 0)
            answer(state);
    }
    return program_end("renounced", state);
}
