/* The table of virtual requests: entries are allocated in growing chunks and never move, so
 * pointers to them stay valid; free ones form a list. An entry changes its generation when it is
 * freed, so a stale handle finds nothing (until 16 reuses later). */
#include "request/virtual.h"
#include "request/store.h"

#define FIRST_CHUNK 64u
#define HANDLE(generation, index)                                                                  \
    ((MPI_Request)(FT_REQUEST_TOP << 28 | ((generation)&0xfu) << 24 | (index)))

static void table_grow(struct ft_requests *requests)
{
    uint32_t old = requests->capacity, new = old ? 2 * old : FIRST_CHUNK;
    struct ft_request *chunk;

    if (new > FT_REQUEST_INDEX + 1)
        ft_panic("more than %u requests at a time", FT_REQUEST_INDEX + 1);
    chunk = ft_image_alloc((new - old) * sizeof *chunk);
    requests->table = ft_image_realloc(requests->table, new * sizeof *requests->table);
    for (uint32_t i = new; i-- > old;) {
        requests->table[i] = &chunk[i - old];
        chunk[i - old].handle = HANDLE(0u, i);
        LL_PREPEND(requests->free, &chunk[i - old]);
    }
    requests->capacity = new;
}

struct ft_request *ft_request_create(struct ft_rank *self, enum ft_request_kind kind,
                                     struct ft_comm *comm)
{
    struct ft_requests *requests = self->requests;
    struct ft_request *request;

    if (ft_unlikely(!requests->free))
        table_grow(requests);
    request = requests->free;
    requests->free = request->next;
    request->kind = (uint8_t)kind;
    request->state = FT_REQUEST_INACTIVE;
    request->mode = FT_SEND_STANDARD;
    request->persistent = request->detached = request->cancelling = request->matched = 0;
    request->foreign = request->withdrawn = request->given = 0;
    request->unnumbered = request->kept = 0;
    request->outcome = 0;
    request->number = 0;
    request->type = MPI_DATATYPE_NULL;
    request->traced = 0;
    request->comm = comm;
    if (ft_unlikely(kind == FT_REQUEST_COLLECTIVE) && self->spbc)
        self->spbc->open++;
    if (ft_unlikely(comm->handle != MPI_COMM_WORLD))
        ft_comm_hold(self, comm);
    return request;
}

void ft_request_describe(struct ft_rank *self, struct ft_request *request, const void *buffer,
                         int count, MPI_Datatype type, int peer, int tag)
{
    request->buffer = (void *)(uintptr_t)buffer;
    request->count = count;
    request->peer = peer;
    request->tag = tag;
    request->type = type;
    if (ft_unlikely((uint32_t)type >> 24 == FT_TYPE_BYTE))
        ft_type_hold(self, type);
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

void ft_request_destroy(struct ft_rank *self, struct ft_request *request)
{
    struct ft_requests *requests = self->requests;
    uint32_t handle = (uint32_t)request->handle;

    if (ft_unlikely(request->partner != NULL))
        partner_destroy(self, request);
    if (ft_unlikely(request->drained != NULL))
        drained_destroy(request);
    if (ft_unlikely((uint32_t)request->type >> 24 == FT_TYPE_BYTE))
        ft_type_release(self, request->type);
    if (ft_unlikely(request->kind == FT_REQUEST_COLLECTIVE) && self->spbc)
        self->spbc->open--;
    if (ft_unlikely(request->comm->handle != MPI_COMM_WORLD))
        ft_comm_release(self, request->comm);
    request->handle = HANDLE((handle >> 24) + 1, handle & FT_REQUEST_INDEX);
    LL_PREPEND(requests->free, request);
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

void ft_requests_start(struct ft_rank *self)
{
    self->requests = ft_image_alloc(sizeof *self->requests);
    ft_spin_tune(self);
    ft_send_done_learn();
}
