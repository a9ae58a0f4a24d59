/* trail: a running hash over what a rank asks of others, so that what it does again can be held
 * against what it did.
 *
 * Each send, receive, probe that waits, collective, birth of a communicator, and MPI_Finalize makes
 * a mark: the hash goes on by the call and its arguments, and 32 bits of it go into a ring behind
 * the determinants, which survives SIGKILL. A rank that rolls back compares instead, mark by mark,
 * until it is where the longest life before it ended. The first difference ends the run, before
 * that call reaches anybody (ft_differs). Marks and determinants stand in one order, the program's:
 * neither may come when the other is still owed.
 *
 * Messages that collectives are made of go when time allows. So a sum over them (spbc->told) enters
 * the marks that are made while no collective of the program is under way (spbc->open).
 *
 * A probe, test or choice of a proved site makes a mark when it finds something, and leaves nothing
 * when it does not. While the rank repeats, the next mark says what it finds (request/repeat.h).
 *
 * Inside an iteration of a trusted pattern (ftrun --trust) the order is open. There all marks are
 * alike, and what they would have said goes into a sum, which enters the hash at the end.
 *
 * The ring holds the newest marks; a difference among older ones is found at the oldest that is
 * left, because each mark holds all before it. With FT_NOTED_CONTENT the data that is sent is
 * hashed, too (ftrun --check-content).
 *
 * Thread rule: one thread at a time; calls of several threads must come in the same order again. */
#ifndef FT_TRAIL_H
#define FT_TRAIL_H

#include "handle/handle.h"
#include "process.h"

struct ft_trail {      /* in the image */
    uint32_t *ring;    /* at the same address in every life, not in the image */
    uint64_t capacity; /* marks in the ring, a power of two */
    uint64_t at;       /* marks made since the start of the job */
    uint64_t closed;   /* of them, those before the latest checkpoint */
    uint64_t end;      /* while AGAIN: of the longest life; > at: they are compared */
    uint64_t hash;     /* over all so far */
    uint64_t sum;      /* of what was done while LOOSE */
    uint32_t flags;    /* FT_TRAIL_* */
    uint64_t compared; /* while PAIR: marks before this one are like the other copy's */
};

enum {
    FT_TRAIL_AGAIN = 1, /* something may be owed */
    FT_TRAIL_LOOSE = 2, /* the order is the library's choice */
    FT_TRAIL_PAIR = 8   /* the rank has two copies: their marks are compared (pair_compare) */
};

/* Effect: begins in a life that starts with main, with a ring of `capacity` marks at `ring`. */
void ft_trail_start(struct ft_rank *self, uint32_t *ring, uint64_t capacity);
/* Effect: in a life that begins with an image: what the recorder counts behind the image's position
 * is to be done again. */
void ft_trail_restore(struct ft_rank *self);

/* One mark. `what` is a hash; subject is what the user reads of it when it differs. */
void ft_trail_mark(struct ft_rank *self, uint64_t what, const char *subject);

/* An iteration of a trusted pattern begins, and ends: between them the rank may do the same things
 * in another order, because what it does depends on the message that it has got. */
void ft_trail_loosen(struct ft_rank *self);
void ft_trail_tighten(struct ft_rank *self);

/* Does the next mark stand in the ring, of a life before? Never while the order is open. */
static inline int ft_trail_repeats(const struct ft_rank *self)
{
    const struct ft_trail *trail = self->spbc->trail;

    return ft_unlikely(trail->flags & FT_TRAIL_AGAIN) && !(trail->flags & FT_TRAIL_LOOSE) &&
           trail->at < trail->end;
}

/* While it repeats: is the next mark the one that ft_trail_go(what) would make? Ends the run when
 * the ring has lost it. */
int ft_trail_is_next(const struct ft_rank *self, uint64_t what);
/* One mark of what a probe, test or choice has found. Asks ftrun for a checkpoint while the ring
 * can still hold all marks since the one before the latest. */
void ft_trail_found(struct ft_rank *self, uint64_t what);

/* Is anything still to be done again? While the order is open, nobody knows. */
static inline int ft_trail_owed(const struct ft_rank *self)
{
    const struct ft_trail *trail = self->spbc->trail;

    return (trail->flags & ~(uint32_t)FT_TRAIL_PAIR) == FT_TRAIL_AGAIN && trail->at < trail->end;
}

/* A hash goes on by a word. The upper half is the better one. */
static inline uint64_t ft_trail_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 32;
}

/* The same where flags are set. hash: what it would be without; alone: `what` without the messages
 * of collectives. */
void ft_trail_specially(struct ft_rank *self, uint64_t hash, uint64_t alone, const char *subject);

static inline void ft_trail_write(struct ft_rank *self, uint64_t at, uint32_t mark)
{
    const struct ft_trail *trail = self->spbc->trail;

    trail->ring[at & (trail->capacity - 1)] = mark;
    __atomic_store_n(&self->recorder->trail, at + 1, __ATOMIC_RELEASE);
}

/* ft_trail_mark, inline. */
FT_INLINE void ft_trail_go(struct ft_rank *self, uint64_t what, const char *subject)
{
    const struct ft_spbc *spbc = self->spbc;
    struct ft_trail *trail = spbc->trail;
    uint64_t hash = ft_trail_mix(trail->hash, ft_unlikely(spbc->open) ? what : what + spbc->told);

    if (ft_unlikely(trail->flags)) {
        ft_trail_specially(self, hash, what, subject);
        return;
    }
    trail->hash = hash;
    ft_trail_write(self, trail->at++, (uint32_t)(hash >> 32));
}

/* Both halves of the product of two words. */
static inline uint64_t ft_trail_fold(uint64_t first, uint64_t second)
{
    unsigned __int128 product = (unsigned __int128)first * second;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* One mark for an MPI call, its peer and its arguments. A datatype that the program made counts
 * as such only: its handle is not the same in every life. Inline, because each message passes
 * here, at both ends. call: enum ft_call. */
FT_INLINE void ft_trail_call_of(struct ft_rank *self, uint32_t call, uint64_t comm, int peer,
                                int tag, int64_t count, MPI_Datatype type)
{
    uint32_t kind = ft_handle_bits(type) >> 24 == FT_TYPE_BYTE ? 0 : ft_handle_number(type);
    uint64_t whom = comm * 0x9e3779b97f4a7c15u + ((uint64_t)(uint32_t)peer << 32 | (uint32_t)tag);
    uint64_t what = ((uint64_t)count << 32 | kind) ^ (call + 1) * 0xc2b2ae3d27d4eb4fu;

    ft_trail_go(self, ft_trail_fold(whom ^ 0xa0761d6478bd642fu, what),
                "another call stood here, or this one had other arguments, or a collective "
                "before it sent something else");
}

/* The same for the call that was entered last. */
FT_INLINE void ft_trail_call(struct ft_rank *self, uint64_t comm, int peer, int tag, int64_t count,
                             MPI_Datatype type)
{
    ft_trail_call_of(self, self->recorder->call, comm, peer, tag, count, type);
}

#endif
