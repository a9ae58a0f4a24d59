/* comm_kinds: communicators of every kind that live for some steps, so that at any death there are
 * some that a rank that rolls back has not made yet, and some that the others have freed meanwhile.
 * Messages of the program travel on each, between the steps of its birth and its end.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * pace: 8000
 */
#include "program.h"

#define LIVES 9 /* steps; divides no number of kinds */
#define KINDS 12

static MPI_Comm comms[LIVES];

static MPI_Comm half_of(MPI_Comm comm)
{
    MPI_Comm half;

    MPI_Comm_split(comm, rank % 2, -rank, &half);
    return half;
}

/* All of a grid, its rows, or what is left without any dimension: the first rank alone. */
static MPI_Comm grid_make(int kept)
{
    int dims[2] = {2, size / 2}, periods[2] = {1, 0}, remain[2] = {0, kept == 1};
    MPI_Comm grid, part;

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    if (kept == 2 || grid == MPI_COMM_NULL)
        return grid;
    MPI_Cart_sub(grid, remain, &part);
    MPI_Comm_free(&grid);
    return part;
}

static MPI_Comm graph_make(long number)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, weight = (int)number, one = 1;
    MPI_Comm graph;

    if (number % 4 < 2)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight,
                                       MPI_INFO_NULL, 1, &graph);
    else
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                              0, &graph);
    return graph;
}

static MPI_Comm between(int merge)
{
    MPI_Comm half = half_of(MPI_COMM_WORLD), inter, merged;

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? size / 2 * 2 - 2 : size / 2 * 2 - 1, 5,
                         &inter);
    MPI_Comm_free(&half);
    if (!merge)
        return inter;
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    MPI_Comm_free(&inter);
    return merged;
}

static void hint_check(MPI_Comm comm, const char *expected)
{
    char value[64] = "";
    MPI_Info info;
    int found;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, "mpi_assert_exact_length", sizeof value - 1, value, &found);
    MPI_Info_free(&info);
    check(found && !strcmp(value, expected), "a hint", found);
}

/* A communicator has the hints that it was made with, and a duplicate has none. */
static MPI_Comm shared_make(void)
{
    MPI_Comm comm, copy;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_dup(comm, &copy);
    hint_check(comm, "true");
    hint_check(copy, "false");
    MPI_Comm_free(&copy);
    return comm;
}

/* Those that share memory, asked for by an info; of the others, nobody: ranks are not bound. */
static MPI_Comm hinted(long number)
{
    static const char *const resource[] = {"mpi_shared_memory", "core", "no such thing"};
    int type = number % 4 ? MPI_COMM_TYPE_HW_GUIDED : MPI_COMM_TYPE_HW_UNGUIDED;
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_hw_resource_type", resource[number / KINDS % 3]);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == number % size ? MPI_UNDEFINED : type, -rank,
                        number % 5 ? info : MPI_INFO_NULL, &comm);
    MPI_Info_free(&info);
    return comm;
}

static MPI_Comm group_make(long number)
{
    int out = (int)number % size;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group world, rest;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &out, &rest);
    if (number % 3)
        MPI_Comm_create(MPI_COMM_WORLD, rest, &comm);
    else if (rank != out)
        MPI_Comm_create_group(MPI_COMM_WORLD, rest, 3, &comm);
    MPI_Group_free(&rest);
    MPI_Group_free(&world);
    return comm;
}

static MPI_Comm later(void)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return comm;
}

static MPI_Comm make(long number)
{
    MPI_Comm comm;

    switch (number % KINDS) {
    case 0:
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        break;
    case 1:
        return half_of(MPI_COMM_WORLD);
    case 2:
        return grid_make(2);
    case 3:
        return grid_make(1);
    case 4:
        return graph_make(number);
    case 5:
        return between(0);
    case 6:
        return between(1);
    case 7:
        return group_make(number);
    case 8:
        return later();
    case 9:
        return grid_make(0);
    case 10:
        return hinted(number);
    default:
        return shared_make();
    }
    return comm;
}

/* One message to the next and one from the one before; across, on an intercommunicator. */
static long turn(MPI_Comm comm, long value)
{
    int n, r, inter, to, from, kind, dims = 0;
    long got = 0;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &n);
    else
        MPI_Comm_size(comm, &n);
    to = inter ? r % n : (r + 1) % n;
    from = inter ? r % n : (r + n - 1) % n;
    MPI_Topo_test(comm, &kind);
    if (kind == MPI_CART)
        MPI_Cartdim_get(comm, &dims);
    if (dims)
        MPI_Cart_shift(comm, 0, 1, &from, &to);
    if (kind == MPI_DIST_GRAPH)
        MPI_Dist_graph_neighbors(comm, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED);
    MPI_Sendrecv(&value, 1, MPI_LONG, to, 7, &got, 1, MPI_LONG, from, 7, comm, MPI_STATUS_IGNORE);
    return got + kind;
}

int main(int argc, char **argv)
{
    long steps, state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    state = rank;
    for (int i = 0; i < LIVES; i++)
        comms[i] = MPI_COMM_NULL;
    for (long number = 1; number <= steps; number++) {
        MPI_Comm *place = &comms[number % LIVES];

        step(number);
        if (*place != MPI_COMM_NULL)
            MPI_Comm_free(place);
        *place = make(number);
        for (int i = 0; i < LIVES; i++)
            if (comms[i] != MPI_COMM_NULL)
                state = (long)mix((uint64_t)(state * 31 + turn(comms[i], state) + i));
    }
    return program_end("comm_kinds", mix((uint64_t)state));
}
