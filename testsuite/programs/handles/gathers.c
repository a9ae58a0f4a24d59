/* gathers: every collective, blocking and not, with derived datatypes, MPI_IN_PLACE, count 0,
 * arrays of datatypes, on one communicator and between two groups; requests that straddle two
 * epochs. */
#include "epoch.h"

static int rank, size;

#define ROOM 64
static int out[ROOM * 8], in[ROOM * 8], counts[ROOM], places[ROOM], bytes[ROOM];
static MPI_Datatype types[ROOM], pair;

static void fill(int number)
{
    for (int i = 0; i < ROOM * 8; i++) {
        out[i] = number * 1000 + rank * 100 + i;
        in[i] = -1;
    }
}

static void tell(const char *what)
{
    unsigned value = 5381;

    for (int i = 0; i < ROOM * 8; i++)
        value = value * 33 + (unsigned)in[i];
    printf("%d %s %u\n", rank, what, value);
}

static void finish(const char *what, MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    CHECK(*request == MPI_REQUEST_NULL);
    tell(what);
}

static void blocking(MPI_Comm comm)
{
    fill(1);
    MPI_Barrier(comm);
    MPI_Bcast(size > 1 && rank == 1 ? out : in, 3, pair, size > 1, comm);
    tell("bcast");
    MPI_Gather(out, 2, pair, in, 4, MPI_INT, 0, comm);
    tell("gather");
    MPI_Gatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, size - 1, comm);
    tell("gatherv");
    MPI_Scatter(out, 2, pair, in, 4, MPI_INT, 0, comm);
    tell("scatter");
    MPI_Scatterv(out, counts, places, MPI_INT, in, rank + 1, MPI_INT, 0, comm);
    tell("scatterv");
    MPI_Allgather(out, 1, pair, in, 1, pair, comm);
    tell("allgather");
    in[2 * rank] = rank;
    in[2 * rank + 1] = -rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, pair, comm);
    tell("allgather in place");
    MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, comm);
    tell("allgatherv");
    MPI_Alltoall(out, 1, pair, in, 1, pair, comm);
    tell("alltoall");
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_SELF);
    tell("alltoallv on self");
    MPI_Alltoallw(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_SELF);
    tell("alltoallw on self");
    MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, size - 1, comm);
    tell("reduce");
    MPI_Allreduce(out, in, 5, MPI_INT, MPI_MAX, comm);
    tell("allreduce");
    MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, comm);
    tell("allreduce in place");
    MPI_Allreduce(out, in, 0, MPI_INT, MPI_SUM, comm);
    tell("allreduce of nothing");
    MPI_Reduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, comm);
    tell("reduce_scatter_block");
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
    tell("reduce_scatter");
    MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, comm);
    tell("scan");
    if (rank)
        MPI_Exscan(out, in, 3, MPI_INT, MPI_SUM, comm);
    else
        MPI_Exscan(out, in + ROOM, 3, MPI_INT, MPI_SUM, comm);
    memset(in + ROOM, 0, sizeof(int) * 4);
    tell("exscan");
}

static void pairs_w(MPI_Comm comm)
{
    int ones[ROOM], at[ROOM];
    MPI_Datatype each[ROOM];

    fill(2);
    for (int i = 0; i < size; i++) {
        ones[i] = 1;
        at[i] = (int)(i * 16 * sizeof(int));
        each[i] = (rank + i) % 2 ? pair : MPI_INT;
    }
    MPI_Alltoallw(out, ones, at, each, in, ones, at, each, comm);
    tell("alltoallw");
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, ones, at, each, comm);
    tell("alltoallw in place");
}

static void posted(MPI_Comm comm)
{
    MPI_Request request[8];
    MPI_Status status[3];
    int ones[ROOM], at[ROOM];
    MPI_Datatype each[ROOM], gone;

    fill(3);
    for (int i = 0; i < size; i++) {
        ones[i] = 1;
        at[i] = (int)(i * 16 * sizeof(int));
        each[i] = (rank + i) % 2 ? pair : MPI_INT;
    }
    MPI_Ibarrier(comm, &request[0]);
    finish("ibarrier", &request[0]);
    MPI_Type_contiguous(2, MPI_INT, &gone);
    MPI_Type_commit(&gone);
    MPI_Iallgather(out, 1, gone, in, 1, gone, comm, &request[0]);
    MPI_Iallreduce(out, in + 2 * ROOM, 4, MPI_INT, MPI_SUM, comm, &request[1]);
    MPI_Ialltoallw(out, ones, at, each, in + 3 * ROOM, ones, at, each, comm, &request[2]);
    MPI_Type_free(&gone);
    epoch_change();
    MPI_Waitall(3, request, status);
    tell("iallgather, iallreduce, ialltoallw");
    MPI_Ibcast(in, 4, pair, 0, comm, &request[0]);
    finish("ibcast", &request[0]);
    MPI_Igather(out, 2, MPI_INT, in, 1, pair, 0, comm, &request[0]);
    finish("igather", &request[0]);
    MPI_Igatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, 0, comm, &request[0]);
    finish("igatherv", &request[0]);
    MPI_Iscatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, comm, &request[0]);
    finish("iscatter", &request[0]);
    MPI_Iscatterv(out, counts, places, MPI_INT, in, rank + 1, MPI_INT, 0, comm, &request[0]);
    finish("iscatterv", &request[0]);
    MPI_Iallgatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, comm, &request[0]);
    finish("iallgatherv", &request[0]);
    MPI_Ialltoall(out, 1, pair, in, 1, pair, comm, &request[0]);
    finish("ialltoall", &request[0]);
    MPI_Ireduce(out, in, 4, MPI_INT, MPI_SUM, 0, comm, &request[0]);
    finish("ireduce", &request[0]);
    MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, comm, &request[0]);
    finish("ireduce_scatter_block", &request[0]);
    MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm, &request[0]);
    finish("ireduce_scatter", &request[0]);
    MPI_Iscan(out, in, 2, MPI_INT, MPI_SUM, comm, &request[0]);
    finish("iscan", &request[0]);
    MPI_Iexscan(out, in, 2, MPI_INT, MPI_SUM, comm, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
}

static void neighbours(void)
{
    MPI_Comm ring;
    MPI_Request request;
    int periodic = 1, ones[2] = {1, 1}, two[2] = {0, 1};
    MPI_Aint at[2] = {0, 64};
    MPI_Datatype each[2] = {pair, pair};

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    EPOCHS {
        fill(4);
        MPI_Neighbor_allgather(out, 1, pair, in, 1, pair, ring);
        tell("neighbor_allgather");
        MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, ones, two, MPI_INT, ring);
        tell("neighbor_allgatherv");
        MPI_Neighbor_alltoall(out, 1, pair, in, 2, MPI_INT, ring);
        tell("neighbor_alltoall");
        MPI_Neighbor_alltoallv(out, ones, two, pair, in, ones, two, pair, ring);
        tell("neighbor_alltoallv");
        MPI_Neighbor_alltoallw(out, ones, at, each, in, ones, at, each, ring);
        tell("neighbor_alltoallw");
        MPI_Ineighbor_allgather(out, 1, pair, in, 1, pair, ring, &request);
        finish("ineighbor_allgather", &request);
        MPI_Ineighbor_alltoall(out, 1, pair, in, 1, pair, ring, &request);
        finish("ineighbor_alltoall", &request);
        MPI_Ineighbor_alltoallv(out, ones, two, pair, in, ones, two, pair, ring, &request);
        finish("ineighbor_alltoallv", &request);
        MPI_Ineighbor_alltoallw(out, ones, at, each, in, ones, at, each, ring, &request);
        epoch_change();
        finish("ineighbor_alltoallw", &request);
    }
    MPI_Comm_free(&ring);
}

static void between(void)
{
    MPI_Comm half, inter;
    int right = rank >= size / 2, ours = right ? size - size / 2 : size / 2, root;

    MPI_Comm_split(MPI_COMM_WORLD, right, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, right ? 0 : size / 2, 9, &inter);
    root = right ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT;
    EPOCHS {
        fill(5);
        MPI_Bcast(right ? in : out, 4, pair, root, inter);
        tell("inter bcast");
        MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, inter);
        tell("inter allreduce");
        MPI_Gather(out, 1, pair, in, 1, pair, root, inter);
        tell("inter gather");
        MPI_Allgather(out, 1, pair, in, 1, pair, inter);
        tell("inter allgather");
        MPI_Reduce(out, in, 3, MPI_INT, MPI_MAX, root, inter);
        tell("inter reduce");
        MPI_Reduce_scatter_block(out, in, 6 / ours, MPI_INT, MPI_SUM, half);
        tell("half reduce_scatter_block");
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&inter);
}

int main(int argc, char **argv)
{
    MPI_Comm copy;

    setvbuf(stdout, NULL, _IOLBF, 65536);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0, at = 0; i < size; at += ++i) {
        counts[i] = i + 1;
        places[i] = at;
        bytes[i] = at * (int)sizeof(int);
        types[i] = i % 2 ? pair : MPI_INT;
    }
    EPOCHS {
        blocking(MPI_COMM_WORLD);
        blocking(copy);
        pairs_w(copy);
        posted(copy);
    }
    neighbours();
    if (size > 1)
        between();
    MPI_Comm_free(&copy);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
