/* Darts thrown at a circle, with seeds from a clock, until the time is up: other messages, and
 * another number of them, in each run. No call here races; it is the clock that differs.
 * prints: checksum 1 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    int rank, size, turns = 0;
    long hits = 0, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand((unsigned)time(NULL) + (unsigned)rank);
    double start = MPI_Wtime();
    while (MPI_Wtime() - start < 0.2) {
        double x = rand() / (1.0 + RAND_MAX), y = rand() / (1.0 + RAND_MAX);
        hits += x * x + y * y < 1;
        /* expect: finding clock-steers-sends, finding payload-noise? */
        MPI_Sendrecv_replace(&hits, 1, MPI_LONG, rank, turns, rank, turns, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        turns = (turns + 1) % 1000;
    }
    /* expect: finding payload-noise? */
    MPI_Reduce(&hits, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %d\n", all > 0);
    MPI_Finalize();
    return 0;
}
