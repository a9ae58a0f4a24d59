/* For unit tests of other rooms: no plan names any point. */
#include "process.h"

uint8_t ft_fault_armed[FT_POINTS];
uint8_t ft_fault_pending;

void ft_fault_moment(struct ft_rank *self, enum ft_moment moment)
{
    (void)self;
    (void)moment;
}

void ft_leave_slowly(struct ft_rank *self)
{
    (void)self;
}

void ft_block_slowly(struct ft_rank *self)
{
    (void)self;
}

void ft_unblock_slowly(struct ft_rank *self)
{
    (void)self;
}

uint32_t ft_fault_meet(enum ft_point point, int64_t argument)
{
    (void)point;
    (void)argument;
    return 0;
}
