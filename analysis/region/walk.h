/* walk: control flow inside one function, step by step, on the tree itself.
 *
 * Thread rule: pure functions. */
#ifndef AN_REGION_WALK_H
#define AN_REGION_WALK_H

#include "analysis/tree/tree.h"

/* Where control stands: before a statement or expression, or behind it. */
struct an_point {
    const struct an_node *node;
    bool behind;
};

typedef void an_visit(void *context, struct an_point next);

/* Effect: `visit`s each point that control may reach from `at` in one step. Conditions that are
 * constant have one outcome; after a call that never returns there is nothing. Returns true when
 * control may leave the function here. */
bool an_walk_step(struct an_point at, an_visit *visit, void *context);

bool an_is_loop(const struct an_node *node);
/* A FOR's, WHILE's or DO's. */
const struct an_node *an_loop_body(const struct an_node *loop);
const struct an_node *an_loop_condition(const struct an_node *loop);

/* Is `node` the node `root` or below it? */
bool an_is_inside(const struct an_node *root, const struct an_node *node);

/* Is it, but for casts and commas, the variable of that symbol? */
bool an_is_name(const struct an_node *node, const char *symbol);

/* The target of a BREAK, CONTINUE or GOTO: the statement that it leaves, the loop that it
 * continues, the label; NULL when that is not known. */
const struct an_node *an_jump_target(const struct an_node *jump);

#endif
