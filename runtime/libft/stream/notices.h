/* notices: which pattern and iteration a message belongs to, told to ranks that have rolled back
 * (--protocol spbc with --trust).
 *
 * In a run without failures nothing travels but the program's own messages: who receives them at a
 * trusted site gets those of its own iteration in any case (Ropars et al., SC'13: "always happens
 * before"). A rank that rolls back is offered messages that are too early for it, from logs and
 * from ranks that need not wait for it again. So from then on a rank that gives a message for it to
 * the library gives a notice of 24 bytes behind it. By MPI's order the n-th notice of a source,
 * communicator and tag is of the n-th message; the rank counts those that its receives were
 * promised or have taken. (What a receive does with it: request/trusted.h.)
 *
 * All of it is of one epoch: in the next one the library is empty, and the counts begin anew. A
 * drained message keeps its place in the drained store.
 *
 * Invariant: self->spbc->identified is the same on all ranks of a cluster. */
#ifndef FT_NOTICES_H
#define FT_NOTICES_H

#include "pattern/pattern.h"
#include "stream/stream.h"

/* The place of a message that the library has just accepted for world rank `world`. */
void ft_notice_send(struct ft_rank *self, const struct ft_comm *comm, int world, int tag,
                    struct ft_pattern_place place);

/* In a new epoch, before the first receive is posted: nothing was said or taken yet. */
void ft_notices_forget(struct ft_rank *self);

struct ft_listener {
    void (*turn)(struct ft_rank *self);              /* in each turn of a wait loop */
    uint64_t (*pending)(const struct ft_rank *self); /* receives that may be cancelled, at most */
    /* May one be that was promised messages of this kind? */
    int (*promised)(const struct ft_rank *self, uint64_t comm, int world, int tag);
};
/* Behind the last receive that is posted again: the rank listens, if it has rolled back. */
void ft_notices_begin(struct ft_rank *self, const struct ft_listener *listener);
/* The listener's turn. */
void ft_notices_turn(struct ft_rank *self);
/* Takes the notices that have come. Answers how many. */
int ft_notices_hear(struct ft_rank *self);

/* Messages of (comm, source, tag) were taken out of the library, or promised to a receive (count
 * 1); a promise was given back (-1). */
void ft_notice_taken(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                     int count);
/* The place of the next message of that kind; 0: it is not known yet. */
int ft_notice_next(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                   struct ft_pattern_place *place);
/* The same of one that a drain has just taken: waits for it, and counts the message. */
struct ft_pattern_place ft_notice_drained(struct ft_rank *self, const struct ft_comm *comm,
                                          int source, int tag);

#endif
