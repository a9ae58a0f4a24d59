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
 * Verification: the sum at the sinks against the published values of classes S, W and A.
 *
 * Points for faults are those of Parchman et al., FTXS'16 (../faults), with the node and the step
 * as their tags: PRE_WORK and POST_WORK around what a node does, FAULT_P2_POST_RECV_RESULTS when it
 * has received all its arcs. */
#include "../../runtime/ft.h"
#include "dt.h"

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

static double node_receive(struct node *node, int id, long step)
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
    FT_FAULT("FAULT_P2_POST_RECV_RESULTS", id, step, 0);
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
static double graph_run(long step)
{
    MPI_Request *requests = app_alloc(2 * ARCS, sizeof(MPI_Request));
    int pending = 0;
    double sum = 0;

    for (int id = app_rank; id < node_count; id += app_ranks) {
        FT_FAULT("PRE_WORK", id, step, 0);
        if (nodes[id].ins)
            sum += node_receive(&nodes[id], id, step);
        else
            source_fill(&nodes[id], id);
        FT_FAULT("POST_WORK", id, step, 0);
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
    graph_build(graph);
    app_begin();
    for (long step = 0; step < steps; step++) {
        sum = app_sum(graph_run(step), MPI_COMM_WORLD);
        good &= sum == classes[class].truth[graph];
    }
    app_print("class %c, graph %s: %d nodes, %d arcs, sum %.17g", classes[class].letter,
              names[graph], node_count, arc_count, sum);
    return app_end(good);
}
