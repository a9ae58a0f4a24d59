/* facing: two ranks of two clusters, which both roll back to before a message that nobody has
 * logged then. In each step rank 1 posts a receive by wildcard, and takes two later messages before
 * it asks about that; rank 0 sends the first one synchronously, or a long one, and waits for it.
 *
 * arguments: [steps 40] [step in which both die 0] [numbers in the first message; 0: synchronous 0]
 *
 * ranks: 2
 * test: 40
 * pace: 2000
 */
#include <signal.h>
#include "program.h"

/* Rank 0 dies as soon as ftrun has seen the other one's death. */
static void die(void)
{
    if (rank == 0)
        events_await("\"death\"", 1);
    if (events_seen("\"death\"") == !rank && death_due())
        raise(SIGKILL);
}

static void give(uint64_t *first, int count, uint64_t state)
{
    for (int i = 0; i < (count ? count : 1); i++)
        first[i] = mix(state + (uint64_t)i);
    if (count)
        MPI_Send(first, count, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Ssend(first, 1, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
    for (int tag = 2; tag < 4; tag++)
        MPI_Send(&state, 1, MPI_UINT64_T, 1, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    uint64_t state = 1, *first;
    long steps, dies;
    int count;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    dies = argument(argc, argv, 2, 0);
    count = (int)argument(argc, argv, 3, 0);
    first = calloc((size_t)count + 1, sizeof *first);
    for (long number = 1; number <= steps; number++) {
        MPI_Request request;
        uint64_t second = 0;

        step(number);
        if (rank == 0) {
            give(first, count, state);
        } else {
            MPI_Irecv(first, count ? count : 1, MPI_UINT64_T, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                      &request);
            for (int tag = 2; tag < 4; tag++)
                MPI_Recv(&second, 1, MPI_UINT64_T, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
        if (number == dies)
            die();
        if (rank == 1)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        state = mix(state ^ first[count ? count - 1 : 0] ^ second);
        MPI_Bcast(&state, 1, MPI_UINT64_T, 1, MPI_COMM_WORLD);
    }
    free(first);
    return program_end("facing", state);
}
