/* Completion: the one place where a real request ends and its virtual one takes the result over.
 *
 * PMPI_Test of a complete request costs no progress call, so waiting for many requests is a loop
 * over one after the other; the calls that ask "which of them" use PMPI_Testsome on all. */
#include "request/usual.h"
#include "os/os.h"
#include "request/failed.h"
#include "request/foreign.h"
#include "request/general.h"
#include "request/overtake.h"
#include "request/packed.h"
#include "trace/trace.h"

#define DETACHED_FIRST_LOOK 64
#define SPIN_SELDOM 0x3ffu /* about 100 us */
#define SPIN_OFTEN 0xfu

unsigned ft_spin_mask = SPIN_SELDOM;

void ft_spin_tune(const struct ft_rank *self)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) < self->size) {
        ft_spin_mask = SPIN_OFTEN;
        ft_os_slice_shorten();
    } else {
        ft_spin_mask = SPIN_SELDOM;
    }
}

/* Frees all that an ended request keeps. */
static inline void request_let_go(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(request->keep != NULL)) {
        ft_image_free(request->keep);
        request->keep = NULL;
    }
    if (ft_unlikely(request->done != NULL)) {
        request->done(self, request->argument);
        request->done = NULL;
    }
    if (ft_unlikely(request->charge)) {
        if (request->charge > 0)
            self->requests->buffer_used -= request->charge;
        else
            self->requests->copied += request->charge;
        request->charge = 0;
    }
    if (ft_unlikely(request->detached)) {
        self->requests->detached--;
        ft_request_destroy(self, request);
    }
}

void ft_request_complete(struct ft_rank *self, struct ft_request *request, int code)
{
    request->code = code;
    request->state = FT_REQUEST_COMPLETE;
    ft_active_delete(request);
    if (request->kind == FT_REQUEST_RECV) {
        int cancelled = ft_request_cancelled(request);

        if (ft_unlikely(request->keep != NULL) && !cancelled)
            ft_packed_deliver(self, request);
        if (ft_unlikely(self->spbc != NULL))
            ft_recv_count(self, request, cancelled);
        else if (!cancelled)
            ft_count_received(self, request->comm, request->status.MPI_SOURCE);
        if (ft_unlikely(request->traced))
            ft_trace_match(self, request->comm, request->traced, &request->status, cancelled);
    }
    request_let_go(self, request);
}

void ft_request_fail(struct ft_rank *self, struct ft_request *request, int code)
{
    request->code = code;
    request->state = FT_REQUEST_COMPLETE;
    ft_active_delete(request);
    if (request->kind == FT_REQUEST_RECV)
        ft_recv_unnumber(self, request);
    request_let_go(self, request);
}

static inline void request_end(struct ft_rank *self, struct ft_request *request, int code)
{
    if (ft_unlikely(code != MPI_SUCCESS))
        code = ft_death_meet(self, request, code);
    if (ft_unlikely(ft_life.torn) && ft_request_withdraw_late(self, request))
        return;
    if (ft_unlikely(self->spbc != NULL) && ft_recv_keep(self, request, code))
        return;
    ft_request_complete(self, request, code);
}

void ft_request_end(struct ft_rank *self, struct ft_request *request, int code)
{
    request_end(self, request, code);
}

void ft_request_poll(struct ft_rank *self, struct ft_request *request)
{
    int flag = 0, code;

    if (ft_unlikely(request->advance != NULL)) {
        request->advance(self, request);
        return;
    }
    code = ft_library_look(&request->real, &flag, &request->status);
    if (flag || ft_unlikely(code != MPI_SUCCESS))
        request_end(self, request, code);
    ft_streams_turn(self);
}

void ft_request_run(struct ft_rank *self, struct ft_request *request,
                    void (*advance)(struct ft_rank *, struct ft_request *), void *argument)
{
    request->state = FT_REQUEST_ACTIVE;
    request->argument = argument;
    request->advance = advance;
    DL_APPEND(self->requests->running, request);
}

void ft_request_ran(struct ft_rank *self, struct ft_request *request, int code)
{
    request->code = code;
    request->state = FT_REQUEST_COMPLETE;
    request->advance = NULL;
    DL_DELETE(self->requests->running, request);
    if (request->detached) {
        self->requests->detached--;
        ft_request_destroy(self, request);
    }
}

/* Nothing else leaves the list meanwhile: an end only lets others begin. */
int ft_running_advance(struct ft_rank *self)
{
    struct ft_request *request, *next;
    int ended = 0;

    DL_FOREACH_SAFE (self->requests->running, request, next) {
        request->advance(self, request);
        ended += !request->advance;
    }
    return ended;
}

void ft_request_wait(struct ft_rank *self, struct ft_request *request)
{
    unsigned polls = 0;

    for (;;) {
        ft_request_poll(self, request);
        if (request->state != FT_REQUEST_ACTIVE)
            return;
        ft_wait_pause(self, &polls);
        if (request->state != FT_REQUEST_ACTIVE)
            return;
    }
}

/* The status of a receive of a named source, if the library wrote it elsewhere, or nowhere. */
static void status_fill(struct ft_request *request, const MPI_Status *status)
{
    ft_status_empty(&request->status);
    if (status != MPI_STATUS_IGNORE)
        ft_status_copy(&request->status, status);
    request->status.MPI_SOURCE = request->peer;
    if (request->tag != MPI_ANY_TAG)
        request->status.MPI_TAG = request->tag;
}

void ft_receive_end(struct ft_rank *self, struct ft_request *request, const MPI_Status *status,
                    int code)
{
    status_fill(request, status);
    request_end(self, request, code);
}

void ft_direct_request(struct ft_rank *self, const struct ft_direct *direct,
                       struct ft_request *request, const MPI_Status *status)
{
    ft_request_begin(request, FT_REQUEST_RECV, direct->comm, direct->buffer, direct->count,
                     direct->type, direct->source, direct->tag);
    request->real = direct->real;
    request->number = direct->number;
    status_fill(request, status);
    ft_request_activate(self, request);
}

int ft_direct_slowly(struct ft_rank *self, const struct ft_direct *direct, int ended, int code,
                     MPI_Status *status)
{
    struct ft_request request;

    ft_direct_request(self, direct, &request, ended ? status : MPI_STATUS_IGNORE);
    if (ended)
        request_end(self, &request, code);
    if (request.state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, &request);
    if (status != MPI_STATUS_IGNORE)
        ft_status_copy(status, &request.status);
    return request.code;
}

int ft_request_take(struct ft_rank *self, struct ft_request *request, MPI_Request *handle,
                    MPI_Status *status)
{
    int code = ft_request_result(request);

    if (ft_unlikely(code == FT_GENERAL_CODE))
        return ft_general_take(self, request, handle, status);
    if (ft_unlikely(code != MPI_SUCCESS) && ft_ulfm_of(self)) {
        ft_ulfm_of(self)->blamed = request->comm;
        ft_ulfm_of(self)->blamed_code = code;
        if (ft_request_is_parked(request))
            return code;
    }
    if (status != MPI_STATUS_IGNORE) {
        if (request->kind == FT_REQUEST_RECV && request->state == FT_REQUEST_COMPLETE)
            ft_status_copy(status, &request->status);
        else
            ft_status_empty(status);
    }
    if (request->persistent) {
        request->state = FT_REQUEST_INACTIVE;
        if (ft_unlikely(request->restart != NULL))
            ft_request_ended(self, request);
    } else {
        ft_request_destroy(self, request);
        *handle = MPI_REQUEST_NULL;
    }
    return code;
}

/* Detached requests are looked at when their number has doubled: constant cost for each. */
static void detached_poll(struct ft_rank *self)
{
    struct ft_requests *requests = self->requests;
    struct ft_request *request, *next;

    FT_ACTIVE_FOREACH_SAFE (requests, request, next)
        if (request->detached)
            ft_request_poll(self, request);
    requests->detached_limit = 2 * requests->detached + DETACHED_FIRST_LOOK;
}

void ft_request_detach(struct ft_rank *self, struct ft_request *request)
{
    struct ft_requests *requests = self->requests;

    if (request->partner) {
        if (request->partner->done && request->partner->kind == FT_REQUEST_RECV &&
            request->partner->state == FT_REQUEST_ACTIVE)
            ft_request_wait(self, request->partner); /* it is to be delivered into this one */
        ft_request_detach(self, request->partner);
        request->partner = NULL;
    }
    if (request->state != FT_REQUEST_ACTIVE) {
        ft_request_destroy(self, request);
        return;
    }
    request->detached = 1;
    requests->detached++;
    if (request->awaited) /* it may have waited for the program alone */
        ft_request_poll(self, request);
    else if (requests->detached > requests->detached_limit)
        detached_poll(self);
}

static void batch_room(struct ft_batch *batch, int n)
{
    size_t room = 2 * (size_t)n;

    if (ft_likely(n <= batch->room))
        return;
    batch->request = ft_image_realloc(batch->request, room * sizeof *batch->request);
    batch->real = ft_image_realloc(batch->real, room * sizeof *batch->real);
    batch->index = ft_image_realloc(batch->index, room * sizeof *batch->index);
    batch->status = ft_image_realloc(batch->status, room * sizeof *batch->status);
    batch->room = (int)room;
}

/* A collective made of messages is no request of the library. */
static void batch_add(struct ft_batch *batch, struct ft_request *request)
{
    if (!request || request->state != FT_REQUEST_ACTIVE || request->advance)
        return;
    batch->request[batch->count] = request;
    batch->real[batch->count++] = request->real;
}

/* Before the batch is filled, because it ends others. */
static void kept_poll(struct ft_rank *self, int n, const MPI_Request handles[])
{
    for (int i = 0; i < n; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (request && (request->kept || request->awaited))
            ft_request_poll(self, request);
    }
}

void ft_batch_fill(struct ft_rank *self, int n, const MPI_Request handles[])
{
    struct ft_batch *batch = &self->requests->batch;

    if (ft_unlikely(self->requests->kept))
        kept_poll(self, n, handles);
    batch_room(batch, 2 * n);
    batch->count = 0;
    for (int i = 0; i < n; i++) {
        struct ft_request *request = ft_request_find(self, handles[i]);

        if (!request)
            continue;
        batch_add(batch, request);
        batch_add(batch, request->partner);
    }
}

/* Removes the entries whose requests are complete, or kept back: the library has these no more. */
static void batch_shrink(struct ft_batch *batch)
{
    int kept = 0;

    for (int i = 0; i < batch->count; i++) {
        if (batch->request[i]->state != FT_REQUEST_ACTIVE || batch->request[i]->advance)
            continue;
        batch->request[kept] = batch->request[i];
        batch->real[kept++] = batch->real[i];
    }
    batch->count = kept;
}

static int class_of(int code)
{
    int class = code;

    PMPI_Error_class(code, &class);
    return class;
}

int ft_batch_poll(struct ft_rank *self)
{
    struct ft_batch *batch = &self->requests->batch;
    int done = 0, ran = 0, code;

    if (ft_unlikely(self->requests->running != NULL))
        ran = ft_running_advance(self);
    if (batch->count == 0) {
        ft_streams_turn(self);
        return ran;
    }
    code = PMPI_Testsome(batch->count, batch->real, &done, batch->index, batch->status);
    if (code != MPI_SUCCESS && class_of(code) != MPI_ERR_IN_STATUS)
        ft_panic("PMPI_Testsome on %d requests failed with code %d", batch->count, code);
    for (int i = 0; i < done; i++) {
        struct ft_request *request = batch->request[batch->index[i]];

        request->status = batch->status[i];
        request_end(self, request, code == MPI_SUCCESS ? MPI_SUCCESS : batch->status[i].MPI_ERROR);
    }
    if (done > 0)
        batch_shrink(batch);
    else
        ft_streams_turn(self);
    return done > 0 ? done + ran : ran;
}

void ft_requests_look(struct ft_rank *self)
{
    struct ft_request *request, *next;

    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next)
        if (!request->awaited || request->detached) /* nobody asks about the others */
            ft_request_poll(self, request);
}
