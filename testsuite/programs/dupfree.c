/* dupfree: thousands of communicators duplicated and freed, more than the library can hold at once;
 * a few live at any moment, and messages travel on each.
 *
 * arguments: [steps 2600]
 *
 * ranks: 2
 * test: 2600
 * soak: 8000
 * pace: 100
 * kill: 1@hook:1300
 * kill: 0@call:4200
 */
#include "program.h"

#define LIVE 7

int main(int argc, char **argv)
{
    MPI_Comm comms[LIVE];
    long steps, in = 0, state = 0;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 2600);
    for (int i = 0; i < LIVE; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (long number = 1; number <= steps; number++) {
        MPI_Comm *comm = &comms[number % LIVE];

        step(number);
        MPI_Comm_free(comm);
        MPI_Comm_dup(comms[(number + 3) % LIVE], comm);
        MPI_Sendrecv(&number, 1, MPI_LONG, (rank + 1) % size, 1, &in, 1, MPI_LONG,
                     (rank + size - 1) % size, 1, *comm, MPI_STATUS_IGNORE);
        check(in == number, "message on a new communicator", number);
        state = state * 31 + in;
    }
    for (int i = 0; i < LIVE; i++)
        MPI_Comm_free(&comms[i]);
    return program_end("dupfree", (uint64_t)state);
}
