/* trail: a running hash over what a rank asks of others, so that what it does again can be held
 * against what it did.
 *
 * Each send, receive, probe that waits, collective, birth of a communicator, and MPI_Finalize makes
 * a mark: the hash goes on by the call and its arguments, and 32 bits of it go into a ring behind
 * the determinants, which survives SIGKILL. A rank that goes back compares instead, mark by mark,
 * until it is where the longest life before it ended. The first difference ends the run, before
 * that call reaches anybody (ft_differs). Marks and determinants stand in one order, the program's:
 * neither may come when the other is still owed.
 *
 * Messages that collectives are made of go when time allows. So a sum over them (spbc->told) enters
 * the marks that are made while no collective of the program is under way (spbc->open).
 *
 * Inside an iteration of a trusted pattern (ftrun --trust) the order is open. There all marks are
 * alike, and what they would have said goes into a sum, which enters the hash at the end.
 *
 * The ring holds the newest marks; a difference among older ones is found at the oldest that is
 * left, because each mark holds all before it. With FT_NOTED_CONTENT the data that is sent is hashed,
 * too (ftrun --check-content).
 *
 * Thread rule: one thread at a time; calls of several threads must come in the same order again. */
#ifndef FT_TRAIL_H
#define FT_TRAIL_H

#include "process.h"

struct ft_trail {      /* in the image */
    uint32_t *ring;    /* at the same address in every life, not in the image */
    uint64_t capacity; /* marks in the ring, a power of two */
    uint64_t at;       /* marks made since the start of the job */
    uint64_t end;      /* while AGAIN: of the longest life; > at: they are compared */
    uint64_t hash;     /* over all so far */
    uint64_t sum;      /* of what was done while LOOSE */
    uint32_t flags;    /* FT_TRAIL_* */
};

enum {
    FT_TRAIL_AGAIN = 1, /* something may be owed */
    FT_TRAIL_LOOSE = 2  /* the order is the library's choice */
};

/* Effect: begins in a life that starts with main, with a ring of `capacity` marks at `ring`. */
void ft_trail_start(struct ft_rank *self, uint32_t *ring, uint64_t capacity);
/* Effect: in a life that begins with an image: what the recorder counts behind the image's position
 * is to be done again. */
void ft_trail_restore(struct ft_rank *self);

/* One mark. `what` is a hash; subject is what the user reads of it when it differs. */
void ft_trail_mark(struct ft_rank *self, uint64_t what, const char *subject);
/* One for the MPI call that was entered last, with what it asks of whom. Of a datatype that the
 * program made only its being one counts: its handle is not the same in every life. */
void ft_trail_call(struct ft_rank *self, uint64_t comm, int peer, int tag, int64_t count, int type);

/* An iteration of a trusted pattern begins, and ends: between them the rank may do the same things
 * in another order, because what it does depends on the message that it has got. */
void ft_trail_loosen(struct ft_rank *self);
void ft_trail_tighten(struct ft_rank *self);

/* Is anything still to be done again? While the order is open, nobody knows. */
static inline int ft_trail_owed(const struct ft_rank *self)
{
    const struct ft_trail *trail = self->spbc->trail;

    return trail->flags == FT_TRAIL_AGAIN && trail->at < trail->end;
}

/* A hash goes on by a word. The upper half is the better one. */
static inline uint64_t ft_trail_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 32;
}

#endif
