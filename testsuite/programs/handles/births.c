/* births: every way to make a communicator, its ranks, its topology and its traffic, in two
 * epochs. */
#include "epoch.h"

static int rank, size;

/* Sum of the world ranks over comm, both groups of an intercommunicator, told in one line. */
static void tell(const char *what, MPI_Comm comm)
{
    int mine = rank, sum = -1, n, r, inter, result, kind;
    char name[MPI_MAX_OBJECT_NAME];

    if (comm == MPI_COMM_NULL) {
        printf("%d %s null\n", rank, what);
        return;
    }
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    MPI_Comm_test_inter(comm, &inter);
    MPI_Topo_test(comm, &kind);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    MPI_Comm_get_name(comm, name, &mine);
    printf("%d %s rank %d of %d inter %d sum %d compare %d kind %d name '%s'\n", rank, what, r, n,
           inter, sum, result, kind, name);
}

static void ring(MPI_Comm comm)
{
    int n, r, got = -1;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    MPI_Sendrecv(&rank, 1, MPI_INT, (r + 1) % n, 5, &got, 1, MPI_INT, (r + n - 1) % n, 5, comm,
                 MPI_STATUS_IGNORE);
    printf("%d ring %d\n", rank, got);
}

static void plain(void)
{
    MPI_Comm dup, split, some, group_comm, hint, later, shared;
    MPI_Group world, odd;
    MPI_Request request;
    MPI_Info info;
    int odds[32], n = 0, key = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_name(dup, "copy of the world");
    MPI_Comm_split(dup, rank % 2 ? rank % 2 : MPI_UNDEFINED, -rank, &split);
    for (int i = 1; i < size; i += 2)
        odds[n++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, odds, &odd);
    MPI_Comm_create(MPI_COMM_WORLD, odd, &some);
    group_comm = MPI_COMM_NULL;
    if (rank % 2)
        MPI_Comm_create_group(MPI_COMM_WORLD, odd, 3, &group_comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &hint);
    MPI_Info_free(&info);
    MPI_Comm_idup(MPI_COMM_WORLD, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, &shared);
    EPOCHS {
        tell("dup", dup);
        tell("split", split);
        tell("create", some);
        tell("create_group", group_comm);
        tell("hint", hint);
        tell("idup", later);
        tell("shared", shared);
        tell("world", MPI_COMM_WORLD);
        tell("self", MPI_COMM_SELF);
        ring(dup);
        ring(split);
        ring(group_comm);
    }
    MPI_Group_free(&odd);
    MPI_Group_free(&world);
    MPI_Comm_free(&dup);
    if (split != MPI_COMM_NULL)
        MPI_Comm_free(&split);
    if (some != MPI_COMM_NULL)
        MPI_Comm_free(&some);
    if (group_comm != MPI_COMM_NULL)
        MPI_Comm_free(&group_comm);
    MPI_Comm_disconnect(&hint);
    MPI_Comm_free(&later);
    MPI_Comm_free(&shared);
    CHECK(shared == MPI_COMM_NULL);
}

static void between(void)
{
    MPI_Comm half, inter, merged, again, part, copy;
    MPI_Group remote;
    int right = rank >= size / 2, n, value;

    MPI_Comm_split(MPI_COMM_WORLD, right, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, right ? 0 : size / 2, 9, &inter);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, right ? 0 : size / 2, 9, &again);
    MPI_Intercomm_merge(inter, !right, &merged);
    MPI_Comm_split(inter, 1, -rank, &part);
    MPI_Comm_dup(inter, &copy);
    EPOCHS {
        tell("half", half);
        tell("inter", inter);
        tell("again", again);
        tell("merged", merged);
        tell("part", part);
        tell("copy", copy);
        MPI_Comm_remote_group(inter, &remote);
        MPI_Group_size(remote, &n);
        MPI_Comm_remote_size(inter, &value);
        CHECK(n == value);
        MPI_Group_free(&remote);
        value = rank + 100;
        MPI_Bcast(&value, 1, MPI_INT, right ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, inter);
        printf("%d inter bcast %d\n", rank, value);
        MPI_Barrier(inter);
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&again);
    EPOCHS tell("merged alone", merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
}

static void cart(void)
{
    MPI_Comm grid, row, copy;
    int dims[2] = {0, 0}, periods[2] = {1, 0}, remain[2] = {0, 1};

    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Cart_sub(grid, remain, &row);
    MPI_Comm_dup(grid, &copy);
    EPOCHS {
        int d[2] = {-1, -1}, p[2], c[2], from, to, r, n, around[4] = {-1, -1, -1, -1};

        tell("grid", grid);
        tell("row", row);
        tell("copy", copy);
        MPI_Cart_get(copy, 2, d, p, c);
        MPI_Cart_rank(grid, c, &r);
        MPI_Cart_coords(grid, r, 2, c);
        MPI_Cart_shift(grid, 0, 1, &from, &to);
        MPI_Cartdim_get(row, &n);
        MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, grid);
        printf("%d cart %dx%d periods %d%d at %d,%d rank %d shift %d %d row dims %d around %d %d %d "
               "%d\n",
               rank, d[0], d[1], p[0], p[1], c[0], c[1], r, from, to, n, around[0], around[1],
               around[2], around[3]);
    }
    MPI_Comm_free(&grid);
    MPI_Comm_free(&row);
    MPI_Comm_free(&copy);
}

static void graph(void)
{
    MPI_Comm ring_graph, dist, plain_dist;
    int index[32], edges[64], left = (rank + size - 1) % size, right = (rank + 1) % size;
    int in[2] = {left, right}, weights[2] = {7, 9}, degree = 2;

    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + size - 1) % size;
        edges[2 * i + 1] = (i + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring_graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, weights, 1, &right, &left, MPI_INFO_NULL,
                                   0, &dist);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, in, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &plain_dist);
    EPOCHS {
        int n, e, found[2], w, src[4], sw[4], dst[4], dw[4], got[2] = {-1, -1};

        tell("graph", ring_graph);
        MPI_Graphdims_get(ring_graph, &n, &e);
        MPI_Graph_neighbors(ring_graph, rank, 2, found);
        MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, ring_graph);
        printf("%d graph %d %d next %d %d got %d %d\n", rank, n, e, found[0], found[1], got[0],
               got[1]);
        MPI_Dist_graph_neighbors_count(dist, &n, &e, &w);
        MPI_Dist_graph_neighbors(dist, n, src, sw, e, dst, dw);
        printf("%d dist %d %d %d: %d/%d %d/%d to %d/%d\n", rank, n, e, w, src[0], sw[0], src[1],
               sw[1], dst[0], dw[0]);
        MPI_Dist_graph_neighbors_count(plain_dist, &n, &e, &w);
        printf("%d plain dist %d %d %d\n", rank, n, e, w);
    }
    MPI_Comm_free(&ring_graph);
    MPI_Comm_free(&dist);
    MPI_Comm_free(&plain_dist);
}

/* A communicator that all have freed, but where one rank still has a receive, which it cancels. */
static void ghost(void)
{
    MPI_Comm copy, half, inter;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[2];
    int value, cancelled[2] = {-1, -1}, right = rank >= size / 2;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, right, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, right ? 0 : size / 2, 9, &inter);
    if (rank == 0)
        MPI_Irecv(&value, 1, MPI_INT, size - 1, 4, copy, &request[0]);
    if (rank == size - 1)
        MPI_Irecv(&value, 1, MPI_INT, 0, 4, inter, &request[1]);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Comm_free(&inter);
    epoch_change();
    epoch_change();
    for (int i = 0; i < 2; i++) {
        if (request[i] == MPI_REQUEST_NULL)
            continue;
        MPI_Cancel(&request[i]);
        MPI_Wait(&request[i], &status[i]);
        MPI_Test_cancelled(&status[i], &cancelled[i]);
    }
    epoch_change();
    printf("%d cancelled %d %d\n", rank, cancelled[0], cancelled[1]);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 65536);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    plain();
    if (size > 1)
        between();
    if (size > 1)
        ghost();
    cart();
    graph();
    for (int i = 0; i < (size > 2 ? 200 : 5000); i++) {
        MPI_Comm copy;

        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
        if (i % 100 == 99 && i < 1000)
            epoch_change();
    }
    MPI_Finalize();
    return 0;
}
