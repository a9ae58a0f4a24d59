/* Sample sort: splitters from samples, buckets sent to their ranks, and taken as they complete.
 * prints: checksum 18370943253559 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 2000, RANKS = 64, BUCKET = 2 };

static int compare(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return (a > b) - (a < b);
}

static void splitters_choose(const unsigned *keys, unsigned *splitters, int size)
{
    unsigned samples[RANKS], all[RANKS * RANKS];
    for (int i = 0; i < size; i++)
        samples[i] = keys[i * (KEYS / size)];
    MPI_Allgather(samples, size, MPI_UNSIGNED, all, size, MPI_UNSIGNED, MPI_COMM_WORLD);
    qsort(all, (size_t)(size * size), sizeof *all, compare);
    for (int i = 1; i < size; i++)
        splitters[i - 1] = all[i * size];
}

/* The buckets are taken in the order in which they complete, and each is put where it belongs:
 * nobody can tell afterwards which was first. */
static int buckets_take(unsigned *mine, const int *lengths, const int *starts, int size)
{
    int index, total = 0;
    MPI_Request requests[RANKS];
    for (int i = 0; i < size; i++)
        MPI_Irecv(mine + starts[i], lengths[i], MPI_UNSIGNED, i, BUCKET, MPI_COMM_WORLD,
                  &requests[i]);
    for (int left = size; left > 0; left--) {
        /* expect: send-deterministic (index) */
        MPI_Waitany(size, requests, &index, MPI_STATUS_IGNORE);
        qsort(mine + starts[index], (size_t)lengths[index], sizeof *mine, compare);
        total += lengths[index];
    }
    return total;
}

int main(int argc, char **argv)
{
    int rank, size, give[RANKS], take[RANKS], starts[RANKS], next = 0;
    unsigned keys[KEYS], splitters[RANKS];
    unsigned long sum = 0, total;
    MPI_Request requests[RANKS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned seed = 99u + (unsigned)rank;
    for (int i = 0; i < KEYS; i++) {
        seed = seed * 1103515245u + 12345u;
        keys[i] = seed >> 10;
    }
    qsort(keys, KEYS, sizeof *keys, compare);
    splitters_choose(keys, splitters, size);
    for (int i = 0; i < size; i++) {
        int first = next;
        while (next < KEYS && (i == size - 1 || keys[next] < splitters[i]))
            next++;
        give[i] = next - first;
    }
    MPI_Alltoall(give, 1, MPI_INT, take, 1, MPI_INT, MPI_COMM_WORLD);
    next = 0;
    for (int i = 0; i < size; i++) {
        MPI_Isend(keys + next, give[i], MPI_UNSIGNED, i, BUCKET, MPI_COMM_WORLD, &requests[i]);
        next += give[i];
        starts[i] = i > 0 ? starts[i - 1] + take[i - 1] : 0;
    }
    unsigned *mine = malloc(sizeof *mine * KEYS * (size_t)size);
    int count = buckets_take(mine, take, starts, size);
    MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
    qsort(mine, (size_t)count, sizeof *mine, compare);
    for (int i = 0; i < count; i++)
        sum += (unsigned long)mine[i] * (unsigned long)(i + 1);
    free(mine);
    MPI_Reduce(&sum, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %lu\n", total);
    MPI_Finalize();
    return 0;
}
