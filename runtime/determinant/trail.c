/* Invariant: at == recorder->trail; while something may be owed (AGAIN), at <= end ==
 * recorder->trail. The newest marks are in the ring, as far as it goes. A mark is written before
 * the call that made it reaches the library: what others may have heard of is in the ring. */
#include "determinant/trail.h"
#include "determinant/determinant.h"
#include "handle/handle.h"

/* Factors of what is added up; the products do not wait for each other. */
#define ODD_COMM 0x9e3779b97f4a7c15u
#define ODD_CALL 0xc2b2ae3d27d4eb4fu
#define ODD_PEER 0xd6e8feb86659fd93u
#define ODD_COUNT 0xa0761d6478bd642fu
#define ODD_TOLD 0xe7037ed1a0b428dbu

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
        if (trail->end - at <= trail->capacity && trail->ring[at & (trail->capacity - 1)] != mark)
            ft_differs(self, subject);
        return 1;
    }
    if (determinants->at == determinants->end)
        trail->flags &= ~(uint32_t)FT_TRAIL_AGAIN;
    else if (!(trail->flags & FT_TRAIL_LOOSE))
        ft_differs(self, "a poll, choice or clock came before this call, and does not now");
    return 0;
}

static inline void mark_write(struct ft_rank *self, uint64_t at, uint32_t mark)
{
    const struct ft_trail *trail = self->spbc->trail;

    trail->ring[at & (trail->capacity - 1)] = mark;
    __atomic_store_n(&self->recorder->trail, at + 1, __ATOMIC_RELEASE);
}

/* With flags. hash: what it would be without; alone: `what` without the messages of collectives. */
__attribute__((noinline)) static void mark_specially(struct ft_rank *self, uint64_t hash,
                                                     uint64_t alone, const char *subject)
{
    struct ft_trail *trail = self->spbc->trail;
    uint64_t at = trail->at++;

    if (trail->flags & FT_TRAIL_LOOSE)
        trail->sum += ft_trail_mix(ODD_TOLD, alone);
    else
        trail->hash = hash;
    if (!(trail->flags & FT_TRAIL_AGAIN) ||
        !is_again(self, at, (uint32_t)(trail->hash >> 32), subject))
        mark_write(self, at, (uint32_t)(trail->hash >> 32));
}

static inline void mark_make(struct ft_rank *self, uint64_t what, const char *subject)
{
    const struct ft_spbc *spbc = self->spbc;
    struct ft_trail *trail = spbc->trail;
    uint64_t hash = ft_trail_mix(trail->hash, spbc->open ? what : what + spbc->told * ODD_TOLD);

    if (ft_unlikely(trail->flags)) {
        mark_specially(self, hash, what, subject);
        return;
    }
    trail->hash = hash;
    mark_write(self, trail->at++, (uint32_t)(hash >> 32));
}

void ft_trail_mark(struct ft_rank *self, uint64_t what, const char *subject)
{
    mark_make(self, what, subject);
}

void ft_trail_call(struct ft_rank *self, uint64_t comm, int peer, int tag, int64_t count, int type)
{
    uint32_t kind = (uint32_t)type >> 24 == FT_TYPE_BYTE ? 0 : (uint32_t)type;
    uint64_t what = comm * ODD_COMM + self->recorder->call * ODD_CALL;

    what += ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) * ODD_PEER;
    what += ((uint64_t)count << 32 | kind) * ODD_COUNT;
    mark_make(self, what,
              "another call stood here, or this one had other arguments, or a collective "
              "before it sent something else");
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
