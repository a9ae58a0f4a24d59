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

    if (ft_life.pair && end < trail->at) { /* the image is of the rank's other copy */
        end = trail->at; /* whoever sees the new end sees that marks before it are not there */
        __atomic_store_n(&self->recorder->trail_from, end, __ATOMIC_RELEASE);
        __atomic_store_n(&self->recorder->trail, end, __ATOMIC_RELEASE);
    }
    if (end < trail->at)
        ft_panic("the recorder counts %llu marks, the image %llu", (unsigned long long)end,
                 (unsigned long long)trail->at);
    trail->end = end;
    trail->flags |= FT_TRAIL_AGAIN;
    if (!ft_life.pair)
        trail->flags &= ~(uint32_t)FT_TRAIL_PAIR;
    else if (!trail->compared++) /* in the first life */
        trail->flags |= FT_TRAIL_PAIR;
    if (trail->compared < trail->at)
        trail->compared = trail->at;
}

enum { FT_TRAIL_ASKS = 64 }; /* for a checkpoint, in one turn of the ring */

enum {
    APART = 64
}; /* marks that are compared together: looking at the other's recorder costs a miss */

/* Compares marks that both copies have made. Each looks when it has made its own, so the second one
 * finds what differs, at this call or a few behind it. */
static void pair_compare(struct ft_rank *self)
{
    struct ft_trail *trail = self->spbc->trail;
    const uint32_t *other =
        (const uint32_t *)((const char *)ft_life.twin + FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES);
    uint64_t end;

    if (trail->at < trail->compared + APART && !ft_life.boot.compare)
        return;
    end = __atomic_load_n(&ft_life.twin->trail, __ATOMIC_ACQUIRE);
    if (end > trail->compared +
                  trail->capacity) /* what lies before is overwritten; a mark holds all before it */
        trail->compared = end - trail->capacity + APART;
    if (trail->compared < ft_life.twin->trail_from)
        trail->compared = ft_life.twin->trail_from;
    if (trail->compared < self->recorder->trail_from)
        trail->compared = self->recorder->trail_from;
    if (end > trail->at)
        end = trail->at;
    for (; trail->compared < end; trail->compared++)
        if (trail->ring[trail->compared & (trail->capacity - 1)] !=
            other[trail->compared & (trail->capacity - 1)])
            ft_differs(
                self, "the two copies of this rank do not do the same, here or a few calls before");
}

/* A mark may have been made in the life before. Answers whether it was; then it is as it was, as
 * far as that is known. */
static int is_again(struct ft_rank *self, uint64_t at, uint32_t mark, const char *subject)
{
    const struct ft_determinants *determinants = self->spbc->determinants;
    struct ft_trail *trail = self->spbc->trail;

    if (at < trail->end) {
        if (trail->end - at <= trail->capacity && at >= self->recorder->trail_from &&
            trail->ring[at & (trail->capacity - 1)] != mark)
            ft_differs(self, subject);
        return 1;
    }
    if (!determinants->owed || ft_life.pair || ft_life.boot.unmarked)
        /* outcomes of the other copy, or of a life whose marks were lost, may be of later calls */
        trail->flags &= ~(uint32_t)FT_TRAIL_AGAIN;
    else if (!(trail->flags & FT_TRAIL_LOOSE))
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
    if (trail->flags & FT_TRAIL_PAIR)
        pair_compare(self);
}

void ft_trail_mark(struct ft_rank *self, uint64_t what, const char *subject)
{
    ft_trail_go(self, what, subject);
}

int ft_trail_is_next(const struct ft_rank *self, uint64_t what)
{
    const struct ft_spbc *spbc = self->spbc;
    const struct ft_trail *trail = spbc->trail;
    uint64_t hash = ft_trail_mix(trail->hash, ft_unlikely(spbc->open) ? what : what + spbc->told);

    if (trail->end - trail->at > trail->capacity)
        ft_panic("%llu calls were made since the checkpoint, and %llu are known: take checkpoints "
                 "more often (--checkpoint-interval), or use --trust none",
                 (unsigned long long)(trail->end - trail->at), (unsigned long long)trail->capacity);
    return trail->ring[trail->at & (trail->capacity - 1)] == (uint32_t)(hash >> 32);
}

void ft_trail_found(struct ft_rank *self, uint64_t what)
{
    const struct ft_trail *trail = self->spbc->trail;

    if (ft_unlikely(trail->at - trail->closed > trail->capacity / 5 * 2) &&
        trail->at % (trail->capacity / FT_TRAIL_ASKS) == 0)
        ft_determinants_ask();
    ft_trail_go(self, what, "a probe, a test or a choice found something else here before");
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
