/* Invariant: while FT_NOTED_MARK is clear, every rank has taken as many images as this one, and no
 * new message of this rank has to wait. */
#include "stream/marks.h"

static uint32_t passed_by(int rank)
{
    return __atomic_load_n(&ft_life.marks->of_rank[rank].passed, __ATOMIC_ACQUIRE);
}

/* Have all others taken that image, too? */
static int all_passed(const struct ft_rank *self, uint32_t own)
{
    for (int i = 0; i < self->size; i++)
        if (passed_by(i) < own)
            return 0;
    return 1;
}

void ft_marks_pass(struct ft_rank *self, uint32_t checkpoint)
{
    if (!ft_life.marks)
        return;
    self->spbc->noted |= FT_NOTED_MARK;
    __atomic_store_n(&ft_life.marks->of_rank[self->rank].passed, checkpoint + 1, __ATOMIC_RELEASE);
}

int ft_marks_hold(struct ft_rank *self, int world)
{
    uint32_t own;

    if (ft_likely(!(self->spbc->noted & FT_NOTED_MARK)))
        return 0;
    own = passed_by(self->rank);
    if (passed_by(world) < own)
        return 1;
    if (all_passed(self, own))
        self->spbc->noted &= ~(uint32_t)FT_NOTED_MARK;
    return 0;
}
