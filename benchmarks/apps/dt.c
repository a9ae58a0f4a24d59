/* dt: data traffic, in the manner of the NAS parallel benchmarks (NPB 3.3, report NAS-07-010):
 * arrays flow through a graph of sources, comparators and sinks.
 *
 *   BH ("black hole")  many sources, comparators with four arcs in, one sink
 *   WH ("white hole")  one source, and the same tree the other way round
 *   SH ("shuffle")     a butterfly between as many sources as sinks
 *
 * Communication: an arc is a named message, its length before its content, with the arc's number as
 * the tag. Nodes are dealt out to the ranks in turn, so any number of ranks will do; an arc inside
 * a rank is a message to oneself. Arcs' sends are non-blocking, because a rank may hold both ends.
 *
 * Verification: the sum at the sinks against the published values of classes S, W and A. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4, NODES = 1024, ARCS = 4096, IN = 4 };

struct node {
    int in[IN], ins; /* numbers of arcs */
    int outs;
    long length;
    double *values; /* FIELDS for each sample; owned; NULL before it is made */
};

struct arc {
    int tail, head; /* numbers of nodes */
};

static const struct {
    char letter;
    long samples, deviation;
    int sources;
    double truth[3]; /* BH, WH, SH */
} classes[] = {
    {'S', 1728, 128, 4, {30892725, 67349758, 58875767}},
    {'W', 1728 * 8, 256, 8, {4102461, 204280762, 186944764}},
    {'A', 1728 * 64, 512, 16, {17809491, 1289925229, 610856482}},
};

static int class;
static struct node nodes[NODES];
static struct arc arcs[ARCS];
static int node_count, arc_count;

/* ---- Graphs ---- */

static void arc_add(int tail, int head)
{
    arcs[arc_count] = (struct arc){tail, head};
    nodes[tail].outs++;
    nodes[head].in[nodes[head].ins++] = arc_count++;
}

/* Layers of a tree, each a quarter of the one before, down to one node. `down` turns arcs round,
 * and with them the numbers of the nodes, so that numbers are a topological order. */
static void tree_build(int leaves, bool down)
{
    int pairs[NODES][2], count = 0, layer = 0, width = leaves, next = leaves;

    while (width > IN) {
        int wider = width;
        width = (wider + IN - 1) / IN;
        for (int i = 0; i < wider; i++, count++) {
            pairs[count][0] = layer + i;
            pairs[count][1] = next + i / IN;
        }
        layer += wider;
        next += width;
    }
    for (int i = 0; i < width; i++, count++) {
        pairs[count][0] = layer + i;
        pairs[count][1] = next;
    }
    node_count = next + 1;
    for (int i = 0; i < count; i++)
        if (down)
            arc_add(next - pairs[i][1], next - pairs[i][0]);
        else
            arc_add(pairs[i][0], pairs[i][1]);
}

static void butterfly_build(int width)
{
    int layers = 0;

    while (1 << layers < width)
        layers++;
    for (int layer = 0; layer < layers; layer++)
        for (int i = 0; i < width; i++) {
            int low = i & ~(1 << layer);
            arc_add(layer * width + low, (layer + 1) * width + i);
            arc_add(layer * width + low + (1 << layer), (layer + 1) * width + i);
        }
    node_count = (layers + 1) * width;
}

/* ---- What nodes do ---- */

static int power_modulo(int base, long exponent, int modulus)
{
    int factor = base, result = 1;

    if (exponent == 0)
        return 1;
    while (exponent > 1) {
        int half = (int)exponent / 2;
        if (half * 2 == exponent) {
            factor = factor * factor % modulus;
            exponent = half;
        } else {
            result = result * factor % modulus;
            exponent--;
        }
    }
    return result * factor % modulus;
}

static void source_fill(struct node *node, int id)
{
    static const int bases[FIELDS] = {2, 2, 2, 5}, moduli[FIELDS] = {421, 419, 1427, 3527};
    uint64_t state = 314159265;
    double number = app_nas_random(&state, (uint64_t)(2 * id + 1));
    int extra =
        abs(power_modulo((int)(1 / number) * 'S', 2 * id + 1, (int)(2 * classes[class].deviation)));
    int seeds[FIELDS];

    node->length = (classes[class].samples - classes[class].deviation + extra) * FIELDS;
    node->values = app_alloc((size_t)node->length, sizeof(double));
    for (int field = 0; field < FIELDS; field++)
        seeds[field] =
            power_modulo(bases[field], (int)node->length * (id + 1) % 3141592, moduli[field]);
    for (long i = 0; i < node->length; i += FIELDS)
        for (int field = 0; field < FIELDS; field++) {
            seeds[field] = seeds[field] * bases[field] % moduli[field];
            node->values[i + field] = seeds[field];
        }
}

/* Stretches values to `length`; the shares of neighbours overlap, as the benchmark defines it. */
static void stretch(double **values, long *old, long length)
{
    double *longer = app_alloc((size_t)length, sizeof(double));

    for (long i = 1; i < *old - 1; i++) {
        long low = (int)(0.5 * (double)(2 * i - 1) * (double)(length / *old));
        long high = (int)(0.5 * (double)(2 * i + 1) * (double)(length / *old));
        for (long j = low; j <= high; j++)
            longer[j] += (*values)[i] / (double)(high - low + 1);
    }
    longer[0] = (*values)[0];
    longer[length - 1] = (*values)[*old - 1];
    free(*values);
    *values = longer;
    *old = length;
}

static double distance(const double *a, const double *b)
{
    double sum = 0;

    for (int field = 0; field < FIELDS; field++)
        sum += (a[field] - b[field]) * (a[field] - b[field]);
    return sum;
}

/* Each sample of the node becomes the nearest of three neighbours in the other stream. */
static void stream_merge(struct node *node, int id, double **other, long length)
{
    double weight = (double)(id + 1) / (id + 2);

    if (node->length < length)
        stretch(&node->values, &node->length, length);
    if (node->length > length)
        stretch(other, &length, node->length);
    for (long i = FIELDS; i < node->length - FIELDS; i += FIELDS) {
        double *a = node->values + i, *b = *other + i, *best = b;
        double nearest = distance(a, b);
        if (distance(a + FIELDS, b + FIELDS) < nearest) {
            nearest = distance(a + FIELDS, b + FIELDS);
            best = b + FIELDS;
        }
        if (distance(a - FIELDS, b - FIELDS) < nearest)
            best = b - FIELDS;
        for (int field = 0; field < FIELDS; field++)
            a[field] = weight * best[field];
    }
}

static double sink_value(const double *values, long length, int weight)
{
    double sum = 0;

    for (long i = 0; i < length; i++)
        sum += values[i] * values[i] / (double)length;
    return (int)(weight * sum);
}

/* ---- Traffic ---- */

static double *arc_receive(int arc, long *length)
{
    int owner = arcs[arc].tail % app_ranks;
    double *values;

    MPI_Recv(length, 1, MPI_LONG, owner, arc, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    values = app_alloc((size_t)*length, sizeof(double));
    MPI_Recv(values, (int)*length, MPI_DOUBLE, owner, arc, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return values;
}

static double node_receive(struct node *node, int id)
{
    double sum = 0;

    if (node->outs) {
        node->length = classes[class].samples * FIELDS;
        node->values = app_alloc((size_t)node->length, sizeof(double));
    }
    for (int i = 0; i < node->ins; i++) {
        long length;
        double *values = arc_receive(node->in[i], &length);
        if (node->outs)
            stream_merge(node, id, &values, length);
        else
            sum += sink_value(values, length, id + 1);
        free(values);
    }
    for (long i = 0; node->outs && i < node->length; i++)
        node->values[i] = (int)node->values[i] / node->ins;
    return node->outs ? 0 : (id + 1) * (double)((long)sum / node->ins);
}

/* Starts the sends of a node; returns the number of requests. */
static int node_send(struct node *node, int id, MPI_Request *requests)
{
    int count = 0;

    for (int arc = 0; arc < arc_count; arc++) {
        int owner = arcs[arc].head % app_ranks;
        if (arcs[arc].tail != id)
            continue;
        MPI_Isend(&node->length, 1, MPI_LONG, owner, arc, MPI_COMM_WORLD, &requests[count++]);
        MPI_Isend(node->values, (int)node->length, MPI_DOUBLE, owner, arc, MPI_COMM_WORLD,
                  &requests[count++]);
    }
    return count;
}

/* All nodes of this rank in their order; returns the sum at its sinks. */
static double graph_run(void)
{
    MPI_Request *requests = app_alloc(2 * ARCS, sizeof(MPI_Request));
    int pending = 0;
    double sum = 0;

    for (int id = app_rank; id < node_count; id += app_ranks) {
        if (nodes[id].ins)
            sum += node_receive(&nodes[id], id);
        else
            source_fill(&nodes[id], id);
        if (nodes[id].outs)
            pending += node_send(&nodes[id], id, requests + pending);
    }
    MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
    for (int id = app_rank; id < node_count; id += app_ranks) {
        free(nodes[id].values);
        nodes[id].values = NULL;
    }
    free(requests);
    return sum;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"BH", "WH", "SH"};
    long graph = 0, steps = 1;
    const struct app_option options[] = {
        {"graph", &graph, 0, 2, "0: BH, 1: WH, 2: SH"},
        {"steps", &steps, 1, 1000000, "how often the graph is run"},
        {0},
    };
    char letter = app_start(argc, argv, "dt", options, "SWA");
    bool good = true;
    double sum = 0;

    while (letter && classes[class].letter != letter)
        class ++;
    if (graph == 2)
        butterfly_build(classes[class].sources);
    else
        tree_build(classes[class].sources, graph == 1);
    app_begin();
    for (long step = 0; step < steps; step++) {
        sum = app_sum(graph_run(), MPI_COMM_WORLD);
        good &= sum == classes[class].truth[graph];
    }
    app_print("class %c, graph %s: %d nodes, %d arcs, sum %.17g", classes[class].letter,
              names[graph], node_count, arc_count, sum);
    return app_end(good);
}
