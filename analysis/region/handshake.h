/* handshake: rounds that are kept apart by the one rank that receives: it tells all others
 * to go on when it has everything, and nobody sends for the next round before it was told.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_HANDSHAKE_H
#define AN_REGION_HANDSHAKE_H

#include "analysis/region/bounds.h"

/* The call by which the others are told, a send or a broadcast, where each path of each rank
 * through a turn of the region's block passes it once, and in the right order; NULL when that is
 * not shown. */
const struct an_node *an_handshake_find(struct an_judgement *judgement,
                                        const struct an_region *region,
                                        const struct an_pattern *pattern);

#endif
