/* The graph: a node of the machine is a vertex, its weight the number of its ranks; an edge weighs
 * the bytes that go either way. METIS counts in 32 bits, so edges are scaled. */
#include "partition/partition.h"

#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 512, EDGE_MOST = 1 << 20, SEEDS = 16, EXCHANGES = 10000 };

struct graph {
    const struct ft_profile *profile;
    int nodes, per_node, clusters;
    idx_t *start, *to, *weight, *ranks; /* compressed rows, as METIS wants them */
    idx_t *part;                        /* [nodes] */
    double *logged;                     /* [ranks] bytes that a rank logs with `part` */
};

static void graph_free(struct graph *graph)
{
    free(graph->start);
    free(graph->to);
    free(graph->weight);
    free(graph->ranks);
    free(graph->part);
    free(graph->logged);
}

static int node_of(const struct graph *graph, int rank)
{
    return rank / graph->per_node;
}

struct link { /* bytes between two nodes, seen from one of them */
    int here, there;
    double bytes;
};

static int link_order(const void *a, const void *b)
{
    const struct link *one = a, *two = b;

    return one->here != two->here ? one->here - two->here : one->there - two->there;
}

/* Both directions of everything that leaves a node, one entry for each pair; NULL: no memory. */
static struct link *links_make(const struct graph *graph, size_t *count)
{
    struct link *list = calloc(2 * graph->profile->count + 1, sizeof *list);
    size_t used = 0, kept = 0;

    for (size_t i = 0; list && i < graph->profile->count; i++) {
        const struct ft_profile_edge *edge = &graph->profile->edge[i];
        int a = node_of(graph, edge->from), b = node_of(graph, edge->to);

        if (a == b)
            continue;
        list[used++] = (struct link){a, b, (double)edge->bytes};
        list[used++] = (struct link){b, a, (double)edge->bytes};
    }
    if (list)
        qsort(list, used, sizeof *list, link_order);
    for (size_t i = 0; i < used; i++) {
        if (kept && link_order(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].bytes += list[i].bytes;
        else
            list[kept++] = list[i];
    }
    *count = kept;
    return list;
}

static void rows_fill(struct graph *graph, const struct link *list, size_t count)
{
    double most = EDGE_MOST;
    size_t used = 0;

    for (size_t i = 0; i < count; i++)
        most = list[i].bytes > most ? list[i].bytes : most;
    for (int node = 0; node < graph->nodes; node++) {
        graph->start[node] = (idx_t)used;
        for (; used < count && list[used].here == node; used++) {
            graph->to[used] = list[used].there;
            graph->weight[used] = 1 + (idx_t)(list[used].bytes * (EDGE_MOST / most));
        }
    }
    graph->start[graph->nodes] = (idx_t)used;
}

static int graph_make(struct graph *graph)
{
    int ranks = graph->profile->ranks;
    size_t count = 0, nodes = (size_t)graph->nodes;
    struct link *list = links_make(graph, &count);
    int code = -1;

    graph->start = calloc(nodes + 1, sizeof *graph->start);
    graph->to = calloc(count + 1, sizeof *graph->to);
    graph->weight = calloc(count + 1, sizeof *graph->weight);
    graph->ranks = calloc(nodes, sizeof *graph->ranks);
    graph->part = calloc(nodes, sizeof *graph->part);
    graph->logged = calloc((size_t)ranks, sizeof *graph->logged);
    if (list && graph->start && graph->to && graph->weight && graph->ranks && graph->part &&
        graph->logged) {
        rows_fill(graph, list, count);
        for (int rank = 0; rank < ranks; rank++)
            graph->ranks[node_of(graph, rank)]++;
        code = 0;
    }
    free(list);
    return code;
}

static int metis(struct graph *graph, idx_t seed)
{
    idx_t options[METIS_NOPTIONS], nodes = graph->nodes, constraints = 1, cut;
    idx_t clusters = graph->clusters;

    if (clusters == 1 || clusters == nodes) {
        for (idx_t i = 0; i < nodes; i++)
            graph->part[i] = clusters == 1 ? 0 : i;
        return 0;
    }
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_NCUTS] = 4;
    return METIS_PartGraphRecursive(&nodes, &constraints, graph->start, graph->to, graph->ranks,
                                    NULL, graph->weight, &clusters, NULL, NULL, options, &cut,
                                    graph->part) == METIS_OK
               ? 0
               : -1;
}

/* Sums up what each rank logs; returns the rank that logs most, and the total. */
static int logged_sum(struct graph *graph, double *total)
{
    int most = 0;

    memset(graph->logged, 0, (size_t)graph->profile->ranks * sizeof *graph->logged);
    *total = 0;
    for (size_t i = 0; i < graph->profile->count; i++) {
        const struct ft_profile_edge *edge = &graph->profile->edge[i];

        if (graph->part[node_of(graph, edge->from)] == graph->part[node_of(graph, edge->to)])
            continue;
        graph->logged[edge->from] += (double)edge->bytes;
        *total += (double)edge->bytes;
    }
    for (int rank = 1; rank < graph->profile->ranks; rank++)
        if (graph->logged[rank] > graph->logged[most])
            most = rank;
    return most;
}

static void exchange(struct graph *graph, int a, int b)
{
    idx_t part = graph->part[a];

    graph->part[a] = graph->part[b];
    graph->part[b] = part;
}

/* Is the partition better, by the largest and then by the total? Then *largest and *total follow.
 */
static int improves(struct graph *graph, double *largest, double *total)
{
    double now_total, now = graph->logged[logged_sum(graph, &now_total)];

    if (now > *largest || (now >= *largest && now_total >= *total))
        return 0;
    *largest = now;
    *total = now_total;
    return 1;
}

/* One exchange of two nodes of the same size, of which one is `node` or one of its partners. */
static int exchange_around(struct graph *graph, int node, double *largest, double *total)
{
    for (idx_t i = graph->start[node] - 1; i < graph->start[node + 1]; i++) {
        int moved = i < graph->start[node] ? node : (int)graph->to[i];

        for (int other = 0; other < graph->nodes; other++) {
            if (graph->part[other] == graph->part[moved] ||
                graph->ranks[other] != graph->ranks[moved])
                continue;
            exchange(graph, moved, other);
            if (improves(graph, largest, total))
                return 1;
            exchange(graph, moved, other);
        }
    }
    return 0;
}

static void descend(struct graph *graph)
{
    double total, largest = graph->logged[logged_sum(graph, &total)];

    for (int i = 0; i < EXCHANGES; i++) {
        double sum;
        int hot = logged_sum(graph, &sum);

        if (!exchange_around(graph, node_of(graph, hot), &largest, &total))
            return;
    }
}

/* The best of several starts; the graph's partition is it then. */
static int divide(struct graph *graph, enum ft_partition_aim aim)
{
    size_t bytes = (size_t)graph->nodes * sizeof *graph->part;
    idx_t *best = malloc(bytes);
    double best_value = -1;
    int code = best ? 0 : -1;

    for (int seed = 0; code == 0 && seed < SEEDS; seed++) {
        double total, value;
        int hot;

        code = metis(graph, seed);
        if (code != 0)
            break;
        if (aim == FT_MINIMIZE_MAX)
            descend(graph);
        hot = logged_sum(graph, &total);
        value = aim == FT_MINIMIZE_MAX ? graph->logged[hot] : total;
        if (best_value < 0 || value < best_value) {
            best_value = value;
            memcpy(best, graph->part, bytes);
        }
    }
    if (code == 0)
        memcpy(graph->part, best, bytes);
    free(best);
    return code;
}

/* Numbers clusters by their lowest rank, and returns how many there are. */
static int number_clusters(const struct graph *graph, int *of)
{
    int known = 0, *name = malloc((size_t)graph->clusters * sizeof *name);

    if (!name)
        return -1;
    for (int i = 0; i < graph->clusters; i++)
        name[i] = -1;
    for (int rank = 0; rank < graph->profile->ranks; rank++) {
        idx_t part = graph->part[node_of(graph, rank)];

        if (name[part] < 0)
            name[part] = known++;
        of[rank] = name[part];
    }
    free(name);
    return known;
}

static double share_of(const int *of, int ranks, int clusters)
{
    double sum = 0;

    for (int cluster = 0; cluster < clusters; cluster++) {
        double size = 0;

        for (int rank = 0; rank < ranks; rank++)
            size += of[rank] == cluster;
        sum += size / ranks * (size / ranks);
    }
    return sum;
}

static int result_fill(struct graph *graph, struct ft_partition *partition)
{
    int ranks = graph->profile->ranks;
    double total;

    partition->of = calloc((size_t)ranks, sizeof *partition->of);
    if (!partition->of)
        return -1;
    partition->clusters = number_clusters(graph, partition->of);
    if (partition->clusters != graph->clusters) {
        ft_partition_free(partition);
        return -1;
    }
    partition->rank = logged_sum(graph, &total);
    partition->total = total / graph->profile->seconds;
    partition->largest = graph->logged[partition->rank] / graph->profile->seconds;
    partition->share = share_of(partition->of, ranks, partition->clusters);
    return 0;
}

int ft_partition_make(const struct ft_profile *profile, int clusters, int per_node,
                      enum ft_partition_aim aim, struct ft_partition *partition, char *why)
{
    int nodes = (profile->ranks + per_node - 1) / per_node, code;
    struct graph graph = {
        .profile = profile, .nodes = nodes, .per_node = per_node, .clusters = clusters};

    if (clusters < 1 || clusters > nodes) {
        snprintf(why, WHY, "%d clusters: there are %d nodes of up to %d ranks to divide", clusters,
                 nodes, per_node);
        return -1;
    }
    code = graph_make(&graph);
    if (code == 0)
        code = divide(&graph, aim);
    if (code == 0)
        code = result_fill(&graph, partition);
    if (code != 0)
        snprintf(why, WHY, "%d clusters: METIS finds no such partition, or memory is short",
                 clusters);
    graph_free(&graph);
    return code;
}

void ft_partition_free(struct ft_partition *partition)
{
    free(partition->of);
    *partition = (struct ft_partition){0};
}
