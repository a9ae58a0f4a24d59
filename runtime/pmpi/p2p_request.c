/* Giving requests up: MPI_Request_free and MPI_Cancel. */
#include "pmpi/p2p.h"
#include "request/again.h"

FT_EXPORT int MPI_Request_free(MPI_Request *handle)
{
    P2P_ENTER(MPI_Request_free, (handle));
    struct ft_request *request = ft_request_find(self, *handle);

    if (!request)
        P2P_LEAVE(NULL, PMPI_Request_free(handle), MPI_Request_free);
    request->persistent = 0;
    ft_request_detach(self, request);
    *handle = MPI_REQUEST_NULL;
    return ft_leave(self, MPI_SUCCESS);
}

/* Only a receive that the library may still match can be cancelled. A send answers "not cancelled"
 * without asking the library, which may never answer; what is complete stays complete. */
static int request_cancel(struct ft_rank *self, struct ft_request *request)
{
    if (request->state == FT_REQUEST_INACTIVE || request->kind == FT_REQUEST_COLLECTIVE)
        return MPI_ERR_REQUEST;
    if (request->kind != FT_REQUEST_RECV || request->matched || request->partner)
        return MPI_SUCCESS;
    if (ft_unlikely(self->spbc != NULL))
        return ft_recv_cancel(self, request);
    if (request->state != FT_REQUEST_ACTIVE)
        return MPI_SUCCESS;
    request->cancelling = 1;
    return PMPI_Cancel(&request->real);
}

FT_EXPORT int MPI_Cancel(MPI_Request *handle)
{
    P2P_ENTER(MPI_Cancel, (handle));
    struct ft_request *request = ft_request_find(self, *handle);
    int code = request ? request_cancel(self, request) : PMPI_Cancel(handle);

    P2P_LEAVE(request ? request->comm : NULL, code, MPI_Cancel);
}
