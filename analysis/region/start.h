/* start: persistent requests, from the call that describes them to those that start and
 * complete them.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_START_H
#define AN_REGION_START_H

#include "analysis/region/match.h"

/* The variable or field that the call's request lies in, of an array the array's; NULL when it is
 * a parameter, or not known. */
const char *an_request_name(const struct an_program *program, const struct an_mpi *mpi);

/* Does the call start requests that lie there? */
bool an_starts(const struct an_program *program, const struct an_node *call, const char *name);

/* Does the call start sends that may match the receive? Those that are described in the unit of
 * the call count. */
bool an_starts_match(struct an_judgement *judgement, const struct an_node *call,
                     const struct an_message *receive);

#endif
