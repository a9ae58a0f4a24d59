/* Receives. A blocking one is Irecv and a loop over tests; only when it meets the gate does it
 * become a virtual request, on the stack, which is part of the image. */
#include "pmpi/p2p.h"
#include "request/usual.h"

/* Completes a receive from the drained store. */
__attribute__((noinline)) static int recv_from_store(struct ft_rank *self,
                                                     struct ft_drained *drained, void *buffer,
                                                     int count, MPI_Datatype type,
                                                     MPI_Status *status)
{
    MPI_Status found;
    int code;

    ft_drained_take(self, drained);
    code = ft_drained_deliver(self, drained, buffer, count, type, &found);
    p2p_status(status, &found);
    return code;
}

/* The receive has met the gate: from here on it is a request that drain and rebuild know. */
__attribute__((noinline)) static int recv_slowly(struct ft_rank *self, struct ft_request *request,
                                                 MPI_Status *status)
{
    ft_request_activate(self, request);
    ft_request_wait(self, request);
    p2p_status(status, &request->status);
    return request->code;
}

/* The same as a request from the start: --verify writes every receive down, and with --protocol
 * spbc each may have a number. */
__attribute__((noinline)) static int recv_by_request(struct ft_rank *self, void *buffer, int count,
                                                     MPI_Datatype type, int source, int tag,
                                                     struct ft_comm *comm, MPI_Status *status)
{
    struct ft_request request;
    int code;

    ft_request_begin(&request, FT_REQUEST_RECV, comm, buffer, count, type, source, tag);
    code = ft_recv_post(self, &request);
    if (code != MPI_SUCCESS)
        return code;
    if (request.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &request);
    p2p_status(status, &request.status);
    return request.code;
}

__attribute__((noinline)) static int recv_direct(struct ft_rank *self, void *buffer, int count,
                                                 MPI_Datatype type, int source, int tag,
                                                 struct ft_comm *comm, MPI_Status *status)
{
    struct ft_direct direct = {
        .comm = comm, .buffer = buffer, .count = count, .source = source, .tag = tag, .type = type};
    int code = ft_direct_post(self, &direct);

    return ft_unlikely(code != MPI_SUCCESS) ? code : ft_direct_wait(self, &direct, status);
}

static inline int recv_blocking(struct ft_rank *self, void *buffer, int count, MPI_Datatype type,
                                int source, int tag, struct ft_comm *comm, MPI_Status *status)
{
    MPI_Status local, *found = status == MPI_STATUS_IGNORE ? &local : status;
    struct ft_drained *drained = NULL;
    MPI_Request real;
    unsigned polls = 0;
    int flag = 0, code;

    if (ft_unlikely(source == MPI_PROC_NULL))
        return PMPI_Recv(buffer, count, ft_type_real(self, type), source, tag, comm->real, status);
    if (ft_unlikely(ft_rank_watched(self))) {
        if (ft_likely(ft_direct_fits(self, type, source, tag)))
            return recv_direct(self, buffer, count, type, source, tag, comm, status);
        return recv_by_request(self, buffer, count, type, source, tag, comm, status);
    }
    if (ft_unlikely(self->requests->drained_count))
        drained = ft_drained_match(self, comm, source, tag);
    if (ft_unlikely(drained != NULL))
        return recv_from_store(self, drained, buffer, count, type, status);
    code = PMPI_Irecv(buffer, count, ft_type_real(self, type), source, tag, comm->real, &real);
    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    code = ft_library_look(&real, &flag, found);
    while (ft_unlikely(!flag) && ft_likely(code == MPI_SUCCESS)) {
        if (ft_unlikely(ft_wait_due(self)))
            return recv_slowly(self,
                               &(struct ft_request){.real = real,
                                                    .kind = FT_REQUEST_RECV,
                                                    .buffer = buffer,
                                                    .count = count,
                                                    .type = type,
                                                    .peer = source,
                                                    .tag = tag,
                                                    .comm = comm},
                               status);
        ft_wait_spin(&polls);
        code = PMPI_Test(&real, &flag, found);
    }
    ft_count_received(self, comm, found->MPI_SOURCE);
    return code;
}

FT_EXPORT int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag,
                       MPI_Comm handle, MPI_Status *status)
{
    P2P_ENTER(MPI_Recv, (buffer, count, type, source, tag, handle, status));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = ft_likely(comm != NULL)
                   ? recv_blocking(self, buffer, count, type, source, tag, comm, status)
                   : PMPI_Recv(buffer, count, type, source, tag, handle, status);

    P2P_LEAVE(comm, code, MPI_Recv);
}

/* A receive of the usual kind. */
FT_INLINE int start_usual(struct ft_rank *self, int watched, void *buffer, int count,
                          MPI_Datatype type, int source, int tag, struct ft_comm *comm,
                          MPI_Request *handle)
{
    struct ft_request *request = ft_receive_create(self, comm, buffer, count, type, source, tag);
    int code;

    if (watched)
        ft_trail_call_of(self, FT_CALL_MPI_Irecv, comm->id, source, tag, count, type);
    code = PMPI_Irecv(buffer, count, type, source, tag, comm->real, &request->real);
    if (ft_unlikely(code != MPI_SUCCESS)) {
        ft_receive_destroy(self, request);
        return code;
    }
    if (watched)
        ft_receive_count(self, request, comm, source, tag);
    ft_active_append(self->requests, request);
    *handle = request->handle;
    return MPI_SUCCESS;
}

__attribute__((noinline)) static int start_slowly(struct ft_rank *self, void *buffer, int count,
                                                  MPI_Datatype type, int source, int tag,
                                                  struct ft_comm *comm, MPI_Request *handle)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_RECV, comm);
    int code;

    ft_request_describe(self, request, buffer, count, type, source, tag);
    code = ft_recv_post(self, request);
    if (ft_unlikely(code != MPI_SUCCESS)) {
        ft_request_destroy(self, request);
        return code;
    }
    *handle = request->handle;
    return MPI_SUCCESS;
}

FT_INLINE int recv_start(struct ft_rank *self, void *buffer, int count, MPI_Datatype type,
                         int source, int tag, struct ft_comm *comm, MPI_Request *handle)
{
    if (ft_unlikely(ft_rank_watched(self))) {
        if (ft_likely(ft_direct_fits(self, type, source, tag)))
            return start_usual(self, 1, buffer, count, type, source, tag, comm, handle);
    } else if (ft_likely(ft_direct_fits_unwatched(self, type, source))) {
        return start_usual(self, 0, buffer, count, type, source, tag, comm, handle);
    }
    return start_slowly(self, buffer, count, type, source, tag, comm, handle);
}

FT_EXPORT int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag,
                        MPI_Comm handle, MPI_Request *request)
{
    P2P_ENTER(MPI_Irecv, (buffer, count, type, source, tag, handle, request));
    struct ft_comm *comm = ft_comm_find(self, handle);
    int code = ft_likely(comm != NULL)
                   ? recv_start(self, buffer, count, type, source, tag, comm, request)
                   : PMPI_Irecv(buffer, count, type, source, tag, handle, request);

    P2P_LEAVE(comm, code, MPI_Irecv);
}
