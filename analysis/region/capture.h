/* capture: whether the iterations of a pattern are kept apart, and the finding `capture` where they
 * are not: an anonymous receive with a constant tag that may take a faster rank's message of the
 * next iteration (docs/determinism.md).
 *
 * Thread rule: one thread. */
#ifndef AN_CAPTURE_H
#define AN_CAPTURE_H

#include "analysis/region/bounds.h"

/* Effect: follows all ways from the region's anonymous receive to its next entry, through loops and
 * callers. Sets the pattern's separation and its text. Returns NULL when every way passes something
 * that separates, otherwise the reason in a sentence; a way that surely has nothing in between
 * becomes a finding. `first` and `last` are the pattern's, which may be wider than the region's.
 * *tags: why the n-th round of one rank may have another tag than that of another, where tags are
 * what separates; NULL when they are the same. */
const char *an_capture_look(struct an_judgement *judgement, const struct an_region *region,
                            struct an_pattern *pattern, const char **tags);

#endif
