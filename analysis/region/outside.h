/* region_outside: sends that stand outside of a region and may match its anonymous receive, too.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_OUTSIDE_H
#define AN_REGION_OUTSIDE_H

#include "analysis/region/bounds.h"

/* The first such send of the program, or NULL. What the region calls is inside. */
const struct an_node *an_outside_find(struct an_judgement *judgement,
                                      const struct an_region *region,
                                      const struct an_pattern *pattern);

/* May the region, through what it calls, come to its own function again? */
bool an_region_recurs(struct an_judgement *judgement, const struct an_pattern *pattern);

#endif
