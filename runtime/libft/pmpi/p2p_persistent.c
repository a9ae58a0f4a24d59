/* Persistent requests are virtual ones that remember what was asked; MPI_Start posts a fresh
 * non-blocking operation, which is what the library does itself. The *_init calls let the library
 * check their arguments by making a real request and freeing it at once. */
#include "pmpi/p2p.h"
#include "request/usual.h"

typedef int send_init_function(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static struct ft_request *persistent_create(struct ft_rank *self, enum ft_request_kind kind,
                                            struct ft_comm *comm, const struct p2p_half *half)
{
    struct ft_request *request = ft_request_create(self, kind, comm);

    ft_request_describe(self, request, half->buffer, half->count, half->type, half->peer,
                        half->tag);
    request->persistent = 1;
    request->wanted_peer = half->peer;
    request->wanted_tag = half->tag;
    request->mark = self->mark;
    return request;
}

static int send_init(struct ft_rank *self, enum ft_send_mode mode, send_init_function *native,
                     const struct p2p_half *half, struct ft_comm *comm, MPI_Request *handle)
{
    struct ft_request *request;
    MPI_Request real;
    int code = native(half->buffer, half->count, ft_type_real(self, half->type), half->peer,
                      half->tag, comm->real, &real);

    if (code != MPI_SUCCESS)
        return code;
    PMPI_Request_free(&real);
    request = persistent_create(self, FT_REQUEST_SEND, comm, half);
    request->mode = (uint8_t)mode;
    *handle = request->handle;
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                            MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Send_init, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half half = {(void *)(uintptr_t)buffer, count, type, dest, tag};
    int code = comm ? send_init(self, FT_SEND_STANDARD, PMPI_Send_init, &half, comm, request)
                    : PMPI_Send_init(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Send_init);
}

FT_EXPORT int MPI_Rsend_init(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                             MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Rsend_init, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half half = {(void *)(uintptr_t)buffer, count, type, dest, tag};
    int code = comm ? send_init(self, FT_SEND_STANDARD, PMPI_Rsend_init, &half, comm, request)
                    : PMPI_Rsend_init(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Rsend_init);
}

FT_EXPORT int MPI_Ssend_init(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                             MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Ssend_init, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half half = {(void *)(uintptr_t)buffer, count, type, dest, tag};
    int code = comm ? send_init(self, FT_SEND_SYNCHRONOUS, PMPI_Ssend_init, &half, comm, request)
                    : PMPI_Ssend_init(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Ssend_init);
}

FT_EXPORT int MPI_Bsend_init(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                             MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Bsend_init, (buffer, count, type, dest, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half half = {(void *)(uintptr_t)buffer, count, type, dest, tag};
    int code = comm ? send_init(self, FT_SEND_BUFFERED, PMPI_Bsend_init, &half, comm, request)
                    : PMPI_Bsend_init(buffer, count, type, dest, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Bsend_init);
}

static int recv_init(struct ft_rank *self, const struct p2p_half *half, struct ft_comm *comm,
                     MPI_Request *handle)
{
    MPI_Request real;
    int code = PMPI_Recv_init(half->buffer, half->count, ft_type_real(self, half->type), half->peer,
                              half->tag, comm->real, &real);

    if (code != MPI_SUCCESS)
        return code;
    PMPI_Request_free(&real);
    *handle = persistent_create(self, FT_REQUEST_RECV, comm, half)->handle;
    return MPI_SUCCESS;
}

FT_EXPORT int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag,
                            MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Recv_init, (buffer, count, type, source, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    struct p2p_half half = {buffer, count, type, source, tag};
    int code = comm ? recv_init(self, &half, comm, request)
                    : PMPI_Recv_init(buffer, count, type, source, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Recv_init);
}

/* Does the work of ft_recv_post for a receive of the usual kind (usual.h). */
static int start_usual(struct ft_rank *self, struct ft_request *request)
{
    const struct ft_comm *comm = request->comm;
    int code;

    if (ft_unlikely(self->spbc != NULL))
        ft_trail_call(self, comm->id, request->peer, request->tag, request->count, request->type);
    code = PMPI_Irecv(request->buffer, request->count, request->type, request->peer, request->tag,
                      comm->real, &request->real);
    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    request->counted = 0;
    request->number = 0;
    if (ft_unlikely(self->spbc != NULL))
        ft_receive_count(self, request, comm, request->peer, request->tag);
    request->sort = FT_SORT_RECEIVE | FT_SORT_PERSISTENT;
    ft_active_append(self->requests, request);
    return MPI_SUCCESS;
}

static inline int is_usual(const struct ft_rank *self, const struct ft_request *request)
{
    if (ft_unlikely(ft_rank_watched(self)))
        return ft_direct_fits(self, request->type, request->peer, request->tag);
    return ft_direct_fits_unwatched(self, request->type, request->peer);
}

/* The program's own call, whose request becomes the partner. */
static int collective_start(struct ft_rank *self, struct ft_request *request)
{
    struct ft_upcall upcall = ft_upcall_begin(self);
    MPI_Request started;
    int code = request->restart->start(request->restart->given, &started);

    ft_upcall_end(self, upcall);
    if (code != MPI_SUCCESS)
        return code;
    request->partner = ft_request_find(self, started);
    request->code = MPI_SUCCESS;
    request->state = FT_REQUEST_COMPLETE;
    return MPI_SUCCESS;
}

/* Starts a request; anything but an inactive persistent one is MPI_ERR_REQUEST. */
static int request_start(struct ft_rank *self, MPI_Request handle)
{
    struct ft_request *request = ft_request_find(self, handle);

    if (!request || !request->persistent || request->state != FT_REQUEST_INACTIVE)
        return MPI_ERR_REQUEST;
    if (ft_unlikely(request->restart != NULL))
        return collective_start(self, request);
    request->cancelling = 0;
    request->unusual = 1;
    request->peer = request->wanted_peer;
    request->tag = request->wanted_tag;
    if (request->kind == FT_REQUEST_RECV && ft_likely(is_usual(self, request)))
        return start_usual(self, request);
    if (ft_unlikely(self->trace != NULL) && request->kind == FT_REQUEST_RECV) {
        self->mark = request->mark; /* the site is where the receive was described */
        self->recorder->call = FT_CALL_MPI_Recv_init;
    }
    return request->kind == FT_REQUEST_SEND ? ft_send_post(self, request)
                                            : ft_recv_post(self, request);
}

static struct ft_comm *request_comm(struct ft_rank *self, MPI_Request handle)
{
    struct ft_request *request = ft_request_find(self, handle);

    return request ? request->comm : NULL;
}

FT_EXPORT int MPI_Start(MPI_Request *handle)
{
    P2P_ENTER(MPI_Start, (handle));

    P2P_LEAVE(request_comm(self, *handle), request_start(self, *handle), MPI_Start);
}

FT_EXPORT int MPI_Startall(int count, MPI_Request handles[])
{
    P2P_ENTER(MPI_Startall, (count, handles));
    int code = count < 0 ? MPI_ERR_COUNT : MPI_SUCCESS;

    for (int i = 0; i < count; i++) {
        code = request_start(self, handles[i]);
        if (code != MPI_SUCCESS)
            P2P_LEAVE(request_comm(self, handles[i]), code, MPI_Startall);
    }
    return ft_leave(self, code);
}
