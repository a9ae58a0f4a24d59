/* site: names each site's call to the runtime.
 *
 * Before:                                   After:
 *                                               FT_SITE(0x1a2b3c4d);
 *     MPI_Recv(&x, 1, ...);                     MPI_Recv(&x, 1, ...);
 *     if (MPI_Test(&r, &flag, &s))              if ((FT_SITE(0x2b3c4d5e), MPI_Test(&r, &flag, &s)))
 *
 * Thread rule: one thread. */
#ifndef RW_SITE_H
#define RW_SITE_H

#include "rewriters/target.h"

/* Effect: adds the edits for each site of the judgement in this file, but for calls that a macro
 * makes where they are not all of a statement of a block, and those with an argument that may
 * communicate itself. Returns the number of marks. */
unsigned rw_sites_insert(const struct rw_target *target);

#endif
