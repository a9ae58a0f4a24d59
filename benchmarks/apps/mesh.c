/* mesh: heat on a row of blocks that are refined where it is steep and then move to other ranks, in
 * the manner of miniAMR.
 *
 * Communication: in each step every block gets one value from each of its two neighbours, which may
 * be on any rank (Irecv and Isend by name), and each is unpacked as it comes (Waitany). Every fifth
 * step all agree on the weights of the blocks (Allreduce), and what belongs to another rank from
 * then on is sent there: a receiver knows how many blocks come, not from whom first (Recv from any
 * source), and keeps each by its source.
 *
 * Verification: the heat is the same at the end as at the beginning; its digest is printed. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT, RIGHT, SIDES };
enum { BLOCK = 1, TO_LEFT = 2, TO_RIGHT = 3 }; /* tags: a block; a value for that side of a block */

struct mesh {
    int blocks, cells; /* of the row; of a block */
    int *owner;        /* [blocks] rank of each, the same on all ranks */
    int *weight;       /* [blocks] likewise: turns of work in a step */
    double *cell;      /* [blocks] of block_length: its number, and its cells with a ghost on each
                          side; of use on its owner */
};

/* At an end of the row it is the block itself, so nothing flows there. */
static int neighbour_of(const struct mesh *mesh, int block, int side)
{
    int other = block + (side == LEFT ? -1 : 1);

    return other < 0 || other == mesh->blocks ? block : other;
}

static int block_length(const struct mesh *mesh)
{
    return mesh->cells + 3;
}

static double *block_of(const struct mesh *mesh, int block)
{
    return mesh->cell + (size_t)block * (size_t)block_length(mesh);
}

static double *ghost_of(const struct mesh *mesh, int block, int side)
{
    return block_of(mesh, block) + (side == LEFT ? 1 : mesh->cells + 2);
}

/* The value that the neighbour on that side sees. */
static double *edge_of(const struct mesh *mesh, int block, int side)
{
    return block_of(mesh, block) + (side == LEFT ? 2 : mesh->cells + 1);
}

static void mesh_create(struct mesh *mesh, int blocks, int cells)
{
    *mesh = (struct mesh){.blocks = blocks, .cells = cells};
    mesh->owner = app_alloc((size_t)blocks, sizeof(int));
    mesh->weight = app_alloc((size_t)blocks, sizeof(int));
    mesh->cell = app_alloc((size_t)blocks * (size_t)block_length(mesh), sizeof(double));
    for (int b = 0; b < blocks; b++) {
        double *cell = block_of(mesh, b);

        mesh->owner[b] = (int)((long)b * app_ranks / blocks);
        cell[0] = b;
        for (int i = 0; i < cells && mesh->owner[b] == app_rank; i++)
            cell[2 + i] = floor(1000 * app_uniform((uint64_t)b * (uint64_t)cells + (uint64_t)i));
    }
}

static void mesh_destroy(struct mesh *mesh)
{
    free(mesh->cell);
    free(mesh->weight);
    free(mesh->owner);
}

/* Each side of each own block gets its neighbour's value. */
static void edges_exchange(struct mesh *mesh)
{
    MPI_Request *receives = app_alloc((size_t)mesh->blocks * SIDES * 2, sizeof(MPI_Request));
    MPI_Request *sends = receives + mesh->blocks * SIDES;
    double **into = app_alloc((size_t)mesh->blocks * SIDES, sizeof(double *));
    double *came = app_alloc((size_t)mesh->blocks * SIDES, sizeof(double));
    int coming = 0, going = 0;

    for (int b = 0; b < mesh->blocks; b++)
        for (int side = 0; side < SIDES && mesh->owner[b] == app_rank; side++) {
            int other = neighbour_of(mesh, b, side);

            if (mesh->owner[other] == app_rank) {
                *ghost_of(mesh, b, side) = *edge_of(mesh, other, other == b ? side : !side);
                continue;
            }
            into[coming] = ghost_of(mesh, b, side);
            if (side == LEFT) {
                MPI_Irecv(&came[coming], 1, MPI_DOUBLE, mesh->owner[other], TO_LEFT, MPI_COMM_WORLD,
                          &receives[coming]);
                MPI_Isend(edge_of(mesh, b, LEFT), 1, MPI_DOUBLE, mesh->owner[other], TO_RIGHT,
                          MPI_COMM_WORLD, &sends[going++]);
            } else {
                MPI_Irecv(&came[coming], 1, MPI_DOUBLE, mesh->owner[other], TO_RIGHT,
                          MPI_COMM_WORLD, &receives[coming]);
                MPI_Isend(edge_of(mesh, b, RIGHT), 1, MPI_DOUBLE, mesh->owner[other], TO_LEFT,
                          MPI_COMM_WORLD, &sends[going++]);
            }
            coming++;
        }
    for (int left = coming; left > 0; left--) {
        int at;

        MPI_Waitany(coming, receives, &at, MPI_STATUS_IGNORE);
        *into[at] = came[at];
    }
    MPI_Waitall(going, sends, MPI_STATUSES_IGNORE);
    free(came);
    free(into);
    free(receives);
}

/* The flow out of a cell enters its neighbour. A refined block takes smaller steps, more of
 * them, with its ghosts of the beginning. */
static void block_step(const struct mesh *mesh, double *cell)
{
    double before = cell[1], own;

    for (int i = 2; i < mesh->cells + 2; i++) {
        own = cell[i];
        cell[i] = own + 0.25 * (before - 2 * own + cell[i + 1]);
        before = own;
    }
}

static double block_steepness(const struct mesh *mesh, const double *cell)
{
    double most = 0;

    for (int i = 2; i < mesh->cells + 1; i++)
        most = fmax(most, fabs(cell[i + 1] - cell[i]));
    return most;
}

/* Everybody computes the same owners from the same weights. */
static void owners_find(const struct mesh *mesh, int *owner)
{
    long all = 0, before = 0;

    for (int b = 0; b < mesh->blocks; b++)
        all += mesh->weight[b];
    for (int b = 0; b < mesh->blocks; b++) {
        owner[b] = (int)(before * app_ranks / all);
        before += mesh->weight[b];
    }
}

/* Is the block to go from one rank to another one? */
static bool moves(const struct mesh *mesh, const int *owner, int block, int from, int to)
{
    return from != to && mesh->owner[block] == from && owner[block] == to;
}

/* Copies the blocks that go from one rank to another one, out of the mesh or into it. Answers how
 * many there are. */
static int blocks_pack(struct mesh *mesh, const int *owner, int from, int to, double *packed)
{
    size_t length = (size_t)block_length(mesh), bytes = length * sizeof(double);
    int count = 0;

    for (int b = 0; b < mesh->blocks; b++)
        if (moves(mesh, owner, b, from, to)) {
            if (from == app_rank)
                memcpy(packed + length * (size_t)count, block_of(mesh, b), bytes);
            else
                memcpy(block_of(mesh, b), packed + length * (size_t)count, bytes);
            count++;
        }
    return count;
}

static bool any_moves(const struct mesh *mesh, const int *owner, int from, int to)
{
    for (int b = 0; b < mesh->blocks; b++)
        if (moves(mesh, owner, b, from, to))
            return true;
    return false;
}

/* Blocks go to their new owners, in one message for each. Each received block is kept by its
 * sender.
 */
static void blocks_move(struct mesh *mesh, const int *owner)
{
    int room = block_length(mesh) * mesh->blocks, coming = 0, going = 0;
    double *out = app_alloc((size_t)app_ranks * (size_t)room, sizeof(double));
    double *in = app_alloc((size_t)app_ranks * (size_t)room, sizeof(double));
    double *came = app_alloc((size_t)room, sizeof(double));
    MPI_Request *sends = app_alloc((size_t)app_ranks, sizeof(MPI_Request));
    MPI_Status status;

    for (int r = 0; r < app_ranks; r++) {
        double *packed = out + (size_t)r * (size_t)room;
        int count = blocks_pack(mesh, owner, app_rank, r, packed);

        coming += any_moves(mesh, owner, r, app_rank);
        if (count > 0)
            MPI_Isend(packed, count * block_length(mesh), MPI_DOUBLE, r, BLOCK, MPI_COMM_WORLD,
                      &sends[going++]);
    }
    for (int i = 0; i < coming; i++) {
        MPI_Recv(came, room, MPI_DOUBLE, MPI_ANY_SOURCE, BLOCK, MPI_COMM_WORLD, &status);
        memcpy(in + (size_t)status.MPI_SOURCE * (size_t)room, came, (size_t)room * sizeof(double));
    }
    MPI_Waitall(going, sends, MPI_STATUSES_IGNORE);
    for (int r = 0; r < app_ranks; r++)
        if (r != app_rank)
            blocks_pack(mesh, owner, r, app_rank, in + (size_t)r * (size_t)room);
    free(sends);
    free(came);
    free(in);
    free(out);
}

static void mesh_refine(struct mesh *mesh)
{
    int *weight = app_alloc((size_t)mesh->blocks * 2, sizeof(int)), *owner = weight + mesh->blocks;

    for (int b = 0; b < mesh->blocks; b++)
        if (mesh->owner[b] == app_rank)
            weight[b] = 1 + (int)(block_steepness(mesh, block_of(mesh, b)) / 8) % 8;
    MPI_Allreduce(weight, mesh->weight, mesh->blocks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    owners_find(mesh, owner);
    blocks_move(mesh, owner);
    memcpy(mesh->owner, owner, (size_t)mesh->blocks * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    free(weight);
}

/* The heat of each block, on all ranks; their sum. */
static double heat_of(const struct mesh *mesh, uint64_t *digest)
{
    double *heat = app_alloc((size_t)mesh->blocks * 2, sizeof(double)), *all = heat + mesh->blocks;
    double sum = 0;

    for (int b = 0; b < mesh->blocks; b++)
        for (int i = 0; i < mesh->cells && mesh->owner[b] == app_rank; i++)
            heat[b] += block_of(mesh, b)[2 + i];
    MPI_Allreduce(heat, all, mesh->blocks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int b = 0; b < mesh->blocks; b++) {
        uint64_t word;

        memcpy(&word, &all[b], sizeof(word));
        *digest = app_mix(*digest ^ word);
        sum += all[b];
    }
    free(heat);
    return sum;
}

int main(int argc, char **argv)
{
    long size = 16, cells = 256, steps = 100;
    const struct app_option options[] = {{"size", &size, 2, 1000, "blocks for each rank"},
                                         {"cells", &cells, 2, 100000, "of a block"},
                                         {"steps", &steps, 1, 100000000, "time steps"},
                                         {NULL, NULL, 0, 0, NULL}};
    struct mesh mesh;
    uint64_t digest = 0;
    double before, after;

    app_start(argc, argv, "mesh", options, NULL);
    mesh_create(&mesh, (int)size * app_ranks, (int)cells);
    before = heat_of(&mesh, &digest);
    app_begin();
    for (long step = 0; step < steps; step++) {
        if (step % 5 == 0)
            mesh_refine(&mesh);
        edges_exchange(&mesh);
        for (int b = 0; b < mesh.blocks; b++)
            if (mesh.owner[b] == app_rank)
                block_step(&mesh, block_of(&mesh, b));
    }
    after = heat_of(&mesh, &digest);
    app_print("heat %.6f, digest %016llx\n", after, (unsigned long long)digest);
    mesh_destroy(&mesh);
    return app_end(fabs(after - before) <= 1e-9 * before);
}
