/* carried: with --protocol causal, outcomes that ftrun has not got yet travel with messages, so
 * that no send waits, and what others depend on is with them when the node is lost (Bouteiller et
 * al., IPDPS'05: Vcausal of MPICH-V; Alvisi and Marzullo, 1998: family-based logging for one
 * failure).
 *
 * A message to another node depends on what any rank of the sender's node had recorded. The sender
 * sees the rings of them all. Outcomes that ftrun has not got, and the receiver was not sent yet,
 * go in front of the message, in one of the runtime's; where ftrun has all, nothing goes. The
 * receiver keeps them beside its library, until the sender says that ftrun has got them, and gives
 * them to ftrun when the epoch ends. More than a short message holds is not carried: then the send
 * waits for ftrun, as with --protocol pessimistic.
 *
 * The standard does not order messages of two communicators. A library that delivered the program's
 * message, and lost the one in front of it with the node, would leave an orphan, which is found as
 * with --protocol optimistic (stream/orphans.h). MPICH passes all messages from one rank to another
 * in order, so there is none.
 *
 * Thread rule: the thread that calls MPI. */
#ifndef FT_STREAM_CARRIED_H
#define FT_STREAM_CARRIED_H

#include "process.h"

/* In each life, when the streams are there. Without --protocol causal it does nothing. */
void ft_carried_start(void);
/* A message to world rank `world` is about to be sent, by a rank with FT_NOTED_LOGGED: carries what
 * it can depend on, or waits (ft_logged_wait). */
void ft_carried_send(struct ft_rank *self, int world);
/* The epoch ends, and the library is used no more: gives ftrun what was carried here. */
void ft_carried_give(struct ft_rank *self);

#endif
