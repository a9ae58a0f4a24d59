/* transpose: a 3-D Fourier transform on pencils, in the manner of FFT codes and of NAS FT.
 *
 * Communication: ranks form a grid; sub-communicators of its rows and of its columns, made during
 * the run by MPI_Comm_split, and an Alltoall in each of them turns x pencils into y pencils into z
 * pencils. In each step the spectrum is advanced in time, transformed back and checked.
 *
 * Verification: after s steps a single plane wave has turned by a known phase, and the energy is
 * what it was (Parseval), to 1e-12 relative. */
#include "app.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

struct grid {
    int n; /* points of one axis, a power of two */
    int ranks[2], place[2];
    int a, b;               /* n / ranks[0], n / ranks[1]: a rank's lines of a pencil */
    MPI_Comm rows, columns; /* ranks[0] ranks with equal place[1]; ranks[1] with equal place[0] */
    double complex *data, *other, *packed;
};

static void grid_create(struct grid *grid, int n)
{
    size_t count;

    *grid = (struct grid){.n = n};
    MPI_Dims_create(app_ranks, 2, grid->ranks);
    if (n % grid->ranks[0] || n % grid->ranks[1])
        app_fail("--size must be a multiple of the sides of the grid of ranks, %d and %d",
                 grid->ranks[0], grid->ranks[1]);
    grid->place[0] = app_rank % grid->ranks[0];
    grid->place[1] = app_rank / grid->ranks[0];
    MPI_Comm_split(MPI_COMM_WORLD, grid->place[1], grid->place[0], &grid->rows);
    MPI_Comm_split(MPI_COMM_WORLD, grid->place[0], grid->place[1], &grid->columns);
    grid->a = n / grid->ranks[0];
    grid->b = n / grid->ranks[1];
    count = (size_t)n * (size_t)grid->a * (size_t)grid->b;
    grid->data = app_alloc(count, sizeof(double complex));
    grid->other = app_alloc(count, sizeof(double complex));
    grid->packed = app_alloc(count, sizeof(double complex));
}

static void grid_destroy(struct grid *grid)
{
    MPI_Comm_free(&grid->rows);
    MPI_Comm_free(&grid->columns);
    free(grid->data);
    free(grid->other);
    free(grid->packed);
}

/* In-place transform of a line, radix two. `sign` is -1 forward, +1 backward (unscaled). */
static void line_transform(double complex *line, int n, int sign)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = line[i];
            line[i] = line[j];
            line[j] = swap;
        }
    }
    for (int half = 1; half < n; half *= 2) {
        double complex turn = cexp(sign * I * pi / half);
        for (int start = 0; start < n; start += 2 * half) {
            double complex factor = 1.0;
            for (int i = start; i < start + half; i++) {
                double complex odd = line[i + half] * factor;
                line[i + half] = line[i] - odd;
                line[i] += odd;
                factor *= turn;
            }
        }
    }
}

static void lines_transform(struct grid *grid, int sign)
{
    for (int line = 0; line < grid->a * grid->b; line++)
        line_transform(grid->data + (size_t)line * (size_t)grid->n, grid->n, sign);
}

/* Exchanges the line axis with the axis that `comm` divides. Lines [outer][part][n] become lines
 * [outer][part'][n] over the other axis; `part` lines lie in this rank, `outer` is untouched. */
static void axes_exchange(struct grid *grid, MPI_Comm comm, int ranks, int part, int outer)
{
    size_t block = (size_t)part * (size_t)part * (size_t)outer, n = (size_t)grid->n;

    for (int r = 0; r < ranks; r++)
        for (int o = 0; o < outer; o++)
            for (int p = 0; p < part; p++)
                memcpy(grid->packed + (size_t)r * block +
                           ((size_t)o * (size_t)part + (size_t)p) * (size_t)part,
                       grid->data + ((size_t)o * (size_t)part + (size_t)p) * n +
                           (size_t)r * (size_t)part,
                       (size_t)part * sizeof(double complex));
    MPI_Alltoall(grid->packed, (int)(2 * block), MPI_DOUBLE, grid->other, (int)(2 * block),
                 MPI_DOUBLE, comm);
    for (int r = 0; r < ranks; r++)
        for (int o = 0; o < outer; o++)
            for (int p = 0; p < part; p++)
                for (int q = 0; q < part; q++)
                    grid->data[((size_t)o * (size_t)part + (size_t)q) * n +
                               (size_t)(r * part + p)] =
                        grid->other[(size_t)r * block +
                                    ((size_t)o * (size_t)part + (size_t)p) * (size_t)part +
                                    (size_t)q];
}

/* Lines [b][a][n] to [a][b][n]: what is inner becomes outer. */
static void lines_reorder(struct grid *grid, int outer, int inner)
{
    double complex *swap = grid->data;

    for (int o = 0; o < outer; o++)
        for (int i = 0; i < inner; i++)
            memcpy(grid->other + (size_t)(i * outer + o) * (size_t)grid->n,
                   grid->data + (size_t)(o * inner + i) * (size_t)grid->n,
                   (size_t)grid->n * sizeof(double complex));
    grid->data = grid->other;
    grid->other = swap;
}

/* Lines over x, [z of b][y of a], become lines over z, [x of a][y of b]; all axes are transformed.
 */
static void grid_forward(struct grid *grid)
{
    lines_transform(grid, -1);
    axes_exchange(grid, grid->rows, grid->ranks[0], grid->a, grid->b);
    lines_transform(grid, -1);
    lines_reorder(grid, grid->b, grid->a);
    axes_exchange(grid, grid->columns, grid->ranks[1], grid->b, grid->a);
    lines_transform(grid, -1);
}

static void grid_backward(struct grid *grid)
{
    lines_transform(grid, 1);
    axes_exchange(grid, grid->columns, grid->ranks[1], grid->b, grid->a);
    lines_reorder(grid, grid->a, grid->b);
    lines_transform(grid, 1);
    axes_exchange(grid, grid->rows, grid->ranks[0], grid->a, grid->b);
    lines_transform(grid, 1);
}

static int wave_number(int index, int n)
{
    return index < n / 2 ? index : index - n;
}

/* One step in time: each mode turns by its square; also scales for the transform back. */
static void spectrum_advance(struct grid *grid)
{
    double scale = 1.0 / ((double)grid->n * grid->n * grid->n);

    for (int x = 0; x < grid->a; x++)
        for (int y = 0; y < grid->b; y++)
            for (int z = 0; z < grid->n; z++) {
                int kx = wave_number(grid->place[0] * grid->a + x, grid->n);
                int ky = wave_number(grid->place[1] * grid->b + y, grid->n);
                int kz = wave_number(z, grid->n);
                grid->data[((size_t)x * (size_t)grid->b + (size_t)y) * (size_t)grid->n +
                           (size_t)z] *= scale * cexp(-1e-3 * I * (kx * kx + ky * ky + kz * kz));
            }
}

/* Every point of this rank: fills the wave (1, 2, 3) turned by `phase`, or compares with it; adds
 * up the energy. Returns the largest difference. */
static double wave_visit(struct grid *grid, double phase, bool fill, double *energy)
{
    double worst = 0;

    *energy = 0;
    for (int z = 0; z < grid->b; z++)
        for (int y = 0; y < grid->a; y++)
            for (int x = 0; x < grid->n; x++) {
                double angle = 2.0 * pi *
                               (x + 2.0 * (grid->place[0] * grid->a + y) +
                                3.0 * (grid->place[1] * grid->b + z)) /
                               grid->n;
                double complex *point =
                    &grid->data[((size_t)z * (size_t)grid->a + (size_t)y) * (size_t)grid->n +
                                (size_t)x];
                if (fill)
                    *point = cexp(I * angle);
                worst = fmax(worst, cabs(*point - cexp(I * (angle - phase))));
                *energy += creal(*point * conj(*point));
            }
    *energy = app_sum(*energy, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

int main(int argc, char **argv)
{
    long size = 32, steps = 10;
    const struct app_option options[] = {
        {"size", &size, 8, 1024, "points of one axis, a power of two"},
        {"steps", &steps, 1, 100000000, "time steps"},
        {0},
    };
    double energy, start, worst = 0;
    bool good = true;
    struct grid grid;

    app_start(argc, argv, "transpose", options, NULL);
    if (size & (size - 1))
        app_fail("--size must be a power of two");
    grid_create(&grid, (int)size);
    wave_visit(&grid, 0, true, &start);
    app_begin();
    for (long step = 1; step <= steps; step++) {
        grid_forward(&grid);
        spectrum_advance(&grid);
        grid_backward(&grid);
        worst = wave_visit(&grid, 14e-3 * (double)step, false, &energy);
        good &= worst < 1e-12 * (double)(step + 100) &&
                fabs(energy / start - 1.0) < 1e-12 * (double)(step + 1);
    }
    app_print("%ld steps: energy %.17g, difference %.17g", steps, energy, worst);
    grid_destroy(&grid);
    return app_end(good);
}
