/* paths: follows a set of bits along all paths through statements, the way a compiler follows facts
 * through a control-flow graph, but on the structured tree.
 *
 * A state is a set of bits, 0 means "not reached", and where paths meet states are united. `step`
 * is called for every expression and VARIABLE behind its operands, in the order of evaluation, and
 * returns the state behind it; it may be called several times for one node (loops), with growing
 * states.
 *
 * Thread rule: one thread. */
#ifndef AN_PATHS_H
#define AN_PATHS_H

#include "analysis/tree/tree.h"

enum { AN_MAY_HOLD = 1, AN_MAY_FAIL = 2 };

struct an_paths {
    unsigned (*step)(struct an_paths *paths, const struct an_node *node, unsigned state);
    /* The outcomes that a condition may have (AN_MAY_*); NULL: both. Constants are known without
     * it. */
    unsigned (*decide)(struct an_paths *paths, const struct an_node *condition);
    void *context;   /* of the caller */
    unsigned leaves; /* result: the states in which control leaves before the end: return, and
                        break, continue and goto that lead out */
    struct an_jumps *jumps; /* private to paths.c */
};

/* Effect: walks `node` from `state` and returns the state at its end; 0: the end is not reached. */
unsigned an_paths_walk(struct an_paths *paths, const struct an_node *node, unsigned state);

#endif
