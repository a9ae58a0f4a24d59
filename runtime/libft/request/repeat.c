/* Invariant: the trail has a mark for each outcome of belief TRAIL that found something, and the
 * ring has it as long as an image may be taken up that is older. */
#include "request/repeat.h"

#include "pattern/pattern.h"
#include "request/again.h"
#include "stream/contents.h"

/* So many polls in a row that find nothing, while something was found before, are no loop that
 * counts to some number: half a minute. */
#define FOR_EVER (1u << 28)

enum ft_belief ft_repeat_belief_of(struct ft_rank *self)
{
    struct ft_determinants *all = self->spbc->determinants;
    int proved = !self->spbc->ulfm && !ft_life.pair && ft_trust_poll(self->mark);

    if (self->spbc->trail->flags & FT_TRAIL_LOOSE) {
        ft_determinant_passed_end(self);
        return proved ? FT_BELIEF_ANEW : FT_BELIEF_NONE;
    }
    if (proved && !all->mixed)
        return FT_BELIEF_TRAIL;
    if (!all->mixed)
        ft_determinant_passed_end(self);
    all->mixed = 1;
    return FT_BELIEF_NONE;
}

enum ft_repeat ft_repeat_look(struct ft_rank *self)
{
    if (ft_determinant_passed(self))
        return FT_REPEAT_NOTHING;
    return ft_trail_repeats(self) ? FT_REPEAT_MARK : FT_REPEAT_ASK;
}

void ft_repeat_nothing(struct ft_rank *self)
{
    static uint64_t at;
    static uint32_t polls;

    if (at != self->spbc->trail->at)
        polls = 0;
    at = self->spbc->trail->at;
    if (++polls == FOR_EVER)
        ft_differs(self, "a loop polls for ever that found something before");
    if (self->requests->held)
        ft_held_post(self);
    ft_running_turn(self);
}

/* The mark of an outcome. */
static uint64_t outcome_of(const struct ft_rank *self, uint64_t name, int a, int b)
{
    uint64_t found = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    uint64_t call = (uint64_t)self->mark << 32 ^ name;

    return ft_trail_fold(found ^ 0xa0761d6478bd642fu, call ^ 0xc2b2ae3d27d4eb4fu);
}

int ft_repeat_is_next(const struct ft_rank *self, uint64_t name, int a, int b)
{
    return ft_trail_is_next(self, outcome_of(self, name, a, b));
}

void ft_repeat_found(struct ft_rank *self, uint64_t name, int a, int b)
{
    ft_contents_believe(self, self->mark);
    ft_trail_found(self, outcome_of(self, name, a, b));
}

int ft_repeat_flag(struct ft_rank *self, uint64_t name, int *flag)
{
    enum ft_repeat how = ft_repeat_look(self);

    if (ft_likely(how == FT_REPEAT_ASK))
        return 0;
    *flag = how == FT_REPEAT_MARK && ft_repeat_is_next(self, name, 0, 0);
    if (!*flag)
        ft_repeat_nothing(self);
    return 1;
}
