/* evencounts: collectives with one large count for all ranks, blocking and not, in place and not,
 * on the world, between two groups and along the edges of a grid. The non-blocking ones of a step
 * are all under way at the same time.
 *
 * arguments: [steps 40]
 *
 * ranks: 4
 * test: 40
 * soak: 200
 * pace: 20000
 * kill: 2@hook:12
 * kill: 1@MPI_Ialltoall_c:50
 */
#include "program.h"

#define MOST 8 /* ranks */
#define ROOM 5 /* elements of a part, at most */

enum { /* those behind REDUCE_SCATTER_BLOCK are of one group alone */
       BCAST,
       GATHER,
       SCATTER,
       ALLGATHER,
       ALLTOALL,
       REDUCE,
       ALLREDUCE,
       REDUCE_SCATTER_BLOCK,
       SCAN,
       EXSCAN,
       CALLS
};

static int out[CALLS][MOST * ROOM], in[CALLS][MOST * ROOM];

static void fill(int number)
{
    for (int i = 0; i < CALLS; i++)
        for (int k = 0; k < MOST * ROOM; k++) {
            out[i][k] = (int)(mix((uint64_t)(number * 10000 + rank * 1000 + i * 50 + k)) % 100000);
            in[i][k] = out[i][k] + 1;
        }
}

#define EITHER(Name, name, ...)                                                                    \
    (request ? MPI_I##name##_c(__VA_ARGS__, request) : MPI_##Name##_c(__VA_ARGS__))

static void make(int call, MPI_Count count, int root, MPI_Comm comm, MPI_Request *request)
{
    const void *give = out[call];
    int *get = in[call], inter;

    MPI_Comm_test_inter(comm, &inter);
    if (call == ALLREDUCE && !inter && count % 2)
        give = MPI_IN_PLACE;
    switch (call) {
    case BCAST:
        EITHER(Bcast, bcast, get, count, MPI_INT, root, comm);
        break;
    case GATHER:
        EITHER(Gather, gather, give, count, MPI_INT, get, count, MPI_INT, root, comm);
        break;
    case SCATTER:
        EITHER(Scatter, scatter, give, count, MPI_INT, get, count, MPI_INT, root, comm);
        break;
    case ALLGATHER:
        EITHER(Allgather, allgather, give, count, MPI_INT, get, count, MPI_INT, comm);
        break;
    case ALLTOALL:
        EITHER(Alltoall, alltoall, give, count, MPI_INT, get, count, MPI_INT, comm);
        break;
    case REDUCE:
        EITHER(Reduce, reduce, give, get, count, MPI_INT, MPI_SUM, root, comm);
        break;
    case ALLREDUCE:
        EITHER(Allreduce, allreduce, give, get, count, MPI_INT, MPI_BXOR, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        EITHER(Reduce_scatter_block, reduce_scatter_block, give, get, count, MPI_INT, MPI_MAX,
               comm);
        break;
    case SCAN:
        EITHER(Scan, scan, give, get, count, MPI_INT, MPI_SUM, comm);
        break;
    default:
        EITHER(Exscan, exscan, give, get, count, MPI_INT, MPI_MIN, comm);
    }
}

static uint64_t blocking(int calls, int number, int root, MPI_Comm comm)
{
    fill(number);
    for (int call = 0; call < calls; call++)
        make(call, 1 + number % ROOM, root, comm, NULL);
    return digest(0, in, sizeof(in));
}

static uint64_t non_blocking(int calls, int number, int root, MPI_Comm comm)
{
    MPI_Request request[CALLS];
    uint64_t state;

    fill(number);
    for (int call = 0; call < calls; call++)
        make(call, 1 + number % ROOM, root, comm, &request[call]);
    state = ring_shift((uint64_t)number, 0);
    MPI_Waitall(calls, request, MPI_STATUSES_IGNORE);
    return digest(state, in, sizeof(in));
}

static uint64_t edges(int number, MPI_Comm grid)
{
    MPI_Count count = 1 + number % ROOM;
    MPI_Request request[2];

    fill(number);
    MPI_Neighbor_allgather_c(out[0], count, MPI_INT, in[0], count, MPI_INT, grid);
    MPI_Neighbor_alltoall_c(out[1], count, MPI_INT, in[1], count, MPI_INT, grid);
    MPI_Ineighbor_allgather_c(out[2], count, MPI_INT, in[2], count, MPI_INT, grid, &request[0]);
    MPI_Ineighbor_alltoall_c(out[3], count, MPI_INT, in[3], count, MPI_INT, grid, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Reduce_local_c(in[2], in[3], count, MPI_INT, MPI_SUM);
    return digest(0, in, sizeof(in));
}

/* Root 0 of one group by turns. */
static uint64_t between(int number, MPI_Comm across, MPI_Comm half, int first)
{
    int here = first == number % 2, root = 0, self;

    MPI_Comm_rank(half, &self);
    if (here)
        root = self == 0 ? MPI_ROOT : MPI_PROC_NULL;
    return mix(blocking(SCAN, number, root, across) ^ non_blocking(SCAN, number, root, across));
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
    for (long number = 1; number <= steps; number++) {
        int root = (int)number % size;

        step(number);
        state = mix(state ^ blocking(CALLS, (int)number, root, MPI_COMM_WORLD));
        state = mix(state ^ non_blocking(CALLS, (int)number, root, MPI_COMM_WORLD));
        state = mix(state ^ edges((int)number, grid));
        state = mix(state ^ between((int)number, across, half, first));
    }
    MPI_Comm_free(&grid);
    MPI_Comm_free(&across);
    MPI_Comm_free(&half);
    return program_end("evencounts", state);
}
