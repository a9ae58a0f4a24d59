/* Everybody sends to everybody, round after round, with one tag and nothing between the rounds: a
 * bug. A fast rank's message of the next round may be taken for this one. */
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 1000, DATA = 5 };

static int round_run(int value, int size)
{
    int got, least = value;
    MPI_Request sends[64];
    for (int i = 0; i < size; i++)
        MPI_Isend(&value, 1, MPI_INT, i, DATA, MPI_COMM_WORLD, &sends[i]);
    for (int i = 0; i < size; i++) {
        /* expect: send-deterministic or non-deterministic (source), finding capture */
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got < least)
            least = got;
    }
    MPI_Waitall(size, sends, MPI_STATUSES_IGNORE);
    return least;
}

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++)
        wrong += round_run(round, size) != round;
    if (wrong)
        fprintf(stderr, "rank %d: %d rounds of %d were wrong\n", rank, wrong, ROUNDS);
    MPI_Finalize();
    return 0;
}
