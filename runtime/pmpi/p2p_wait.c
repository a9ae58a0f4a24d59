/* The calls that wait. MPI_Waitall waits for one stretch of requests after the other, in order: the
 * library is asked about all of a stretch at once, which costs a fraction of asking one by one, and
 * a stretch has a constant length, so the cost is linear. The others look at all.
 *
 * Errors meet the error handler of MPI_COMM_WORLD, as in MPICH, whatever the request's
 * communicator. */
#include "pmpi/p2p.h"
#include "pmpi/p2p_many.h"

FT_EXPORT int MPI_Wait(MPI_Request *handle, MPI_Status *status)
{
    P2P_ENTER(MPI_Wait, (handle, status));
    struct ft_request *request = ft_request_find(self, *handle);
    int code;

    if (ft_unlikely(!request))
        P2P_LEAVE(NULL, PMPI_Wait(handle, status), MPI_Wait);
    p2p_wait(self, request);
    code = ft_request_take(self, request, handle, status);
    P2P_LEAVE(NULL, code, MPI_Wait);
}

#define STRETCH 64 /* requests */

static int wait_all(struct ft_rank *self, int count, MPI_Request handles[], MPI_Status statuses[])
{
    int failed = 0, waited = 0;

    for (int i = 0; i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);
        MPI_Status *status = p2p_status_at(statuses, i);

        if (request && request->state == FT_REQUEST_ACTIVE && i >= waited) {
            waited = count - i < STRETCH ? count : i + STRETCH;
            p2p_many_wait_all(self, waited - i, &handles[i]);
        }
        if (request)
            p2p_wait(self, request);
        p2p_many_take(self, request, &handles[i], statuses, i, &failed);
        if (!request && status != MPI_STATUS_IGNORE)
            ft_status_empty(status);
    }
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

FT_EXPORT int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[])
{
    P2P_ENTER(MPI_Waitall, (count, handles, statuses));
    int code = p2p_many_check(self, count, handles);

    if (code == MPI_SUCCESS)
        code = wait_all(self, count, handles, statuses);
    P2P_LEAVE(NULL, code, MPI_Waitall);
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
