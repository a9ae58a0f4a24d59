/* lattice: conjugate gradients for a scalar field on a periodic 4-D lattice, in the manner of MILC.
 *
 * Communication: a rank has eight neighbours. Gathers are persistent requests, started in each
 * iteration; the receives take any source, and their tag names the direction, so that only one
 * message can match (MILC's general gathers do the same). Dot products are global sums.
 *
 * Verification: the right side belongs to a known field, which is found to 1e-9. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 4, DIRECTIONS = 8 };

static const double mass = 0.5; /* its square is added to the operator's diagonal */

struct lattice {
    int n, ranks[AXES], place[AXES], first[AXES], size[AXES];
    long sites; /* of this rank */
    MPI_Comm comm;
    int *neighbours;        /* DIRECTIONS a site: numbers of sites or ghosts */
    int *faces[DIRECTIONS]; /* the sites that a neighbour needs, in its order */
    int face_sites[DIRECTIONS];
    double *send[DIRECTIONS];
    double *p; /* the field that is gathered: sites, then ghosts by direction */
    MPI_Request receives[DIRECTIONS], sends[DIRECTIONS];
};

static long site_number(const struct lattice *lattice, const int *at)
{
    long number = 0;

    for (int axis = AXES - 1; axis >= 0; axis--)
        number = number * lattice->size[axis] + at[axis];
    return number;
}

static void site_place(const struct lattice *lattice, long number, int *at)
{
    for (int axis = 0; axis < AXES; axis++) {
        at[axis] = (int)(number % lattice->size[axis]);
        number /= lattice->size[axis];
    }
}

/* Direction 2 a goes down axis a, 2 a + 1 up. Ghosts of a direction lie in the order of the sites
 * of the face, so both sides agree without a list. */
static void neighbours_find(struct lattice *lattice)
{
    long ghosts = lattice->sites;
    int at[AXES];

    lattice->neighbours = app_alloc((size_t)(lattice->sites * DIRECTIONS), sizeof(int));
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int axis = direction / 2, last = lattice->size[axis] - 1, count = 0;
        lattice->faces[direction] = app_alloc((size_t)lattice->sites, sizeof(int));
        for (long site = 0; site < lattice->sites; site++) {
            site_place(lattice, site, at);
            if (at[axis] == (direction % 2 ? last : 0)) {
                lattice->faces[direction][count] = (int)site;
                lattice->neighbours[site * DIRECTIONS + direction] = (int)(ghosts + count++);
            } else {
                at[axis] += direction % 2 ? 1 : -1;
                lattice->neighbours[site * DIRECTIONS + direction] = (int)site_number(lattice, at);
            }
        }
        lattice->face_sites[direction] = count;
        lattice->send[direction] = app_alloc((size_t)count, sizeof(double));
        ghosts += count;
    }
    lattice->p = app_alloc((size_t)ghosts, sizeof(double));
}

/* The neighbour in direction d sends in the opposite direction, d ^ 1. */
static void gathers_create(struct lattice *lattice)
{
    double *ghosts = lattice->p + lattice->sites;

    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int down, up, count = lattice->face_sites[direction];
        MPI_Cart_shift(lattice->comm, direction / 2, 1, &down, &up);
        MPI_Recv_init(ghosts, count, MPI_DOUBLE, MPI_ANY_SOURCE, direction ^ 1, lattice->comm,
                      &lattice->receives[direction]);
        MPI_Send_init(lattice->send[direction], count, MPI_DOUBLE, direction % 2 ? up : down,
                      direction, lattice->comm, &lattice->sends[direction]);
        ghosts += count;
    }
}

static void lattice_create(struct lattice *lattice, int n)
{
    int periods[AXES] = {1, 1, 1, 1}, rank;

    *lattice = (struct lattice){.n = n, .sites = 1};
    MPI_Dims_create(app_ranks, AXES, lattice->ranks);
    if (n < lattice->ranks[0])
        app_fail("--size must be at least %d, the ranks of one axis", lattice->ranks[0]);
    MPI_Cart_create(MPI_COMM_WORLD, AXES, lattice->ranks, periods, 0, &lattice->comm);
    MPI_Comm_rank(lattice->comm, &rank);
    MPI_Cart_coords(lattice->comm, rank, AXES, lattice->place);
    for (int axis = 0; axis < AXES; axis++) {
        lattice->first[axis] = (int)app_first(n, lattice->place[axis], lattice->ranks[axis]);
        lattice->size[axis] = (int)app_first(n, lattice->place[axis] + 1, lattice->ranks[axis]) -
                              lattice->first[axis];
        lattice->sites *= lattice->size[axis];
    }
    neighbours_find(lattice);
    gathers_create(lattice);
}

static void lattice_destroy(struct lattice *lattice)
{
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        MPI_Request_free(&lattice->receives[direction]);
        MPI_Request_free(&lattice->sends[direction]);
        free(lattice->faces[direction]);
        free(lattice->send[direction]);
    }
    free(lattice->neighbours);
    free(lattice->p);
    MPI_Comm_free(&lattice->comm);
}

/* q = A p, with A = 8 + mass^2 - the sum over neighbours. */
static void apply(struct lattice *lattice, double *q)
{
    MPI_Startall(DIRECTIONS, lattice->receives);
    for (int direction = 0; direction < DIRECTIONS; direction++)
        for (int i = 0; i < lattice->face_sites[direction]; i++)
            lattice->send[direction][i] = lattice->p[lattice->faces[direction][i]];
    MPI_Startall(DIRECTIONS, lattice->sends);
    MPI_Waitall(DIRECTIONS, lattice->receives, MPI_STATUSES_IGNORE);
    for (long site = 0; site < lattice->sites; site++) {
        const int *next = lattice->neighbours + site * DIRECTIONS;
        double sum = (DIRECTIONS + mass * mass) * lattice->p[site];
        for (int direction = 0; direction < DIRECTIONS; direction++)
            sum -= lattice->p[next[direction]];
        q[site] = sum;
    }
    MPI_Waitall(DIRECTIONS, lattice->sends, MPI_STATUSES_IGNORE);
}

static double dot(const double *x, const double *y, long count)
{
    double sum = 0;

    for (long i = 0; i < count; i++)
        sum += x[i] * y[i];
    return app_sum(sum, MPI_COMM_WORLD);
}

/* The known field at a site of this rank. */
static double truth(const struct lattice *lattice, long site)
{
    uint64_t number = 0;
    int at[AXES];

    site_place(lattice, site, at);
    for (int axis = AXES - 1; axis >= 0; axis--)
        number = number * (uint64_t)lattice->n + (uint64_t)(lattice->first[axis] + at[axis]);
    return app_uniform(number) - 0.5;
}

static double solve(struct lattice *lattice, const double *b, double *x, long *steps)
{
    size_t bytes = (size_t)lattice->sites * sizeof(double);
    double *r = app_alloc(1, bytes), *q = app_alloc(1, bytes), rho, before, alpha;
    long step;

    memset(x, 0, bytes);
    memcpy(r, b, bytes);
    memcpy(lattice->p, b, bytes);
    rho = dot(r, r, lattice->sites);
    for (step = 0; step < *steps && rho > 1e-26; step++) {
        apply(lattice, q);
        alpha = rho / dot(lattice->p, q, lattice->sites);
        for (long i = 0; i < lattice->sites; i++) {
            x[i] += alpha * lattice->p[i];
            r[i] -= alpha * q[i];
        }
        before = rho;
        rho = dot(r, r, lattice->sites);
        for (long i = 0; i < lattice->sites; i++)
            lattice->p[i] = r[i] + rho / before * lattice->p[i];
    }
    *steps = step;
    free(r);
    free(q);
    return sqrt(rho);
}

int main(int argc, char **argv)
{
    long size = 8, steps = 400, repeat = 1;
    const struct app_option options[] = {
        {"size", &size, 2, 128, "sites of one axis"},
        {"steps", &steps, 1, 100000000, "iterations at most"},
        {"repeat", &repeat, 1, 1000000, "solves"},
        {0},
    };
    struct lattice lattice;
    double *x, *b, residual = 0, error = 0;

    app_start(argc, argv, "lattice", options, NULL);
    lattice_create(&lattice, (int)size);
    x = app_alloc((size_t)lattice.sites, sizeof(double));
    b = app_alloc((size_t)lattice.sites, sizeof(double));
    for (long i = 0; i < lattice.sites; i++)
        lattice.p[i] = truth(&lattice, i);
    apply(&lattice, b);
    app_begin();
    for (long i = 0; i < repeat; i++)
        residual = solve(&lattice, b, x, &steps);
    for (long i = 0; i < lattice.sites; i++)
        error = fmax(error, fabs(x[i] - truth(&lattice, i)));
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    app_print("%ld iterations: residual %.17g, error %.17g", steps, residual, error);
    free(x);
    free(b);
    lattice_destroy(&lattice);
    return app_end(error < 1e-9);
}
