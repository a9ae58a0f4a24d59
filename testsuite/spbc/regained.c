/* regained: the outcome of a receive that was cancelled too late is the last thing that is known of
 * the life before; a receive by wildcard is held back until then, and must be in front of what is
 * posted behind the cancellation.
 *
 * arguments: [steps 10] [the step with the cancellation 8]
 *
 * ranks: 4
 * test: 10 8
 * pace: 20000
 */
#include "program.h"

static uint64_t word;            /* of rank 0 for the receive that is cancelled */
static uint64_t wild, named;     /* of rank 0, in this order */
static MPI_Request late, anyone; /* that is the first, and the second */

/* Before the checkpoint of the sixth step, whose drain takes the word. */
static void post(uint64_t state)
{
    if (rank == 1) {
        MPI_Irecv(&word, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &late);
        MPI_Irecv(&wild, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &anyone);
        MPI_Send(&state, 1, MPI_UINT64_T, 0, 3, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(&word, 1, MPI_UINT64_T, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&state, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
    }
}

/* The checkpoint is there. The death is in MPI_Comm_size. */
static uint64_t regain(uint64_t state)
{
    MPI_Request request;
    int ranks;

    if (!events_seen("\"rollback\""))
        pause_us(300000);
    MPI_Cancel(&late);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Irecv(&named, 1, MPI_UINT64_T, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Send(&state, 1, MPI_UINT64_T, 0, 4, MPI_COMM_WORLD);
    MPI_Wait(&late, MPI_STATUS_IGNORE);
    MPI_Wait(&anyone, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return mix(mix(state ^ word) ^ mix(wild) ^ named);
}

static void answer(uint64_t state)
{
    uint64_t ready, first = mix(state), second = mix(first);

    MPI_Recv(&ready, 1, MPI_UINT64_T, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&first, 1, MPI_UINT64_T, 1, 2, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_UINT64_T, 1, 2, MPI_COMM_WORLD);
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
        state = ring_shift(state, 0);
        if (number == when - 3)
            post(state);
        if (number == when && rank == 1)
            state = regain(state);
        if (number == when && rank == 0)
            answer(state);
    }
    return program_end("regained", state);
}
