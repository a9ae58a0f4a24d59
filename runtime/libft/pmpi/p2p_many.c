/* Completion calls on many requests: the parts that Wait* and Test* have in common. */
#include "pmpi/p2p_many.h"
#include "trace/trace.h"

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

/* Polls until at least one of the batch has completed, or the rank was at the gate. once: one may
 * end, or have ended, that is none of the batch. */
static void batch_wait(struct ft_rank *self, int once, unsigned *polls)
{
    while (!ft_batch_poll(self))
        if (ft_wait_pause(self, polls) || once)
            return;
}

/* A verification sometimes waits until more than one has completed. */
__attribute__((noinline)) static void linger(struct ft_rank *self, int count,
                                             const MPI_Request handles[])
{
    for (int looks = ft_trace_linger(self); looks > 0; looks--) {
        ft_trace_nap(self);
        ft_batch_fill(self, count, handles);
        ft_batch_poll(self);
    }
}

void p2p_many_wait(struct ft_rank *self, int count, const MPI_Request handles[])
{
    unsigned polls = 0;
    int index, pending;

    if (ft_unlikely(self->trace != NULL))
        p2p_many_poll(self, count, handles);
    while (!first_ready(self, count, handles, &index, &pending) && pending) {
        int once = self->requests->kept != 0; /* only ft_batch_fill asks about these */

        ft_batch_fill(self, count, handles);
        batch_wait(self, once, &polls);
    }
    if (ft_unlikely(self->trace != NULL))
        linger(self, count, handles);
}

void p2p_many_poll(struct ft_rank *self, int count, const MPI_Request handles[])
{
    if (ft_unlikely(self->trace != NULL) && ft_trace_skips(self))
        return;
    ft_batch_fill(self, count, handles);
    ft_batch_poll(self);
}

int p2p_many_ready(struct ft_rank *self, int count, const MPI_Request handles[])
{
    int index, pending;

    return first_ready(self, count, handles, &index, &pending) != NULL;
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

static int count_ready(struct ft_rank *self, int count, const MPI_Request handles[])
{
    int ready = 0;

    for (int i = 0; i < count; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        ready += request && ft_request_ready(request);
    }
    return ready;
}

/* In a verification, any of those that are ready: skips some, and writes the choice down. */
__attribute__((noinline)) static struct ft_request *choose_ready(struct ft_rank *self, int count,
                                                                 const MPI_Request handles[],
                                                                 struct ft_request *first,
                                                                 int *index)
{
    int ready = count_ready(self, count, handles);
    int skip = ready > 1 ? ft_trace_pick(self, ready) : 0;

    for (int i = *index; skip > 0; i++) {
        struct ft_request *request = ft_request_find(self, handles[i + 1]);

        if (!request || !ft_request_ready(request))
            continue;
        first = request;
        *index = i + 1;
        skip--;
    }
    ft_trace_choice(self, first != NULL, *index, 0);
    return first;
}

int p2p_any_take(struct ft_rank *self, int count, MPI_Request handles[], int *index,
                 MPI_Status *status)
{
    int at = 0, pending;
    struct ft_request *request = first_ready(self, count, handles, &at, &pending);

    if (ft_unlikely(self->trace != NULL))
        request = choose_ready(self, count, handles, request, &at);
    *index = request ? at : MPI_UNDEFINED;
    if (!request) {
        if (!pending && status != MPI_STATUS_IGNORE)
            ft_status_empty(status);
        return MPI_SUCCESS;
    }
    return ft_request_take(self, request, &handles[at], status);
}

/* In a verification, some of those that are ready, in another order. */
__attribute__((noinline)) static void
choose_some(struct ft_rank *self, int count, const MPI_Request handles[], int *first, int *limit)
{
    int ready = count_ready(self, count, handles);

    if (ready < 2)
        return;
    *first = ft_trace_pick(self, count);
    *limit = ready - ft_trace_pick(self, ready);
}

static void note_some(struct ft_rank *self, int found, const int indices[])
{
    uint64_t hash = 0;

    for (int i = 0; i < found; i++)
        hash = (hash + (uint64_t)indices[i] + 1) * 0x9e3779b97f4a7c15u;
    ft_trace_choice(self, found, found ? indices[0] : 0, hash);
}

int p2p_some_take(struct ft_rank *self, int count, MPI_Request handles[], int *found, int indices[],
                  MPI_Status statuses[])
{
    int failed = 0, pending = 0, limit = count, first = 0;

    *found = 0;
    if (ft_unlikely(self->trace != NULL))
        choose_some(self, count, handles, &first, &limit);
    for (int n = 0; n < count && *found < limit; n++) {
        int i = n + first < count ? n + first : n + first - count;
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (!request || !ft_request_ready(request)) {
            pending |= request && ft_request_pending(request);
            continue;
        }
        indices[*found] = i;
        p2p_many_take(self, request, &handles[i], statuses, (*found)++, &failed);
    }
    if (ft_unlikely(self->trace != NULL))
        note_some(self, *found, indices);
    if (*found == 0 && !pending)
        *found = MPI_UNDEFINED;
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}
