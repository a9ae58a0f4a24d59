/* collective: every collective call, blocking or not, made from one description. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include <mpi.h>

enum { COLLECTIVE_MOST = 16 }; /* partners of a rank */

enum call {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    EXSCAN,
    NEIGHBOR_ALLGATHER,
    NEIGHBOR_ALLGATHERV,
    NEIGHBOR_ALLTOALL,
    NEIGHBOR_ALLTOALLV,
    NEIGHBOR_ALLTOALLW,
    CALLS
};

struct blocks { /* where the block of each partner lies: in elements, and in bytes */
    int counts[COLLECTIVE_MOST], displs[COLLECTIVE_MOST], bytes[COLLECTIVE_MOST];
    MPI_Aint places[COLLECTIVE_MOST];
    MPI_Datatype types[COLLECTIVE_MOST];
};

struct collective {
    enum call call;
    int blocking, count, mine, root; /* mine: the rank's own elements where blocks are uneven */
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    void *give, *get; /* MPI_Bcast gets, at the root, too */
    const struct blocks *in, *out;
    MPI_Request *request;
};

static inline int collective_has_root(enum call call)
{
    return call == REDUCE || (call >= BCAST && call <= SCATTERV);
}

#define EITHER(Name, name, ...)                                                                    \
    (c->blocking ? MPI_##Name(__VA_ARGS__) : MPI_I##name(__VA_ARGS__, c->request))

static inline void collective_rooted(const struct collective *c)
{
    MPI_Datatype type = c->type;
    const struct blocks *in = c->in, *out = c->out;

    switch (c->call) {
    case BCAST:
        EITHER(Bcast, bcast, c->get, c->count, type, c->root, c->comm);
        break;
    case GATHER:
        EITHER(Gather, gather, c->give, c->count, type, c->get, c->count, type, c->root, c->comm);
        break;
    case GATHERV:
        EITHER(Gatherv, gatherv, c->give, c->mine, type, c->get, out->counts, out->displs, type,
               c->root, c->comm);
        break;
    case SCATTER:
        EITHER(Scatter, scatter, c->give, c->count, type, c->get, c->count, type, c->root, c->comm);
        break;
    case SCATTERV:
        EITHER(Scatterv, scatterv, c->give, in->counts, in->displs, type, c->get, c->mine, type,
               c->root, c->comm);
        break;
    default:
        EITHER(Reduce, reduce, c->give, c->get, c->count, type, c->op, c->root, c->comm);
    }
}

static inline void collective_moved(const struct collective *c)
{
    MPI_Datatype type = c->type;
    const struct blocks *in = c->in, *out = c->out;

    switch (c->call) {
    case ALLGATHER:
        EITHER(Allgather, allgather, c->give, c->count, type, c->get, c->count, type, c->comm);
        break;
    case ALLGATHERV:
        EITHER(Allgatherv, allgatherv, c->give, c->mine, type, c->get, out->counts, out->displs,
               type, c->comm);
        break;
    case ALLTOALL:
        EITHER(Alltoall, alltoall, c->give, c->count, type, c->get, c->count, type, c->comm);
        break;
    case ALLTOALLV:
        EITHER(Alltoallv, alltoallv, c->give, in->counts, in->displs, type, c->get, out->counts,
               out->displs, type, c->comm);
        break;
    case ALLTOALLW:
        EITHER(Alltoallw, alltoallw, c->give, in->counts, in->bytes, in->types, c->get, out->counts,
               out->bytes, out->types, c->comm);
        break;
    default:
        c->blocking ? MPI_Barrier(c->comm) : MPI_Ibarrier(c->comm, c->request);
    }
}

static inline void collective_reduced(const struct collective *c)
{
    MPI_Datatype type = c->type;

    switch (c->call) {
    case REDUCE_SCATTER:
        EITHER(Reduce_scatter, reduce_scatter, c->give, c->get, c->out->counts, type, c->op,
               c->comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        EITHER(Reduce_scatter_block, reduce_scatter_block, c->give, c->get, c->count, type, c->op,
               c->comm);
        break;
    case SCAN:
        EITHER(Scan, scan, c->give, c->get, c->count, type, c->op, c->comm);
        break;
    case EXSCAN:
        EITHER(Exscan, exscan, c->give, c->get, c->count, type, c->op, c->comm);
        break;
    default:
        EITHER(Allreduce, allreduce, c->give, c->get, c->count, type, c->op, c->comm);
    }
}

static inline void collective_neighbours(const struct collective *c)
{
    MPI_Datatype type = c->type;
    const struct blocks *in = c->in, *out = c->out;

    switch (c->call) {
    case NEIGHBOR_ALLGATHER:
        EITHER(Neighbor_allgather, neighbor_allgather, c->give, c->count, type, c->get, c->count,
               type, c->comm);
        break;
    case NEIGHBOR_ALLGATHERV:
        EITHER(Neighbor_allgatherv, neighbor_allgatherv, c->give, c->mine, type, c->get,
               out->counts, out->displs, type, c->comm);
        break;
    case NEIGHBOR_ALLTOALL:
        EITHER(Neighbor_alltoall, neighbor_alltoall, c->give, c->count, type, c->get, c->count,
               type, c->comm);
        break;
    case NEIGHBOR_ALLTOALLV:
        EITHER(Neighbor_alltoallv, neighbor_alltoallv, c->give, in->counts, in->displs, type,
               c->get, out->counts, out->displs, type, c->comm);
        break;
    default:
        EITHER(Neighbor_alltoallw, neighbor_alltoallw, c->give, in->counts, in->places, in->types,
               c->get, out->counts, out->places, out->types, c->comm);
    }
}

/* Makes the call; one that does not block begins *request. */
static inline void collective_make(const struct collective *c)
{
    if (collective_has_root(c->call))
        collective_rooted(c);
    else if (c->call < REDUCE)
        collective_moved(c);
    else if (c->call < NEIGHBOR_ALLGATHER)
        collective_reduced(c);
    else
        collective_neighbours(c);
}

#undef EITHER

#endif
