/* A receive that is kept back is on the active list, in its place; it has no real request, and an
 * `advance` that asks the library about those before it. Its message, if of the own cluster, is
 * counted, so that a drain sees its stream whole. Invariant: requests->kept of them are there. */
#include <string.h>

#include "request/overtake.h"
#include "handle/pack.h"
#include "request/again.h"
#include "request/foreign.h"
#include "request/store.h"

static int could_take(const struct ft_request *first, const struct ft_comm *comm, int source,
                      int tag)
{
    return first->unnumbered && first->comm == comm &&
           (first->peer == MPI_ANY_SOURCE || first->peer == source) &&
           (first->tag == MPI_ANY_TAG || first->tag == tag);
}

struct ft_request *ft_overtaken_search(const struct ft_rank *self, const struct ft_comm *comm,
                                       int source, int tag, const struct ft_request *before)
{
    struct ft_request *first;

    FT_ACTIVE_FOREACH (self->requests, first) {
        if (first == before)
            return NULL;
        if (could_take(first, comm, source, tag))
            return first;
    }
    return NULL;
}

static struct ft_request *overtaken_by(const struct ft_rank *self, const struct ft_request *request)
{
    return ft_overtaken(self, request->comm, request->status.MPI_SOURCE, request->status.MPI_TAG,
                        request);
}

static void kept_complete(struct ft_rank *self, struct ft_request *request)
{
    request->advance = NULL;
    ft_request_complete(self, request, request->code);
}

int ft_kept_end(struct ft_rank *self, struct ft_request *request)
{
    if (overtaken_by(self, request))
        return 0;
    kept_complete(self, request);
    return 1;
}

/* Those before it may be kept back themselves. */
static void kept_turn(struct ft_rank *self, struct ft_request *request)
{
    struct ft_request *first, *asked = NULL;

    while ((first = overtaken_by(self, request)) && first != asked) {
        ft_request_poll(self, first);
        asked = first;
    }
    if (!first)
        kept_complete(self, request);
}

static void keep(struct ft_rank *self, struct ft_request *request, int code)
{
    request->code = code;
    request->real = MPI_REQUEST_NULL;
    request->advance = kept_turn;
    request->kept = 1;
    self->requests->kept++;
}

int ft_recv_keep_search(struct ft_rank *self, struct ft_request *request, int code)
{
    if (request->kind != FT_REQUEST_RECV || request->matched || ft_request_cancelled(request) ||
        !overtaken_by(self, request))
        return 0;
    keep(self, request, code);
    if (!ft_stream_foreign(self, request->comm, request->status.MPI_SOURCE))
        ft_count_received(self, request->comm, request->status.MPI_SOURCE);
    return 1;
}

void ft_recv_keep_stored(struct ft_rank *self, struct ft_request *request)
{
    if (!ft_overtaken(self, request->comm, request->status.MPI_SOURCE, request->status.MPI_TAG,
                      NULL))
        return;
    ft_recv_number(self, request);
    ft_request_activate(self, request);
    keep(self, request, request->code);
}

int ft_probe_overtakes(struct ft_rank *self, const struct ft_comm *comm, const MPI_Status *found)
{
    struct ft_request *first = ft_overtaken(self, comm, found->MPI_SOURCE, found->MPI_TAG, NULL);

    if (first)
        ft_request_poll(self, first);
    return first != NULL || ft_held_wants(self, comm, found->MPI_TAG);
}

static int is_kept_own(const struct ft_rank *self, const struct ft_request *request)
{
    return request->kept && !ft_stream_foreign(self, request->comm, request->status.MPI_SOURCE);
}

/* Is there a message of the same rank, with another tag, that the store has or will have? */
static int is_among_others(const struct ft_rank *self, const struct ft_request *kept)
{
    const MPI_Status *status = &kept->status;
    const struct ft_drained *drained;
    const struct ft_request *other;

    DL_FOREACH (self->requests->drained, drained)
        if (drained->comm == kept->comm->id && drained->source == status->MPI_SOURCE &&
            drained->tag != status->MPI_TAG)
            return 1;
    FT_ACTIVE_FOREACH (self->requests, other)
        if (is_kept_own(self, other) && other->comm == kept->comm &&
            other->status.MPI_SOURCE == status->MPI_SOURCE &&
            other->status.MPI_TAG != status->MPI_TAG)
            return 1;
    return 0;
}

/* Could a receive of any tag take its message? */
static int is_open_to_any(const struct ft_rank *self, const struct ft_request *kept)
{
    const struct ft_request *other;

    FT_ACTIVE_FOREACH (self->requests, other)
        if (other->kind == FT_REQUEST_RECV && other->tag == MPI_ANY_TAG &&
            other->comm == kept->comm &&
            (other->peer == MPI_ANY_SOURCE || other->peer == kept->status.MPI_SOURCE))
            return 1;
    return 0;
}

const char *ft_requests_obstacle(const struct ft_rank *self)
{
    const struct ft_request *kept;

    if (ft_likely(self->requests->kept == 0))
        return NULL;
    FT_ACTIVE_FOREACH (self->requests, kept)
        if (is_kept_own(self, kept) && is_open_to_any(self, kept) && is_among_others(self, kept))
            return "a receive of any tag is pending, and in which order messages of several tags "
                   "were sent to it is not known";
    return NULL;
}

/* Packs the elements of its buffer that its message reaches into. */
static void pack_buffer(struct ft_rank *self, const struct ft_request *request,
                        struct ft_drained *drained)
{
    MPI_Datatype real = ft_type_real(self, request->type);
    MPI_Count size = 1, reached, used = 0;
    char *packed;
    int code = PMPI_Type_size_x(real, &size);

    if (drained->bytes == 0)
        return;
    reached = (drained->bytes + size - 1) / size;
    packed = ft_image_alloc((size_t)(reached * size));
    if (code == MPI_SUCCESS)
        code =
            ft_pack(request->buffer, reached, real, packed, reached * size, &used, MPI_COMM_SELF);
    if (code != MPI_SUCCESS)
        ft_panic("a received message cannot be packed, code %d", code);
    memcpy(drained->data, packed, (size_t)drained->bytes);
    ft_image_free(packed);
}

static struct ft_drained *drained_of(struct ft_rank *self, const struct ft_request *request)
{
    struct ft_drained *drained = ft_drained_create(request->comm, &request->status);

    if (request->keep)
        memcpy(drained->data, request->keep, (size_t)drained->bytes);
    else
        pack_buffer(self, request, drained);
    return drained;
}

/* One that was truncated has its message no more: it ends now. */
static void kept_return(struct ft_rank *self, struct ft_request *request, struct ft_drained **store)
{
    int foreign = ft_stream_foreign(self, request->comm, request->status.MPI_SOURCE);

    if (!foreign && request->code != MPI_SUCCESS) {
        kept_complete(self, request);
        return;
    }
    if (!foreign) {
        struct ft_drained *drained = drained_of(self, request);

        DL_APPEND(*store, drained);
        self->requests->drained_count++;
    }
    request->advance = NULL;
    request->kept = 0;
    self->requests->kept--;
}

/* A received message is older than those that the drain found unexpected. */
void ft_kept_rebuild(struct ft_rank *self)
{
    struct ft_request *request, *next;
    struct ft_drained *store = NULL;

    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next)
        if (request->kept)
            kept_return(self, request, &store);
    DL_CONCAT(store, self->requests->drained);
    self->requests->drained = store;
}

int ft_kept_take(struct ft_rank *self, struct ft_request *request)
{
    struct ft_drained *drained = NULL;
    int code;

    if (self->requests->drained_count && !request->matched)
        drained = ft_drained_match(self, request->comm, request->peer, request->tag);
    if (!drained)
        return 0;
    ft_drained_take(self, drained);
    ft_image_free(request->keep);
    request->keep = NULL;
    code = ft_drained_deliver(self, drained, request->buffer, request->count, request->type,
                              &request->status);
    keep(self, request, code); /* its message is counted */
    kept_complete(self, request);
    return 1;
}
