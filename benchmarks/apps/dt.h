/* dt: the graphs of dt.c and dt_ft.c, and what their nodes do. Included once by each. */
#ifndef DT_H
#define DT_H

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

static void graph_build(long graph)
{
    if (graph == 2)
        butterfly_build(classes[class].sources);
    else
        tree_build(classes[class].sources, graph == 1);
}

#endif
