/* capture_set: which points of control a search has come by.
 *
 * Thread rule: one thread. */
#ifndef AN_CAPTURE_SET_H
#define AN_CAPTURE_SET_H

#include "analysis/tree/tree.h"

struct an_seen;

/* Effect: adds the point; false when it is there already. The set begins as NULL. `place`: the
 * level or, in a descent, the frame. `state`: 0 before, 1 behind, 2 behind a call that has
 * returned. */
bool an_seen_add(struct an_seen **set, const struct an_node *node, const void *place,
                 unsigned state, bool changed);
void an_seen_free(struct an_seen **set);

#endif
