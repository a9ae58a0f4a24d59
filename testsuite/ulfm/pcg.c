/* Preconditioned conjugate gradients with diskless checkpoints in the manner of FT-MPI's PCG (Chen
 * et al., PPoPP'05): a square of points with four neighbours each and a diagonal that changes from
 * point to point, which is the preconditioner. Rows are dealt out in blocks; what is saved is coded
 * (Reed-Solomon), two ranks may die. The right side belongs to the solution 1, which is found.
 *
 *     pcg SIZE STEPS EVERY SEED [DEATHS]     so many ranks die at moments drawn from the seed */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "blocks.h"

enum { X, R, P, VECTORS }; /* in each row, one behind the other */

static struct blocks blocks;
static long n;

static double *at(int vector, long row)
{
    return blocks.data + (row + 1) * blocks.width + vector * n;
}

static double diagonal(long row, long column)
{
    return 4.05 + (double)((row * 7 + column * 3) % 5);
}

/* One row of the matrix times P, whose neighbouring rows are there. */
static void multiply(long row, double *to)
{
    for (long k = 0; k < n; k++)
        to[k] = diagonal(blocks.first + row, k) * at(P, row)[k] - at(P, row - 1)[k] -
                at(P, row + 1)[k] - (k ? at(P, row)[k - 1] : 0) -
                (k + 1 < n ? at(P, row)[k + 1] : 0);
}

static int sum(double *value)
{
    return MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, blocks.comm);
}

/* r M^-1 r */
static int measure(double *value)
{
    *value = 0;
    for (long row = 0; row < blocks.count; row++)
        for (long k = 0; k < n; k++)
            *value += at(R, row)[k] * at(R, row)[k] / diagonal(blocks.first + row, k);
    return sum(value);
}

static int iterate(double *product)
{
    double *matrix_p = malloc((size_t)(blocks.count * n + 1) * sizeof(double)), along = 0,
           before = *product;
    int code = blocks_halo(&blocks, P * n, n);

    for (long row = 0; row < blocks.count && code == MPI_SUCCESS; row++) {
        multiply(row, matrix_p + row * n);
        for (long k = 0; k < n; k++)
            along += at(P, row)[k] * matrix_p[row * n + k];
    }
    if (code == MPI_SUCCESS)
        code = sum(&along);
    for (long i = 0; i < blocks.count * n && code == MPI_SUCCESS; i++) {
        at(X, i / n)[i % n] += before / along * at(P, i / n)[i % n];
        at(R, i / n)[i % n] -= before / along * matrix_p[i];
    }
    free(matrix_p);
    if (code == MPI_SUCCESS)
        code = measure(product);
    for (long i = 0; i < blocks.count * n && code == MPI_SUCCESS; i++)
        at(P, i / n)[i % n] = at(R, i / n)[i % n] / diagonal(blocks.first + i / n, i % n) +
                              *product / before * at(P, i / n)[i % n];
    return code;
}

/* The right side is the matrix times 1. */
static void begin(void)
{
    for (long row = 0; row < blocks.count; row++)
        for (long k = 0; k < n; k++) {
            long line = blocks.first + row;
            int neighbours = (line > 0) + (line + 1 < n) + (k > 0) + (k + 1 < n);

            at(R, row)[k] = diagonal(line, k) - neighbours;
            at(P, row)[k] = at(R, row)[k] / diagonal(line, k);
        }
}

int main(int argc, char **argv)
{
    long steps, every;

    MPI_Init(&argc, &argv);
    n = atol(argv[1]);
    steps = atol(argv[2]);
    every = atol(argv[3]);
    blocks_create(&blocks, n, VECTORS * n, FT_SAVER_CODED, 2, 2);
    begin();
    blocks_save_first(&blocks);
    blocks_order_deaths(&blocks, (unsigned)atoi(argv[4]), argc > 5 ? atoi(argv[5]) : 0);
    while (blocks.step < steps) {
        double product;
        int code = measure(&product);

        while (code == MPI_SUCCESS) {
            code = iterate(&product);
            blocks.step++;
            if (blocks.step % every == 0 || blocks.step == steps)
                break;
        }
        blocks_save(&blocks, code);
    }
    for (long i = 0; i < blocks.count * n; i++)
        if (fabs(at(X, i / n)[i % n] - 1) > 1e-9)
            blocks_fail(&blocks, "another solution", (int)i);
    printf("ok\n");
    MPI_Finalize();
    return 0;
}
