/* extent: how much of an array a sort takes, and in which order, what may run before what, what a
 * variable is.
 *
 * Thread rule: as flow.h. */
#ifndef AN_FLOW_EXTENT_H
#define AN_FLOW_EXTENT_H

#include "analysis/flow/flow.h"

/* How much of what was put into an array a sort takes: all, nobody knows, or certainly not all. */
enum an_flow_extent { AN_FLOW_ALL, AN_FLOW_UNRELATED, AN_FLOW_PART };

/* The order that `call`, which sorts, gives to the array that is its first argument. */
enum an_flow_extent an_flow_extent_of(struct an_flow *flow, const struct an_node *call);

/* Whether the loops around an INDEX certainly leave out some elements of the array. */
bool an_flow_leaves_out(const struct an_node *element);

/* Whether a comparison function of elements of a type (NULL: unknown) finds equal only what is
 * equal in all that it looks at. */
bool an_flow_orders_all(struct an_flow *flow, const struct an_node *comparison,
                        const struct an_type *element);

/* Whether `node` is `outer` or inside of it. */
bool an_flow_holds(const struct an_node *outer, const struct an_node *node);
/* Whether `node` may run before `use`, in the same function, while what `scope` declares lives
 * (NULL: all the time). */
bool an_flow_may_precede(const struct an_node *node, const struct an_node *use,
                         const struct an_node *scope);

/* The value to which a local variable or a parameter that never changes is set, or NULL. */
const struct an_node *an_flow_meaning(struct an_flow *flow, const struct an_node *node);

#endif
