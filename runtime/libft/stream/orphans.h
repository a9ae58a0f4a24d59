/* orphans: with --protocol optimistic or causal, messages that depend on outcomes which were lost
 * with a node (Riesen et al., SC'12, section II; Strom and Yemini, 1985).
 *
 * Nobody waits for the event logger, and with causal two losses at once may be too many. So a rank
 * of a lost node may get fewer outcomes again than it had, and decide the next one anew. A message
 * that others have of it by then, and that it has not sent again, may be an orphan; so may one of
 * another rank of that node, which the first one had told of the outcome. So before the first
 * outcome that is decided anew each rank of the node has to have sent all again that others have
 * (CLEAR). ftrun says so, or takes all ranks back to one moment.
 *
 * Thread rule: the thread that calls MPI. */
#ifndef FT_STREAM_ORPHANS_H
#define FT_STREAM_ORPHANS_H

#include "process.h"

/* Behind the exchange of streams, and behind each send while FT_NOTED_DOUBTED: tells ftrun when
 * nobody has a message of this rank any more that it has not sent again. */
void ft_orphans_look(struct ft_rank *self);

#endif
