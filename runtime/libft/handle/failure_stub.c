/* For tests of other rooms, which run without --ulfm: nothing of it is ever called. */
#include <stdlib.h>
#include "handle/failure.h"

int ft_any_dead(const struct ft_rank *self, const int *world, int count)
{
    (void)self, (void)world, (void)count;
    abort();
}

int ft_comm_unacknowledged(const struct ft_rank *self, const struct ft_comm *comm)
{
    (void)self, (void)comm;
    abort();
}

int ft_failure_learn(struct ft_rank *self)
{
    (void)self;
    abort();
}

int ft_failure_await(struct ft_rank *self, double seconds)
{
    (void)self, (void)seconds;
    abort();
}

int ft_failure_code(struct ft_rank *self, const struct ft_comm *comm, int code)
{
    (void)self, (void)comm, (void)code;
    abort();
}
