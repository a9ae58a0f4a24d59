/* trusted: receives by wildcard whose outcome is not recorded (ftrun --trust), because their
 * messages are those of one pattern and iteration.
 *
 * In a rank that has rolled back such a receive is not given to the library: it is held
 * (again.h) until the next message of some source is of its own place (stream/notices.h), and
 * becomes a named receive of that. */
#ifndef FT_TRUSTED_H
#define FT_TRUSTED_H

#include "request/again.h"
#include "stream/notices.h"

static inline int ft_recv_trusted(const struct ft_request *request)
{
    return ft_is_wild(request->peer, request->tag) && request->place.pattern != 0;
}

/* A message was sent to `dest` of the own cluster: a rank that has rolled back says its place. */
static inline void ft_trusted_sent(struct ft_rank *self, const struct ft_comm *comm, int dest,
                                   int tag)
{
    if (ft_unlikely(self->spbc->identified) && dest >= 0 && !ft_comm_is_lanes(comm))
        ft_notice_send(self, comm, comm->world[dest], tag, ft_pattern_now(self));
}

/* In a new epoch, before the first receive is posted: the library of the last one has taken with it
 * what it was given, and all that was said of its messages. */
void ft_trusted_forget(struct ft_rank *self);
/* For a rank that has rolled back. The library was given a receive: a named one is promised the
 * next message. */
void ft_trusted_posted(struct ft_rank *self, struct ft_request *request);
/* A receive has ended that is not `given`. */
void ft_trusted_ended(struct ft_rank *self, const struct ft_request *request, int cancelled);
/* In a new epoch, when all pending receives are posted or held. */
void ft_trusted_begin(struct ft_rank *self);

/* A source in its communicator whose next message is of the receive's own place, or -1. Ends the
 * run when there is one of an earlier iteration, which the receive could have taken. */
int ft_trusted_source(struct ft_rank *self, const struct ft_request *request);

#endif
