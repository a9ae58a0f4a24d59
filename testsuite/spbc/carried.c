/* carried: a blocking send within the cluster waits for a receiver that waits for the sender's part
 * of a collective. The MPI library's own collectives go on in any call.
 *
 * arguments: [steps 6]
 *
 * ranks: 4
 * test: 6
 */
#include "program.h"

enum { LONG = 1 << 18 };

/* Rank 2 gives a word to all; rank 0 hands it on to rank 1. */
static uint64_t carry(uint64_t state, long number)
{
    static uint64_t block[LONG];
    uint64_t word = state;
    MPI_Request request;

    if (rank == 2)
        pause_us(20000);
    block[LONG - 1] = state;
    MPI_Ibcast(&word, 1, MPI_UINT64_T, 2, MPI_COMM_WORLD, &request);
    if (rank == 0 && number % 2)
        MPI_Send(block, LONG, MPI_UINT64_T, 1, 7, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Ssend(&block[LONG - 1], 1, MPI_UINT64_T, 1, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Recv(number % 2 ? block : &block[LONG - 1], number % 2 ? LONG : 1, MPI_UINT64_T, 0, 7,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mix(state ^ word ^ block[LONG - 1]);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 6);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(carry(state, number), 0);
    }
    return program_end("carried", state);
}
