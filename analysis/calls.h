/* calls: what each MPI function is to the analysis.
 *
 * Thread rule: constants. */
#ifndef AN_CALLS_H
#define AN_CALLS_H

#include "analysis/facts.h"

struct an_call {
    const char *name; /* without "MPI_" and "_c" */
    enum an_role role;
    int source, tag; /* numbers of the arguments that may be wildcards, from 0, or -1 */
};

/* The entry for "MPI_Send", "PMPI_Send" or "MPI_Send_c", or NULL when it is no function of MPI. */
const struct an_call *an_call_find(const char *function);

#endif
