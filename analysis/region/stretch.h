/* stretch: the statements of one block that hold what belongs together.
 *
 * Thread rule: pure functions, but for what they fill. */
#ifndef AN_REGION_STRETCH_H
#define AN_REGION_STRETCH_H

#include "analysis/region/bounds.h"

enum { AN_TOGETHER = 512 };

/* Nodes of one function that belong together; more than there is room for are left out. */
struct an_together {
    const struct an_node *nodes[AN_TOGETHER];
    unsigned count;
};

/* Effect: adds the node, unless it is NULL. */
void an_together_add(struct an_together *together, const struct an_node *node);

/* Effect: sets the region's first and last to the smallest stretch that holds all; false when there
 * is none. */
bool an_stretch_find(struct an_region *region, const struct an_together *together);

/* Effect: moves the ends over the sends and receives of the same block that match what is inside.
 */
void an_stretch_close(struct an_region *region, const struct an_message *messages);

/* Effect: moves the ends over the whole body, when the function does nothing else, but not over
 * what makes the tag. */
void an_stretch_widen(struct an_judgement *judgement, struct an_region *region);

#endif
