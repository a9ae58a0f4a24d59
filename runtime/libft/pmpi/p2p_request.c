/* Giving requests up: MPI_Request_free and MPI_Cancel. */
#include "pmpi/p2p.h"
#include "request/again.h"
#include "request/failed.h"
#include "request/general.h"

FT_EXPORT int MPI_Request_free(MPI_Request *handle)
{
    P2P_ENTER(MPI_Request_free, (handle));
    struct ft_request *request = ft_request_find(self, *handle);

    if (!request)
        P2P_LEAVE(NULL, PMPI_Request_free(handle), MPI_Request_free);
    request->persistent = 0;
    if (ft_unlikely(request->kind == FT_REQUEST_GENERAL))
        ft_general_detach(self, request);
    else
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
    if (request->kind == FT_REQUEST_GENERAL)
        return ft_general_cancel(self, request);
    if (request->kind != FT_REQUEST_RECV || request->matched || request->partner)
        return MPI_SUCCESS;
    if (ft_unlikely(ft_request_is_parked(request))) {
        ft_failed_cancel(request);
        return MPI_SUCCESS;
    }
    if (ft_unlikely(ft_life.pair != NULL))
        ft_refuse("MPI_Cancel", (const void *)(uintptr_t)self->recorder->site,
                  "the copies of a rank (--replicas) could not agree on whether the receive got a "
                  "message: leave --replicas out for this program");
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
