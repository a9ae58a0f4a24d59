/* Completion calls on many requests: the parts that Wait* and Test* have in common. */
#include "pmpi/p2p_many.h"

int p2p_many_check(struct ft_rank *self, int count, const MPI_Request handles[])
{
    MPI_Request stranger;

    if (ft_unlikely(count < 0))
        return MPI_ERR_COUNT;
    for (int i = 0; i < count; i++) {
        stranger = handles[i];
        if (ft_unlikely(!ft_request_find(self, stranger) && stranger != MPI_REQUEST_NULL))
            return PMPI_Wait(&stranger, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

/* The first request that is ready, NULL when none is. pending: is one of those before it? */
static struct ft_request *first_ready(struct ft_rank *self, int count, const MPI_Request handles[],
                                      int *index, int *pending)
{
    *pending = 0;
    for (int i = 0; i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        *index = i;
        if (!request)
            continue;
        if (ft_request_ready(request))
            return request;
        *pending |= ft_request_pending(request);
    }
    return NULL;
}

/* Polls until at least one of the batch has completed, or the rank was at the gate. */
static void batch_wait(struct ft_rank *self, unsigned *polls)
{
    while (!ft_batch_poll(self))
        if (ft_wait_pause(self, polls))
            return;
}

void p2p_many_wait(struct ft_rank *self, int count, const MPI_Request handles[])
{
    unsigned polls = 0;
    int index, pending;

    p2p_many_poll(self, count, handles);
    while (!first_ready(self, count, handles, &index, &pending) && pending) {
        ft_batch_fill(self, count, handles);
        batch_wait(self, &polls);
    }
}

void p2p_many_poll(struct ft_rank *self, int count, const MPI_Request handles[])
{
    ft_batch_fill(self, count, handles);
    ft_batch_poll(self);
}

int p2p_many_ended(struct ft_rank *self, int count, const MPI_Request handles[])
{
    for (int i = 0; i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (request && ft_request_pending(request))
            return 0;
    }
    return 1;
}

int p2p_any_take(struct ft_rank *self, int count, MPI_Request handles[], int *index,
                 MPI_Status *status)
{
    int at = 0, pending;
    struct ft_request *request = first_ready(self, count, handles, &at, &pending);

    *index = request ? at : MPI_UNDEFINED;
    if (!request) {
        if (!pending && status != MPI_STATUS_IGNORE)
            ft_status_empty(status);
        return MPI_SUCCESS;
    }
    return ft_request_take(self, request, &handles[at], status);
}

int p2p_some_take(struct ft_rank *self, int count, MPI_Request handles[], int *found, int indices[],
                  MPI_Status statuses[])
{
    int failed = 0, pending = 0;

    *found = 0;
    for (int i = 0; i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (!request || !ft_request_ready(request)) {
            pending |= request && ft_request_pending(request);
            continue;
        }
        indices[*found] = i;
        p2p_many_take(self, request, &handles[i], statuses, (*found)++, &failed);
    }
    if (*found == 0 && !pending)
        *found = MPI_UNDEFINED;
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}
