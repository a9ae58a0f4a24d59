/* Invariant: at == recorder->trail; while something may be owed (AGAIN), at <= end ==
 * recorder->trail. The newest marks are in the ring, as far as it goes. A mark is written before
 * the call that made it reaches the library: what others may have heard of is in the ring. */
#include "determinant/trail.h"
#include "determinant/determinant.h"

void ft_trail_start(struct ft_rank *self, uint32_t *ring, uint64_t capacity)
{
    struct ft_trail *trail = ft_image_alloc(sizeof *trail);

    trail->ring = ring;
    trail->capacity = capacity;
    self->spbc->trail = trail;
    ft_trail_restore(self);
}

void ft_trail_restore(struct ft_rank *self)
{
    struct ft_trail *trail = self->spbc->trail;
    uint64_t end = self->recorder->trail;

    if (end < trail->at)
        ft_panic("the recorder counts %llu marks, the image %llu", (unsigned long long)end,
                 (unsigned long long)trail->at);
    trail->end = end;
    trail->flags |= FT_TRAIL_AGAIN;
}

/* A mark may have been made in the life before. Answers whether it was; then it is as it was, as
 * far as that is known. */
static int is_again(struct ft_rank *self, uint64_t at, uint32_t mark, const char *subject)
{
    const struct ft_determinants *determinants = self->spbc->determinants;
    struct ft_trail *trail = self->spbc->trail;

    if (at < trail->end) {
        if (!(trail->flags & FT_TRAIL_BLIND) && trail->end - at <= trail->capacity &&
            trail->ring[at & (trail->capacity - 1)] != mark)
            ft_differs(self, subject);
        return 1;
    }
    if (!determinants->owed)
        trail->flags &= ~(uint32_t)(FT_TRAIL_AGAIN | FT_TRAIL_BLIND);
    else if (!(trail->flags & (FT_TRAIL_LOOSE | FT_TRAIL_BLIND)))
        ft_differs(self, "a poll, choice or clock came before this call, and does not now");
    return 0;
}

void ft_trail_specially(struct ft_rank *self, uint64_t hash, uint64_t alone, const char *subject)
{
    struct ft_trail *trail = self->spbc->trail;
    uint64_t at = trail->at++;

    if (trail->flags & FT_TRAIL_LOOSE)
        trail->sum += ft_trail_mix(0, alone); /* each by itself: their order is open */
    else
        trail->hash = hash;
    if (!(trail->flags & FT_TRAIL_AGAIN) ||
        !is_again(self, at, (uint32_t)(trail->hash >> 32), subject))
        ft_trail_write(self, at, (uint32_t)(trail->hash >> 32));
}

void ft_trail_mark(struct ft_rank *self, uint64_t what, const char *subject)
{
    ft_trail_go(self, what, subject);
}

void ft_trail_loosen(struct ft_rank *self)
{
    self->spbc->trail->flags |= FT_TRAIL_LOOSE;
}

void ft_trail_tighten(struct ft_rank *self)
{
    struct ft_trail *trail = self->spbc->trail;

    trail->flags &= ~(uint32_t)FT_TRAIL_LOOSE;
    trail->hash = ft_trail_mix(trail->hash, trail->sum);
    trail->sum = 0;
}
