/* exits: whether BEGIN and END can be put around a region, and where: its entry, its end,
 * and each jump that leaves it; and how the communicator is written there.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_EXITS_H
#define AN_REGION_EXITS_H

#include "analysis/region/bounds.h"

/* Effect: fills exits, falls_through, comm, annotated and reason of the pattern, whose first, last
 * and function are set. `comm` is the receive's communicator, reached through `frame`. */
void an_exits_find(struct an_judgement *judgement, struct an_pattern *pattern,
                   const struct an_node *comm, const struct an_frame *frame);

/* Does nothing but the statement itself begin where it begins, so that text can be put there? A
 * statement that a macro makes is so when it is the first of that macro. */
bool an_is_placed(const struct an_node *statement);

#endif
