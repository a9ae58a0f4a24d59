/* collective: what the wrappers of non-blocking collectives share.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLLECTIVE_H
#define FT_COLLECTIVE_H

#include "handle/handle.h"

/* The virtual request of a collective that the library has accepted as `real` on `comm`. Holds comm
 * and the `count` datatypes and operations in `used` until it is complete, and frees `keep` (from
 * ft_image_alloc, may be NULL) then. */
MPI_Request ft_collective_post(struct ft_rank *self, struct ft_comm *comm, MPI_Request real,
                               void *keep, int count, const int *used);

#endif
