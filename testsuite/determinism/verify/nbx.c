/* The exchange by non-blocking consensus (Hoefler, Siebert, Lumsdaine, 2010), ROUNDS times in a row
 * with one tag; with a second argument, a barrier keeps the rounds apart. Annotated by hand. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ft.h"

enum { TARGETS = 2, NEWS = 7 };

FT_DECLARE_PATTERN(exchange_pattern, 0x0e0c4a11u);

/* Answers how many values of another round were received. */
static int exchange(int round, int rank, int size)
{
    int done = 0, waiting = 0, flag, value, strange = 0;
    MPI_Request sends[TARGETS], consensus = MPI_REQUEST_NULL;
    MPI_Status status;

    FT_BEGIN_ITERATION(exchange_pattern, MPI_COMM_WORLD);
    for (int i = 0; i < TARGETS; i++)
        MPI_Issend(&round, 1, MPI_INT, (rank + i + 1) % size, NEWS, MPI_COMM_WORLD, &sends[i]);
    while (!done) {
        FT_SITE(0x11u);
        MPI_Iprobe(MPI_ANY_SOURCE, NEWS, MPI_COMM_WORLD, &flag, &status);
        if (flag) {
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, NEWS, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            strange += value != round;
        }
        if (waiting) {
            FT_SITE(0x12u);
            MPI_Test(&consensus, &done, MPI_STATUS_IGNORE);
        } else {
            FT_SITE(0x13u);
            MPI_Testall(TARGETS, sends, &flag, MPI_STATUSES_IGNORE);
            waiting = flag;
            if (flag)
                MPI_Ibarrier(MPI_COMM_WORLD, &consensus);
        }
    }
    FT_END_ITERATION(exchange_pattern);
    return strange;
}

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 10, strange = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < rounds; round++) {
        strange += exchange(round, rank, size);
        if (argc > 2)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (argc > 2 && strange)
        printf("rank %d got %d values of another round\n", rank, strange);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
