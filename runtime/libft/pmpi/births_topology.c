/* Births with a topology: the arguments are checked as the library would (its maps are local
 * calls), and the topology is the runtime's own from the start. */
#include <string.h>
#include "coll/coll.h"
#include "pmpi/births.h"

/* How many ranks a grid has; 0: none that fits. */
static int cart_nodes(const struct ft_comm *on, int ndims, const int *dims)
{
    int nodes = 1;

    for (int i = 0; i < ndims; i++) {
        if (dims[i] <= 0 || dims[i] > on->size / nodes)
            return 0;
        nodes *= dims[i];
    }
    return nodes;
}

int ft_birth_cart_create(struct ft_rank *self, struct ft_comm *on, int ndims, const int *dims,
                         const int *periods, int reorder, MPI_Comm *newcomm)
{
    int nodes;

    (void)reorder;
    if (on->inter)
        return MPI_ERR_COMM;
    if (!newcomm || ndims < 0 || (ndims && (!dims || !periods)))
        return MPI_ERR_ARG;
    nodes = cart_nodes(on, ndims, dims);
    if (!nodes)
        return MPI_ERR_ARG;
    if (on->rank >= nodes)
        return ft_birth_by_color(self, on, MPI_UNDEFINED, 0, NULL, newcomm);
    return ft_birth_by_color(self, on, 0, 0, ft_topology_cart(ndims, dims, periods), newcomm);
}

static int are_ranks(const int *ranks, int count, int size)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] < 0 || ranks[i] >= size)
            return 0;
    return count >= 0;
}

static int is_index(const int *index, int nnodes)
{
    for (int i = 0; i < nnodes; i++)
        if (index[i] < (i ? index[i - 1] : 0))
            return 0;
    return 1;
}

int ft_birth_graph_create(struct ft_rank *self, struct ft_comm *on, int nnodes, const int *index,
                          const int *edges, int reorder, MPI_Comm *newcomm)
{
    (void)reorder;
    if (on->inter)
        return MPI_ERR_COMM;
    if (!newcomm || nnodes < 0 || nnodes > on->size || !is_index(index, nnodes) ||
        !are_ranks(edges, nnodes ? index[nnodes - 1] : 0, nnodes))
        return MPI_ERR_ARG;
    if (on->rank >= nnodes)
        return ft_birth_by_color(self, on, MPI_UNDEFINED, 0, NULL, newcomm);
    return ft_birth_by_color(self, on, 0, 0, ft_topology_graph(nnodes, index, edges), newcomm);
}

/* Dimensions that stay number the places in a part, those that go number the parts. Where none
 * stays MPICH makes a grid of no dimensions, as MPI_Cart_create does: the first rank's alone. */
int ft_birth_cart_sub(struct ft_rank *self, struct ft_comm *on, const int *remain,
                      MPI_Comm *newcomm)
{
    int ndims, count = 0, part = 0, place = 0, *row, *sizes, *periods;
    struct ft_topology *topology;
    int code = newcomm ? ft_cartdim_get(on, &ndims) : MPI_ERR_ARG;

    if (code == MPI_SUCCESS && ndims && !remain)
        code = MPI_ERR_ARG;
    if (code != MPI_SUCCESS)
        return code;
    row = ft_image_alloc((size_t)(3 * ndims + 1) * sizeof(int));
    sizes = row + ndims;
    periods = sizes + ndims;
    ft_cart_get(on, ndims, sizes, periods, row);
    for (int i = 0; i < ndims; i++) {
        if (!remain[i]) {
            part = part * sizes[i] + row[i];
            continue;
        }
        place = place * sizes[i] + row[i];
        sizes[count] = sizes[i];
        periods[count++] = periods[i];
    }
    topology = count || on->rank == 0 ? ft_topology_cart(count, sizes, periods) : NULL;
    ft_image_free(row);
    if (!topology)
        part = MPI_UNDEFINED;
    return ft_birth_by_color(self, on, part, place, topology, newcomm);
}

int ft_birth_dist_graph_create_adjacent(struct ft_rank *self, struct ft_comm *on, int in,
                                        const int *sources, const int *in_weights, int out,
                                        const int *destinations, const int *out_weights,
                                        MPI_Info info, int reorder, MPI_Comm *newcomm)
{
    int weighted = in_weights != MPI_UNWEIGHTED;

    (void)info;
    (void)reorder;
    if (on->inter)
        return MPI_ERR_COMM;
    if (!newcomm || weighted != (out_weights != MPI_UNWEIGHTED) ||
        !are_ranks(sources, in, on->size) || !are_ranks(destinations, out, on->size))
        return MPI_ERR_ARG;
    return ft_birth_by_color(
        self, on, 0, 0,
        ft_topology_dist(in, sources, in_weights, out, destinations, out_weights, weighted),
        newcomm);
}

struct edge {
    int from, to, weight;
};

struct edges { /* what all members gave, in the order of ranks */
    int most;  /* room of each */
    struct edge *edge;
};

static int edges_count(int n, const int *degrees)
{
    int count = 0;

    for (int i = 0; i < n; i++)
        count += degrees[i];
    return count;
}

static void edges_write(struct edge *edge, int n, const int *sources, const int *degrees,
                        const int *destinations, const int *weights)
{
    int at = 0;

    for (int i = 0; i < n; i++)
        for (int k = 0; k < degrees[i]; k++, at++)
            edge[at] = (struct edge){sources[i], destinations[at],
                                     weights != MPI_UNWEIGHTED ? weights[at] : 0};
}

/* Everybody learns all edges: `mine` edges are this rank's. Unused room holds edges from -1. */
static int edges_gather(struct ft_rank *self, struct ft_comm *on, struct edge *edge, int mine,
                        struct edges *all)
{
    int *counts = ft_image_alloc((size_t)on->size * sizeof(int)), code;

    all->most = 0;
    code = ft_coll_allgather(self, on, &mine, sizeof(mine), counts);
    for (int i = 0; i < on->size; i++)
        all->most = counts[i] > all->most ? counts[i] : all->most;
    ft_image_free(counts);
    edge = ft_image_realloc(edge, ((size_t)all->most + 1) * sizeof(*edge));
    for (int i = mine; i < all->most; i++)
        edge[i].from = edge[i].to = -1;
    all->edge = ft_image_alloc(((size_t)all->most * (size_t)on->size + 1) * sizeof(*edge));
    if (code == MPI_SUCCESS && all->most)
        code = ft_coll_allgather(self, on, edge, all->most * (int)sizeof(*edge), all->edge);
    ft_image_free(edge);
    return code;
}

static struct ft_topology *edges_topology(const struct ft_comm *on, const struct edges *all,
                                          int weighted)
{
    size_t room = (size_t)all->most * (size_t)on->size + 1;
    int *source = ft_image_alloc(4 * room * sizeof(int)), *target = source + room;
    int *heavy = target + room, *weight = heavy + room, in = 0, out = 0;
    struct ft_topology *topology;

    for (size_t i = 0; i + 1 < room; i++) {
        if (all->edge[i].to == on->rank) {
            heavy[in] = all->edge[i].weight;
            source[in++] = all->edge[i].from;
        }
        if (all->edge[i].from == on->rank) {
            weight[out] = all->edge[i].weight;
            target[out++] = all->edge[i].to;
        }
    }
    topology = ft_topology_dist(in, source, heavy, out, target, weight, weighted);
    ft_image_free(source);
    return topology;
}

int ft_birth_dist_graph_create(struct ft_rank *self, struct ft_comm *on, int n, const int *sources,
                               const int *degrees, const int *destinations, const int *weights,
                               MPI_Info info, int reorder, MPI_Comm *newcomm)
{
    struct edges all;
    struct edge *edge;
    struct ft_topology *topology;
    int count = edges_count(n, degrees), code;

    (void)info;
    (void)reorder;
    if (on->inter)
        return MPI_ERR_COMM;
    if (!newcomm || !are_ranks(sources, n, on->size) || !are_ranks(destinations, count, on->size))
        return MPI_ERR_ARG;
    edge = ft_image_alloc(((size_t)count + 1) * sizeof(*edge));
    edges_write(edge, n, sources, degrees, destinations, weights);
    code = edges_gather(self, on, edge, count, &all);
    topology = edges_topology(on, &all, weights != MPI_UNWEIGHTED);
    ft_image_free(all.edge);
    if (code == MPI_SUCCESS)
        return ft_birth_by_color(self, on, 0, 0, topology, newcomm);
    ft_topology_free(topology);
    return code;
}
