/* dt_ft: dt, which handles failures itself (ftrun --ulfm), after algorithms 3 and 4 of Parchman et
 * al.: "Adding Fault Tolerance to NPB Benchmarks Using ULFM" (FTXS'16). The graph is run layer by
 * layer; what the nodes of a layer have made is saved in the memory of other ranks (ft_saver.h),
 * under two labels in turn. After a failure the nodes of the dead belong to the others, which load
 * what the last saved layer had made there, and all go on behind that layer.
 *
 * Communication: that of dt, and for each layer a save.
 *
 * Verification: as dt, on whatever ranks are left. */
#include "dt.h"

#include <signal.h>
#include <stdio.h>
#include "ft_saver.h"

enum { SINGLE, FULL, CODED, NONE };        /* --saver */
enum { IN_WORK, BEHIND_RECEIVE, IN_SAVE }; /* points of death */

static MPI_Comm comm;
static struct ft_saver *saver;
static int rank, size, *numbers; /* of the ranks of comm: their ranks in MPI_COMM_WORLD */
static int level[NODES], owner[NODES], levels; /* owner: a number */
static int saved_by[NODES];                    /* number under which a node's values are saved */
static long strategy, deaths, at, point;
static int failures;
static double seconds_saving;

static int rank_of(int number)
{
    for (int i = 0; i < size; i++)
        if (numbers[i] == number)
            return i;
    return -1;
}

/* Ranks 1, 2, ... die, in a layer each. */
static void may_die(int where, int layer)
{
    if (where == point && app_rank == failures + 1 && app_rank <= deaths && layer >= at)
        raise(SIGKILL);
}

static void levels_find(void)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (int arc = 0; arc < arc_count; arc++) {
            int *head = &level[arcs[arc].head], behind = level[arcs[arc].tail] + 1;

            moved |= behind > *head;
            *head = behind > *head ? behind : *head;
        }
    }
    for (int id = 0; id < node_count; id++)
        levels = level[id] + 1 > levels ? level[id] + 1 : levels;
}

static void layer_forget(int layer)
{
    for (int id = 0; id < node_count; id++)
        if (level[id] == layer) {
            free(nodes[id].values);
            nodes[id].values = NULL;
        }
}

/* ---- Traffic ---- */

struct traffic {
    MPI_Request *requests;
    int count;
};

static int arcs_send(int layer, struct traffic *traffic)
{
    int code = MPI_SUCCESS;

    for (int arc = 0; arc < arc_count && code == MPI_SUCCESS; arc++) {
        struct node *tail = &nodes[arcs[arc].tail];
        int to = owner[arcs[arc].head];

        if (level[arcs[arc].head] != layer || owner[arcs[arc].tail] != app_rank || to == app_rank)
            continue;
        code = MPI_Isend(&tail->length, 1, MPI_LONG, rank_of(to), arc, comm,
                         &traffic->requests[traffic->count++]);
        if (code == MPI_SUCCESS)
            code = MPI_Isend(tail->values, (int)tail->length, MPI_DOUBLE, rank_of(to), arc, comm,
                             &traffic->requests[traffic->count++]);
    }
    return code;
}

static int arc_receive(int arc, double **values, long *length)
{
    const struct node *tail = &nodes[arcs[arc].tail];
    int from = owner[arcs[arc].tail], code;

    if (from == app_rank) {
        *length = tail->length;
        *values = app_alloc((size_t)*length, sizeof(double));
        memcpy(*values, tail->values, (size_t)*length * sizeof(double));
        return MPI_SUCCESS;
    }
    *values = NULL;
    code = MPI_Recv(length, 1, MPI_LONG, rank_of(from), arc, comm, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    *values = app_alloc((size_t)*length, sizeof(double));
    return MPI_Recv(*values, (int)*length, MPI_DOUBLE, rank_of(from), arc, comm, MPI_STATUS_IGNORE);
}

/* A sink's value is its one number. */
static void sink_keep(struct node *node, int id, double sum)
{
    node->length = 1;
    node->values = app_alloc(1, sizeof(double));
    node->values[0] = (id + 1) * (double)((long)sum / node->ins);
}

static int node_run(struct node *node, int id)
{
    double sum = 0;
    int code = MPI_SUCCESS;

    free(node->values);
    node->values = NULL;
    if (!node->ins) {
        source_fill(node, id);
        return MPI_SUCCESS;
    }
    if (node->outs) {
        node->length = classes[class].samples * FIELDS;
        node->values = app_alloc((size_t)node->length, sizeof(double));
    }
    for (int i = 0; i < node->ins && code == MPI_SUCCESS; i++) {
        double *values;
        long length;

        code = arc_receive(node->in[i], &values, &length);
        may_die(BEHIND_RECEIVE, level[id]);
        if (code == MPI_SUCCESS && node->outs)
            stream_merge(node, id, &values, length);
        else if (code == MPI_SUCCESS)
            sum += sink_value(values, length, id + 1);
        free(values);
    }
    if (code != MPI_SUCCESS)
        return code;
    for (long i = 0; node->outs && i < node->length; i++)
        node->values[i] = (int)node->values[i] / node->ins;
    if (!node->outs)
        sink_keep(node, id, sum);
    return MPI_SUCCESS;
}

static int layer_run(int layer)
{
    struct traffic traffic = {app_alloc(2 * ARCS, sizeof(MPI_Request)), 0};
    int code = arcs_send(layer, &traffic), ended;

    may_die(IN_WORK, layer);
    for (int id = 0; id < node_count && code == MPI_SUCCESS; id++)
        if (owner[id] == app_rank && level[id] == layer)
            code = node_run(&nodes[id], id);
    if (code != MPI_SUCCESS)
        MPIX_Comm_revoke(comm); /* who waits for a message of this rank need not */
    ended = MPI_Waitall(traffic.count, traffic.requests, MPI_STATUSES_IGNORE);
    free(traffic.requests);
    return code != MPI_SUCCESS ? code : ended;
}

/* ---- Saved layers ---- */

/* Number and length of each node, and its values. */
static char *layer_pack(int layer, size_t *bytes)
{
    char *packed, *to;

    *bytes = 0;
    for (int id = 0; id < node_count; id++)
        if (owner[id] == app_rank && level[id] == layer)
            *bytes += (2 + (size_t)nodes[id].length) * sizeof(double);
    to = packed = app_alloc(*bytes + 1, 1);
    for (int id = 0; id < node_count; id++) {
        long head[2] = {id, nodes[id].length};

        if (owner[id] != app_rank || level[id] != layer)
            continue;
        to = mempcpy(to, head, sizeof(head));
        to = mempcpy(to, nodes[id].values, (size_t)nodes[id].length * sizeof(double));
    }
    return packed;
}

static void layer_unpack(const char *from, size_t bytes)
{
    for (const char *end = from + bytes; from < end;) {
        long head[2];
        struct node *node;

        memcpy(head, from, sizeof(head));
        from += sizeof(head);
        node = &nodes[head[0]];
        if (owner[head[0]] == app_rank && !node->values) {
            node->length = head[1];
            node->values = app_alloc((size_t)head[1], sizeof(double));
            memcpy(node->values, from, (size_t)head[1] * sizeof(double));
        }
        from += (size_t)head[1] * sizeof(double);
    }
}

static int layer_save(int layer)
{
    double begun = MPI_Wtime();
    size_t bytes;
    char *packed;
    int code;

    if (strategy == NONE)
        return MPI_SUCCESS;
    packed = layer_pack(layer, &bytes);
    may_die(IN_SAVE, layer);
    code = ft_saver_save(saver, layer % 2, packed, bytes);
    free(packed);
    for (int id = 0; id < node_count && code == MPI_SUCCESS; id++)
        if (level[id] == layer)
            saved_by[id] = owner[id];
    seconds_saving += MPI_Wtime() - begun;
    return code;
}

/* The nodes of a rank that is gone go to the others, on all ranks alike; the new owners load
 * what its nodes of the last saved layer had made. */
static void nodes_inherit(int saved)
{
    for (int id = 0; id < node_count; id++)
        if (rank_of(owner[id]) < 0)
            owner[id] = numbers[owner[id] % size];
    for (int number = 0; number < app_ranks && saved >= 0; number++) {
        int wanted = 0, heir = -1, code;
        size_t bytes = 0;
        char *packed;

        for (int id = 0; id < node_count; id++)
            if (level[id] == saved && saved_by[id] == number && owner[id] != number) {
                wanted = 1;
                heir = owner[id];
            }
        if (!wanted)
            continue;
        heir = heir == app_rank ? number : -1;
        code = ft_saver_size(saver, saved % 2, heir, &bytes);
        packed = app_alloc(bytes + 1, 1);
        if (code == MPI_SUCCESS)
            code = ft_saver_load(saver, saved % 2, heir, packed, &bytes);
        if (code == FT_SAVER_LOST)
            app_fail("what rank %d had saved is lost", number);
        if (code != MPI_SUCCESS)
            app_fail("cannot load what rank %d had saved: code %d", number, code);
        if (heir >= 0)
            layer_unpack(packed, bytes);
        free(packed);
    }
}

static void comm_take(MPI_Comm made)
{
    MPI_Group group, world;
    int *places;

    comm = made;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    places = app_alloc((size_t)size, sizeof(int));
    for (int i = 0; i < size; i++)
        places[i] = i;
    MPI_Comm_group(comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, size, places, world, numbers);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(places);
}

static void recover(int saved)
{
    MPI_Comm smaller;
    int before = size, code;

    if (strategy == NONE)
        app_fail("a rank has died, and nothing is saved (--saver)");
    MPIX_Comm_revoke(comm);
    if (MPIX_Comm_shrink(comm, &smaller) != MPI_SUCCESS)
        app_fail("cannot shrink");
    comm_take(smaller);
    failures += before - size;
    code = ft_saver_move(saver, comm);
    if (code != MPI_SUCCESS)
        app_fail("cannot move what is saved: code %d", code);
    nodes_inherit(saved);
}

/* Have all come through? With NONE nobody asks: then it is dt. */
static int all_agree(int code)
{
    int good = code == MPI_SUCCESS;

    if (strategy == NONE)
        return good;
    if (!good)
        MPIX_Comm_revoke(comm);
    return MPIX_Comm_agree(comm, &good) == MPI_SUCCESS && good;
}

static int sinks_sum(double *sum)
{
    double mine = 0;

    for (int id = 0; id < node_count; id++)
        if (!nodes[id].outs && owner[id] == app_rank)
            mine += nodes[id].values[0];
    return MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

/* The layers one after the other, and behind the last one the sum. */
static double graph_run(void)
{
    double sum = 0;

    for (int layer = 0, saved = -1; layer <= levels;) {
        int code = layer == levels ? sinks_sum(&sum) : layer_run(layer);

        if (layer < levels && (strategy == NONE ? code == MPI_SUCCESS : all_agree(code)))
            code = layer_save(layer);
        else if (layer < levels)
            code = MPI_ERR_OTHER;
        if (layer == levels ? all_agree(code) : code == MPI_SUCCESS) {
            if (saved >= 0 && layer < levels)
                layer_forget(saved);
            saved = layer++;
        } else {
            if (saved == levels)
                saved = levels - 1;
            recover(saved);
            layer = saved + 1;
        }
    }
    layer_forget(levels - 1);
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"BH", "WH", "SH"};
    long graph = 0, steps = 1;
    const struct app_option options[] = {
        {"graph", &graph, 0, 2, "0: BH, 1: WH, 2: SH"},
        {"steps", &steps, 1, 1000000, "how often the graph is run"},
        {"saver", &strategy, 0, 3, "0: single redundancy, 1: full, 2: Reed-Solomon 2+1, 3: none"},
        {"deaths", &deaths, 0, 7, "ranks 1, 2, ... that die, one after the other"},
        {"at", &at, 0, 100, "in which layer of the graph, or behind"},
        {"point", &point, 0, 2, "where: 0: before the work, 1: behind a receive, 2: before a save"},
        {0},
    };
    char letter = app_start(argc, argv, "dt_ft", options, "SWA");
    double sum = 0, begun;
    MPI_Comm made;
    bool good = true;

    while (letter && classes[class].letter != letter)
        class ++;
    graph_build(graph);
    levels_find();
    numbers = app_alloc((size_t)app_ranks, sizeof(int));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    comm_take(made);
    for (int id = 0; id < node_count; id++)
        owner[id] = id % app_ranks;
    if (strategy != NONE &&
        ft_saver_init(&saver, comm, (enum ft_saver_strategy)strategy, 2, 1) != MPI_SUCCESS)
        app_fail("no saver: too few ranks?");
    MPI_Barrier(comm);
    begun = MPI_Wtime();
    for (long step = 0; step < steps; step++) {
        sum = graph_run();
        good &= sum == classes[class].truth[graph];
    }
    if (rank == 0)
        printf("class %c, graph %s: sum %.17g, %d failures\ndt_ft: %s\nseconds %.4f, saving %.4f\n",
               classes[class].letter, names[graph], sum, failures, good ? "verified" : "WRONG",
               MPI_Wtime() - begun, seconds_saving);
    printf("ok\n");
    MPI_Finalize();
    return !good;
}
