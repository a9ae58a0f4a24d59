/* outside: sends that stand outside of a region and may match its anonymous receive, too.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_OUTSIDE_H
#define AN_REGION_OUTSIDE_H

#include "analysis/region/bounds.h"

/* The first such send of the program, or NULL. A function that the region calls is inside. */
const struct an_node *an_outside_find(struct an_judgement *judgement,
                                      const struct an_region *region,
                                      const struct an_pattern *pattern);

/* Is there only one send in the program that may be received with this tag? One that gets its tag
 * from its callers is one for each of them. */
bool an_outside_is_single(struct an_judgement *judgement, const struct an_term *comm,
                          const struct an_term *tag);

/* The argument of a call of MPI; of one that a forwarder supplies itself, its constant, or NULL. */
const struct an_node *an_outside_argument(const struct an_judgement *judgement,
                                          const struct an_mpi *mpi, int number);
/* May two receives or probes match the same message, by their tags and communicators? */
bool an_outside_receives_meet(struct an_judgement *judgement, const struct an_mpi *one,
                              const struct an_mpi *other);

/* May the receive or probe match what the send sends? */
bool an_outside_send_meets(struct an_judgement *judgement, const struct an_mpi *send,
                           const struct an_mpi *receive);

/* May the region, through what it calls, come to its own function again? */
bool an_region_recurs(struct an_judgement *judgement, const struct an_pattern *pattern);

#endif
