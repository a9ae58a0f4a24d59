/* latency: an 8-byte ping-pong between two ranks; prints the seconds of one message.
 *
 *     latency [iterations] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void bounce(int rank, long iterations)
{
    double message = 0;

    for (long i = 0; i < iterations; i++)
        if (rank == 0) {
            MPI_Send(&message, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(&message, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(&message, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&message, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
}

int main(int argc, char **argv)
{
    long iterations = argc > 1 ? atol(argv[1]) : 2000000;
    double begin;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bounce(rank, iterations / 4);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    bounce(rank, iterations);
    if (rank == 0)
        printf("latency %.6e\n", (MPI_Wtime() - begin) / (double)iterations / 2);
    MPI_Finalize();
    return 0;
}
