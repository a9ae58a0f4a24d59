/* The graph: a node of the machine is a vertex, its weight the number of its ranks; an edge weighs
 * the bytes that go either way. METIS counts in 32 bits, and adds up weights of many edges, so they
 * are scaled by the total. */
#include "ftcluster/partition.h"

#include <metis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 512, WEIGHT_MOST = 1 << 29, SEEDS = 16, EXCHANGES = 10000 };

struct graph {
    const struct ft_profile *profile;
    int nodes, per_node, clusters;
    idx_t *start, *to, *weight, *ranks; /* compressed rows, as METIS wants them */
    idx_t *part;                        /* [nodes] */
    size_t *first, *edge;               /* rows by node: edges of the profile from it or to it, but
                                           for those inside of it */
    double *logged, total;              /* [ranks] bytes that a rank logs with `part`; all ranks */
    double *sent, *inside;              /* [nodes], [clusters] what the rank that logs most sends to
                                           other nodes, and to those of a cluster */
};

static void graph_free(struct graph *graph)
{
    free(graph->start);
    free(graph->to);
    free(graph->weight);
    free(graph->ranks);
    free(graph->part);
    free(graph->first);
    free(graph->edge);
    free(graph->logged);
    free(graph->sent);
    free(graph->inside);
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
    double total = WEIGHT_MOST, sum = 0;
    size_t used = 0;

    for (size_t i = 0; i < count; i++)
        sum += list[i].bytes;
    total = sum > total ? sum : total;
    for (int node = 0; node < graph->nodes; node++) {
        graph->start[node] = (idx_t)used;
        for (; used < count && list[used].here == node; used++) {
            graph->to[used] = list[used].there;
            graph->weight[used] = 1 + (idx_t)(list[used].bytes * (WEIGHT_MOST / total));
        }
    }
    graph->start[graph->nodes] = (idx_t)used;
}

/* Counts the edges of each row two entries behind it, so that filling it leaves the beginnings. */
static void edges_fill(struct graph *graph)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < graph->profile->count; i++) {
            const struct ft_profile_edge *edge = &graph->profile->edge[i];
            int a = node_of(graph, edge->from), b = node_of(graph, edge->to);

            if (a != b && pass == 0) {
                graph->first[a + 2]++;
                graph->first[b + 2]++;
            } else if (a != b) {
                graph->edge[graph->first[a + 1]++] = i;
                graph->edge[graph->first[b + 1]++] = i;
            }
        }
        for (int node = 0; pass == 0 && node <= graph->nodes; node++)
            graph->first[node + 1] += graph->first[node];
    }
}

/* Memory of the graph, with `links` of its rows; 0: there is too little. */
static int graph_allocate(struct graph *graph, size_t links)
{
    size_t nodes = (size_t)graph->nodes, ranks = (size_t)graph->profile->ranks;

    graph->start = calloc(nodes + 1, sizeof *graph->start);
    graph->to = calloc(links + 1, sizeof *graph->to);
    graph->weight = calloc(links + 1, sizeof *graph->weight);
    graph->ranks = calloc(nodes, sizeof *graph->ranks);
    graph->part = calloc(nodes, sizeof *graph->part);
    graph->first = calloc(nodes + 2, sizeof *graph->first);
    graph->edge = calloc(2 * graph->profile->count + 1, sizeof *graph->edge);
    graph->logged = calloc(ranks, sizeof *graph->logged);
    graph->sent = calloc(nodes, sizeof *graph->sent);
    graph->inside = calloc((size_t)graph->clusters, sizeof *graph->inside);
    return graph->start && graph->to && graph->weight && graph->ranks && graph->part &&
           graph->first && graph->edge && graph->logged && graph->sent && graph->inside;
}

static int graph_make(struct graph *graph)
{
    int ranks = graph->profile->ranks;
    size_t count = 0;
    struct link *list = links_make(graph, &count);
    int code = -1;

    if (graph_allocate(graph, count) && list) {
        rows_fill(graph, list, count);
        edges_fill(graph);
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

static int is_logged(const struct graph *graph, const struct ft_profile_edge *edge)
{
    return graph->part[node_of(graph, edge->from)] != graph->part[node_of(graph, edge->to)];
}

/* Sums up what each rank logs, and all. */
static void logged_sum(struct graph *graph)
{
    memset(graph->logged, 0, (size_t)graph->profile->ranks * sizeof *graph->logged);
    graph->total = 0;
    for (size_t i = 0; i < graph->profile->count; i++) {
        const struct ft_profile_edge *edge = &graph->profile->edge[i];

        if (!is_logged(graph, edge))
            continue;
        graph->logged[edge->from] += (double)edge->bytes;
        graph->total += (double)edge->bytes;
    }
}

/* The rank that logs most. */
static int hottest(const struct graph *graph)
{
    int most = 0;

    for (int rank = 1; rank < graph->profile->ranks; rank++)
        if (graph->logged[rank] > graph->logged[most])
            most = rank;
    return most;
}

/* Adds what is logged of the edges of `node` (sign -1: takes it away). */
static void logged_add(struct graph *graph, int node, double sign)
{
    for (size_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        const struct ft_profile_edge *edge = &graph->profile->edge[graph->edge[i]];

        if (!is_logged(graph, edge))
            continue;
        graph->logged[edge->from] += sign * (double)edge->bytes;
        graph->total += sign * (double)edge->bytes;
    }
}

/* Edges between both are counted twice, before and behind: they are logged before and behind. */
static void exchange(struct graph *graph, int a, int b)
{
    idx_t part = graph->part[a];

    logged_add(graph, a, -1);
    logged_add(graph, b, -1);
    graph->part[a] = graph->part[b];
    graph->part[b] = part;
    logged_add(graph, a, 1);
    logged_add(graph, b, 1);
}

/* Is the partition better, by the largest and then by the total? Then *largest and *total follow.
 */
static int improves(struct graph *graph, double *largest, double *total)
{
    double now = graph->logged[hottest(graph)];

    if (now > *largest || (now >= *largest && graph->total >= *total))
        return 0;
    *largest = now;
    *total = graph->total;
    return 1;
}

/* Where the rank sends to. */
static void sent_fill(struct graph *graph, int rank)
{
    int node = node_of(graph, rank);

    memset(graph->sent, 0, (size_t)graph->nodes * sizeof *graph->sent);
    memset(graph->inside, 0, (size_t)graph->clusters * sizeof *graph->inside);
    for (size_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        const struct ft_profile_edge *edge = &graph->profile->edge[graph->edge[i]];

        if (edge->from != rank)
            continue;
        graph->sent[node_of(graph, edge->to)] += (double)edge->bytes;
        graph->inside[graph->part[node_of(graph, edge->to)]] += (double)edge->bytes;
    }
}

/* Would that rank log less if its node, or another one that it sends more to, took the place of
 * `other`? */
static int relieves(const struct graph *graph, int node, int moved, int other)
{
    idx_t from = graph->part[moved], to = graph->part[other];

    if (moved == node)
        return graph->inside[to] - graph->sent[other] > graph->inside[from];
    return to == graph->part[node] && graph->sent[moved] > graph->sent[other];
}

/* One exchange of two nodes of the same size, of which one is `node` or one of its partners. */
static int exchange_around(struct graph *graph, int node, double *largest, double *total)
{
    for (idx_t i = graph->start[node] - 1; i < graph->start[node + 1]; i++) {
        int moved = i < graph->start[node] ? node : (int)graph->to[i];

        for (int other = 0; other < graph->nodes; other++) {
            if (graph->part[other] == graph->part[moved] ||
                graph->ranks[other] != graph->ranks[moved] || !relieves(graph, node, moved, other))
                continue;
            exchange(graph, moved, other);
            if (improves(graph, largest, total))
                return 1;
            exchange(graph, moved, other);
        }
    }
    return 0;
}

/* Exchanges nodes as long as that relieves the rank that logs most. */
static void descend(struct graph *graph)
{
    int hot = hottest(graph);
    double largest = graph->logged[hot], total = graph->total;

    for (int i = 0; i < EXCHANGES; i++) {
        sent_fill(graph, hot);
        if (!exchange_around(graph, node_of(graph, hot), &largest, &total))
            return;
        hot = hottest(graph);
    }
}

/* As `--clusters K` divides them. */
static int blocks(struct graph *graph)
{
    for (int node = 0; node < graph->nodes; node++)
        graph->part[node] = (idx_t)((long)node * graph->clusters / graph->nodes);
    return 0;
}

/* The ranks of the largest cluster; `inside` is overwritten. */
static double crowd(struct graph *graph)
{
    double most = 0;

    memset(graph->inside, 0, (size_t)graph->clusters * sizeof *graph->inside);
    for (int node = 0; node < graph->nodes; node++) {
        double *size = &graph->inside[graph->part[node]];

        *size += (double)graph->ranks[node];
        most = *size > most ? *size : most;
    }
    return most;
}

/* The value to be made small. METIS makes clusters less equal than they could be, where that
 * cuts less; but where a tenth more ranks roll back a tenth less has to be logged. */
static double value_of(struct graph *graph, enum ft_partition_aim aim, double even)
{
    double most = crowd(graph);
    double value = aim == FT_MINIMIZE_MAX ? graph->logged[hottest(graph)] : graph->total;

    return most > even ? value * most / even : value;
}

/* The best of several starts; the graph's partition is it then. The first one are blocks, because
 * what METIS makes of a grid cuts little in all, and may leave one rank with twice as much. */
static int divide(struct graph *graph, enum ft_partition_aim aim)
{
    size_t bytes = (size_t)graph->nodes * sizeof *graph->part;
    idx_t *best = malloc(bytes);
    double best_value = -1, even = 0;
    int code = best ? 0 : -1;

    for (int seed = -1; code == 0 && seed < SEEDS; seed++) {
        double value;

        code = seed < 0 ? blocks(graph) : metis(graph, seed);
        if (code != 0)
            break;
        if (seed < 0)
            even = crowd(graph);
        logged_sum(graph);
        if (aim == FT_MINIMIZE_MAX)
            descend(graph);
        value = value_of(graph, aim, even);
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

    partition->of = calloc((size_t)ranks, sizeof *partition->of);
    if (!partition->of)
        return -1;
    partition->clusters = number_clusters(graph, partition->of);
    if (partition->clusters != graph->clusters) {
        ft_partition_free(partition);
        return -1;
    }
    logged_sum(graph);
    partition->rank = hottest(graph);
    partition->total = graph->total / graph->profile->seconds;
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
