/* Tombstones, and when they may go: with --protocol spbc a freed communicator is kept as long as a
 * member may roll back to before its end. Each rank writes beside its image what it has not freed
 * then; once that is its cluster's oldest checkpoint, it will never ask for the others:
 *
 *     a member has freed it for good   its number is below the member's next, and it is not listed
 *     it is forgotten                  all members have, this rank itself among them
 *
 * Whoever has forgotten one knows that all may; so in a census the others learn it (census.c). */
#include <errno.h>
#include <utlist.h>
#include "handle/handles.h"

enum { AT_NEXT, AT_COUNT, AT_LIST };

static int is_open(const struct ft_rank *self, const struct ft_comm *comm)
{
    return ft_comm_is_listed(self, comm) && !ft_comm_is_past(comm) && !comm->ghost;
}

static uint64_t open_count(const struct ft_rank *self)
{
    const struct ft_comm *comm;
    uint64_t count = 0;

    DL_FOREACH (self->handles->comm, comm)
        count += (uint64_t)is_open(self, comm);
    DL_FOREACH (self->handles->births, comm)
        count++;
    return count;
}

uint64_t ft_census_words(const struct ft_rank *self)
{
    return AT_LIST + open_count(self);
}

void ft_census_write(const struct ft_rank *self, void (*put)(void *to, uint64_t word), void *to)
{
    const struct ft_comm *comm;

    put(to, (uint64_t)self->handles->number_next);
    put(to, open_count(self));
    DL_FOREACH (self->handles->comm, comm)
        if (is_open(self, comm))
            put(to, comm->id);
    DL_FOREACH (self->handles->births, comm)
        put(to, comm->id);
}

static int is_among(const int *ranks, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] == rank)
            return 1;
    return 0;
}

static int is_member(const struct ft_comm *comm, int world)
{
    return is_among(comm->local, comm->size, world) ||
           (comm->inter && is_among(comm->world, comm->peers, world));
}

static int has_freed(const struct ft_comm *comm, const uint64_t *words)
{
    if ((uint64_t)comm->number >= words[AT_NEXT])
        return 0;
    for (uint64_t i = 0; i < words[AT_COUNT]; i++)
        if (words[AT_LIST + i] == comm->id)
            return 0;
    return 1;
}

static int is_tomb(const struct ft_rank *self, const struct ft_comm *comm)
{
    return ft_comm_is_listed(self, comm) && ft_comm_is_past(comm);
}

void ft_tombs_begin(struct ft_rank *self)
{
    struct ft_comm *comm;

    DL_FOREACH (self->handles->past, comm)
        comm->heard = 0;
    DL_FOREACH (self->handles->comm, comm)
        comm->heard = 0;
}

int ft_tombs_hear(struct ft_rank *self, int world, const uint64_t *words, uint64_t count)
{
    struct ft_comm *comm;

    if (count < AT_LIST || words[AT_COUNT] != count - AT_LIST)
        return -EBADMSG;
    DL_FOREACH (self->handles->past, comm)
        comm->heard += is_member(comm, world) && has_freed(comm, words);
    DL_FOREACH (self->handles->comm, comm)
        if (is_tomb(self, comm))
            comm->heard += is_member(comm, world) && has_freed(comm, words);
    return 0;
}

static int may_go(const struct ft_comm *comm)
{
    return comm->heard >= ft_comm_members(comm);
}

void ft_tombs_drop(struct ft_rank *self, void (*gone)(struct ft_rank *, const struct ft_comm *))
{
    struct ft_comm *comm, *next;

    DL_FOREACH_SAFE (self->handles->comm, comm, next)
        if (is_tomb(self, comm) && may_go(comm))
            ft_comm_destroy(self, comm); /* this epoch's real one; now it is among the past */
    DL_FOREACH_SAFE (self->handles->past, comm, next) {
        if (!may_go(comm))
            continue;
        gone(self, comm);
        DL_DELETE(self->handles->past, comm);
        ft_comm_discard(comm);
    }
}
