/* Which message a trusted receive takes. The drained store is older than what the library holds. */
#include "request/trusted.h"
#include "request/store.h"

/* A receive that ends without the new library has no message of it, and no promise. */
void ft_trusted_forget(struct ft_rank *self)
{
    struct ft_request *request;

    FT_ACTIVE_FOREACH (self->requests, request)
        request->counted = 0;
    ft_notices_forget(self);
}

/* The message of a wildcard receive is known at its end. */
void ft_trusted_posted(struct ft_rank *self, struct ft_request *request)
{
    request->counted = 1;
    if (!ft_is_wild(request->peer, request->tag))
        ft_notice_taken(self, request->comm, request->peer, request->tag, 1);
}

void ft_trusted_ended(struct ft_rank *self, const struct ft_request *request, int cancelled)
{
    int wild = ft_is_wild(request->peer, request->tag);

    if (!request->counted)
        return;
    if (cancelled && !wild)
        ft_notice_taken(self, request->comm, request->peer, request->tag, -1);
    if (!cancelled && wild)
        ft_notice_taken(self, request->comm, request->status.MPI_SOURCE, request->status.MPI_TAG,
                        1);
}

static void turn(struct ft_rank *self)
{
    ft_notices_hear(self);
    if (self->requests->held)
        ft_held_post(self);
}

static uint64_t pending(const struct ft_rank *self)
{
    const struct ft_request *request;
    uint64_t count = 0;

    FT_ACTIVE_FOREACH (self->requests, request)
        count += request->kind == FT_REQUEST_RECV;
    return count;
}

static int promised(const struct ft_rank *self, uint64_t comm, int world, int tag)
{
    const struct ft_request *request;

    FT_ACTIVE_FOREACH (self->requests, request)
        if (request->kind == FT_REQUEST_RECV && request->counted && request->peer >= 0 &&
            request->tag == tag && request->comm->id == comm &&
            request->comm->world[request->peer] == world)
            return 1;
    return 0;
}

void ft_trusted_begin(struct ft_rank *self)
{
    static const struct ft_listener listener = {turn, pending, promised};

    ft_notices_begin(self, &listener);
}

/* Is the place the receive's? In a native run it would have taken a message of an earlier
 * iteration.
 */
static int fits(const struct ft_rank *self, const struct ft_request *request,
                struct ft_pattern_place place)
{
    if (place.pattern != request->place.pattern)
        return 0;
    if (place.iteration < request->place.iteration)
        ft_differs(self, "a trusted receive (--trust) meets a message of an earlier iteration of "
                         "its pattern");
    return place.iteration == request->place.iteration;
}

/* The place of the oldest message of this source. A message that a drain took before its cluster
 * first rolled back has no place, and needs none. */
static int source_fits(struct ft_rank *self, const struct ft_request *request, int source)
{
    const struct ft_drained *drained = ft_drained_match(self, request->comm, source, request->tag);
    struct ft_pattern_place place;

    if (drained)
        return !drained->placed || fits(self, request, drained->place);
    return ft_notice_next(self, request->comm, source, request->tag, &place) &&
           fits(self, request, place);
}

int ft_trusted_source(struct ft_rank *self, const struct ft_request *request)
{
    for (int source = 0; source < request->comm->peers; source++)
        if (source_fits(self, request, source))
            return source;
    return -1;
}
