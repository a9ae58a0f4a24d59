/* pic: particles in a periodic box that push each other apart, in the manner of GTC and pdpic3.
 *
 * Communication: ranks own slabs of the box. In each step the density of the two rows at the border
 * is added up with the neighbours (Sendrecv); particles that leave go to the neighbour they enter,
 * as many as there are, and the two arrivals are unpacked by Waitany into a slot each, so that the
 * order of the particles does not depend on which came first. Every tenth step all particles go to
 * the rank that their number belongs to (Alltoallv), which takes stock.
 *
 * Verification: in each stock every particle is there exactly once, and the digest of numbers and
 * positions is printed. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOWN, UP, SIDES };

struct particle {
    double x, y, vx, vy; /* in cells, and cells a step */
    int64_t number;
};

struct box {
    int n, first, rows; /* cells of a side; this rank's rows */
    int neighbour[SIDES];
    long all, count, room; /* particles of all ranks, of this one, and room for them */
    struct particle *particles;
    struct particle *leaving[SIDES], *coming[SIDES]; /* room for each */
    double *density;                                 /* rows + 2 rows of n */
};

static void particle_make(const struct box *box, int64_t number, struct particle *p)
{
    uint64_t seed = (uint64_t)number * 4;

    p->x = app_uniform(seed) * box->n;
    p->y = app_uniform(seed + 1) * box->n;
    p->vx = 0.4 * app_uniform(seed + 2) - 0.2;
    p->vy = 0.4 * app_uniform(seed + 3) - 0.2;
    p->number = number;
}

static bool is_own(const struct box *box, double y)
{
    return y >= box->first && y < box->first + box->rows;
}

static void box_create(struct box *box, int n, long all)
{
    struct particle p = {0};

    *box = (struct box){.n = n, .all = all, .room = all};
    box->first = (int)app_first(n, app_rank, app_ranks);
    box->rows = (int)app_first(n, app_rank + 1, app_ranks) - box->first;
    box->neighbour[DOWN] = (app_rank + app_ranks - 1) % app_ranks;
    box->neighbour[UP] = (app_rank + 1) % app_ranks;
    box->particles = app_alloc((size_t)box->room, sizeof(struct particle));
    for (int side = 0; side < SIDES; side++) {
        box->leaving[side] = app_alloc((size_t)box->room, sizeof(struct particle));
        box->coming[side] = app_alloc((size_t)box->room, sizeof(struct particle));
    }
    box->density = app_alloc((size_t)(box->rows + 2) * (size_t)n, sizeof(double));
    for (int64_t i = 0; i < all; i++) {
        particle_make(box, i, &p);
        if (is_own(box, p.y))
            box->particles[box->count++] = p;
    }
}

static void box_destroy(struct box *box)
{
    for (int side = 0; side < SIDES; side++) {
        free(box->leaving[side]);
        free(box->coming[side]);
    }
    free(box->particles);
    free(box->density);
}

static double *row_of(struct box *box, int row)
{
    return box->density + (size_t)row * (size_t)box->n;
}

/* The four cells around a particle, with the shares of its charge. */
static void shares_of(const struct box *box, const struct particle *p, int *column, int *row,
                      double *x, double *y)
{
    *column = (int)p->x % box->n;
    *row = (int)p->y - box->first + 1;
    *x = p->x - (int)p->x;
    *y = p->y - (int)p->y;
}

static void density_deposit(struct box *box)
{
    memset(box->density, 0, (size_t)(box->rows + 2) * (size_t)box->n * sizeof(double));
    for (long i = 0; i < box->count; i++) {
        int column, row, right;
        double x, y;
        shares_of(box, &box->particles[i], &column, &row, &x, &y);
        right = (column + 1) % box->n;
        row_of(box, row)[column] += (1 - x) * (1 - y);
        row_of(box, row)[right] += x * (1 - y);
        row_of(box, row + 1)[column] += (1 - x) * y;
        row_of(box, row + 1)[right] += x * y;
    }
}

/* Density beyond the upper border belongs to the upper neighbour; then the finished first row is
 * what the lower neighbour sees beyond its border, and the finished last one the upper
 * neighbour. */
static void density_exchange(struct box *box)
{
    double *spilled = app_alloc((size_t)box->n, sizeof(double));

    MPI_Sendrecv(row_of(box, box->rows + 1), box->n, MPI_DOUBLE, box->neighbour[UP], 1, spilled,
                 box->n, MPI_DOUBLE, box->neighbour[DOWN], 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < box->n; i++)
        row_of(box, 1)[i] += spilled[i];
    MPI_Sendrecv(row_of(box, 1), box->n, MPI_DOUBLE, box->neighbour[DOWN], 2,
                 row_of(box, box->rows + 1), box->n, MPI_DOUBLE, box->neighbour[UP], 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(box, box->rows), box->n, MPI_DOUBLE, box->neighbour[UP], 3, row_of(box, 0),
                 box->n, MPI_DOUBLE, box->neighbour[DOWN], 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(spilled);
}

/* Less than a cell a step, so that nobody passes a slab. */
static double limited(double speed)
{
    return fmax(-0.9, fmin(0.9, speed));
}

static void particles_push(struct box *box)
{
    double mean = (double)box->all / ((double)box->n * box->n);

    for (long i = 0; i < box->count; i++) {
        struct particle *p = &box->particles[i];
        int column, row, right;
        double x, y;
        shares_of(box, p, &column, &row, &x, &y);
        right = (column + 1) % box->n;
        p->vx = limited(p->vx - 0.01 * (row_of(box, row)[right] - row_of(box, row)[column]) / mean);
        p->vy = limited(
            p->vy - 0.01 * (row_of(box, row + 1)[column] - row_of(box, row - 1)[column]) / mean);
        p->x = fmod(p->x + p->vx + box->n, box->n);
        p->y = fmod(p->y + p->vy + box->n, box->n);
    }
}

/* Takes out who has left; the box is periodic, so the way to a neighbour may lead round it. */
static void leaving_sort(struct box *box, int *counts)
{
    long kept = 0;

    counts[DOWN] = counts[UP] = 0;
    for (long i = 0; i < box->count; i++) {
        struct particle *p = &box->particles[i];
        double above = fmod(p->y - box->first + box->n, box->n);
        int side = above < box->rows + 1 ? UP : DOWN;
        if (is_own(box, p->y))
            box->particles[kept++] = *p;
        else
            box->leaving[side][counts[side]++] = *p;
    }
    box->count = kept;
}

static void particles_migrate(struct box *box)
{
    MPI_Request requests[SIDES], sends[SIDES];
    int leaving[SIDES], coming[SIDES], size = sizeof(struct particle);

    leaving_sort(box, leaving);
    for (int side = 0; side < SIDES; side++)
        MPI_Irecv(box->coming[side], (int)box->room * size, MPI_BYTE, box->neighbour[side],
                  10 + !side, MPI_COMM_WORLD, &requests[side]);
    for (int side = 0; side < SIDES; side++)
        MPI_Isend(box->leaving[side], leaving[side] * size, MPI_BYTE, box->neighbour[side],
                  10 + side, MPI_COMM_WORLD, &sends[side]);
    for (int left = SIDES; left > 0; left--) {
        MPI_Status status;
        int side, bytes;
        MPI_Waitany(SIDES, requests, &side, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        coming[side] = bytes / size;
    }
    for (int side = 0; side < SIDES; side++) {
        memcpy(box->particles + box->count, box->coming[side],
               (size_t)coming[side] * sizeof(struct particle));
        box->count += coming[side];
    }
    MPI_Waitall(SIDES, sends, MPI_STATUSES_IGNORE);
}

/* Sends every particle to the rank of its number; returns whether all are there, and a digest. */
static bool stock_take(const struct box *box, uint64_t *digest)
{
    int *counts = app_alloc((size_t)app_ranks * 4, sizeof(int)), size = sizeof(struct particle);
    int *starts = counts + app_ranks, *in_counts = starts + app_ranks,
        *in_starts = in_counts + app_ranks;
    long low = app_first(box->all, app_rank, app_ranks),
         high = app_first(box->all, app_rank + 1, app_ranks);
    struct particle *out = app_alloc((size_t)box->count, sizeof(*out)), *in;
    char *seen = app_alloc((size_t)(high - low), 1);
    long good = 0;

    in = app_alloc((size_t)box->all, sizeof(*in));
    for (int r = 0, at = 0; r < app_ranks; r++) {
        starts[r] = at * size;
        for (long i = 0; i < box->count; i++)
            if (box->particles[i].number >= app_first(box->all, r, app_ranks) &&
                box->particles[i].number < app_first(box->all, r + 1, app_ranks))
                out[at++] = box->particles[i];
        counts[r] = at * size - starts[r];
    }
    MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 1; r < app_ranks; r++)
        in_starts[r] = in_starts[r - 1] + in_counts[r - 1];
    MPI_Alltoallv(out, counts, starts, MPI_BYTE, in, in_counts, in_starts, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (long i = 0; i < (in_starts[app_ranks - 1] + in_counts[app_ranks - 1]) / size; i++) {
        union {
            double number;
            uint64_t bits;
        } x = {in[i].x}, y = {in[i].y};
        good += in[i].number >= low && in[i].number < high && !seen[in[i].number - low]++;
        *digest += app_mix((uint64_t)in[i].number ^ app_mix(x.bits ^ app_mix(y.bits)));
    }
    free(counts);
    free(out);
    free(in);
    free(seen);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, digest, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return good == box->all;
}

int main(int argc, char **argv)
{
    long size = 64, particles = 20000, steps = 50;
    const struct app_option options[] = {
        {"size", &size, 4, 16384, "cells of one side of the box"},
        {"particles", &particles, 1, 20000000, "particles"},
        {"steps", &steps, 1, 100000000, "time steps"},
        {0},
    };
    uint64_t digest = 0;
    bool good = true;
    struct box box;

    app_start(argc, argv, "pic", options, NULL);
    if (size < 2 * app_ranks)
        app_fail("--size must be at least twice the number of ranks");
    box_create(&box, (int)size, particles);
    app_begin();
    for (long step = 1; step <= steps; step++) {
        density_deposit(&box);
        density_exchange(&box);
        particles_push(&box);
        particles_migrate(&box);
        if (step % 10 == 0 || step == steps) {
            digest = 0;
            good &= stock_take(&box, &digest);
        }
    }
    app_print("%ld steps: %ld particles, digest %016llx", steps, particles,
              (unsigned long long)digest);
    box_destroy(&box);
    return app_end(good);
}
