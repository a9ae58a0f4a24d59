/* Send-and-receive calls: a receive and a send, posted in this order, and the wait for both. The
 * *_replace calls send a packed copy, so the input is safe from the moment of the call. */
#include <limits.h>
#include "handle/pack.h"
#include "pmpi/p2p.h"
#include "request/again.h"
#include "request/direct.h"
#include "request/foreign.h"

/* A half with more bytes than can be asked for keeps its type. */
static int half_copy(struct ft_rank *self, struct ft_comm *comm, struct p2p_half *half, char **copy)
{
    MPI_Datatype type = ft_type_real(self, half->type);
    MPI_Count low, room;
    int code = ft_elements_span(type, half->count, &low, &room);

    if (code != MPI_SUCCESS)
        return code;
    *copy = ft_image_room((size_t)room);
    code = ft_elements_copy(half->buffer, half->count, type, ft_type_is_plain(self, half->type),
                            *copy - low, comm->real);
    if (code != MPI_SUCCESS) {
        ft_image_free(*copy);
        return code;
    }
    half->buffer = *copy - low;
    return MPI_SUCCESS;
}

int p2p_half_pack(struct ft_rank *self, struct ft_comm *comm, struct p2p_half *half, char **copy)
{
    MPI_Datatype type = ft_type_real(self, half->type);
    MPI_Count room = 0, bytes = 0;
    int code = PMPI_Pack_size_c(half->count, type, comm->real, &room);

    if (code != MPI_SUCCESS)
        return code;
    if (room > INT_MAX)
        return half_copy(self, comm, half, copy);
    *copy = ft_image_alloc((size_t)room + 1);
    code = ft_pack(half->buffer, half->count, type, *copy, room, &bytes, comm->real);
    if (code != MPI_SUCCESS) {
        ft_image_free(*copy);
        return code;
    }
    half->buffer = *copy;
    half->count = (int)bytes;
    half->type = MPI_PACKED;
    return MPI_SUCCESS;
}

/* A receive whose send could not be posted. */
static void recv_withdraw(struct ft_rank *self, struct ft_request *request)
{
    if (request->state != FT_REQUEST_ACTIVE)
        return;
    if (ft_unlikely(self->spbc != NULL)) {
        ft_recv_cancel(self, request);
    } else {
        PMPI_Cancel(&request->real);
        request->cancelling = 1;
    }
    if (request->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, request);
}

/* Describes a request on the stack; the caller's types and communicator need no hold. */
static inline void half_request(struct ft_request *request, enum ft_request_kind kind,
                                struct ft_comm *comm, const struct p2p_half *half)
{
    ft_request_begin(request, kind, comm, half->buffer, half->count, half->type, half->peer,
                     half->tag);
}

__attribute__((noinline)) static int sendrecv_slowly(struct ft_rank *self, struct ft_comm *comm,
                                                     const struct p2p_half *send,
                                                     const struct p2p_half *recv,
                                                     MPI_Status *status)
{
    struct ft_request in, out;
    int code;

    half_request(&in, FT_REQUEST_RECV, comm, recv);
    half_request(&out, FT_REQUEST_SEND, comm, send);
    code = ft_recv_post(self, &in);
    if (code != MPI_SUCCESS)
        return code;
    code = ft_send_post(self, &out);
    if (code != MPI_SUCCESS) {
        recv_withdraw(self, &in);
        return code;
    }
    if (in.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &in);
    if (out.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &out);
    p2p_status(status, &in.status);
    return in.code != MPI_SUCCESS ? in.code : out.code;
}

/* The receive is posted, and the send has failed. */
__attribute__((noinline)) static int direct_withdraw(struct ft_rank *self,
                                                     const struct ft_direct *direct, int code)
{
    struct ft_request request;

    ft_direct_request(self, direct, &request, MPI_STATUS_IGNORE);
    recv_withdraw(self, &request);
    return code;
}

/* The send has not ended with its call: it is a request while the receive is waited for. */
__attribute__((noinline)) static int direct_wait(struct ft_rank *self, struct ft_direct *direct,
                                                 int dest, MPI_Request real, int foreign,
                                                 MPI_Status *status)
{
    struct ft_request out;
    int code;

    ft_request_begin(&out, FT_REQUEST_SEND, direct->comm, NULL, 0, MPI_DATATYPE_NULL, dest, 0);
    out.real = real;
    out.foreign = (uint8_t)foreign;
    if (foreign)
        ft_send_borrow(self, &out);
    ft_request_activate(self, &out);
    code = ft_direct_wait(self, direct, status);
    if (out.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &out);
    return code != MPI_SUCCESS ? code : out.code;
}

/* Without requests, as long as the library takes the message at once. */
static inline int sendrecv_direct(struct ft_rank *self, struct ft_comm *comm,
                                  const struct p2p_half *send, const struct p2p_half *recv,
                                  MPI_Status *status)
{
    struct ft_direct direct = {.comm = comm,
                               .buffer = recv->buffer,
                               .count = recv->count,
                               .source = recv->peer,
                               .tag = recv->tag,
                               .type = recv->type};
    MPI_Request real;
    int code = ft_direct_post(self, &direct), foreign = 0;

    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    code = p2p_send_begin(self, comm, send, &real, &foreign);
    if (ft_unlikely(code != MPI_SUCCESS))
        return direct_withdraw(self, &direct, code);
    if (ft_unlikely(real != ft_send_done))
        return direct_wait(self, &direct, send->peer, real, foreign, status);
    /* The send may be held behind a marker (stream/marks.h): then this wait lets it go. */
    if (ft_unlikely(self->spbc != NULL) && ft_unlikely(self->spbc->resending))
        return ft_direct_slowly(self, &direct, 0, MPI_SUCCESS, status);
    return ft_direct_wait(self, &direct, status);
}

static inline int sendrecv(struct ft_rank *self, struct ft_comm *comm, const struct p2p_half *send,
                           const struct p2p_half *recv, MPI_Status *status)
{
    int fits =
        ft_unlikely(ft_rank_watched(self))
            ? ft_direct_fits(self, recv->type, recv->peer, recv->tag) && !ft_stream_repeats(self)
            : ft_direct_fits_unwatched(self, recv->type, recv->peer);

    if (ft_likely(fits))
        return sendrecv_direct(self, comm, send, recv, status);
    return sendrecv_slowly(self, comm, send, recv, status);
}

FT_EXPORT int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int dest,
                           int out_tag, void *in, int in_count, MPI_Datatype in_type, int source,
                           int in_tag, MPI_Comm handle, MPI_Status *status)
{
    P2P_ENTER(MPI_Sendrecv, (out, out_count, out_type, dest, out_tag, in, in_count, in_type, source,
                             in_tag, handle, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half send = {(void *)(uintptr_t)out, out_count, out_type, dest, out_tag};
    struct p2p_half recv = {in, in_count, in_type, source, in_tag};
    int code = ft_likely(comm != NULL)
                   ? sendrecv(self, comm, &send, &recv, status)
                   : PMPI_Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type,
                                   source, in_tag, handle, status);

    P2P_LEAVE(comm, code, MPI_Sendrecv);
}

static int sendrecv_replace(struct ft_rank *self, struct ft_comm *comm, struct p2p_half *send,
                            const struct p2p_half *recv, MPI_Status *status)
{
    char *copy;
    int code = p2p_half_pack(self, comm, send, &copy);

    if (code != MPI_SUCCESS)
        return code;
    code = sendrecv_slowly(self, comm, send, recv, status);
    ft_image_free(copy);
    return code;
}

FT_EXPORT int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest,
                                   int send_tag, int source, int recv_tag, MPI_Comm handle,
                                   MPI_Status *status)
{
    P2P_ENTER(MPI_Sendrecv_replace,
              (buffer, count, type, dest, send_tag, source, recv_tag, handle, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half send = {buffer, count, type, dest, send_tag};
    struct p2p_half recv = {buffer, count, type, source, recv_tag};
    int code = comm ? sendrecv_replace(self, comm, &send, &recv, status)
                    : PMPI_Sendrecv_replace(buffer, count, type, dest, send_tag, source, recv_tag,
                                            handle, status);

    P2P_LEAVE(comm, code, MPI_Sendrecv_replace);
}

static struct ft_request *half_create(struct ft_rank *self, enum ft_request_kind kind,
                                      struct ft_comm *comm, const struct p2p_half *half)
{
    struct ft_request *request = ft_request_create(self, kind, comm);

    ft_request_describe(self, request, half->buffer, half->count, half->type, half->peer,
                        half->tag);
    return request;
}

/* Posts both; the receive is what the program holds, the send its partner. keep is freed when the
 * send is complete, or by the caller on failure. */
static int isendrecv(struct ft_rank *self, struct ft_comm *comm, const struct p2p_half *send,
                     const struct p2p_half *recv, void *keep, MPI_Request *handle)
{
    struct ft_request *in = half_create(self, FT_REQUEST_RECV, comm, recv);
    struct ft_request *out;
    int code = ft_recv_post(self, in);

    if (code != MPI_SUCCESS) {
        ft_request_destroy(self, in);
        return code;
    }
    out = half_create(self, FT_REQUEST_SEND, comm, send);
    in->partner = out;
    code = ft_send_post(self, out);
    if (code != MPI_SUCCESS) {
        recv_withdraw(self, in);
        ft_request_destroy(self, in);
        return code;
    }
    if (out->state == FT_REQUEST_COMPLETE)
        ft_image_free(keep);
    else
        out->keep = keep;
    *handle = in->handle;
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Isendrecv(const void *out, int out_count, MPI_Datatype out_type, int dest,
                            int out_tag, void *in, int in_count, MPI_Datatype in_type, int source,
                            int in_tag, MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Isendrecv, (out, out_count, out_type, dest, out_tag, in, in_count, in_type,
                              source, in_tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half send = {(void *)(uintptr_t)out, out_count, out_type, dest, out_tag};
    struct p2p_half recv = {in, in_count, in_type, source, in_tag};
    int code = comm ? isendrecv(self, comm, &send, &recv, NULL, request)
                    : PMPI_Isendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type,
                                     source, in_tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Isendrecv);
}

static int isendrecv_replace(struct ft_rank *self, struct ft_comm *comm, struct p2p_half *send,
                             const struct p2p_half *recv, MPI_Request *handle)
{
    char *copy;
    int code = p2p_half_pack(self, comm, send, &copy);

    if (code != MPI_SUCCESS)
        return code;
    code = isendrecv(self, comm, send, recv, copy, handle);
    if (code != MPI_SUCCESS)
        ft_image_free(copy);
    return code;
}

FT_EXPORT int MPI_Isendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest,
                                    int send_tag, int source, int recv_tag, MPI_Comm handle,
                                    MPI_Request *request)
{
    P2P_ENTER(MPI_Isendrecv_replace,
              (buffer, count, type, dest, send_tag, source, recv_tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half send = {buffer, count, type, dest, send_tag};
    struct p2p_half recv = {buffer, count, type, source, recv_tag};
    int code = comm ? isendrecv_replace(self, comm, &send, &recv, request)
                    : PMPI_Isendrecv_replace(buffer, count, type, dest, send_tag, source, recv_tag,
                                             handle, request);

    P2P_LEAVE(comm, code, MPI_Isendrecv_replace);
}
