/* Collectives that are no regular wrappers: those with an array of datatypes, one for each peer, as
 * one call of four kinds; and the virtual request of every non-blocking one. */
#include <string.h>
#include "coll/lanes.h"
#include "determinant/trail.h"
#include "calls/calls.h"
#include "pmpi/collective.h"
#include "request/virtual.h"
#include "trace/trace.h"

struct uses { /* what a pending collective holds */
    struct ft_comm *comm;
    void *keep;
    int count;
    uint32_t handle[];
};

static void uses_release(struct ft_rank *self, void *argument)
{
    struct uses *uses = argument;

    for (int i = 0; i < uses->count; i++) {
        ft_type_release(self, ft_handle_of(MPI_Datatype, uses->handle[i]));
        ft_op_release(self, ft_handle_of(MPI_Op, uses->handle[i]));
    }
    ft_comm_release(self, uses->comm);
    ft_image_free(uses->keep);
    ft_image_free(uses);
}

MPI_Request ft_collective_post(struct ft_rank *self, struct ft_comm *comm, MPI_Request real,
                               void *keep, int count, const uint32_t *used)
{
    struct uses *uses = ft_image_alloc(sizeof(*uses) + (size_t)count * sizeof(int));

    uses->comm = comm;
    uses->keep = keep;
    uses->count = count;
    ft_comm_hold(self, comm);
    for (int i = 0; i < count; i++) {
        uses->handle[i] = used[i];
        ft_type_hold(self, ft_handle_of(MPI_Datatype, used[i]));
        ft_op_hold(self, ft_handle_of(MPI_Op, used[i]));
    }
    return ft_request_collective(self, real, comm, NULL, uses_release, uses);
}

MPI_Comm ft_collective_comm(struct ft_rank *self, MPI_Comm comm)
{
    struct ft_upcall upcall = ft_upcall_begin(self);
    MPI_Comm own;

    MPI_Comm_dup(comm, &own);
    ft_upcall_end(self, upcall);
    return own;
}

static void comm_drop(struct ft_rank *self, MPI_Comm comm)
{
    struct ft_upcall upcall = ft_upcall_begin(self);

    MPI_Comm_free(&comm);
    ft_upcall_end(self, upcall);
}

MPI_Request ft_collective_init(struct ft_rank *self, struct ft_comm *comm, MPI_Comm own,
                               int (*start)(const void *given, MPI_Request *request), void *given,
                               int count, const uint32_t *used)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_SEND, comm);
    struct ft_restart *restart =
        ft_image_alloc(sizeof(*restart) + (size_t)count * sizeof(restart->handle[0]));

    restart->start = start;
    restart->given = given;
    restart->comm = own;
    restart->drop = comm_drop;
    restart->count = count;
    for (int i = 0; i < count; i++) {
        restart->handle[i] = used[i];
        ft_type_hold(self, ft_handle_of(MPI_Datatype, used[i]));
        ft_op_hold(self, ft_handle_of(MPI_Op, used[i]));
    }
    request->persistent = 1;
    request->restart = restart;
    return request->handle;
}

/* One of the eight calls with an array of datatypes, as the program has made it. Counts are ints,
 * in calls with large counts MPI_Count. Displacements are ints, in calls between neighbours and
 * with large counts MPI_Aint. */
struct w_call {
    enum ft_call call;
    MPI_Comm comm;
    const void *sendbuf;
    const void *sendcounts;
    const void *sdispls;
    const MPI_Datatype *sendtypes;
    void *recvbuf;
    const void *recvcounts;
    const void *rdispls;
    const MPI_Datatype *recvtypes;
    MPI_Request *request; /* NULL: it blocks */
};

/* Its arrays of datatypes, translated: `out` for sending, `in` for receiving. */
struct w_types {
    int out, in;
    MPI_Datatype *real;       /* [out + in], from the image */
    const MPI_Datatype *send; /* what the native call gets: into real, or the caller's */
    const MPI_Datatype *receive;
};

static int is_of_neighbours(const struct w_call *w)
{
    return w->call == FT_CALL_MPI_Neighbor_alltoallw ||
           w->call == FT_CALL_MPI_Ineighbor_alltoallw ||
           w->call == FT_CALL_MPI_Neighbor_alltoallw_c ||
           w->call == FT_CALL_MPI_Ineighbor_alltoallw_c;
}

static int is_large(const struct w_call *w)
{
    return w->call == FT_CALL_MPI_Alltoallw_c || w->call == FT_CALL_MPI_Ialltoallw_c ||
           w->call == FT_CALL_MPI_Neighbor_alltoallw_c ||
           w->call == FT_CALL_MPI_Ineighbor_alltoallw_c;
}

/* How many processes a neighbourhood collective sends to and receives from. */
static void neighbours_count(const struct ft_comm *on, int *out, int *in)
{
    int kind = MPI_UNDEFINED, weighted;

    *in = 0;
    PMPI_Topo_test(on->real, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(on->real, in);
        *in *= 2;
    } else if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(on->real, on->rank, in);
    }
    *out = *in;
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(on->real, in, out, &weighted);
}

static void w_types_make(struct ft_rank *self, const struct ft_comm *on, const struct w_call *w,
                         struct w_types *types)
{
    if (is_of_neighbours(w)) {
        neighbours_count(on, &types->out, &types->in);
    } else {
        types->out = w->sendbuf == MPI_IN_PLACE ? 0 : on->peers;
        types->in = on->peers;
    }
    types->real = ft_image_alloc((size_t)(types->out + types->in + 1) * sizeof(MPI_Datatype));
    types->send = types->out ? types->real : w->sendtypes;
    types->receive = types->real + types->out;
    /* By one array for both, the library sees a buffer that is both (runtime/libft/coll/blocks.c).
     */
    if (w->sendtypes == w->recvtypes && types->out == types->in)
        types->receive = types->send;
    for (int i = 0; i < types->out; i++)
        types->real[i] = ft_type_real(self, w->sendtypes[i]);
    for (int i = 0; i < types->in; i++)
        types->real[types->out + i] = ft_type_real(self, w->recvtypes[i]);
}

/* The library's own call with these handles. */
static int w_library(const struct w_call *w, const MPI_Datatype *send, const MPI_Datatype *receive,
                     MPI_Comm comm, MPI_Request *request)
{
    switch (w->call) {
    case FT_CALL_MPI_Alltoallw:
        return PMPI_Alltoallw(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                              w->recvcounts, w->rdispls, receive, comm);
    case FT_CALL_MPI_Ialltoallw:
        return PMPI_Ialltoallw(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                               w->recvcounts, w->rdispls, receive, comm, request);
    case FT_CALL_MPI_Neighbor_alltoallw:
        return PMPI_Neighbor_alltoallw(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                                       w->recvcounts, w->rdispls, receive, comm);
    case FT_CALL_MPI_Ineighbor_alltoallw:
        return PMPI_Ineighbor_alltoallw(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                                        w->recvcounts, w->rdispls, receive, comm, request);
    case FT_CALL_MPI_Alltoallw_c:
        return PMPI_Alltoallw_c(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                                w->recvcounts, w->rdispls, receive, comm);
    case FT_CALL_MPI_Ialltoallw_c:
        return PMPI_Ialltoallw_c(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                                 w->recvcounts, w->rdispls, receive, comm, request);
    case FT_CALL_MPI_Neighbor_alltoallw_c:
        return PMPI_Neighbor_alltoallw_c(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                                         w->recvcounts, w->rdispls, receive, comm);
    default:
        return PMPI_Ineighbor_alltoallw_c(w->sendbuf, w->sendcounts, w->sdispls, send, w->recvbuf,
                                          w->recvcounts, w->rdispls, receive, comm, request);
    }
}

/* The same with the program's handles: without ftrun, or where the communicator is none. */
static int w_untouched(const struct w_call *w)
{
    return w_library(w, w->sendtypes, w->recvtypes, w->comm, w->request);
}

static int w_lanes(struct ft_rank *self, struct ft_comm *on, const struct w_call *w);

/* A call with large counts as the one with ints: displacements between neighbours stay as they are.
 */
static int w_lanes_narrow(struct ft_rank *self, struct ft_comm *on, const struct w_call *w)
{
    const char *name = ft_call_name(w->call);
    int near = is_of_neighbours(w), code;
    int out = near ? ft_lanes_neighbours(on, 1) : w->sendbuf == MPI_IN_PLACE ? 0 : on->peers;
    int in = near ? ft_lanes_neighbours(on, 0) : on->peers;
    struct w_call ints = *w;
    int *sent, *got, *from = NULL, *to = NULL;

    ints.call = near ? FT_CALL_MPI_Neighbor_alltoallw : FT_CALL_MPI_Alltoallw;
    ints.sendcounts = sent = ft_lanes_narrow(name, w->sendcounts, out);
    ints.recvcounts = got = ft_lanes_narrow(name, w->recvcounts, in);
    if (!near) {
        ints.sdispls = from = ft_lanes_narrow(name, w->sdispls, out);
        ints.rdispls = to = ft_lanes_narrow(name, w->rdispls, in);
    }
    code = w_lanes(self, on, &ints);
    ft_image_free(sent);
    ft_image_free(got);
    ft_image_free(from);
    ft_image_free(to);
    return code;
}

/* With --protocol spbc: the call made of messages, whose counts are ints. */
static int w_lanes(struct ft_rank *self, struct ft_comm *on, const struct w_call *w)
{
    if (is_large(w))
        return w_lanes_narrow(self, on, w);
    ft_trail_call(self, on->id, 0, 0, 0, 0);
    if (is_of_neighbours(w))
        return ft_lanes_neighbor_alltoallw(self, on, w->sendbuf, w->sendcounts, w->sdispls,
                                           w->sendtypes, w->recvbuf, w->recvcounts, w->rdispls,
                                           w->recvtypes, w->request);
    return ft_lanes_alltoallw(self, on, w->sendbuf, w->sendcounts, w->sdispls, w->sendtypes,
                              w->recvbuf, w->recvcounts, w->rdispls, w->recvtypes, w->request);
}

static int w_block(struct ft_rank *self, struct ft_comm *on, const struct w_call *w,
                   const struct w_types *types)
{
    int code;

    ft_block_begin(self, on->id, on->clock);
    code = w_library(w, types->send, types->receive, on->real, w->request);
    ft_block_end(self);
    ft_image_free(types->real);
    if (ft_unlikely(code != MPI_SUCCESS))
        ft_comm_untick(on, code);
    return code;
}

/* The library may read the translated arrays until the request is complete. */
static int w_post(struct ft_rank *self, struct ft_comm *on, const struct w_call *w,
                  const struct w_types *types)
{
    MPI_Request posted;
    int code = w_library(w, types->send, types->receive, on->real, &posted);
    uint32_t *used;

    if (ft_unlikely(code != MPI_SUCCESS)) {
        ft_image_free(types->real);
        on->clock--; /* it was not posted */
        return code;
    }
    used = ft_image_alloc((size_t)(types->out + types->in + 1) * sizeof(*used));
    for (int i = 0; i < types->out; i++)
        used[i] = ft_handle_bits(w->sendtypes[i]);
    for (int i = 0; i < types->in; i++)
        used[types->out + i] = ft_handle_bits(w->recvtypes[i]);
    *w->request = ft_collective_post(self, on, posted, types->real, types->out + types->in, used);
    ft_image_free(used);
    return MPI_SUCCESS;
}

static int w_on(struct ft_rank *self, struct ft_comm *on, const struct w_call *w)
{
    int carried = is_of_neighbours(w) ? self->spbc != NULL : ft_lanes_carry(self, on), code;
    struct w_types types;

    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    ft_comm_tick(on);
    if (ft_unlikely(carried) && (code = w_lanes(self, on, w)) != FT_LANES_NATIVE)
        return code;
    w_types_make(self, on, w, &types);
    return w->request ? w_post(self, on, w, &types) : w_block(self, on, w, &types);
}

/* site: return address of the program's call. */
static int w_run(const struct w_call *w, void *site)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    int code;

    if (ft_unlikely(!self))
        return w_untouched(w);
    ft_enter(self, w->call, site);
    on = ft_comm_find(self, w->comm);
    code = ft_likely(on != NULL) ? w_on(self, on, w) : w_untouched(w);
    return ft_leave(self, ft_error(self, on, code, ft_call_name(w->call)));
}

FT_EXPORT int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                            const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Alltoallw, comm, sendbuf, sendcounts, sdispls,
                                  sendtypes, recvbuf, recvcounts, rdispls, recvtypes, NULL},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                             const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request *request)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Ialltoallw, comm, sendbuf, sendcounts, sdispls,
                                  sendtypes, recvbuf, recvcounts, rdispls, recvtypes, request},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void *recvbuf, const int recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Neighbor_alltoallw, comm, sendbuf, sendcounts,
                                  sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                  NULL},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[],
                                      const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                      void *recvbuf, const int recvcounts[],
                                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                      MPI_Comm comm, MPI_Request *request)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Ineighbor_alltoallw, comm, sendbuf, sendcounts,
                                  sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                  request},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                              const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                              void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                              const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Alltoallw_c, comm, sendbuf, sendcounts, sdispls,
                                  sendtypes, recvbuf, recvcounts, rdispls, recvtypes, NULL},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Ialltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                               const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                               void *recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                               MPI_Comm comm, MPI_Request *request)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Ialltoallw_c, comm, sendbuf, sendcounts, sdispls,
                                  sendtypes, recvbuf, recvcounts, rdispls, recvtypes, request},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Neighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                                       const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                       void *recvbuf, const MPI_Count recvcounts[],
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                       MPI_Comm comm)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Neighbor_alltoallw_c, comm, sendbuf, sendcounts,
                                  sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                  NULL},
                 __builtin_return_address(0));
}

FT_EXPORT int MPI_Ineighbor_alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[],
                                        const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                        void *recvbuf, const MPI_Count recvcounts[],
                                        const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                        MPI_Comm comm, MPI_Request *request)
{
    return w_run(&(struct w_call){FT_CALL_MPI_Ineighbor_alltoallw_c, comm, sendbuf, sendcounts,
                                  sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                                  request},
                 __builtin_return_address(0));
}
