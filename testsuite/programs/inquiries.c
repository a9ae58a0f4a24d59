/* inquiries: calls that need no other rank: about groups, infos, graphs and grids, statuses, packed
 * data, the library. Their objects were made before the first step, or in the step before.
 *
 * arguments: [steps 60]
 *
 * ranks: 4
 * test: 60
 * soak: 300
 * pace: 3000
 * kill: 1@hook:20
 * kill: 3@MPI_Get_elements_x:40 0@hook:50
 */
#include "program.h"

#define WORDS 6

static uint64_t state;
static MPI_Group world, kept = MPI_GROUP_NULL; /* kept: made in the step before */
static MPI_Info hints, environment;
static MPI_Comm graph, grid;
static MPI_Datatype pairs, gaps; /* two ints; two of each three */

static void fold(long value)
{
    state = mix(state ^ (uint64_t)value);
}

static void fold_ints(const int *values, int count)
{
    state = digest(state, values, (size_t)count * sizeof(*values));
}

static void group_ask(MPI_Group group)
{
    int members, self, there, first = 0;

    MPI_Group_size(group, &members);
    MPI_Group_rank(group, &self);
    MPI_Group_compare(group, world, &there);
    fold(members * 1000 + self * 100 + there);
    if (members > 0) {
        MPI_Group_translate_ranks(group, 1, &first, world, &there);
        fold(there);
    }
}

static void groups(long number)
{
    int every[1][3] = {{(int)number % 2, size - 1, 2}};
    MPI_Group group[5];

    MPI_Group_range_incl(world, 1, every, &group[0]);
    MPI_Group_range_excl(world, 1, every, &group[1]);
    MPI_Group_union(group[1], group[0], &group[2]);
    MPI_Group_difference(world, kept == MPI_GROUP_NULL ? group[0] : kept, &group[3]);
    MPI_Group_intersection(group[2], group[1], &group[4]);
    for (int i = 0; i < 5; i++)
        group_ask(group[i]);
    if (kept != MPI_GROUP_NULL)
        MPI_Group_free(&kept);
    kept = group[1];
    for (int i = 0; i < 5; i++)
        if (i != 1)
            MPI_Group_free(&group[i]);
}

static void info_ask(MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY], value[64];
    int keys, length, flag;

    MPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_valuelen(info, key, &length, &flag);
        fold(length * 10 + flag);
        length = sizeof(value);
        MPI_Info_get_string(info, key, &length, value, &flag);
        state = digest(digest(state, key, strlen(key)), value, strlen(value));
    }
}

static void infos(long number)
{
    char key[32], value[32];
    MPI_Info copy;
    int keys;

    snprintf(key, sizeof(key), "key%ld", number % 5);
    snprintf(value, sizeof(value), "%ld", number);
    MPI_Info_set(hints, key, value);
    info_ask(hints);
    MPI_Info_dup(hints, &copy);
    MPI_Info_delete(copy, key);
    info_ask(copy);
    MPI_Info_free(&copy);
    MPI_Info_get_nkeys(environment, &keys);
    fold(keys);
}

static void topologies(void)
{
    int nodes, edges, index[8], edge[16], dims[2], periods[2], at[2];

    MPI_Graphdims_get(graph, &nodes, &edges);
    MPI_Graph_get(graph, nodes, edges, index, edge);
    fold_ints(index, nodes);
    fold_ints(edge, edges);
    MPI_Graph_neighbors_count(graph, rank, &edges);
    MPI_Graph_neighbors(graph, rank, edges, edge);
    fold_ints(edge, edges);
    MPI_Cart_get(grid, 2, dims, periods, at);
    fold_ints(at, 2);
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &nodes);
    fold(nodes);
    MPI_Graphdims_get(graph, &nodes, &edges);
    MPI_Graph_get(graph, nodes, edges, index, edge);
    MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edge, &nodes);
    fold(nodes);
}

/* A message of as many ints as ranks, which may end within an element. */
static void statuses(long number)
{
    int out[8] = {0}, in[3 * WORDS], elements, flag;
    MPI_Count many, more;
    MPI_Status status;
    MPI_Fint old[MPI_F_STATUS_SIZE];

    MPI_Sendrecv(out, (int)number % 7, MPI_INT, (rank + 1) % size, 1, in, WORDS, pairs,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status);
    MPI_Status_c2f(&status, old);
    MPI_Status_f2c(old, &status);
    MPI_Get_elements(&status, pairs, &elements);
    MPI_Get_elements_x(&status, pairs, &many);
    MPI_Get_elements_c(&status, pairs, &more);
    fold(elements * 10000 + (long)many * 100 + (long)more);
    MPI_Get_count_c(&status, pairs, &more);
    fold(more == MPI_UNDEFINED ? -1 : (long)more);
    MPI_Status_set_elements(&status, MPI_INT, 3);
    MPI_Get_elements(&status, pairs, &elements);
    MPI_Status_set_elements_x(&status, pairs, (MPI_Count)1 << 33);
    MPI_Get_elements_x(&status, MPI_INT, &many);
    MPI_Status_set_cancelled(&status, (int)number % 2);
    MPI_Test_cancelled(&status, &flag);
    fold(elements * 10 + flag + (long)many);
}

static void packed(long number)
{
    int ints[3 * WORDS], back[3 * WORDS] = {0};
    MPI_Aint room, at = 0;
    MPI_Count large, end = 0;
    char bytes[256];

    for (int i = 0; i < 3 * WORDS; i++)
        ints[i] = (int)number * 100 + i;
    MPI_Pack_external_size("external32", WORDS, gaps, &room);
    MPI_Pack_external("external32", ints, WORDS, gaps, bytes, room, &at);
    state = digest(state, bytes, (size_t)at);
    room = at, at = 0;
    MPI_Unpack_external("external32", bytes, room, &at, back, WORDS, gaps);
    MPI_Pack_size_c(WORDS, gaps, grid, &large);
    MPI_Pack_c(back, WORDS, gaps, bytes, large, &end, grid);
    state = digest(state, bytes, (size_t)end);
    large = end, end = 0;
    MPI_Unpack_c(bytes, large, &end, ints, WORDS, gaps, grid);
    MPI_Pack_external_size_c("external32", WORDS, gaps, &large);
    end = 0;
    MPI_Pack_external_c("external32", ints, WORDS, gaps, bytes, large, &end);
    fold_ints(ints, 3 * WORDS);
    state = digest(state, bytes, (size_t)end);
}

static void sizes(void)
{
    MPI_Count size_x, low, extent, true_low, true_extent;
    MPI_Aint near, far;
    int plain;

    MPI_Type_size_x(gaps, &size_x);
    MPI_Type_get_extent_x(gaps, &low, &extent);
    MPI_Type_get_true_extent_c(gaps, &true_low, &true_extent);
    fold((long)(size_x + 100 * low + 1000 * extent + 100000 * true_low + 1000000 * true_extent));
    MPI_Type_get_true_extent(gaps, &near, &far);
    fold(MPI_Aint_diff(MPI_Aint_add(near, 40), far));
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &(MPI_Datatype){0});
    MPI_Op_commutative(MPI_SUM, &plain);
    fold(plain);
}

static void library(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int level, flag, version, part, length;
    MPI_Comm parent;

    MPI_Query_thread(&level);
    MPI_Is_thread_main(&flag);
    MPI_Get_version(&version, &part);
    fold(level * 1000 + flag * 100 + version * 10 + part);
    MPI_Pcontrol(1);
    MPI_Get_processor_name(text, &length);
    state = digest(state, text, (size_t)length);
    MPI_Get_library_version(text, &length);
    state = digest(state, text, (size_t)length);
    MPI_Initialized(&flag);
    MPI_Finalized(&level);
    MPI_Comm_get_parent(&parent);
    fold(flag * 4 + level * 2 + (parent == MPI_COMM_NULL));
    check(MPI_Wtick() > 0, "a tick", 0);
    MPI_Error_string(MPI_ERR_TAG, text, &length);
    state = digest(state, text, (size_t)length);
}

static void objects_make(int argc, char **argv)
{
    static const int index[4] = {1, 3, 5, 6}, edge[6] = {1, 0, 2, 1, 3, 2};
    int dims[2] = {2, 2}, periods[2] = {1, 0};

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Info_create(&hints);
    MPI_Info_create_env(argc, argv, &environment);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edge, 0, &graph);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Type_contiguous(2, MPI_INT, &pairs);
    MPI_Type_create_resized(pairs, 0, 12, &gaps);
    MPI_Type_commit(&pairs);
    MPI_Type_commit(&gaps);
}

static void objects_free(void)
{
    MPI_Group_free(&kept);
    MPI_Group_free(&world);
    MPI_Info_free(&hints);
    MPI_Info_free(&environment);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&grid);
    MPI_Type_free(&pairs);
    MPI_Type_free(&gaps);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    objects_make(argc, argv);
    for (long number = 1; number <= steps; number++) {
        step(number);
        groups(number);
        infos(number);
        topologies();
        statuses(number);
        packed(number);
        sizes();
        library();
        state = ring_shift(state, 0);
    }
    objects_free();
    return program_end("inquiries", state);
}
