/* equal: whether all members of the communicator run a region equally often.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_EQUAL_H
#define AN_REGION_EQUAL_H

#include "analysis/region/bounds.h"

/* Returns NULL when it is shown, otherwise why not, in a sentence. It is shown when the region
 * synchronises its communicator itself, when a collective of it stands beside the region (MPI wants
 * that to be called equally often), or when no condition and no loop around the region depends on
 * anything that may differ between ranks. */
const char *an_equal_look(struct an_judgement *judgement, const struct an_region *region,
                          const struct an_pattern *pattern);

/* Does nobody leave the region before all have entered it? By a blocking collective on each path,
 * or a non-blocking barrier that it completes. */
bool an_region_synchronises(struct an_judgement *judgement, const struct an_region *region,
                            const struct an_pattern *pattern);

#endif
