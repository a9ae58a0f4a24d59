/* follow: what a copy of a rank does that follows the other one (ftrun --replicas).
 *
 * The copy that follows, the follower, does what its leader has done, a moment later. The leader
 * writes down each outcome that depends on time, and the follower reads it (determinant/follow.c).
 * Named receives, sends and collectives never wait for that, and neither do receives at sites that
 * ftcc has proved. A receive by wildcard is held (again.h) until the leader's has ended; a poll, a
 * probe, a choice and a clock wait until the leader has asked the same.
 *
 * Invariant: while the copy follows, self->spbc->following is 1, so each turn of a wait loop comes
 * here (ft_streams_progress). Thread rule: the thread that calls MPI. */
#ifndef FT_REQUEST_FOLLOW_H
#define FT_REQUEST_FOLLOW_H

#include "determinant/determinant.h"
#include "request/virtual.h"

/* In each life, when requests are posted. */
void ft_follow_start(struct ft_rank *self);

/* Takes what the leader has decided since, and posts what may be posted because of it. */
void ft_follow_turn(struct ft_rank *self);

/* Waits until the leader has recorded the next outcome of this clock (FT_CLOCKS: of no clock), or
 * this copy leads. gate: the wait is one of an MPI call, in which an image may be taken. */
void ft_follow_wait(struct ft_rank *self, unsigned clock, int gate);
static inline void ft_follow_await(struct ft_rank *self, unsigned clock, int gate)
{
    if (ft_unlikely(ft_determinants_follows(self)))
        ft_follow_wait(self, clock, gate);
}

#endif
