/* bandwidth: windows of 1-MB messages from rank 0 to rank 1; prints the seconds of one message.
 *
 *     bandwidth [windows] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, WINDOW = 32 };

static char *buffer;

static void stream(int rank, long windows)
{
    MPI_Request request[WINDOW];
    MPI_Status status[WINDOW];
    char answer = 0;

    for (long w = 0; w < windows; w++) {
        for (int i = 0; i < WINDOW; i++)
            if (rank == 0)
                MPI_Isend(buffer + i * BYTES, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[i]);
            else
                MPI_Irecv(buffer + i * BYTES, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[i]);
        MPI_Waitall(WINDOW, request, status);
        if (rank == 0)
            MPI_Recv(&answer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&answer, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    long windows = argc > 1 ? atol(argv[1]) : 400;
    double begin;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = malloc((size_t)BYTES * WINDOW);
    memset(buffer, rank, (size_t)BYTES * WINDOW);
    stream(rank, windows / 4);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    stream(rank, windows);
    if (rank == 0)
        printf("bandwidth %.6e\n", (MPI_Wtime() - begin) / (double)windows / WINDOW);
    free(buffer);
    MPI_Finalize();
    return 0;
}
