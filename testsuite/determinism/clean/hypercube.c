/* A sort by merging over a hypercube: partners are named by exclusive or, and the lengths of the
 * messages travel before them.
 * prints: checksum 1117070592822 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1000 };

static int compare(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return (a > b) - (a < b);
}

/* The number of keys below the middle of the interval. */
static int keys_below(const unsigned *keys, int count, unsigned middle)
{
    int below = 0;
    while (below < count && keys[below] < middle)
        below++;
    return below;
}

int main(int argc, char **argv)
{
    int rank, size, count = KEYS;
    unsigned seed, *keys, low = 0, high = 1u << 20;
    unsigned long sum = 0, total;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    keys = malloc(sizeof *keys * KEYS * (size_t)size);
    seed = 12345u + (unsigned)rank;
    for (int i = 0; i < count; i++) {
        seed = seed * 1103515245u + 12345u;
        keys[i] = seed >> 12;
    }
    for (int bit = 1; bit < size; bit <<= 1) {
        int partner = rank ^ bit, upper = (rank & bit) != 0, theirs;
        unsigned middle = low + (high - low) / 2;
        if (partner >= size)
            break;
        qsort(keys, (size_t)count, sizeof *keys, compare);
        int below = keys_below(keys, count, middle), give = upper ? below : count - below;
        MPI_Sendrecv(&give, 1, MPI_INT, partner, 1, &theirs, 1, MPI_INT, partner, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        unsigned *got = malloc(sizeof *got * (size_t)(theirs + 1));
        MPI_Sendrecv(upper ? keys : keys + below, give, MPI_UNSIGNED, partner, 2, got, theirs,
                     MPI_UNSIGNED, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        count -= give;
        if (upper)
            for (int i = 0; i < count; i++)
                keys[i] = keys[i + below];
        for (int i = 0; i < theirs; i++)
            keys[count++] = got[i];
        free(got);
        *(upper ? &low : &high) = middle;
    }
    qsort(keys, (size_t)count, sizeof *keys, compare);
    for (int i = 0; i < count; i++)
        sum += (unsigned long)keys[i] * (unsigned long)(i + 1);
    MPI_Reduce(&sum, &total, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("checksum %lu\n", total);
    free(keys);
    MPI_Finalize();
    return 0;
}
