/* The calls that wait, but for MPI_Waitall (p2p_all.c). Those of many requests look at all.
 *
 * Errors meet the error handler of MPI_COMM_WORLD, as in MPICH, whatever the request's
 * communicator. */
#include "pmpi/p2p.h"
#include "pmpi/p2p_many.h"
#include "request/usual.h"

FT_EXPORT int MPI_Wait(MPI_Request *handle, MPI_Status *status)
{
    P2P_ENTER(MPI_Wait, (handle, status));
    struct ft_request *request = ft_request_find(self, *handle);
    int code;

    if (ft_unlikely(!request))
        P2P_LEAVE(NULL, PMPI_Wait(handle, status), MPI_Wait);
    if (ft_usual_wait(self, request, handle, status))
        return ft_leave(self, MPI_SUCCESS);
    p2p_wait(self, request);
    code = ft_request_take(self, request, handle, status);
    P2P_LEAVE(NULL, code, MPI_Wait);
}

FT_EXPORT int MPI_Waitany(int count, MPI_Request handles[], int *index, MPI_Status *status)
{
    P2P_ENTER(MPI_Waitany, (count, handles, index, status));
    int code = p2p_many_check(self, count, handles);

    if (code != MPI_SUCCESS)
        P2P_LEAVE(NULL, code, MPI_Waitany);
    if (ft_unlikely(self->spbc != NULL)) {
        code = p2p_any_recorded(self, 1, count, handles, index, status);
    } else {
        p2p_many_wait(self, count, handles);
        code = p2p_any_take(self, count, handles, index, status);
    }
    P2P_LEAVE(NULL, code, MPI_Waitany);
}

FT_EXPORT int MPI_Waitsome(int count, MPI_Request handles[], int *found, int indices[],
                           MPI_Status statuses[])
{
    P2P_ENTER(MPI_Waitsome, (count, handles, found, indices, statuses));
    int code = p2p_many_check(self, count, handles);

    if (code == MPI_SUCCESS && ft_unlikely(self->spbc != NULL)) {
        code = p2p_some_recorded(self, 1, count, handles, found, indices, statuses);
    } else if (code == MPI_SUCCESS) {
        p2p_many_wait(self, count, handles);
        code = p2p_some_take(self, count, handles, found, indices, statuses);
    }
    P2P_LEAVE(NULL, code, MPI_Waitsome);
}
