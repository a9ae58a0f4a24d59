/* foreign: requests between clusters (--protocol spbc): which message of its stream a receive is
 * for, and what becomes of requests when a rank of another cluster dies. */
#ifndef FT_REQUEST_FOREIGN_H
#define FT_REQUEST_FOREIGN_H

#include "request/virtual.h"
#include "stream/stream.h"

/* Gives a receive its number where it is certain, or counts it as unnumbered. After the library has
 * accepted it, before it is activated. */
void ft_recv_number(struct ft_rank *self, struct ft_request *request);
/* It is not among the unnumbered any more. */
static inline void ft_recv_unnumber(struct ft_rank *self, struct ft_request *request)
{
    self->requests->unnumbered -= request->unnumbered;
    request->unnumbered = 0;
}
/* A receive that is cancelled gives its number back, if it has one: it has met no message, so those
 * behind it in the stream have met earlier ones than it seemed. */
void ft_recv_number_return(struct ft_rank *self, struct ft_request *gone);
/* A receive has ended: counts its message, or gives its number back. */
void ft_recv_count(struct ft_rank *self, struct ft_request *request, int cancelled);
/* The library's answer about a send that it is not given, or not yet. */
int ft_send_check(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                  MPI_Comm comm);
/* Sends to another cluster: logs the message, and gives it to the library if its turn has come. The
 * send is *real then, which is ft_send_done where nothing is left to wait for, and FT_SEND_AWAITED
 * of a synchronous one that waits in the log. The rank passes no gate between the native call and
 * the copy. An MPI code; a failed call changes nothing. */
int ft_foreign_send(struct ft_rank *self, const struct ft_message *message, enum ft_send_mode mode,
                    MPI_Request *real);
/* The library has refused such a send with `code`. 1: because it cannot reach the rank, to which it
 * has sent nothing before; the message is for the rank's next life, and *real says so. */
int ft_foreign_is_unreachable(struct ft_rank *self, int code, enum ft_send_mode mode,
                              MPI_Request *real);
/* Such a send has just begun, and has this request: when it ends, the log has back what the library
 * sends it out of. */
void ft_send_borrow(struct ft_rank *self, struct ft_request *request);
/* Such a send has just begun as `real`, and has this request, with comm, peer, tag and mode: ACTIVE
 * or COMPLETE. */
void ft_foreign_begun(struct ft_rank *self, struct ft_request *request, MPI_Request real);
/* ft_foreign_send as described: ACTIVE or COMPLETE. */
int ft_send_foreign(struct ft_rank *self, struct ft_request *request);

/* The library has ended a request with an error. Where that is another rank's death, ft_life.torn
 * is set; a message to another cluster is in the log, so its send has succeeded, or is withdrawn.
 * Answers the code. */
int ft_death_meet(struct ft_rank *self, struct ft_request *request, int code);
/* The library has completed an ACTIVE request and ft_life.torn is set: a receive from another
 * cluster may hold torn data. Takes it back: it stays ACTIVE, and the next epoch posts it again.
 * Likewise a synchronous send that has failed, whose message has to land. 1: taken back. Only in a
 * drain, where the own cluster is known to live; elsewhere the late form, which first waits until
 * that is known. */
int ft_request_withdraw(struct ft_rank *self, struct ft_request *request);
int ft_request_withdraw_late(struct ft_rank *self, struct ft_request *request);

/* In a new epoch, when the queue of what is resent has been made, which holds the communicators:
 * all other sends to other clusters have ended. */
void ft_foreign_end(struct ft_rank *self);

#endif
