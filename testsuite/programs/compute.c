/* compute: in some steps one rank computes for a long time without any MPI call or hook, while the
 * others wait for it inside a receive or a collective.
 *
 * arguments: [steps 6] [milliseconds of computing 400]
 *
 * ranks: 3
 * test: 8 300
 * soak: 6 400
 * kill: 1@hook:5
 * kill: 0@call:8
 */
#include "program.h"

static uint64_t compute(uint64_t state, long milliseconds)
{
    for (long i = 0; i < milliseconds * 100000; i++)
        state = mix(state);
    return state;
}

int main(int argc, char **argv)
{
    uint64_t state = 1, in;
    long steps, milliseconds;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 6);
    milliseconds = argument(argc, argv, 2, 400);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == number % size)
            state = compute(state, milliseconds);
        if (number % 2)
            MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + 1) % size, 1, &in, 1, MPI_UINT64_T,
                         (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Allreduce(&state, &in, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
        state = mix(in + (uint64_t)rank);
    }
    return program_end("compute", state);
}
