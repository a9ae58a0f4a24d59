/* overtake: the order in which receives end, where a wildcard is among them (--protocol spbc).
 *
 * When a receive gets a message that a pending one, posted before it by wildcard, could have taken,
 * then that one has met another message already; which one, the library tells only at its end. If a
 * cluster dies meanwhile, what it has met is lost, and in the next epoch it may meet another. So
 * nothing that depends on it may be seen before its end: the later receive is kept back, complete
 * for the library but pending for the program, and a probe does not find such a message. That does
 * not last: the earlier message is under way, or the epoch ends.
 *
 * So receives that could take each other's messages end in the order of their posting: each gets
 * its number in its stream when it ends, and its determinant follows those of the ones before
 * it. At the end of an epoch what is kept back has not been received: a message of another
 * cluster will be resent, one of the own cluster goes into the drained store, and the pending
 * receives take from there in their order. */
#ifndef FT_REQUEST_OVERTAKE_H
#define FT_REQUEST_OVERTAKE_H

#include "request/virtual.h"

/* The first pending receive without a number that could take a message of (comm, source, tag); of
 * those that were posted before the active request `before`, or of all (NULL). NULL: none. */
struct ft_request *ft_overtaken_search(const struct ft_rank *self, const struct ft_comm *comm,
                                       int source, int tag, const struct ft_request *before);
static inline struct ft_request *ft_overtaken(const struct ft_rank *self,
                                              const struct ft_comm *comm, int source, int tag,
                                              const struct ft_request *before)
{
    if (ft_likely(self->requests->unnumbered == 0))
        return NULL;
    return ft_overtaken_search(self, comm, source, tag, before);
}

/* The library has completed an ACTIVE receive with `code`. 1: it is kept back; 0: it may end. */
int ft_recv_keep_search(struct ft_rank *self, struct ft_request *request, int code);
static inline int ft_recv_keep(struct ft_rank *self, struct ft_request *request, int code)
{
    if (ft_likely(self->requests->unnumbered == request->unnumbered)) /* there is no other */
        return 0;
    return ft_recv_keep_search(self, request, code);
}
/* The same where the drained store has completed a receive at its posting: it is ACTIVE then. */
void ft_recv_keep_stored(struct ft_rank *self, struct ft_request *request);
/* Ends one that is kept back, if it need not be any more; asks no library. Answers 1 then. */
int ft_kept_end(struct ft_rank *self, struct ft_request *request);
/* Would the message that a probe has found overtake? If so, asks the library about the receive. */
int ft_probe_overtakes(struct ft_rank *self, const struct ft_comm *comm, const MPI_Status *found);

/* In a new epoch, when the handles are there: nothing is kept back any more. */
void ft_kept_rebuild(struct ft_rank *self);
/* In a new epoch, for each pending receive in order: 1: the drained store had its message. */
int ft_kept_take(struct ft_rank *self, struct ft_request *request);

#endif
