/* Two loops that compete: each worker sends two messages with one tag, and a loop of receives from
 * anybody takes as many as there are workers, twice. Which of them land in the first loop is open,
 * and both sums are sent on. With `named` each loop names its sources, so only the order is open;
 * with `clock` the sums are those of `named`, and a reading of the clock goes along. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ft.h"

enum { PART = 1, SUMS = 2, ROUNDS = 30 };

static void work(int rank, int round)
{
    for (long i = 0; i < 2; i++) {
        long part = 1000 * rank + 10 * round + i;

        MPI_Send(&part, 1, MPI_LONG, 0, PART, MPI_COMM_WORLD);
        if (rank % 2 == 0)
            usleep(200);
    }
}

static long gather(int size)
{
    long sum = 0, part;

    for (int i = 1; i < size; i++) {
        FT_SITE(0x41u);
        MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += part;
    }
    return sum;
}

/* Both messages of each worker: whose comes first is open, and changes no sum. */
static void gather_all(int size, long sum[2])
{
    long part;

    for (int i = 0; i < 2 * (size - 1); i++) {
        FT_SITE(0x42u);
        MPI_Recv(&part, 1, MPI_LONG, MPI_ANY_SOURCE, PART, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum[part % 10 % 2] += part;
    }
}

int main(int argc, char **argv)
{
    int rank, size, rivals = argc < 2, clock = argc > 1 && strcmp(argv[1], "clock") == 0;
    long sums[3], total[2] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            memset(sums, 0, sizeof sums);
            for (int i = 0; rivals && i < 2; i++)
                sums[i] = gather(size);
            if (!rivals)
                gather_all(size, sums);
            if (clock)
                sums[2] = (long)(MPI_Wtime() * 1e9);
            for (int i = 0; i < 2; i++)
                MPI_Send(sums, 3, MPI_LONG, 1 + i, SUMS, MPI_COMM_WORLD);
        } else {
            work(rank, round);
            if (rank <= 2)
                MPI_Recv(sums, 3, MPI_LONG, 0, SUMS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < 2; i++)
            total[i] += sums[i];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("total %ld\n", total[0] + total[1]);
    MPI_Finalize();
    return 0;
}
