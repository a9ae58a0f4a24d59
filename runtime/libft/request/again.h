/* again: what time decides about requests, recorded and given again (--protocol spbc,
 * determinant/determinant.h).
 *
 * While anything is given again, a receive by wildcard is posted for the message that it got in the
 * life before. One that got none is held back: it is ACTIVE, but the library does not have it until
 * nothing is given again any more; it must not take a message of the others. A named receive that
 * was posted behind it and could take its messages waits with it. All held ones are posted in their
 * order then. A receive that was cancelled in the life before is held back until it is.
 *
 * Receives that could take each other's messages end in the order of their posting (overtake.h), so
 * what is given again of one of them is known of all before it.
 *
 * A rank that has rolled back holds receives by wildcard at trusted sites, too (trusted.h), until
 * it knows whose message is of their pattern and iteration, and all that were posted behind them
 * and could take their messages.
 *
 * Invariant: the held list is empty unless something is still to be given again, or
 * self->spbc->identified. So whoever asks for an outcome asks here. An image may be taken
 * meanwhile; a life that begins with it may know more. */
#ifndef FT_REQUEST_AGAIN_H
#define FT_REQUEST_AGAIN_H

#include "determinant/determinant.h"
#include "request/virtual.h"

static inline int ft_is_wild(int source, int tag)
{
    return source == MPI_ANY_SOURCE || (tag == MPI_ANY_TAG && source != MPI_PROC_NULL);
}

/* ft_recv_post of a rank with self->spbc. */
int ft_recv_recorded(struct ft_rank *self, struct ft_request *request);
/* MPI_Cancel of an ACTIVE or COMPLETE receive of such a rank. An MPI code. */
int ft_recv_cancel(struct ft_rank *self, struct ft_request *request);
/* A receive has ended, with a message or without: records it, where that is wanted; never of a
 * named one that nobody wanted to cancel. */
void ft_recv_note(struct ft_rank *self, const struct ft_request *request, int cancelled);
static inline void ft_recv_ended(struct ft_rank *self, const struct ft_request *request,
                                 int cancelled)
{
    if (request->outcome && !request->given &&
        (self->spbc->identified || cancelled || request->cancelling ||
         ft_is_wild(request->peer, request->tag)))
        ft_recv_note(self, request, cancelled);
}
/* In a new life, before pending receives are posted: names those whose messages are known, and
 * holds others back. */
void ft_held_rebuild(struct ft_rank *self);
/* Outcomes have become known, or there are none any more: posts what need not be held. */
void ft_held_learn(struct ft_rank *self);
/* Behind them: posts what need not be held. */
void ft_held_post(struct ft_rank *self);
/* May a message of (comm, tag), from anybody, be for a trusted receive that is held? Then nobody
 * else may see it. */
int ft_held_wants(struct ft_rank *self, const struct ft_comm *comm, int tag);

/* Each answers 1 and the outcome when it is given again: see ft_determinant_*. `waits`: of a call
 * that cannot find nothing. */
int ft_poll_again(struct ft_rank *self, int *flag);
int ft_probe_again(struct ft_rank *self, int waits, int *flag, int *source, int *tag);
int ft_choice_again(struct ft_rank *self, int waits, int *count, int *index, int room);
int ft_value_again(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes);
int ft_clock_again(struct ft_rank *self, enum ft_clock clock, int64_t *moment);

#endif
