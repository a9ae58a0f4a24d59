/* widecounts: collectives with arrays of large counts and displacements, blocking and not, on the
 * world, between two groups and along the edges of a grid; and those with arrays of datatypes.
 *
 * arguments: [steps 40]
 *
 * ranks: 4
 * test: 40
 * soak: 200
 * pace: 20000
 * kill: 3@hook:12
 * kill: 1@MPI_Alltoallw_c:20
 * kill: 2@MPI_Ineighbor_alltoallw_c:15
 */
#include "program.h"

#define MOST 8 /* ranks */
#define GAP 7  /* elements from part to part */

enum { GATHERV, SCATTERV, ALLGATHERV, ALLTOALLV, REDUCE_SCATTER, CALLS };

static int out[MOST * GAP], in[MOST * GAP], self;
static MPI_Count some[MOST], mine[MOST]; /* of part i; of the own part, for each i */
static MPI_Aint places[MOST];

/* Part i has 1 + i % 3 elements; nothing is there to read where MPI does not say so. */
static void fill(int number, int with_arrays)
{
    for (int i = 0; i < MOST * GAP; i++) {
        out[i] = number * 10000 + rank * 1000 + i;
        in[i] = -1;
    }
    for (int i = 0; i < MOST; i++) {
        some[i] = with_arrays ? 1 + i % 3 : (MPI_Count)1 << 40;
        mine[i] = 1 + self % 3;
        places[i] = with_arrays ? (MOST - 1 - i) * GAP : (MPI_Aint)1 << 40;
    }
}

static void blocking(int call, int root, MPI_Comm comm)
{
    int own = (int)mine[0];

    if (call == GATHERV)
        MPI_Gatherv_c(out, own, MPI_INT, in, some, places, MPI_INT, root, comm);
    else if (call == SCATTERV)
        MPI_Scatterv_c(out, some, places, MPI_INT, in, own, MPI_INT, root, comm);
    else if (call == ALLGATHERV)
        MPI_Allgatherv_c(out, own, MPI_INT, in, some, places, MPI_INT, comm);
    else if (call == ALLTOALLV)
        MPI_Alltoallv_c(out, some, places, MPI_INT, in, mine, places, MPI_INT, comm);
    else
        MPI_Reduce_scatter_c(out, in, some, MPI_INT, MPI_SUM, comm);
}

static void non_blocking(int call, int root, MPI_Comm comm)
{
    int own = (int)mine[0];
    MPI_Request request;

    if (call == GATHERV)
        MPI_Igatherv_c(out, own, MPI_INT, in, some, places, MPI_INT, root, comm, &request);
    else if (call == SCATTERV)
        MPI_Iscatterv_c(out, some, places, MPI_INT, in, own, MPI_INT, root, comm, &request);
    else if (call == ALLGATHERV)
        MPI_Iallgatherv_c(out, own, MPI_INT, in, some, places, MPI_INT, comm, &request);
    else if (call == ALLTOALLV)
        MPI_Ialltoallv_c(out, some, places, MPI_INT, in, mine, places, MPI_INT, comm, &request);
    else
        MPI_Ireduce_scatter_c(out, in, some, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* All calls on one communicator: those with a root have arrays there alone. */
static uint64_t calls(int number, MPI_Comm comm, int root, int is_root)
{
    uint64_t result = 0;

    for (int call = 0; call < 2 * CALLS; call++) {
        fill(number, is_root || call % CALLS >= ALLGATHERV);
        if (call < CALLS)
            blocking(call, root, comm);
        else
            non_blocking(call - CALLS, root, comm);
        result = digest(result, in, sizeof(in));
    }
    return result;
}

/* On a grid all parts are alike. */
static uint64_t edges(int number, MPI_Comm grid)
{
    MPI_Request request;
    uint64_t result;

    fill(number, 1);
    for (int i = 0; i < MOST; i++)
        some[i] = 2;
    MPI_Neighbor_alltoallv_c(out, some, places, MPI_INT, in, some, places, MPI_INT, grid);
    result = digest(0, in, sizeof(in));
    MPI_Ineighbor_allgatherv_c(out, 2, MPI_INT, in, some, places, MPI_INT, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    result = digest(result, in, sizeof(in));
    MPI_Ineighbor_alltoallv_c(out, some, places, MPI_INT, in, some, places, MPI_INT, grid,
                              &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return digest(result, in, sizeof(in));
}

/* In place there are no counts for sending. */
static uint64_t in_place(int number, MPI_Comm comm)
{
    fill(number, 1);
    memcpy(in, out, sizeof(in));
    for (int i = 0; i < MOST; i++)
        some[i] = 2;
    MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, some, places, MPI_INT, comm);
    return digest(0, in, sizeof(in));
}

static MPI_Aint bytes[MOST];
static MPI_Datatype types[MOST], pair;
static MPI_Request typed_init[2]; /* persistent: on the world, on the grid */

static void typed_fill(int number)
{
    fill(number, 1);
    for (int i = 0; i < MOST; i++) {
        bytes[i] = places[i] * (MPI_Aint)sizeof(int);
        types[i] = i % 2 ? MPI_INT : pair; /* its size is that of two ints */
        some[i] = mine[i] = i % 2 ? 4 : 2;
    }
}

static void typed_make(MPI_Comm grid)
{
    MPI_Alltoallw_init_c(out, some, bytes, types, in, mine, bytes, types, MPI_COMM_WORLD,
                         MPI_INFO_NULL, &typed_init[0]);
    MPI_Neighbor_alltoallw_init_c(out, some, bytes, types, in, some, bytes, types, grid,
                                  MPI_INFO_NULL, &typed_init[1]);
}

static uint64_t typed(int number, MPI_Comm grid, MPI_Comm across)
{
    MPI_Request request;
    uint64_t result = 0;

    for (int call = 0; call < 8; call++) {
        typed_fill(number + call);
        if (call == 0)
            MPI_Alltoallw_c(out, some, bytes, types, in, mine, bytes, types, MPI_COMM_WORLD);
        else if (call == 1)
            MPI_Alltoallw_c(MPI_IN_PLACE, NULL, NULL, NULL, in, mine, bytes, types, MPI_COMM_WORLD);
        else if (call == 2)
            MPI_Alltoallw_c(out, some, bytes, types, in, mine, bytes, types, across);
        else if (call == 3)
            MPI_Neighbor_alltoallw_c(out, some, bytes, types, in, mine, bytes, types, grid);
        else if (call == 4)
            MPI_Ialltoallw_c(out, some, bytes, types, in, mine, bytes, types, MPI_COMM_WORLD,
                             &request);
        else if (call == 5)
            MPI_Ineighbor_alltoallw_c(out, some, bytes, types, in, mine, bytes, types, grid,
                                      &request);
        else
            MPI_Start(&typed_init[call - 6]);
        if (call >= 4)
            MPI_Wait(call >= 6 ? &typed_init[call - 6] : &request, MPI_STATUS_IGNORE);
        result = digest(result, in, sizeof(in));
    }
    return result;
}

/* Across, root 0 of one group by turns. */
static uint64_t between(int number, MPI_Comm across, int first)
{
    int here = first == number % 2, root = !here ? 0 : self == 0 ? MPI_ROOT : MPI_PROC_NULL;
    uint64_t result = 0;

    for (int call = 0; call <= ALLTOALLV; call++) {
        fill(number, root == MPI_ROOT || call >= ALLGATHERV);
        if (call % 2)
            blocking(call, root, across);
        else
            non_blocking(call, root, across);
        result = digest(result, in, sizeof(in));
    }
    return result;
}

int main(int argc, char **argv)
{
    int dims[2] = {2, 2}, periods[2] = {1, 1}, first;
    MPI_Comm half, across, grid;
    uint64_t state = 0;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    first = rank < size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first ? size / 2 : 0, 7, &across);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    typed_fill(0);
    typed_make(grid);
    for (long number = 1; number <= steps; number++) {
        int root = (int)number % size;

        step(number);
        self = rank;
        state = mix(state ^ calls((int)number, MPI_COMM_WORLD, root, rank == root));
        state = mix(state ^ in_place((int)number, MPI_COMM_WORLD));
        state = mix(state ^ edges((int)number, grid));
        state = mix(state ^ typed((int)number, grid, across));
        MPI_Comm_rank(half, &self);
        state = mix(state ^ between((int)number, across, first));
    }
    MPI_Type_free(&pair);
    MPI_Request_free(&typed_init[0]);
    MPI_Request_free(&typed_init[1]);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
    return program_end("widecounts", state);
}
