/* tree: termination by a sweep up and down a tree, as in exchanges that nobody leaves before
 * all have entered them.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_TREE_H
#define AN_REGION_TREE_H

#include "analysis/region/match.h"

/* The message of such a sweep that is sent in the statements from `first` to `last` of `function`
 * itself, or NULL: empty messages of one tag that go to and come from at least two partners each
 * (the parent, the children). With `first` NULL, anywhere in the function. */
const struct an_message *an_tree_find(struct an_judgement *judgement,
                                      const struct an_node *function, const struct an_node *first,
                                      const struct an_node *last);

#endif
