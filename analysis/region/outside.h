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

/* The tags and communicators of the messages of a call, in the words of the callers from which they
 * can be told. */
struct an_labels;

/* Those of what the call receives or probes, and of what it sends; NULL: it sends without a tag or
 * communicator of its own. They are found once for each call, and belong to the judgement. */
const struct an_labels *an_labels_of_receive(struct an_judgement *judgement,
                                             const struct an_mpi *mpi);
const struct an_labels *an_labels_of_send(struct an_judgement *judgement, const struct an_mpi *mpi);
/* May some message have labels of both? With NULL, none has. */
bool an_labels_meet(const struct an_labels *one, const struct an_labels *other);

/* May the region, through what it calls, come to its own function again? */
bool an_region_recurs(struct an_judgement *judgement, const struct an_pattern *pattern);

#endif
