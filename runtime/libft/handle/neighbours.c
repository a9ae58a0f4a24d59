/* MPI's answers about a topology, from the runtime's copy of it: with --protocol spbc the library's
 * communicators are plain ones, because making one must be as short as can be, and a rank that has
 * rolled back makes its topology again alone.
 *
 * Ranks of a Cartesian grid count the last dimension fastest. */
#include <string.h>
#include "handle/handles.h"

#define MISSING(on, wanted) (!(on)->topology || (on)->topology->kind != (wanted))

int ft_topology_kind(const struct ft_comm *comm)
{
    return comm->topology ? comm->topology->kind : MPI_UNDEFINED;
}

static void cart_place(const struct ft_topology *cart, int rank, int *place)
{
    for (int i = cart->first - 1; i >= 0; i--) {
        place[i] = rank % cart->a[i];
        rank /= cart->a[i];
    }
}

/* The ranks that lie before `rank` in one dimension, in units of a step there. */
static int cart_stride(const struct ft_topology *cart, int dimension)
{
    int stride = 1;

    for (int i = dimension + 1; i < cart->first; i++)
        stride *= cart->a[i];
    return stride;
}

static int cart_beside(const struct ft_topology *cart, int rank, int dimension, int step)
{
    int stride = cart_stride(cart, dimension), size = cart->a[dimension];
    int here = rank / stride % size;
    long long there = (long long)here + step;

    if (cart->b[dimension])
        there = (there % size + size) % size;
    else if (there < 0 || there >= size)
        return MPI_PROC_NULL;
    return rank + ((int)there - here) * stride;
}

static void cart_neighbours(const struct ft_comm *comm, int *ranks)
{
    for (int i = 0; i < comm->topology->first; i++) {
        ranks[2 * i] = cart_beside(comm->topology, comm->rank, i, -1);
        ranks[2 * i + 1] = cart_beside(comm->topology, comm->rank, i, 1);
    }
}

static const int *graph_neighbours(const struct ft_topology *graph, int rank, int *count)
{
    int begin = rank ? graph->a[rank - 1] : 0;

    *count = graph->a[rank] - begin;
    return graph->b + begin;
}

static void ranks_copy(int *to, const int *from, int count)
{
    if (to && count)
        memcpy(to, from, (size_t)count * sizeof(int));
}

void ft_topology_neighbours(const struct ft_comm *comm, int *in, int *sources, int *out,
                            int *destinations)
{
    const struct ft_topology *topology = comm->topology;
    const int *from = NULL, *to = NULL;

    *in = *out = 0;
    if (!topology)
        return;
    if (topology->kind == MPI_CART) {
        *in = *out = 2 * topology->first;
        if (sources)
            cart_neighbours(comm, sources);
        if (destinations)
            cart_neighbours(comm, destinations);
        return;
    }
    if (topology->kind == MPI_GRAPH) {
        from = to = graph_neighbours(topology, comm->rank, in);
        *out = *in;
    } else {
        *in = topology->first, from = topology->a;
        *out = topology->second, to = topology->c;
    }
    ranks_copy(sources, from, *in);
    ranks_copy(destinations, to, *out);
}

int ft_topo_test(const struct ft_comm *on, int *status)
{
    *status = ft_topology_kind(on);
    return MPI_SUCCESS;
}

int ft_cartdim_get(const struct ft_comm *on, int *ndims)
{
    if (MISSING(on, MPI_CART))
        return MPI_ERR_TOPOLOGY;
    *ndims = on->topology->first;
    return MPI_SUCCESS;
}

int ft_cart_coords(const struct ft_comm *on, int rank, int maxdims, int *coords)
{
    if (MISSING(on, MPI_CART))
        return MPI_ERR_TOPOLOGY;
    if (rank < 0 || rank >= on->size)
        return MPI_ERR_RANK;
    if (maxdims < on->topology->first)
        return MPI_ERR_ARG;
    cart_place(on->topology, rank, coords);
    return MPI_SUCCESS;
}

int ft_cart_get(const struct ft_comm *on, int maxdims, int *dims, int *periods, int *coords)
{
    int code = ft_cart_coords(on, on->rank, maxdims, coords);

    if (code != MPI_SUCCESS)
        return code;
    ranks_copy(dims, on->topology->a, on->topology->first);
    ranks_copy(periods, on->topology->b, on->topology->first);
    return MPI_SUCCESS;
}

int ft_cart_rank(const struct ft_comm *on, const int *coords, int *rank)
{
    const struct ft_topology *cart = on->topology;
    int found = 0;

    if (MISSING(on, MPI_CART))
        return MPI_ERR_TOPOLOGY;
    for (int i = 0; i < cart->first; i++) {
        int size = cart->a[i], place = coords[i];

        if (cart->b[i])
            place = (place % size + size) % size;
        else if (place < 0 || place >= size)
            return MPI_ERR_ARG;
        found = found * size + place;
    }
    *rank = found;
    return MPI_SUCCESS;
}

int ft_cart_shift(const struct ft_comm *on, int direction, int disp, int *source, int *dest)
{
    if (MISSING(on, MPI_CART))
        return MPI_ERR_TOPOLOGY;
    if (direction < 0 || direction >= on->topology->first)
        return MPI_ERR_ARG;
    *source = cart_beside(on->topology, on->rank, direction, -disp);
    *dest = cart_beside(on->topology, on->rank, direction, disp);
    return MPI_SUCCESS;
}

int ft_graphdims_get(const struct ft_comm *on, int *nodes, int *edges)
{
    if (MISSING(on, MPI_GRAPH))
        return MPI_ERR_TOPOLOGY;
    *nodes = on->topology->first;
    *edges = on->topology->second;
    return MPI_SUCCESS;
}

int ft_graph_get(const struct ft_comm *on, int maxindex, int maxedges, int *index, int *edges)
{
    if (MISSING(on, MPI_GRAPH))
        return MPI_ERR_TOPOLOGY;
    if (maxindex < on->topology->first || maxedges < on->topology->second)
        return MPI_ERR_ARG;
    ranks_copy(index, on->topology->a, on->topology->first);
    ranks_copy(edges, on->topology->b, on->topology->second);
    return MPI_SUCCESS;
}

int ft_graph_neighbors_count(const struct ft_comm *on, int rank, int *count)
{
    if (MISSING(on, MPI_GRAPH))
        return MPI_ERR_TOPOLOGY;
    if (rank < 0 || rank >= on->topology->first)
        return MPI_ERR_RANK;
    graph_neighbours(on->topology, rank, count);
    return MPI_SUCCESS;
}

int ft_graph_neighbors(const struct ft_comm *on, int rank, int most, int *neighbours)
{
    const int *found;
    int count, code = ft_graph_neighbors_count(on, rank, &count);

    if (code != MPI_SUCCESS)
        return code;
    if (most < count)
        return MPI_ERR_ARG;
    found = graph_neighbours(on->topology, rank, &count);
    ranks_copy(neighbours, found, count);
    return MPI_SUCCESS;
}

int ft_dist_graph_neighbors_count(const struct ft_comm *on, int *in, int *out, int *weighted)
{
    if (MISSING(on, MPI_DIST_GRAPH))
        return MPI_ERR_TOPOLOGY;
    *in = on->topology->first;
    *out = on->topology->second;
    *weighted = on->topology->weighted;
    return MPI_SUCCESS;
}

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

int ft_dist_graph_neighbors(const struct ft_comm *on, int maxin, int *sources, int *in_weights,
                            int maxout, int *destinations, int *out_weights)
{
    const struct ft_topology *graph = on->topology;
    int in, out;

    if (MISSING(on, MPI_DIST_GRAPH))
        return MPI_ERR_TOPOLOGY;
    in = lesser(maxin, graph->first);
    out = lesser(maxout, graph->second);
    if (in < 0 || out < 0)
        return MPI_ERR_ARG;
    ranks_copy(sources, graph->a, in);
    ranks_copy(destinations, graph->c, out);
    if (graph->weighted && in_weights != MPI_UNWEIGHTED)
        ranks_copy(in_weights, graph->b, in);
    if (graph->weighted && out_weights != MPI_UNWEIGHTED)
        ranks_copy(out_weights, graph->d, out);
    return MPI_SUCCESS;
}
