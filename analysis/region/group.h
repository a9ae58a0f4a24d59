/* group: which ranks are in a communicator, as far as the way it was made tells.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_GROUP_H
#define AN_REGION_GROUP_H

#include "analysis/region/term.h"

/* Are all ranks of the communicator `part` in `whole`? AN_NO_MATCH says that some surely are not.
 * MPI_COMM_WORLD holds all; a duplicate has the ranks of what it was made from; what was split off
 * has some of them. A variable that is set in several places may hold either: AN_MAY_MATCH. */
enum an_match an_group_covers(struct an_judgement *judgement, const struct an_term *whole,
                              const struct an_term *part);

#endif
