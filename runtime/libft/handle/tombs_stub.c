/* tombs_stub: what tests of other rooms have instead of handle/tombs.c and the census. */
#include "handle/handle.h"

/* Communicators live for ever here. */
struct ft_comm *ft_comm_known(struct ft_rank *self, uint64_t id)
{
    struct ft_comm *comm = ft_comm_first(self);

    while (comm && comm->id != id)
        comm = comm->next;
    return comm;
}

uint64_t ft_census_words(const struct ft_rank *self)
{
    (void)self;
    return 0;
}

void ft_census_write(const struct ft_rank *self, void (*put)(void *to, uint64_t word), void *to)
{
    (void)self;
    (void)put;
    (void)to;
}

int ft_tombs_hear(struct ft_rank *self, int world, const uint64_t *said, uint64_t count)
{
    (void)self;
    (void)world;
    (void)said;
    (void)count;
    return 0;
}

void ft_tombs_drop(struct ft_rank *self, void (*gone)(struct ft_rank *, const struct ft_comm *))
{
    (void)self;
    (void)gone;
}
