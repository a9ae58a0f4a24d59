/* halo: a 3-D stencil, in the manner of miniGhost and CM1: diffusion in a periodic box, an explicit
 * step over the seven points.
 *
 * Communication: a Cartesian grid of ranks; in each step six faces are exchanged with Irecv, Isend
 * and Waitall, straight out of and into the array by derived datatypes (subarrays); every tenth
 * step the mass is summed (Allreduce). Everything is named.
 *
 * Verification: a wave sin(kx) sin(ky) sin(kz) is an eigenvector of the step, so after any number
 * of steps the exact field is known; the largest difference is below 1e-11, and the mass is
 * conserved. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { AXES = 3, FACES = 6 };

static const double coefficient = 0.1, pi = 3.14159265358979323846;

struct box {
    int ranks[AXES], place[AXES];
    int first[AXES], size[AXES]; /* this rank's cells, without the ghosts */
    MPI_Comm comm;
    int neighbour[FACES]; /* low and high of each axis */
    MPI_Datatype inner[FACES], outer[FACES];
    double *now, *next;
};

static size_t at(const struct box *box, int x, int y, int z)
{
    return ((size_t)z * (size_t)(box->size[1] + 2) + (size_t)y) * (size_t)(box->size[0] + 2) +
           (size_t)x;
}

/* The type of one face: the cells at `layer` of `axis`, ghosts of the other axes left out. */
static MPI_Datatype face_create(const struct box *box, int axis, int layer)
{
    int sizes[AXES], subsizes[AXES], starts[AXES];
    MPI_Datatype type;

    for (int i = 0; i < AXES; i++) {
        int c = AXES - 1 - i; /* the slowest axis comes first */
        sizes[i] = box->size[c] + 2;
        subsizes[i] = c == axis ? 1 : box->size[c];
        starts[i] = c == axis ? layer : 1;
    }
    MPI_Type_create_subarray(AXES, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void box_create(struct box *box, int cells)
{
    int periods[AXES] = {1, 1, 1}, rank;
    size_t count;

    *box = (struct box){0};
    MPI_Dims_create(app_ranks, AXES, box->ranks);
    MPI_Cart_create(MPI_COMM_WORLD, AXES, box->ranks, periods, 0, &box->comm);
    MPI_Comm_rank(box->comm, &rank);
    MPI_Cart_coords(box->comm, rank, AXES, box->place);
    for (int axis = 0; axis < AXES; axis++) {
        box->first[axis] = (int)app_first(cells, box->place[axis], box->ranks[axis]);
        box->size[axis] =
            (int)app_first(cells, box->place[axis] + 1, box->ranks[axis]) - box->first[axis];
        MPI_Cart_shift(box->comm, axis, 1, &box->neighbour[2 * axis],
                       &box->neighbour[2 * axis + 1]);
    }
    for (int axis = 0; axis < AXES; axis++) {
        box->outer[2 * axis] = face_create(box, axis, 0);
        box->inner[2 * axis] = face_create(box, axis, 1);
        box->inner[2 * axis + 1] = face_create(box, axis, box->size[axis]);
        box->outer[2 * axis + 1] = face_create(box, axis, box->size[axis] + 1);
    }
    count = at(box, 0, 0, box->size[2] + 2);
    box->now = app_alloc(count, sizeof(double));
    box->next = app_alloc(count, sizeof(double));
}

static void box_destroy(struct box *box)
{
    for (int face = 0; face < FACES; face++) {
        MPI_Type_free(&box->inner[face]);
        MPI_Type_free(&box->outer[face]);
    }
    MPI_Comm_free(&box->comm);
    free(box->now);
    free(box->next);
}

static void ghosts_exchange(struct box *box)
{
    MPI_Request requests[2 * FACES];

    for (int face = 0; face < FACES; face++)
        MPI_Irecv(box->now, 1, box->outer[face], box->neighbour[face], face ^ 1, box->comm,
                  &requests[face]);
    for (int face = 0; face < FACES; face++)
        MPI_Isend(box->now, 1, box->inner[face], box->neighbour[face], face, box->comm,
                  &requests[FACES + face]);
    MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
}

static void box_step(struct box *box)
{
    double *swap = box->now;
    size_t row = at(box, 0, 1, 0), plane = at(box, 0, 0, 1);

    for (int z = 1; z <= box->size[2]; z++)
        for (int y = 1; y <= box->size[1]; y++) {
            const double *here = box->now + at(box, 0, y, z);
            double *next = box->next + at(box, 0, y, z);
            for (int x = 1; x <= box->size[0]; x++)
                next[x] = here[x] +
                          coefficient * (here[x - 1] + here[x + 1] + here[x - row] + here[x + row] +
                                         here[x - plane] + here[x + plane] - 6.0 * here[x]);
        }
    box->now = box->next;
    box->next = swap;
}

/* The exact field: 1 + amplitude sin sin sin. */
static double exact(const struct box *box, int cells, double amplitude, int x, int y, int z)
{
    double k = 2.0 * pi / cells;

    return 1.0 + amplitude * sin(k * (box->first[0] + x - 1)) * sin(k * (box->first[1] + y - 1)) *
                     sin(k * (box->first[2] + z - 1));
}

/* Fills the field, or compares it with the exact one: returns the largest difference. */
static double box_visit(struct box *box, int cells, double amplitude, bool fill)
{
    double largest = 0;

    for (int z = 1; z <= box->size[2]; z++)
        for (int y = 1; y <= box->size[1]; y++)
            for (int x = 1; x <= box->size[0]; x++) {
                double value = exact(box, cells, amplitude, x, y, z);
                double *cell = &box->now[at(box, x, y, z)];
                if (fill)
                    *cell = value;
                largest = fmax(largest, fabs(*cell - value));
            }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, box->comm);
    return largest;
}

static double box_mass(const struct box *box)
{
    double sum = 0;

    for (int z = 1; z <= box->size[2]; z++)
        for (int y = 1; y <= box->size[1]; y++)
            for (int x = 1; x <= box->size[0]; x++)
                sum += box->now[at(box, x, y, z)];
    return app_sum(sum, box->comm);
}

int main(int argc, char **argv)
{
    long size = 32, steps = 100, idle = 0;
    const struct app_option options[] = {
        {"size", &size, 8, 2048, "cells of one side of the box"},
        {"steps", &steps, 1, 100000000, "time steps"},
        {"idle", &idle, 0, 1000000, "microseconds a step waits, as for an accelerator"},
        {0},
    };
    double cells, mass = 0, decay, difference, worst = 0;
    struct box box;

    app_start(argc, argv, "halo", options, NULL);
    if (size < app_ranks)
        app_fail("--size must be at least the number of ranks");
    box_create(&box, (int)size);
    box_visit(&box, (int)size, 1.0, true);
    cells = (double)size * (double)size * (double)size;
    decay = 1.0 - coefficient * 6.0 * (1.0 - cos(2.0 * pi / (double)size));
    app_begin();
    for (long step = 1; step <= steps; step++) {
        ghosts_exchange(&box);
        box_step(&box);
        if (idle > 0)
            usleep((useconds_t)idle);
        if (step % 10 == 0 || step == steps) {
            mass = box_mass(&box);
            worst = fmax(worst, fabs(mass / cells - 1.0));
        }
    }
    difference = box_visit(&box, (int)size, pow(decay, (double)steps), false);
    app_print("%ld steps: mass %.17g, difference %.17g", steps, mass, difference);
    box_destroy(&box);
    return app_end(difference < 1e-11 && worst < 1e-12);
}
