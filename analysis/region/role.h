/* role: which way a condition on the rank or on the number of ranks goes on one rank, and on
 * all the others.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_ROLE_H
#define AN_REGION_ROLE_H

#include "analysis/region/term.h"

struct an_role_of {
    struct an_judgement *judgement;
    const struct an_term *comm; /* whose ranks are counted; NULL: of any communicator */
    int64_t rank;               /* the one rank */
};

/* The one rank that runs the node, by a condition around it in its function that compares with a
 * constant: fills role->rank. False when there is none. */
bool an_role_find(struct an_role_of *role, const struct an_node *node);

/* The outcomes that the condition may have (AN_MAY_HOLD, AN_MAY_FAIL): on the one rank, or on
 * the `others`, of which there is at least one. */
unsigned an_role_decide(const struct an_role_of *role, const struct an_node *condition,
                        bool others);

/* Does the variable hold the rank, or the number of ranks, in the communicator, and nothing else?
 */
bool an_role_is_rank(const struct an_role_of *role, const struct an_node *name);
bool an_role_is_size(const struct an_role_of *role, const struct an_node *name);

#endif
