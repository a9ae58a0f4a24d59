/* Jacobi's iteration on a square whose rows are dealt out in blocks. A step's result does not
 * depend on the rank that makes it, so the final one is that of one process, bit by bit.
 *
 *     jacobi SIZE STEPS EVERY SEED [DEATHS]     so many ranks die at moments drawn from the seed */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "blocks.h"

static struct blocks blocks;

static double begin_at(long row, long column)
{
    return (double)((row * 31 + column * 17) % 101);
}

/* Rows -1 and n are cold. */
static void relax(const double *from, double *to, long lines, long n)
{
    for (long i = 1; i <= lines; i++)
        for (long k = 0; k < n; k++) {
            double left = k ? from[i * n + k - 1] : 0;
            double right = k + 1 < n ? from[i * n + k + 1] : 0;

            to[i * n + k] = 0.25 * (from[(i - 1) * n + k] + from[(i + 1) * n + k] + left + right);
        }
}

/* Relaxes `lines` rows between two others, in place. */
static void relax_all(double *rows, long lines, long n)
{
    double *next = calloc((size_t)((lines + 2) * n), sizeof(double));

    relax(rows, next, lines, n);
    memcpy(rows + n, next + n, (size_t)(lines * n) * sizeof(double));
    free(next);
}

/* The same by one process. */
static void compare(long n, long steps)
{
    double *all = calloc((size_t)((n + 2) * n), sizeof(double));

    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            all[(i + 1) * n + k] = begin_at(i, k);
    for (long i = 0; i < steps; i++)
        relax_all(all, n, n);
    if (memcmp(all + (blocks.first + 1) * n, blocks.data + n,
               (size_t)(blocks.count * n) * sizeof(double)))
        blocks_fail(&blocks, "another result than that of one process", 0);
    free(all);
}

int main(int argc, char **argv)
{
    long n, steps, every;

    MPI_Init(&argc, &argv);
    n = atol(argv[1]);
    steps = atol(argv[2]);
    every = atol(argv[3]);
    blocks_create(&blocks, n, n, FT_SAVER_FULL, 0, 0);
    for (long i = 0; i < blocks.count; i++)
        for (long k = 0; k < n; k++)
            blocks.data[(i + 1) * n + k] = begin_at(blocks.first + i, k);
    blocks_save_first(&blocks);
    blocks_order_deaths(&blocks, (unsigned)atoi(argv[4]), argc > 5 ? atoi(argv[5]) : 0);
    while (blocks.step < steps) {
        int code;

        do {
            code = blocks_halo(&blocks, 0, n);
            if (code != MPI_SUCCESS)
                break;
            relax_all(blocks.data, blocks.count, n);
            blocks.step++;
        } while (blocks.step % every && blocks.step < steps);
        blocks_save(&blocks, code);
    }
    compare(n, steps);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
