/* The table of virtual requests: entries are allocated in growing chunks and never move, so
 * pointers to them stay valid; free ones form a list. */
#include <assert.h>
#include "request/virtual.h"
#include "request/store.h"

#define FIRST_CHUNK 64u

void ft_requests_grow(struct ft_requests *requests)
{
    uint32_t old = requests->capacity, new = old ? 2 * old : FIRST_CHUNK;
    struct ft_request *chunk;

    if (new > FT_REQUEST_INDEX + 1)
        ft_panic("more than %u requests at a time", FT_REQUEST_INDEX + 1);
    chunk = ft_image_alloc((new - old) * sizeof *chunk);
    requests->table = ft_image_realloc(requests->table, new * sizeof *requests->table);
    for (uint32_t i = new; i-- > old;) {
        requests->table[i] = &chunk[i - old];
        chunk[i - old].handle = ft_request_handle(i);
        LL_PREPEND(requests->free, &chunk[i - old]);
    }
    requests->capacity = new;
}

static void partner_destroy(struct ft_rank *self, struct ft_request *request)
{
    ft_request_destroy(self, request->partner);
    request->partner = NULL;
}

static void drained_destroy(struct ft_request *request)
{
    ft_image_free(request->drained);
    request->drained = NULL;
}

static void restart_destroy(struct ft_rank *self, struct ft_request *request)
{
    struct ft_restart *restart = request->restart;

    for (int i = 0; i < restart->count; i++) {
        ft_type_release(self, ft_handle_of(MPI_Datatype, restart->handle[i]));
        ft_op_release(self, ft_handle_of(MPI_Op, restart->handle[i]));
    }
    request->restart = NULL;
    restart->drop(self, restart->comm);
    ft_image_free(restart->given);
    ft_image_free(restart);
}

void ft_request_ended(struct ft_rank *self, struct ft_request *request)
{
    if (request->partner)
        partner_destroy(self, request);
}

void ft_request_release(struct ft_rank *self, struct ft_request *request)
{
    if (request->restart)
        restart_destroy(self, request);
    if (request->partner)
        partner_destroy(self, request);
    if (request->drained)
        drained_destroy(request);
    if (ft_handle_bits(request->type) >> 24 == FT_TYPE_BYTE)
        ft_type_release(self, request->type);
    if (request->kind == FT_REQUEST_COLLECTIVE && self->spbc)
        self->spbc->open--;
    if (request->comm->handle != MPI_COMM_WORLD)
        ft_comm_release(self, request->comm);
}

MPI_Request ft_request_collective(struct ft_rank *self, MPI_Request real, struct ft_comm *comm,
                                  void *keep, void (*done)(struct ft_rank *, void *),
                                  void *argument)
{
    struct ft_request *request = ft_request_create(self, FT_REQUEST_COLLECTIVE, comm);

    request->real = real;
    request->keep = keep;
    request->done = done;
    request->argument = argument;
    ft_request_activate(self, request);
    return request->handle;
}

MPI_Request ft_request_done(struct ft_rank *self, const MPI_Status *status)
{
    struct ft_request *request =
        ft_request_create(self, FT_REQUEST_RECV, ft_comm_find(self, MPI_COMM_WORLD));

    request->status = *status;
    request->code = MPI_SUCCESS;
    request->state = FT_REQUEST_COMPLETE;
    return request->handle;
}

/* The table's first entry. */
static void sent_create(struct ft_rank *self)
{
    struct ft_request *request =
        ft_request_create(self, FT_REQUEST_SEND, ft_comm_find(self, MPI_COMM_WORLD));

    assert(request->handle == FT_REQUEST_SENT);
    request->code = MPI_SUCCESS;
    request->state = FT_REQUEST_COMPLETE;
}

void ft_requests_start(struct ft_rank *self)
{
    self->requests = ft_image_alloc(sizeof *self->requests);
    self->requests->active.next = self->requests->active.prev = &self->requests->active;
    sent_create(self);
    ft_send_done_learn();
}
