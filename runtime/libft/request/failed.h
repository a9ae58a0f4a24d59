/* failed: what a death or a revocation means for requests (ftrun --ulfm).
 *
 * The rank learns of it at its gate, where all wait loops pass. Then each pending request that
 * can never end is ended with the class that ULFM gives it; what had come before the death counts.
 * Collectives are made of messages (libft/coll): those of one with a dead member end, too, and no
 * later message of it is sent, so nobody takes the data of somebody who had none.
 *
 * A non-blocking receive by wildcard on a communicator with a failure that the program has not
 * acknowledged is *parked*: COMPLETE with MPIX_ERR_PROC_FAILED_PENDING, which the program's wait
 * answers and which leaves the request. The library does not have it until the acknowledgement. */
#ifndef FT_REQUEST_FAILED_H
#define FT_REQUEST_FAILED_H

#include "handle/failure.h"
#include "request/virtual.h"

/* Effect: at the gate: takes in what ftrun tells, and ends what cannot end. */
void ft_failed_meet(struct ft_rank *self);
/* Effect: the same for what this rank has done itself (a revocation). */
void ft_failed_sweep(struct ft_rank *self);
/* Effect: parked receives on the communicator are posted again. */
void ft_failed_acknowledged(struct ft_rank *self, struct ft_comm *comm);

/* Effect: parked receives have ended: their communicators are revoked. */
void ft_failed_unpark(struct ft_rank *self);

/* May this rank send to, or receive or probe from `peer`? MPI_ANY_SOURCE: MPIX_ERR_PROC_FAILED
 * while there is a failure that is not acknowledged. An MPI code. */
int ft_failed_peer(const struct ft_rank *self, const struct ft_comm *comm, int peer, int tag);
/* ft_recv_post of a rank with --ulfm. */
int ft_failed_recv(struct ft_rank *self, struct ft_request *request);

/* A request that cannot be posted: the program is told when it completes it, as ULFM has it, or at
 * once (`code` is answered) where the call blocks. */
int ft_failed_post(struct ft_request *request, int code);

/* The library has ended an ACTIVE request with the error `code`: what the program is told. */
int ft_failed_code(struct ft_rank *self, const struct ft_request *request, int code);
/* A transfer was torn in this life. Ends a receive that has ended with a dead rank's bytes; 1: it
 * has done so. */
int ft_failed_torn(struct ft_rank *self, struct ft_request *request);

static inline int ft_request_is_parked(const struct ft_request *request)
{
    return request->state == FT_REQUEST_COMPLETE && request->code == MPIX_ERR_PROC_FAILED_PENDING;
}
/* Effect: MPI_Cancel of a parked receive: it has got no message. */
void ft_failed_cancel(struct ft_request *request);

#endif
