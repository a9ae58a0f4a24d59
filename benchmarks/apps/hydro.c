/* hydro: a blast in a periodic box, compressible Euler equations in two dimensions on a staggered
 * grid, in the manner of CloverLeaf: density and energy in the cells, velocities on the faces.
 *
 * Communication: a Cartesian grid of ranks; the halos of all fields are packed into one message,
 * two cells deep, first in x and then in y with the corners (Sendrecv); the time step is a minimum
 * over all ranks (Allreduce) in each step.
 *
 * Verification: mass is conserved to 1e-12, density and energy stay positive, and the momentum of
 * the symmetric blast stays 0. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 2, GHOSTS = 2 };
enum { DENSITY, ENERGY, U, V, FIELDS }; /* U on the left face of a cell, V on its lower face */
enum {
    SYMMETRIC = 2000
}; /* steps after which rounding may have broken the symmetry of the blast */

static const double gas = 1.4, viscosity = 2.0, courant = 0.3;

struct tile {
    int n, ranks[AXES], place[AXES], first[AXES], size[AXES];
    int low[AXES], high[AXES]; /* neighbours */
    int width;                 /* cells of a row, with ghosts */
    MPI_Comm comm;
    double *fields[FIELDS], *next, *pressure;
    double *out, *in; /* packed halos */
};

/* Cell (x, y) of the tile; ghosts have negative numbers, or such from `size` on. */
static size_t at(const struct tile *tile, int x, int y)
{
    return (size_t)(y + GHOSTS) * (size_t)tile->width + (size_t)(x + GHOSTS);
}

static void tile_create(struct tile *tile, int n)
{
    int periods[AXES] = {1, 1}, rank;
    size_t cells, longest;

    *tile = (struct tile){.n = n};
    MPI_Dims_create(app_ranks, AXES, tile->ranks);
    MPI_Cart_create(MPI_COMM_WORLD, AXES, tile->ranks, periods, 0, &tile->comm);
    MPI_Comm_rank(tile->comm, &rank);
    MPI_Cart_coords(tile->comm, rank, AXES, tile->place);
    for (int axis = 0; axis < AXES; axis++) {
        tile->first[axis] = (int)app_first(n, tile->place[axis], tile->ranks[axis]);
        tile->size[axis] =
            (int)app_first(n, tile->place[axis] + 1, tile->ranks[axis]) - tile->first[axis];
        MPI_Cart_shift(tile->comm, axis, 1, &tile->low[axis], &tile->high[axis]);
    }
    tile->width = tile->size[0] + 2 * GHOSTS;
    cells = (size_t)tile->width * (size_t)(tile->size[1] + 2 * GHOSTS);
    longest = (size_t)(n + 2 * GHOSTS) * GHOSTS * FIELDS;
    for (int field = 0; field < FIELDS; field++)
        tile->fields[field] = app_alloc(cells, sizeof(double));
    tile->next = app_alloc(cells, sizeof(double));
    tile->pressure = app_alloc(cells, sizeof(double));
    tile->out = app_alloc(longest, sizeof(double));
    tile->in = app_alloc(longest, sizeof(double));
}

static void tile_destroy(struct tile *tile)
{
    for (int field = 0; field < FIELDS; field++)
        free(tile->fields[field]);
    free(tile->next);
    free(tile->pressure);
    free(tile->out);
    free(tile->in);
    MPI_Comm_free(&tile->comm);
}

/* Copies the columns (axis 0) or rows (axis 1) from `first` on of all fields; rows with corners. */
static int halo_copy(struct tile *tile, int axis, int first, double *buffer, bool pack)
{
    int x0 = axis == 0 ? first : -GHOSTS, x1 = axis == 0 ? first + GHOSTS : tile->size[0] + GHOSTS;
    int y0 = axis == 0 ? 0 : first, y1 = axis == 0 ? tile->size[1] : first + GHOSTS;
    int count = 0;

    for (int field = 0; field < FIELDS; field++)
        for (int y = y0; y < y1; y++)
            for (int x = x0; x < x1; x++, count++) {
                double *cell = &tile->fields[field][at(tile, x, y)];
                if (pack)
                    buffer[count] = *cell;
                else
                    *cell = buffer[count];
            }
    return count;
}

static void halos_exchange(struct tile *tile)
{
    for (int axis = 0; axis < AXES; axis++) {
        int size = tile->size[axis];
        int count = halo_copy(tile, axis, 0, tile->out, true);
        MPI_Sendrecv(tile->out, count, MPI_DOUBLE, tile->low[axis], 2 * axis, tile->in, count,
                     MPI_DOUBLE, tile->high[axis], 2 * axis, tile->comm, MPI_STATUS_IGNORE);
        halo_copy(tile, axis, size, tile->in, false);
        halo_copy(tile, axis, size - GHOSTS, tile->out, true);
        MPI_Sendrecv(tile->out, count, MPI_DOUBLE, tile->high[axis], 2 * axis + 1, tile->in, count,
                     MPI_DOUBLE, tile->low[axis], 2 * axis + 1, tile->comm, MPI_STATUS_IGNORE);
        halo_copy(tile, axis, -GHOSTS, tile->in, false);
    }
}

/* The distance of cell (x, y) from the middle of the box, in cells, the short way. */
static double distance(const struct tile *tile, int x, int y)
{
    double dx = tile->first[0] + x + 0.5 - tile->n / 2.0,
           dy = tile->first[1] + y + 0.5 - tile->n / 2.0;

    return sqrt(dx * dx + dy * dy);
}

static void blast_fill(struct tile *tile)
{
    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++) {
            bool hot = distance(tile, x, y) < tile->n / 8.0;
            tile->fields[DENSITY][at(tile, x, y)] = hot ? 2.0 : 1.0;
            tile->fields[ENERGY][at(tile, x, y)] = hot ? 5.0 : 1.0;
        }
}

/* The longest stable step, in units of cells. */
static double step_choose(const struct tile *tile)
{
    double fastest = 0, step;

    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++) {
            size_t i = at(tile, x, y);
            double sound = sqrt(gas * (gas - 1.0) * tile->fields[ENERGY][i]);
            fastest = fmax(fastest, sound + fabs(tile->fields[U][i]) + fabs(tile->fields[V][i]));
        }
    step = courant / fastest;
    MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_DOUBLE, MPI_MIN, tile->comm);
    return step;
}

static double divergence(const struct tile *tile, int x, int y)
{
    return tile->fields[U][at(tile, x + 1, y)] - tile->fields[U][at(tile, x, y)] +
           tile->fields[V][at(tile, x, y + 1)] - tile->fields[V][at(tile, x, y)];
}

/* Pressure with artificial viscosity where the gas is compressed. */
static void pressure_find(struct tile *tile)
{
    for (int y = -1; y <= tile->size[1]; y++)
        for (int x = -1; x <= tile->size[0]; x++) {
            size_t i = at(tile, x, y);
            double flow = divergence(tile, x, y), density = tile->fields[DENSITY][i];
            tile->pressure[i] = (gas - 1.0) * density * tile->fields[ENERGY][i] +
                                (flow < 0 ? viscosity * density * flow * flow : 0);
        }
}

/* Faces are pushed by the difference of pressure; cells are heated by compression. */
static void gas_push(struct tile *tile, double step)
{
    const double *density = tile->fields[DENSITY], *p = tile->pressure;

    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++) {
            size_t i = at(tile, x, y), left = at(tile, x - 1, y);
            tile->next[i] =
                tile->fields[ENERGY][i] - step * p[i] * divergence(tile, x, y) / density[i];
            tile->fields[U][i] -= 2.0 * step * (p[i] - p[left]) / (density[i] + density[left]);
        }
    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++) {
            size_t i = at(tile, x, y), lower = at(tile, x, y - 1);
            tile->fields[V][i] -= 2.0 * step * (p[i] - p[lower]) / (density[i] + density[lower]);
            tile->fields[ENERGY][i] = tile->next[i];
        }
}

/* The flow through the lower face of a cell along an axis, from upwind. */
static double flux(const struct tile *tile, const double *field, int axis, int x, int y)
{
    size_t i = at(tile, x, y), before = axis == 0 ? at(tile, x - 1, y) : at(tile, x, y - 1);
    double speed = tile->fields[U + axis][i];

    return speed * (speed > 0 ? field[before] : field[i]);
}

/* Adds up what flows into each cell of a density; the result is in `next`. */
static void advect(struct tile *tile, const double *field, double step)
{
    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++)
            tile->next[at(tile, x, y)] =
                field[at(tile, x, y)] -
                step * (flux(tile, field, 0, x + 1, y) - flux(tile, field, 0, x, y) +
                        flux(tile, field, 1, x, y + 1) - flux(tile, field, 1, x, y));
}

/* The change of a velocity by its own flow, from upwind; `next` gets the new values. */
static void velocity_carry(struct tile *tile, int axis, double step)
{
    const double *u = tile->fields[U], *v = tile->fields[V], *w = tile->fields[U + axis];

    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++) {
            size_t i = at(tile, x, y), dx = 1, dy = (size_t)tile->width;
            double across = axis == 0 ? 0.25 * (v[i] + v[i - dx] + v[i + dy] + v[i + dy - dx])
                                      : 0.25 * (u[i] + u[i - dy] + u[i + dx] + u[i + dx - dy]);
            double cx = axis == 0 ? w[i] : across, cy = axis == 0 ? across : w[i];
            tile->next[i] = w[i] - step * (cx * (cx > 0 ? w[i] - w[i - dx] : w[i + dx] - w[i]) +
                                           cy * (cy > 0 ? w[i] - w[i - dy] : w[i + dy] - w[i]));
        }
}

static void next_take(struct tile *tile, double *field)
{
    for (int y = 0; y < tile->size[1]; y++)
        memcpy(field + at(tile, 0, y), tile->next + at(tile, 0, y),
               (size_t)tile->size[0] * sizeof(double));
}

/* Density and energy density flow, then the velocities. `pressure` serves as the energy density. */
static void gas_carry(struct tile *tile, double step)
{
    double *dense = tile->pressure, *energy = tile->fields[ENERGY];

    for (int y = -GHOSTS; y < tile->size[1] + GHOSTS; y++)
        for (int x = -GHOSTS; x < tile->size[0] + GHOSTS; x++)
            dense[at(tile, x, y)] = energy[at(tile, x, y)] * tile->fields[DENSITY][at(tile, x, y)];
    advect(tile, dense, step);
    next_take(tile, energy);
    advect(tile, tile->fields[DENSITY], step);
    next_take(tile, tile->fields[DENSITY]);
    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++)
            energy[at(tile, x, y)] /= tile->fields[DENSITY][at(tile, x, y)];
    velocity_carry(tile, 0, step);
    memcpy(dense, tile->next,
           (size_t)tile->width * (size_t)(tile->size[1] + 2 * GHOSTS) * sizeof(double));
    velocity_carry(tile, 1, step);
    next_take(tile, tile->fields[V]);
    memcpy(tile->next, dense,
           (size_t)tile->width * (size_t)(tile->size[1] + 2 * GHOSTS) * sizeof(double));
    next_take(tile, tile->fields[U]);
}

struct totals {
    double mass, energy, momentum, lowest;
};

static struct totals totals_find(const struct tile *tile)
{
    struct totals totals = {.lowest = 1e300};
    double sums[3] = {0};

    for (int y = 0; y < tile->size[1]; y++)
        for (int x = 0; x < tile->size[0]; x++) {
            size_t i = at(tile, x, y);
            double density = tile->fields[DENSITY][i], energy = tile->fields[ENERGY][i];
            sums[0] += density;
            sums[1] += density * energy;
            sums[2] += tile->fields[U][i] + tile->fields[V][i];
            totals.lowest = fmin(totals.lowest, fmin(density, energy));
        }
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, tile->comm);
    MPI_Allreduce(MPI_IN_PLACE, &totals.lowest, 1, MPI_DOUBLE, MPI_MIN, tile->comm);
    totals.mass = sums[0];
    totals.energy = sums[1];
    totals.momentum = sums[2];
    return totals;
}

int main(int argc, char **argv)
{
    long size = 64, steps = 100;
    const struct app_option options[] = {
        {"size", &size, 8, 32768, "cells of one side of the box"},
        {"steps", &steps, 1, 100000000, "time steps"},
        {0},
    };
    struct totals start, end;
    struct tile tile;
    double time = 0;

    app_start(argc, argv, "hydro", options, NULL);
    if (size < GHOSTS * app_ranks)
        app_fail("--size must be at least %d times the number of ranks", GHOSTS);
    tile_create(&tile, (int)size);
    blast_fill(&tile);
    start = totals_find(&tile);
    app_begin();
    for (long step = 0; step < steps; step++) {
        double length = step_choose(&tile);
        halos_exchange(&tile);
        pressure_find(&tile);
        gas_push(&tile, length);
        halos_exchange(&tile);
        gas_carry(&tile, length);
        time += length;
    }
    end = totals_find(&tile);
    app_print("%ld steps to time %.17g: mass %.17g, energy %.17g, lowest %.17g", steps, time,
              end.mass, end.energy, end.lowest);
    tile_destroy(&tile);
    return app_end(fabs(end.mass / start.mass - 1) < 1e-12 && end.lowest > 0 &&
                   isfinite(end.energy) &&
                   (steps > SYMMETRIC || fabs(end.momentum) < 1e-8 * (double)(size * size)));
}
