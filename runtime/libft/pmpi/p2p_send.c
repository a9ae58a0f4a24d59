/* Blocking and non-blocking sends.
 *
 * A blocking send is Isend and a loop over PMPI_Test: the native call could wait for a receive that
 * a rank held at the gate has not posted, and could not be left. */
#include "determinant/trail.h"
#include "pmpi/p2p.h"
#include "request/outward.h"
#include "request/usual.h"
#include "stream/stream.h"

/* The send has met the gate: from here on it is a request that the drain knows. */
__attribute__((noinline)) static int send_slowly(struct ft_rank *self, struct ft_comm *comm,
                                                 enum ft_send_mode mode, int dest, int tag,
                                                 MPI_Request real)
{
    struct ft_request request;

    ft_request_begin(&request, FT_REQUEST_SEND, comm, NULL, 0, MPI_DATATYPE_NULL, dest, tag);
    request.mode = (uint8_t)mode;
    if (mode == FT_SEND_SYNCHRONOUS && dest >= 0)
        request.number = self->sent[comm->world[dest]];
    request.real = real;
    ft_request_activate(self, &request);
    ft_request_wait(self, &request);
    return request.code;
}

/* The receiver may wait for this rank's part of a collective before it receives. */
static inline int send_wait(struct ft_rank *self, struct ft_comm *comm, enum ft_send_mode mode,
                            int dest, int tag, MPI_Request real)
{
    unsigned polls = 0;
    int flag = 0;

    for (;;) {
        int code = PMPI_Test(&real, &flag, MPI_STATUS_IGNORE);

        if (ft_likely(flag) || code != MPI_SUCCESS)
            return code;
        if (ft_unlikely(ft_wait_due(self)))
            return send_slowly(self, comm, mode, dest, tag, real);
        ft_wait_spin(&polls);
        ft_running_turn(self);
    }
}

/* Has the send of a watched rank to be a request with a description? With --verify, which writes
 * every send down; while the wait for it has messages to resend; and where it is made again, so
 * that it waits for nobody (request_post.c), or late. If not, self->spbc is there, and it leaves
 * its mark. */
static inline int is_described(const struct ft_rank *self)
{
    return ft_unlikely(self->trace != NULL) || ft_unlikely(self->spbc->resending) ||
           ft_stream_repeats(self);
}

__attribute__((noinline)) static int send_by_request(struct ft_rank *self, enum ft_send_mode mode,
                                                     const void *buffer, int count,
                                                     MPI_Datatype type, int dest, int tag,
                                                     struct ft_comm *comm)
{
    struct ft_request request;
    int code;

    ft_request_begin(&request, FT_REQUEST_SEND, comm, buffer, count, type, dest, tag);
    request.mode = (uint8_t)mode;
    code = ft_send_post(self, &request);
    if (code != MPI_SUCCESS)
        return code;
    if (request.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &request);
    return request.code;
}

/* To another cluster, where the message is not plain (outward.h). */
__attribute__((noinline)) static int foreign_slowly(struct ft_rank *self, enum ft_send_mode mode,
                                                    const void *buffer, int count,
                                                    MPI_Datatype type, int dest, int tag,
                                                    struct ft_comm *comm, MPI_Request *real)
{
    struct ft_message message = {
        comm, buffer, count, dest, tag, ft_type_real(self, type), ft_type_made_plain(self, type)};

    ft_trail_call(self, comm->id, dest, tag, count, type);
    return ft_foreign_send(self, &message, mode, real);
}

/* To another cluster; comm->world[dest] is there. */
FT_INLINE int foreign_send(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                           int count, MPI_Datatype type, int dest, int tag, struct ft_comm *comm,
                           MPI_Request *real)
{
    int world = comm->world[dest];

    if (ft_unlikely(!ft_outward_is_plain(self, count, type, tag)))
        return foreign_slowly(self, mode, buffer, count, type, dest, tag, comm, real);
    ft_trail_call(self, comm->id, dest, tag, count, type);
    return ft_outward_send(self, mode, buffer, count, type, dest, world, tag, comm, real);
}

/* It has begun as `real`, and has not ended. */
__attribute__((noinline)) static int foreign_wait(struct ft_rank *self, enum ft_send_mode mode,
                                                  int dest, int tag, struct ft_comm *comm,
                                                  MPI_Request real)
{
    struct ft_request request;

    ft_request_begin(&request, FT_REQUEST_SEND, comm, NULL, 0, MPI_DATATYPE_NULL, dest, tag);
    request.mode = (uint8_t)mode;
    ft_foreign_begun(self, &request, real);
    ft_request_wait(self, &request);
    return request.code;
}

/* A message that the library has taken at once is no request at all. */
FT_INLINE int foreign_blocking(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                               int count, MPI_Datatype type, int dest, int tag,
                               struct ft_comm *comm)
{
    MPI_Request real;
    int code = foreign_send(self, mode, buffer, count, type, dest, tag, comm, &real);

    if (ft_unlikely(code != MPI_SUCCESS) || ft_likely(real == ft_send_done))
        return code;
    return foreign_wait(self, mode, dest, tag, comm, real);
}

FT_INLINE int send_blocking(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                            int count, MPI_Datatype type, int dest, int tag, struct ft_comm *comm)
{
    MPI_Request real;
    int code;

    if (ft_unlikely(ft_rank_watched(self))) {
        if (ft_stream_foreign(self, comm, dest))
            return foreign_blocking(self, mode, buffer, count, type, dest, tag, comm);
        if (is_described(self))
            return send_by_request(self, mode, buffer, count, type, dest, tag, comm);
        ft_trail_call(self, comm->id, dest, tag, count, type);
    }
    code = ft_send_library(mode, buffer, count, ft_type_real(self, type), dest, tag, comm->real,
                           &real);
    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    ft_count_sent(self, comm, dest);
    if (ft_likely(real == ft_send_done))
        return MPI_SUCCESS;
    return send_wait(self, comm, mode, dest, tag, real);
}

int p2p_send_begin(struct ft_rank *self, struct ft_comm *comm, const struct p2p_half *half,
                   MPI_Request *real, int *foreign)
{
    int code;

    if (ft_unlikely(self->spbc != NULL)) {
        *foreign = ft_stream_foreign(self, comm, half->peer);
        if (*foreign)
            return foreign_send(self, FT_SEND_STANDARD, half->buffer, half->count, half->type,
                                half->peer, half->tag, comm, real);
        ft_trail_call(self, comm->id, half->peer, half->tag, half->count, half->type);
    }
    code = ft_send_library(FT_SEND_STANDARD, half->buffer, half->count,
                           ft_type_real(self, half->type), half->peer, half->tag, comm->real, real);
    if (ft_likely(code == MPI_SUCCESS))
        ft_count_sent(self, comm, half->peer);
    return code;
}

/* Posts a send by its description. */
static int send_described(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                          int count, MPI_Datatype type, int dest, int tag, struct ft_comm *comm,
                          MPI_Request *handle)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_SEND, comm);
    int code;

    request->mode = (uint8_t)mode;
    ft_request_describe(self, request, buffer, count, type, dest, tag);
    code = ft_send_post(self, request);
    if (code != MPI_SUCCESS) {
        ft_request_destroy(self, request);
        return code;
    }
    *handle = request->handle;
    return MPI_SUCCESS;
}

/* The request of a send that the library has not taken at once, without a description. */
__attribute__((noinline)) static MPI_Request
entry_create(struct ft_rank *self, struct ft_comm *comm, int dest, MPI_Request real)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_SEND, comm);

    request->peer = dest; /* it may die (--ulfm) */
    request->real = real;
    ft_request_activate(self, request);
    return request->handle;
}

/* The same of a synchronous one: the drain has to find its message (meeting.h). */
__attribute__((noinline)) static MPI_Request
synchronous_entry(struct ft_rank *self, int dest, int tag, struct ft_comm *comm, MPI_Request real)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_SEND, comm);

    request->mode = FT_SEND_SYNCHRONOUS;
    request->peer = dest;
    request->tag = tag;
    if (dest >= 0)
        request->number = self->sent[comm->world[dest]];
    request->real = real;
    ft_request_activate(self, request);
    return request->handle;
}

/* The same of one to another cluster. */
__attribute__((noinline)) static MPI_Request foreign_entry(struct ft_rank *self,
                                                           enum ft_send_mode mode, int dest,
                                                           int tag, struct ft_comm *comm,
                                                           MPI_Request real)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_SEND, comm);

    request->mode = (uint8_t)mode;
    request->peer = dest;
    request->tag = tag;
    ft_foreign_begun(self, request, real);
    return request->handle;
}

/* Posts a send that the program will ask about. */
FT_INLINE int send_start(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                         int count, MPI_Datatype type, int dest, int tag, struct ft_comm *comm,
                         MPI_Request *handle)
{
    MPI_Request real;
    int code;

    if (ft_unlikely(ft_rank_watched(self))) {
        if (ft_stream_foreign(self, comm, dest)) {
            code = foreign_send(self, mode, buffer, count, type, dest, tag, comm, &real);
            if (ft_unlikely(code != MPI_SUCCESS))
                return code;
            *handle = ft_likely(real == ft_send_done)
                          ? FT_REQUEST_SENT
                          : foreign_entry(self, mode, dest, tag, comm, real);
            return MPI_SUCCESS;
        }
        if (is_described(self))
            return send_described(self, mode, buffer, count, type, dest, tag, comm, handle);
        ft_trail_call(self, comm->id, dest, tag, count, type);
    }
    code = ft_send_library(mode, buffer, count, ft_type_real(self, type), dest, tag, comm->real,
                           &real);
    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    ft_count_sent(self, comm, dest);
    if (ft_likely(real == ft_send_done))
        *handle = FT_REQUEST_SENT;
    else if (mode == FT_SEND_SYNCHRONOUS) /* known when this is compiled */
        *handle = synchronous_entry(self, dest, tag, comm, real);
    else
        *handle = entry_create(self, comm, dest, real);
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                       MPI_Comm handle)
{
    P2P_ENTER(MPI_Send, (buffer, count, type, dest, tag, handle));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = ft_likely(comm != NULL)
                   ? send_blocking(self, FT_SEND_STANDARD, buffer, count, type, dest, tag, comm)
                   : PMPI_Send(buffer, count, type, dest, tag, handle);

    P2P_LEAVE(comm, code, MPI_Send);
}

FT_EXPORT int MPI_Rsend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm handle)
{
    P2P_ENTER(MPI_Rsend, (buffer, count, type, dest, tag, handle));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = comm ? send_blocking(self, FT_SEND_STANDARD, buffer, count, type, dest, tag, comm)
                    : PMPI_Rsend(buffer, count, type, dest, tag, handle);

    P2P_LEAVE(comm, code, MPI_Rsend);
}

FT_EXPORT int MPI_Ssend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm handle)
{
    P2P_ENTER(MPI_Ssend, (buffer, count, type, dest, tag, handle));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = comm ? send_blocking(self, FT_SEND_SYNCHRONOUS, buffer, count, type, dest, tag, comm)
                    : PMPI_Ssend(buffer, count, type, dest, tag, handle);

    P2P_LEAVE(comm, code, MPI_Ssend);
}

FT_EXPORT int MPI_Bsend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm handle)
{
    P2P_ENTER(MPI_Bsend, (buffer, count, type, dest, tag, handle));
    struct ft_comm *comm = ft_comm_find(self, handle);
    MPI_Request request;
    int code;

    if (comm)
        code =
            send_described(self, FT_SEND_BUFFERED, buffer, count, type, dest, tag, comm, &request);
    else
        code = PMPI_Bsend(buffer, count, type, dest, tag, handle);
    if (comm && code == MPI_SUCCESS)
        ft_request_detach(self, ft_request_find(self, request));
    P2P_LEAVE(comm, code, MPI_Bsend);
}

FT_EXPORT int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Isend, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code =
        ft_likely(comm != NULL)
            ? send_start(self, FT_SEND_STANDARD, buffer, count, type, dest, tag, comm, request)
            : PMPI_Isend(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Isend);
}

FT_EXPORT int MPI_Irsend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Irsend, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code =
        comm ? send_start(self, FT_SEND_STANDARD, buffer, count, type, dest, tag, comm, request)
             : PMPI_Irsend(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Irsend);
}

FT_EXPORT int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Issend, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code =
        comm ? send_start(self, FT_SEND_SYNCHRONOUS, buffer, count, type, dest, tag, comm, request)
             : PMPI_Issend(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Issend);
}

FT_EXPORT int MPI_Ibsend(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Ibsend, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code =
        comm ? send_described(self, FT_SEND_BUFFERED, buffer, count, type, dest, tag, comm, request)
             : PMPI_Ibsend(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Ibsend);
}
