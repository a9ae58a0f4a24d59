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
                               void *keep, int count, const uint32_t *used);

/* A communicator like `comm` for one persistent collective: MPI orders their initialization over
 * the ranks of a communicator, and not their starts (MPI 4.0, section 6.13). Collective. */
MPI_Comm ft_collective_comm(struct ft_rank *self, MPI_Comm comm);
/* A persistent request of a collective on `comm`, which travels on `own` (owned). MPI_Start calls
 * `start` with `given` (from ft_image_alloc, owned), as the program would call a non-blocking
 * collective. Holds comm and the `count` datatypes
 * and operations in `used` until it is freed. */
MPI_Request ft_collective_init(struct ft_rank *self, struct ft_comm *comm, MPI_Comm own,
                               int (*start)(const void *given, MPI_Request *request), void *given,
                               int count, const uint32_t *used);

#endif
