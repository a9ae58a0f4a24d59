/* Collectives of many kinds: scatter, exclusive scan, alltoallv by key, a split communicator, a
 * non-blocking reduction, gather.
 * prints: checksum 32122057630 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 400 };

/* Turns counts into displacements, and returns their sum. */
static int places(const int *counts, int *starts, int size)
{
    int sum = 0;
    for (int i = 0; i < size; i++) {
        starts[i] = sum;
        sum += counts[i];
    }
    return sum;
}

static long redistribute(const int *keys, int size)
{
    int give[64] = {0}, take[64], from[64], to[64], next[64], sorted[KEYS];
    long sum = 0;
    for (int i = 0; i < KEYS; i++)
        give[keys[i] % size]++;
    MPI_Alltoall(give, 1, MPI_INT, take, 1, MPI_INT, MPI_COMM_WORLD);
    places(give, from, size);
    int total = places(take, to, size);
    for (int i = 0; i < size; i++)
        next[i] = from[i];
    for (int i = 0; i < KEYS; i++)
        sorted[next[keys[i] % size]++] = keys[i];
    int *mine = calloc((size_t)total + 1, sizeof *mine);
    MPI_Alltoallv(sorted, give, from, MPI_INT, mine, take, to, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < total; i++)
        sum += (long)mine[i] * (i + 1);
    free(mine);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, before = 0, *all = NULL, keys[KEYS];
    long sum, total, sums[64];
    MPI_Comm half;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        all = malloc(sizeof *all * KEYS * (size_t)size);
        for (int i = 0; i < KEYS * size; i++)
            all[i] = (i * 7919) % 10007;
    }
    MPI_Scatter(all, KEYS, MPI_INT, keys, KEYS, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Exscan(keys, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        before = 0;
    sum = redistribute(keys, size) + before;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Iallreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, half, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Gather(&total, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            sums[0] = 3 * sums[0] + sums[i];
        printf("checksum %ld\n", sums[0]);
        free(all);
    }
    MPI_Finalize();
    return 0;
}
