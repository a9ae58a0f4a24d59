/* Workers search for a number, and report how far they are until somebody has found it: how many
 * reports there are depends on when the word to stop arrives.
 * prints: checksum 150000 */
#include <mpi.h>
#include <stdio.h>

enum { WANTED = 150000, BATCH = 1000, REPORT = 1, FOUND = 2, STOP = 3, LAST = 4 };

static void search(int rank, int workers)
{
    int stop = 0, batches = 0;
    long number = rank;
    while (!stop) {
        for (int i = 0; i < BATCH; i++, number += workers)
            if (number == WANTED)
                MPI_Send(&number, 1, MPI_LONG, 0, FOUND, MPI_COMM_WORLD);
        /* expect: non-deterministic (flag), finding poll-steers-sends */
        MPI_Iprobe(0, STOP, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE);
        if (!stop)
            MPI_Send(&batches, 1, MPI_INT, 0, REPORT, MPI_COMM_WORLD);
        batches++;
    }
    MPI_Recv(&stop, 1, MPI_INT, 0, STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&batches, 1, MPI_INT, 0, LAST, MPI_COMM_WORLD);
}

static long supervise(int workers)
{
    int batches, left = workers, word = 0;
    long number = -1;
    MPI_Status status;
    while (left > 0) {
        /* expect: send-deterministic or channel-deterministic or unknown (source, tag) */
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == FOUND) {
            MPI_Recv(&number, 1, MPI_LONG, status.MPI_SOURCE, FOUND, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            for (int i = 1; i <= workers; i++)
                MPI_Send(&word, 1, MPI_INT, i, STOP, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&batches, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            left -= status.MPI_TAG == LAST;
        }
    }
    return number;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("checksum %ld\n", supervise(size - 1));
    else
        search(rank, size - 1);
    MPI_Finalize();
    return 0;
}
