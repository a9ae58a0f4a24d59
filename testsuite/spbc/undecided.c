/* undecided: two receives by wildcard, the first of which meets 64 MB and the second 8 bytes of the
 * same stream; the receiver waits for the second alone, and dies while the first is under way.
 * Which of them met which message cannot be known then.
 *
 * arguments: [1: rank 1 dies in its first life]
 *
 * ranks: 2
 */
#include <signal.h>
#include "program.h"

#define BIG (64L << 20)

int main(int argc, char **argv)
{
    MPI_Request first, second;
    int known = 0;
    char *big = calloc(BIG, 1), small[8] = "small";

    program_start(&argc, &argv);
    for (long number = 1; number <= 3; number++)
        step(number);
    if (rank == 0) {
        MPI_Isend(big, (int)BIG, MPI_BYTE, 1, 5, MPI_COMM_WORLD, &first);
        MPI_Send(small, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(big, (int)BIG, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &first);
        MPI_Irecv(small, 8, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &second);
        MPI_Wait(&second, MPI_STATUS_IGNORE);
        known = memcmp(small, "small", 6) == 0;
        if (argument(argc, argv, 1, 0) && death_due())
            raise(SIGKILL);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
    }
    return program_end("undecided", (uint64_t)known);
}
