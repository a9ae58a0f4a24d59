/* Collectives that are no regular wrappers: those with an array of datatypes, one for each peer;
 * and the virtual request of every non-blocking one. */
#include <string.h>
#include "coll/lanes.h"
#include "determinant/trail.h"
#include "pmpi/calls.h"
#include "pmpi/collective.h"
#include "request/request.h"
#include "trace/trace.h"

struct uses { /* what a pending collective holds */
    struct ft_comm *comm;
    void *keep;
    int count;
    int handle[];
};

static void uses_release(struct ft_rank *self, void *argument)
{
    struct uses *uses = argument;

    for (int i = 0; i < uses->count; i++) {
        ft_type_release(self, uses->handle[i]);
        ft_op_release(self, uses->handle[i]);
    }
    ft_comm_release(self, uses->comm);
    ft_image_free(uses->keep);
    ft_image_free(uses);
}

MPI_Request ft_collective_post(struct ft_rank *self, struct ft_comm *comm, MPI_Request real,
                               void *keep, int count, const int *used)
{
    struct uses *uses = ft_image_alloc(sizeof(*uses) + (size_t)count * sizeof(int));

    uses->comm = comm;
    uses->keep = keep;
    uses->count = count;
    ft_comm_hold(self, comm);
    for (int i = 0; i < count; i++) {
        uses->handle[i] = used[i];
        ft_type_hold(self, used[i]);
        ft_op_hold(self, used[i]);
    }
    return ft_request_collective(self, real, comm, NULL, uses_release, uses);
}

/* The arrays of one call, translated: `out` datatypes for sending, `in` for receiving. */
struct w_types {
    int out, in;
    MPI_Datatype *real;       /* [out + in], from the image */
    const MPI_Datatype *send; /* what the native call gets: into real, or the caller's */
    const MPI_Datatype *receive;
};

static void w_types_make(struct ft_rank *self, struct w_types *types, int out,
                         const MPI_Datatype *send, int in, const MPI_Datatype *receive)
{
    types->out = out;
    types->in = in;
    types->real = ft_image_alloc((size_t)(out + in + 1) * sizeof(MPI_Datatype));
    types->send = out ? types->real : send;
    types->receive = types->real + out;
    for (int i = 0; i < out; i++)
        types->real[i] = ft_type_real(self, send[i]);
    for (int i = 0; i < in; i++)
        types->real[out + i] = ft_type_real(self, receive[i]);
}

/* The request of a call with translated arrays, which the library may read until it completes. */
static MPI_Request w_types_post(struct ft_rank *self, struct ft_comm *on, MPI_Request real,
                                const struct w_types *types, const MPI_Datatype *send,
                                const MPI_Datatype *receive)
{
    int count = types->out + types->in;
    int *used = ft_image_alloc((size_t)(count + 1) * sizeof(int));
    MPI_Request request;

    if (types->out)
        memcpy(used, send, (size_t)types->out * sizeof(int));
    memcpy(used + types->out, receive, (size_t)types->in * sizeof(int));
    request = ft_collective_post(self, on, real, types->real, count, used);
    ft_image_free(used);
    return request;
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

FT_EXPORT int MPI_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                            const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    struct w_types types;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes, comm);
    ft_enter(self, FT_CALL_MPI_Alltoallw, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    if (ft_unlikely(!on)) {
        code = PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                              recvtypes, comm);
        return ft_leave(self, ft_error(self, NULL, code, "MPI_Alltoallw"));
    }
    if (ft_unlikely(ft_lanes_carry(self, on))) {
        ft_trail_call(self, on->id, 0, 0, 0, 0);
        ft_comm_tick(on);
        code = ft_lanes_alltoallw(self, on, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                  recvcounts, rdispls, recvtypes, NULL);
        if (code != FT_LANES_NATIVE)
            return ft_leave(self, ft_error(self, on, code, "MPI_Alltoallw"));
        on->clock--; /* the others did not enter it */
    }
    w_types_make(self, &types, sendbuf == MPI_IN_PLACE ? 0 : on->peers, sendtypes, on->peers,
                 recvtypes);
    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    ft_block_begin(self, on->id, ft_comm_tick(on));
    code = PMPI_Alltoallw(sendbuf, sendcounts, sdispls, types.send, recvbuf, recvcounts, rdispls,
                          types.receive, on->real);
    ft_block_end(self);
    ft_image_free(types.real);
    if (ft_unlikely(code != MPI_SUCCESS))
        ft_comm_untick(on, code);
    return ft_leave(self, ft_error(self, on, code, "MPI_Alltoallw"));
}

FT_EXPORT int MPI_Ialltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[],
                             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                             const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request *request)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    struct w_types types;
    MPI_Request posted;
    int code;

    if (ft_unlikely(!self))
        return PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                               rdispls, recvtypes, comm, request);
    ft_enter(self, FT_CALL_MPI_Ialltoallw, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    if (ft_unlikely(!on)) {
        code = PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                               rdispls, recvtypes, comm, request);
        return ft_leave(self, ft_error(self, NULL, code, "MPI_Ialltoallw"));
    }
    if (ft_unlikely(ft_lanes_carry(self, on))) {
        ft_trail_call(self, on->id, 0, 0, 0, 0);
        ft_comm_tick(on);
        code = ft_lanes_alltoallw(self, on, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                  recvcounts, rdispls, recvtypes, request);
        if (code != FT_LANES_NATIVE)
            return ft_leave(self, ft_error(self, on, code, "MPI_Ialltoallw"));
        on->clock--; /* the others did not enter it */
    }
    w_types_make(self, &types, sendbuf == MPI_IN_PLACE ? 0 : on->peers, sendtypes, on->peers,
                 recvtypes);
    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    ft_comm_tick(on);
    code = PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, types.send, recvbuf, recvcounts, rdispls,
                           types.receive, on->real, &posted);
    if (ft_likely(code == MPI_SUCCESS))
        *request = w_types_post(self, on, posted, &types, sendtypes, recvtypes);
    else
        ft_image_free(types.real);
    if (ft_unlikely(code != MPI_SUCCESS))
        on->clock--; /* it was not posted */
    return ft_leave(self, ft_error(self, on, code, "MPI_Ialltoallw"));
}

FT_EXPORT int MPI_Neighbor_alltoallw(const void *sendbuf, const int sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void *recvbuf, const int recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    struct w_types types;
    int out, in, code;

    if (ft_unlikely(!self))
        return PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                       rdispls, recvtypes, comm);
    ft_enter(self, FT_CALL_MPI_Neighbor_alltoallw, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    if (ft_unlikely(!on)) {
        code = PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                       rdispls, recvtypes, comm);
        return ft_leave(self, ft_error(self, NULL, code, "MPI_Neighbor_alltoallw"));
    }
    if (ft_unlikely(self->spbc != NULL)) {
        ft_trail_call(self, on->id, 0, 0, 0, 0);
        ft_comm_tick(on);
        code = ft_lanes_neighbor_alltoallw(self, on, sendbuf, sendcounts, sdispls, sendtypes,
                                           recvbuf, recvcounts, rdispls, recvtypes, NULL);
        if (code != FT_LANES_NATIVE)
            return ft_leave(self, ft_error(self, on, code, "MPI_Neighbor_alltoallw"));
        on->clock--; /* the others did not enter it */
    }
    neighbours_count(on, &out, &in);
    w_types_make(self, &types, out, sendtypes, in, recvtypes);
    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    ft_block_begin(self, on->id, ft_comm_tick(on));
    code = PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, types.send, recvbuf, recvcounts,
                                   rdispls, types.receive, on->real);
    ft_block_end(self);
    ft_image_free(types.real);
    if (ft_unlikely(code != MPI_SUCCESS))
        ft_comm_untick(on, code);
    return ft_leave(self, ft_error(self, on, code, "MPI_Neighbor_alltoallw"));
}

FT_EXPORT int MPI_Ineighbor_alltoallw(const void *sendbuf, const int sendcounts[],
                                      const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                      void *recvbuf, const int recvcounts[],
                                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                      MPI_Comm comm, MPI_Request *request)
{
    struct ft_rank *self = ft_self;
    struct ft_comm *on;
    struct w_types types;
    MPI_Request posted;
    int out, in, code;

    if (ft_unlikely(!self))
        return PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                        recvcounts, rdispls, recvtypes, comm, request);
    ft_enter(self, FT_CALL_MPI_Ineighbor_alltoallw, __builtin_return_address(0));
    on = ft_comm_find(self, comm);
    if (ft_unlikely(!on)) {
        code = PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                        recvcounts, rdispls, recvtypes, comm, request);
        return ft_leave(self, ft_error(self, NULL, code, "MPI_Ineighbor_alltoallw"));
    }
    if (ft_unlikely(self->spbc != NULL)) {
        ft_trail_call(self, on->id, 0, 0, 0, 0);
        ft_comm_tick(on);
        code = ft_lanes_neighbor_alltoallw(self, on, sendbuf, sendcounts, sdispls, sendtypes,
                                           recvbuf, recvcounts, rdispls, recvtypes, request);
        if (code != FT_LANES_NATIVE)
            return ft_leave(self, ft_error(self, on, code, "MPI_Ineighbor_alltoallw"));
        on->clock--; /* the others did not enter it */
    }
    neighbours_count(on, &out, &in);
    w_types_make(self, &types, out, sendtypes, in, recvtypes);
    ft_trace_collective(self, on, -1, NULL, 0, MPI_BYTE);
    ft_comm_tick(on);
    code = PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, types.send, recvbuf, recvcounts,
                                    rdispls, types.receive, on->real, &posted);
    if (ft_likely(code == MPI_SUCCESS))
        *request = w_types_post(self, on, posted, &types, sendtypes, recvtypes);
    else
        ft_image_free(types.real);
    if (ft_unlikely(code != MPI_SUCCESS))
        on->clock--; /* it was not posted */
    return ft_leave(self, ft_error(self, on, code, "MPI_Ineighbor_alltoallw"));
}
