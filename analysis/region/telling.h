/* telling: one rank tells all others something: by a send to each of them, or a broadcast.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_TELLING_H
#define AN_REGION_TELLING_H

#include "analysis/region/match.h"
#include "analysis/region/role.h"

struct an_telling {
    struct an_judgement *judgement;
    const struct an_node *begin; /* of the loop that sends: what sets its counter; else NULL */
    int64_t rank;                /* who tells */
    struct an_term comm, tag;    /* in the words of the function that was asked about */
};

/* Does the message go to each other rank of role->comm once, with a constant tag, whenever the loop
 * around it runs? Fills *telling. */
bool an_telling_by_send(struct an_telling *telling, const struct an_role_of *role,
                        const struct an_message *message);
/* Is the node a broadcast by the one rank, on role->comm? Fills *telling. */
bool an_telling_by_broadcast(struct an_telling *telling, const struct an_role_of *role,
                             const struct an_node *node);

/* Is it done when the call returns that another rank has heard it? */
bool an_telling_is_heard(const struct an_telling *telling, const struct an_mpi *mpi,
                         const struct an_frame *frame);
/* Does the call tell it as a broadcast? */
bool an_telling_is_broadcast(const struct an_telling *telling, const struct an_mpi *mpi,
                             const struct an_frame *frame);

#endif
