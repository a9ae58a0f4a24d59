/* lu: symmetric Gauss-Seidel sweeps over a 3-D mesh, a wavefront in the manner of NAS LU.
 *
 * Communication: ranks divide the mesh in x and y. A forward sweep goes through the planes of z; in
 * each plane a rank waits for the line on its west and north side, updates its part, and sends its
 * east and south line on. Backward sweeps go the other way. So there are two small messages for
 * each neighbour and plane, named, with the plane as the tag.
 *
 * Verification: a sweep is exactly the sequential one, so the result has the same bits on any
 * number of ranks (the digest shows it); and for a matrix with diagonal 7 and six entries -1 each
 * sweep makes the largest error smaller by 6/7 or more. */
#include "app.h"

#include <math.h>
#include <stdlib.h>

enum { WEST, EAST, NORTH, SOUTH, SIDES };

struct mesh {
    int n; /* points of one side */
    int ranks[2], place[2];
    int first[2], size[2]; /* this rank's points in x and y */
    int neighbour[SIDES];
    MPI_Comm comm;
    double *u, *f, *line; /* with a layer of ghosts around; a buffer for a line */
};

static size_t at(const struct mesh *mesh, int x, int y, int z)
{
    return ((size_t)z * (size_t)(mesh->size[1] + 2) + (size_t)y) * (size_t)(mesh->size[0] + 2) +
           (size_t)x;
}

static bool is_inside(const struct mesh *mesh, int x, int y, int z)
{
    return x >= 0 && x < mesh->n && y >= 0 && y < mesh->n && z >= 0 && z < mesh->n;
}

/* The solution at a point of the whole mesh; 0 outside. */
static double truth(const struct mesh *mesh, int x, int y, int z)
{
    if (!is_inside(mesh, x, y, z))
        return 0;
    return app_uniform(((uint64_t)z * (uint64_t)mesh->n + (uint64_t)y) * (uint64_t)mesh->n +
                       (uint64_t)x);
}

static double right_side(const struct mesh *mesh, int x, int y, int z)
{
    return 7.0 * truth(mesh, x, y, z) - truth(mesh, x - 1, y, z) - truth(mesh, x + 1, y, z) -
           truth(mesh, x, y - 1, z) - truth(mesh, x, y + 1, z) - truth(mesh, x, y, z - 1) -
           truth(mesh, x, y, z + 1);
}

static void mesh_create(struct mesh *mesh, int n)
{
    int periods[2] = {0, 0}, rank;
    size_t count;

    *mesh = (struct mesh){.n = n};
    MPI_Dims_create(app_ranks, 2, mesh->ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 2, mesh->ranks, periods, 0, &mesh->comm);
    MPI_Comm_rank(mesh->comm, &rank);
    MPI_Cart_coords(mesh->comm, rank, 2, mesh->place);
    for (int axis = 0; axis < 2; axis++) {
        mesh->first[axis] = (int)app_first(n, mesh->place[axis], mesh->ranks[axis]);
        mesh->size[axis] =
            (int)app_first(n, mesh->place[axis] + 1, mesh->ranks[axis]) - mesh->first[axis];
        MPI_Cart_shift(mesh->comm, axis, 1, &mesh->neighbour[2 * axis],
                       &mesh->neighbour[2 * axis + 1]);
    }
    count = at(mesh, 0, 0, n + 2);
    mesh->u = app_alloc(count, sizeof(double));
    mesh->f = app_alloc(count, sizeof(double));
    mesh->line = app_alloc((size_t)n, sizeof(double));
    for (int z = 1; z <= n; z++)
        for (int y = 1; y <= mesh->size[1]; y++)
            for (int x = 1; x <= mesh->size[0]; x++)
                mesh->f[at(mesh, x, y, z)] =
                    right_side(mesh, mesh->first[0] + x - 1, mesh->first[1] + y - 1, z - 1);
}

static void mesh_destroy(struct mesh *mesh)
{
    MPI_Comm_free(&mesh->comm);
    free(mesh->u);
    free(mesh->f);
    free(mesh->line);
}

/* The line at `layer` across x (side WEST or EAST) or y; `copy_out` fills the buffer from it. */
static int line_copy(struct mesh *mesh, int side, int layer, int z, bool copy_out)
{
    bool along_y = side == WEST || side == EAST;
    int length = mesh->size[along_y];

    for (int i = 1; i <= length; i++) {
        double *point = &mesh->u[along_y ? at(mesh, layer, i, z) : at(mesh, i, layer, z)];
        if (copy_out)
            mesh->line[i - 1] = *point;
        else
            *point = mesh->line[i - 1];
    }
    return length;
}

static void line_receive(struct mesh *mesh, int side, int z)
{
    int length = mesh->size[side == WEST || side == EAST];
    int ghost = side == WEST || side == NORTH ? 0 : mesh->size[side / 2] + 1;

    if (mesh->neighbour[side] == MPI_PROC_NULL)
        return;
    MPI_Recv(mesh->line, length, MPI_DOUBLE, mesh->neighbour[side], z, mesh->comm,
             MPI_STATUS_IGNORE);
    line_copy(mesh, side, ghost, z, false);
}

static void line_send(struct mesh *mesh, int side, int z)
{
    int layer = side == WEST || side == NORTH ? 1 : mesh->size[side / 2];

    if (mesh->neighbour[side] == MPI_PROC_NULL)
        return;
    MPI_Send(mesh->line, line_copy(mesh, side, layer, z, true), MPI_DOUBLE, mesh->neighbour[side],
             z, mesh->comm);
}

static void point_update(struct mesh *mesh, int x, int y, int z)
{
    size_t here = at(mesh, x, y, z), row = at(mesh, 0, 1, 0), plane = at(mesh, 0, 0, 1);
    const double *u = mesh->u;

    mesh->u[here] = (mesh->f[here] + u[here - 1] + u[here + 1] + u[here - row] + u[here + row] +
                     u[here - plane] + u[here + plane]) /
                    7.0;
}

static void sweep_forward(struct mesh *mesh)
{
    for (int z = 1; z <= mesh->n; z++) {
        line_receive(mesh, WEST, z);
        line_receive(mesh, NORTH, z);
        for (int y = 1; y <= mesh->size[1]; y++)
            for (int x = 1; x <= mesh->size[0]; x++)
                point_update(mesh, x, y, z);
        line_send(mesh, EAST, z);
        line_send(mesh, SOUTH, z);
    }
}

static void sweep_backward(struct mesh *mesh)
{
    for (int z = mesh->n; z >= 1; z--) {
        line_receive(mesh, EAST, z);
        line_receive(mesh, SOUTH, z);
        for (int y = mesh->size[1]; y >= 1; y--)
            for (int x = mesh->size[0]; x >= 1; x--)
                point_update(mesh, x, y, z);
        line_send(mesh, WEST, z);
        line_send(mesh, NORTH, z);
    }
}

/* The largest error; adds the bits of the field to the digest. */
static double field_check(const struct mesh *mesh, uint64_t *digest)
{
    double worst = 0;

    for (int z = 1; z <= mesh->n; z++)
        for (int y = 1; y <= mesh->size[1]; y++)
            for (int x = 1; x <= mesh->size[0]; x++) {
                int gx = mesh->first[0] + x - 1, gy = mesh->first[1] + y - 1;
                union {
                    double number;
                    uint64_t bits;
                } point = {mesh->u[at(mesh, x, y, z)]};
                worst = fmax(worst, fabs(point.number - truth(mesh, gx, gy, z - 1)));
                *digest +=
                    app_mix(point.bits ^ app_mix((uint64_t)((z * mesh->n + gy) * mesh->n + gx)));
            }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, mesh->comm);
    MPI_Allreduce(MPI_IN_PLACE, digest, 1, MPI_UINT64_T, MPI_SUM, mesh->comm);
    return worst;
}

int main(int argc, char **argv)
{
    long size = 24, steps = 30;
    const struct app_option options[] = {
        {"size", &size, 2, 1024, "points of one side of the mesh"},
        {"steps", &steps, 1, 100000000, "pairs of sweeps"},
        {0},
    };
    struct mesh mesh;
    double before, after;
    uint64_t digest = 0, unused = 0;

    app_start(argc, argv, "lu", options, NULL);
    if (size < app_ranks)
        app_fail("--size must be at least the number of ranks");
    mesh_create(&mesh, (int)size);
    before = field_check(&mesh, &unused);
    app_begin();
    for (long step = 0; step < steps; step++) {
        sweep_forward(&mesh);
        sweep_backward(&mesh);
    }
    after = field_check(&mesh, &digest);
    app_print("%ld steps: error %.17g, digest %016llx", steps, after, (unsigned long long)digest);
    mesh_destroy(&mesh);
    return app_end(after <= before * pow(6.0 / 7.0, 2.0 * (double)steps) + 1e-13);
}
