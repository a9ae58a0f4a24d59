/* request: point-to-point and everything that completes: virtual requests and messages, the waits,
 * the drain, and the messages the drain took into the image.
 *
 * Invariant at a frozen checkpoint (after ft_drain): the library holds nothing of ours but posted
 * receives that no message matches. Every send is complete, every non-blocking collective is
 * complete, every message sent is in a program buffer or in the drained store. So the image needs
 * only: requests (complete, with status; or posted receives, asked again in posting order), and the
 * drained store, which every later receive or probe must look at before it asks the library.
 *
 * Counting: self->sent[w] is incremented when a message to world rank w is posted (not for
 * MPI_PROC_NULL), self->received[w] when a receive completes (not cancelled), a matched message is
 * received, or the drain takes it. The sums per pair are equal exactly when nothing is in flight.
 */
#ifndef FT_REQUEST_H
#define FT_REQUEST_H

#include "library/library.h"
#include "process.h"
#include "handle/handle.h"

/* Makes the virtual request of a non-blocking collective: `real` was returned by the native call.
 * keep: buffers of the runtime (translated argument arrays, from ft_image_alloc) that must live
 * until completion; freed then; NULL none. Types and communicator are held by the caller through
 * ft_type_hold and released by `done` (called once at completion; may be NULL) with `argument`. */
MPI_Request ft_request_collective(struct ft_rank *self, MPI_Request real, struct ft_comm *comm,
                                  void *keep, void (*done)(struct ft_rank *, void *),
                                  void *argument);

/* A request that is complete, with this status: of an operation that was done when it was asked
 * for. */
MPI_Request ft_request_done(struct ft_rank *self, const MPI_Status *status);

/* At the freeze, on all ranks: leaves the library as the invariant says. Collective (uses
 * ft_comm_runtime). Ends with a barrier, so that nobody sends new messages into another's drain.
 * death: a rank of another cluster has died. 0, or -ETIMEDOUT: somebody has died, and nothing has
 * moved here for a minute; the rank cannot go on. Panics when nothing moves without a death. */
int ft_drain(struct ft_rank *self, int death);
/* Gives the library a chance to go on. The gate calls it again and again while a rank is held: an
 * operation of another rank may need it. */
void ft_progress(struct ft_rank *self);

/* Called once at the end of the program's MPI_Init, when sent and received are there. */
void ft_requests_start(struct ft_rank *self);
/* Asks the library once about everything that is active: at the end of a verification, for requests
 * that the program has given up. */
void ft_requests_look(struct ft_rank *self);
/* In a new epoch, before ft_streams_rebuild: what the library had of synchronous sends to other
 * clusters is in the log, and has to land. */
void ft_foreign_rebuild(struct ft_rank *self);
/* Behind a drain: why nobody can say which message a pending receive of any tag meets in another
 * epoch, or NULL. A message that is kept back (overtake.h) goes into the store, and its place
 * there among messages of the same rank with other tags only that rank could tell. */
const char *ft_requests_obstacle(const struct ft_rank *self);
/* In a new epoch, after ft_handles_rebuild and ft_streams_rebuild: posts pending receives and
 * persistent requests again.
 */
void ft_requests_rebuild(struct ft_rank *self);

#endif
