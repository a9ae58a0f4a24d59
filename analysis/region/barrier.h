/* barrier: what keeps two rounds on a communicator apart because nobody leaves it before all
 * have entered it.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_BARRIER_H
#define AN_REGION_BARRIER_H

#include "analysis/region/role.h"

/* Does the call synchronise all ranks of `comm`, which is in the words of the outermost frame's
 * caller? A blocking collective does, if it needs something of everybody and its communicator has
 * all these ranks (region/group.h); AN_MAY_MATCH when that is not certain. */
enum an_match an_barrier_match(struct an_judgement *judgement, const struct an_mpi *mpi,
                               const struct an_frame *frame, const struct an_term *comm);
/* Whether the call may have nothing to give, so that it waits for nobody. */
bool an_barrier_may_be_empty(struct an_judgement *judgement, const struct an_mpi *mpi,
                             const struct an_frame *frame, const struct an_term *comm);

/* Is it a broadcast by the role's rank on `comm`, so that the other ranks leave it behind all that
 * this rank did before? */
bool an_barrier_is_word(struct an_judgement *judgement, const struct an_mpi *mpi,
                        const struct an_frame *frame, const struct an_term *comm,
                        const struct an_role_of *role);

/* Does each path through the node pass such a call? With a role (or NULL), the broadcasts of its
 * rank count, too: for messages that this rank alone receives they separate as well. */
bool an_barrier_always(struct an_judgement *judgement, const struct an_node *node,
                       const struct an_frame *frame, const struct an_term *comm,
                       const struct an_role_of *role);

/* Do the statements from `first` to `last` begin a non-blocking barrier of all ranks of `comm`, and
 * wait or test for its request? */
bool an_barrier_is_begun(struct an_judgement *judgement, const struct an_node *first,
                         const struct an_node *last, const struct an_term *comm);

#endif
