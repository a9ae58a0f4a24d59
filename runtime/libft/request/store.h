/* store: the messages that drains took into the image, as packed bytes, in order of arrival.
 *
 * Invariant: no message in the store matches a receive that was posted before its drain (the
 * library would have matched it), unless that one has met a message of another cluster already
 * (then, in a new epoch, it looks here before it is posted again); and each is older than every
 * message of its source and communicator that the library holds. So a receive or probe that looks
 * here first sees MPI's order. Messages are kept by the communicator's identity: a freed
 * communicator's can match nothing, and the next drain throws them away. */
#ifndef FT_REQUEST_STORE_H
#define FT_REQUEST_STORE_H

#include "request/virtual.h"

struct ft_drained {
    struct ft_drained *next, *prev;
    uint64_t comm;                 /* identity of the communicator */
    int source, tag;               /* source: rank in the communicator */
    int world;                     /* the same: world rank */
    uint32_t meeting;              /* of a synchronous send that waits for this: its number, to be
                                      told when it is taken (meeting.h); 0: nobody waits */
    MPI_Count bytes;               /* of data */
    struct ft_pattern_place place; /* where it was sent, when `placed` */
    int placed;
    char data[]; /* packed as MPI_BYTE */
};

/* An empty record for a message that the library has matched (`status` is Improbe's). */
struct ft_drained *ft_drained_create(const struct ft_comm *comm, const MPI_Status *status);
/* Receives a message that the library has matched (`status` is Improbe's) into the image, waiting
 * for its end, and counts it. Only where the sender makes progress for certain: in a drain. */
struct ft_drained *ft_drained_receive(struct ft_rank *self, struct ft_comm *comm,
                                      MPI_Message *message, const MPI_Status *status);
/* Appends a message to the store. */
void ft_drained_append(struct ft_rank *self, struct ft_drained *drained);
/* The first message that (source, tag) matches, or NULL. It stays in the store. */
struct ft_drained *ft_drained_match(struct ft_rank *self, const struct ft_comm *comm, int source,
                                    int tag);
/* Takes it out of the store; the caller owns it now. */
void ft_drained_take(struct ft_rank *self, struct ft_drained *drained);
/* The status a probe shows for it. */
void ft_drained_status(const struct ft_drained *drained, MPI_Status *status);
/* Puts its content into the receive buffer as the library would have (truncation is the library's
 * own), frees it, and answers the code. */
int ft_drained_deliver(struct ft_rank *self, struct ft_drained *drained, void *buffer, int count,
                       MPI_Datatype type, MPI_Status *status);
/* Throws away the messages of communicators that no longer exist. */
void ft_drained_forget(struct ft_rank *self);

#endif
