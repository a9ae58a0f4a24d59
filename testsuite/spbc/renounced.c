/* renounced: of two receives from another cluster that are in the image the life before has
 * cancelled the first. Behind the rollback the second one meets the first message, and while the rank
 * still computes a rank of a third cluster dies, so what it has received is told.
 *
 * arguments: [steps 8] [the step with the cancellation 4]
 *
 * ranks: 3
 * test: 8 4
 */
#include "program.h"

static uint64_t got[3];
static MPI_Request never, next;

/* Behind its first rollback rank 1 is here until the other death has been survived. */
static void compute(void)
{
    if (events_seen("\"rollback\""))
        events_await("\"event\": \"contained\"", 2);
}

static uint64_t renounce(uint64_t state)
{
    int ranks;

    compute();
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
    steps = argument(argc, argv, 1, 8);
    when = argument(argc, argv, 2, 4);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number == when - 1 && rank == 1) {
            MPI_Irecv(&got[0], 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &never);
            MPI_Irecv(&got[1], 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &next);
        }
        state = ring_shift(state, 0);
        if (number == when && !events_seen("\"rollback\""))
            events_await("\"checkpoint-commit\"", 6);
        if (number == when && rank == 1)
            state = renounce(state);
        if (number == when && rank == 0)
            answer(state);
    }
    return program_end("renounced", state);
}
