/* same: whether an expression has the same value on all ranks of a communicator.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_SAME_H
#define AN_REGION_SAME_H

#include "analysis/region/term.h"

enum an_sameness {
    AN_SAME, /* shown */
    AN_UNSHOWN,
    AN_RANKED, /* it depends on the rank */
};

/* On all ranks of `comm`. */
enum an_sameness an_sameness_of(struct an_judgement *judgement, const struct an_node *expression,
                                const struct an_term *comm);

#endif
