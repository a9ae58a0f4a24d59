/* A farm: whoever has answered gets the next piece of work, whose size tells which one it is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ft.h"

enum { WORK = 1, STOP = 2, RESULT = 3, MOST = 1000 };

static char piece[MOST];

static void master(int pieces, int size)
{
    int next = 0, busy = 0, sum = 0, result;
    MPI_Status status;

    for (int worker = 1; worker < size && next < pieces; worker++, busy++)
        MPI_Send(piece, ++next, MPI_CHAR, worker, WORK, MPI_COMM_WORLD);
    while (busy > 0) {
        FT_SITE(0x21u);
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        sum += result;
        if (next < pieces)
            MPI_Send(piece, ++next, MPI_CHAR, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
        else
            busy--;
    }
    for (int worker = 1; worker < size; worker++)
        MPI_Send(NULL, 0, MPI_CHAR, worker, STOP, MPI_COMM_WORLD);
    printf("sum %d\n", sum);
}

static void worker(void)
{
    int result;
    MPI_Status status;

    for (;;) {
        FT_SITE(0x22u);
        MPI_Recv(piece, MOST, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return;
        MPI_Get_count(&status, MPI_CHAR, &result);
        MPI_Send(&result, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(argc > 1 ? atoi(argv[1]) : 40, size);
    else
        worker();
    MPI_Finalize();
    return 0;
}
