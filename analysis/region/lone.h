/* lone: code that one rank runs alone.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_LONE_H
#define AN_REGION_LONE_H

#include "analysis/judgement/judgement.h"

/* The branch of an IF around `node`, in its function, that one rank runs; or NULL. */
const struct an_node *an_lone_branch(struct an_judgement *judgement, const struct an_node *node);

/* The rank that runs it, where the condition compares with it; or NULL. */
const struct an_node *an_lone_rank(struct an_judgement *judgement, const struct an_node *node);

/* Do all callers of its file call the function on one rank only? `levels`: how far up to look. */
bool an_is_lone(struct an_judgement *judgement, const struct an_node *function, unsigned levels);

#endif
