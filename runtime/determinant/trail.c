/* Invariant: at <= end == recorder->trail; the newest min(end, capacity) marks are in the ring. A
 * mark is written before the call that made it reaches the library: what others may have heard of
 * is in the ring. */
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

    if (end < trail->end)
        ft_panic("the recorder counts %llu marks, the image %llu", (unsigned long long)end,
                 (unsigned long long)trail->end);
    trail->end = end;
}

/* Does the mark agree with the one that the life before made here, as far as it is known? */
static int agrees(const struct ft_trail *trail, uint32_t mark, uint32_t before)
{
    return trail->end - trail->at > trail->capacity || mark == before;
}

void ft_trail_mark(struct ft_rank *self, uint64_t what, const char *subject)
{
    const struct ft_spbc *spbc = self->spbc;
    struct ft_trail *trail = spbc->trail;
    uint32_t *place = &trail->ring[trail->at & (trail->capacity - 1)], mark;

    trail->hash = ft_trail_mix(trail->hash, spbc->open ? what : what + spbc->told * ODD_TOLD);
    mark = (uint32_t)(trail->hash >> 32);
    if (ft_unlikely(trail->at != trail->end)) {
        if (!agrees(trail, mark, *place))
            ft_differs(self, subject);
        trail->at++;
        return;
    }
    if (ft_unlikely(spbc->determinants->at != spbc->determinants->end))
        ft_differs(self, "a poll, choice or clock came before this call, and does not now");
    *place = mark;
    trail->end = ++trail->at;
    __atomic_store_n(&self->recorder->trail, trail->at, __ATOMIC_RELEASE);
}

void ft_trail_call(struct ft_rank *self, uint64_t comm, int peer, int tag, int64_t count, int type)
{
    uint32_t kind = (uint32_t)type >> 24 == FT_TYPE_BYTE ? 0 : (uint32_t)type;
    uint64_t what = comm * ODD_COMM + self->recorder->call * ODD_CALL;

    what += ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) * ODD_PEER;
    what += ((uint64_t)count << 32 | kind) * ODD_COUNT;
    ft_trail_mark(self, what,
                  "another call stood here, or this one had other arguments, or a collective "
                  "before it sent something else");
}
