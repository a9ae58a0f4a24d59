/* uneven: ranks whose main loops turn a different number of times: rank r does its work in pieces, so
 * it executes hooks at another rate than its neighbours, and no step number is common to all.
 *
 * arguments: [rounds 200]
 *
 * ranks: 3
 * test: 100
 * soak: 150
 * pace: 3000
 * hooks: uneven
 * kill: 2@hook:150
 * kill: 0@call:100
 */
#include "program.h"

/* Piece `piece` of round `round` of this rank; the last piece of a round exchanges with the ring. */
static uint64_t work(uint64_t state, long round, long piece)
{
    uint64_t in;

    for (int i = 0; i < 20000; i++)
        state = mix(state + (uint64_t)i);
    if (piece < rank)
        return state;
    MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + 1) % size, (int)round, &in, 1, MPI_UINT64_T,
                 (rank + size - 1) % size, (int)round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (round % 10 == 0)
        MPI_Allreduce(MPI_IN_PLACE, &in, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return mix(state ^ in);
}

int main(int argc, char **argv)
{
    uint64_t state = 7;
    long rounds, number;

    program_start(&argc, &argv);
    rounds = argument(argc, argv, 1, 200);
    for (number = 1; number <= rounds * (rank + 1); number++) {
        step(number);
        state = work(state, (number - 1) / (rank + 1), (number - 1) % (rank + 1));
    }
    return program_end("uneven", state);
}
