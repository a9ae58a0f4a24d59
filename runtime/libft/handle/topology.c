/* Topologies: read from a real communicator when it is made, applied again in a new epoch; or, with
 * --protocol spbc, made from the arguments, and never known to the library.
 *
 *     MPI_CART        first = dimensions; a = sizes, b = periods
 *     MPI_GRAPH       first = nodes, second = edges; a = index, b = edges
 *     MPI_DIST_GRAPH  first = in-degree, second = out-degree; a = sources, b = their weights,
 *                     c = destinations, d = their weights
 *
 * Reorder is never asked for again: the stored order of ranks is the one the program has seen. */
#include <string.h>
#include "handle/handles.h"

static int *ints(int count)
{
    return ft_image_alloc((size_t)(count ? count : 1) * sizeof(int));
}

static int cart_read(MPI_Comm real, struct ft_topology *topology)
{
    int *coordinates;
    int code = PMPI_Cartdim_get(real, &topology->first);

    if (code != MPI_SUCCESS)
        return code;
    topology->a = ints(topology->first);
    topology->b = ints(topology->first);
    coordinates = ints(topology->first);
    code = PMPI_Cart_get(real, topology->first, topology->a, topology->b, coordinates);
    ft_image_free(coordinates);
    return code;
}

static int graph_read(MPI_Comm real, struct ft_topology *topology)
{
    int code = PMPI_Graphdims_get(real, &topology->first, &topology->second);

    if (code != MPI_SUCCESS)
        return code;
    topology->a = ints(topology->first);
    topology->b = ints(topology->second);
    return PMPI_Graph_get(real, topology->first, topology->second, topology->a, topology->b);
}

static int dist_graph_read(MPI_Comm real, struct ft_topology *topology)
{
    int code = PMPI_Dist_graph_neighbors_count(real, &topology->first, &topology->second,
                                               &topology->weighted);

    if (code != MPI_SUCCESS)
        return code;
    topology->a = ints(topology->first);
    topology->b = ints(topology->first);
    topology->c = ints(topology->second);
    topology->d = ints(topology->second);
    return PMPI_Dist_graph_neighbors(real, topology->first, topology->a, topology->b,
                                     topology->second, topology->c, topology->d);
}

struct ft_topology *ft_topology_read(MPI_Comm real)
{
    struct ft_topology *topology;
    int kind;

    ft_must(PMPI_Topo_test(real, &kind), "PMPI_Topo_test");
    if (kind == MPI_UNDEFINED)
        return NULL;
    topology = ft_image_alloc(sizeof(*topology));
    topology->kind = kind;
    ft_must(kind == MPI_CART    ? cart_read(real, topology)
            : kind == MPI_GRAPH ? graph_read(real, topology)
                                : dist_graph_read(real, topology),
            "reading a topology");
    return topology;
}

int ft_topology_apply(const struct ft_topology *topology, MPI_Comm plain, MPI_Comm *made)
{
    int *in = topology->weighted ? topology->b : MPI_UNWEIGHTED;
    int *out = topology->weighted ? topology->d : MPI_UNWEIGHTED;

    switch (topology->kind) {
    case MPI_CART:
        return PMPI_Cart_create(plain, topology->first, topology->a, topology->b, 0, made);
    case MPI_GRAPH:
        return PMPI_Graph_create(plain, topology->first, topology->a, topology->b, 0, made);
    default:
        return PMPI_Dist_graph_create_adjacent(plain, topology->first, topology->a, in,
                                               topology->second, topology->c, out, MPI_INFO_NULL, 0,
                                               made);
    }
}

void ft_topology_free(struct ft_topology *topology)
{
    if (!topology)
        return;
    ft_image_free(topology->a);
    ft_image_free(topology->b);
    ft_image_free(topology->c);
    ft_image_free(topology->d);
    ft_image_free(topology);
}

static int *ints_of(int count, const int *values)
{
    int *copy = ints(count);

    if (values && count)
        memcpy(copy, values, (size_t)count * sizeof(int));
    return copy;
}

static struct ft_topology *topology_new(int kind, int first, int second)
{
    struct ft_topology *topology = ft_image_alloc(sizeof(*topology));

    topology->kind = kind;
    topology->first = first;
    topology->second = second;
    return topology;
}

struct ft_topology *ft_topology_cart(int dimensions, const int *sizes, const int *periods)
{
    struct ft_topology *topology = topology_new(MPI_CART, dimensions, 0);

    topology->a = ints_of(dimensions, sizes);
    topology->b = ints(dimensions);
    for (int i = 0; i < dimensions; i++)
        topology->b[i] = periods[i] != 0;
    return topology;
}

struct ft_topology *ft_topology_graph(int nodes, const int *index, const int *edges)
{
    int count = nodes ? index[nodes - 1] : 0;
    struct ft_topology *topology = topology_new(MPI_GRAPH, nodes, count);

    topology->a = ints_of(nodes, index);
    topology->b = ints_of(count, edges);
    return topology;
}

struct ft_topology *ft_topology_dist(int in, const int *sources, const int *in_weights, int out,
                                     const int *destinations, const int *out_weights, int weighted)
{
    struct ft_topology *topology = topology_new(MPI_DIST_GRAPH, in, out);

    topology->weighted = weighted;
    topology->a = ints_of(in, sources);
    topology->b = ints_of(in, weighted ? in_weights : NULL);
    topology->c = ints_of(out, destinations);
    topology->d = ints_of(out, weighted ? out_weights : NULL);
    return topology;
}

struct ft_topology *ft_topology_copy(const struct ft_topology *from)
{
    if (!from)
        return NULL;
    if (from->kind == MPI_CART)
        return ft_topology_cart(from->first, from->a, from->b);
    if (from->kind == MPI_GRAPH)
        return ft_topology_graph(from->first, from->a, from->b);
    return ft_topology_dist(from->first, from->a, from->b, from->second, from->c, from->d,
                            from->weighted);
}
