/* coll: the collectives of --protocol spbc, made of point-to-point messages on the lanes.
 *
 * A call becomes a schedule: rounds of sends, receives, reductions and copies, which the polls of
 * its virtual request carry on. So a rank is never blocked inside the library, and waits, logs,
 * replay and images know nothing of collectives. The order in which operands are combined depends
 * on rank and size alone.
 *
 * Thread rule: as all wrappers, one thread at a time. The functions answer MPI codes. */
#ifndef FT_COLL_H
#define FT_COLL_H

#include "handle/handle.h"

/* For the runtime itself: `bytes` bytes of each rank into `all`, in the order of ranks; on an
 * intercommunicator those of the remote group. Blocking, and a safe point in every wait. Ticks no
 * clock: all members must call it between the same two collectives of the program. */
int ft_coll_allgather(struct ft_rank *self, struct ft_comm *comm, const void *mine, int bytes,
                      void *all);
/* Starts to tell all members of both groups: all[size] from the own group, in the order of ranks,
 * then, on an intercommunicator, all[peers] from the other one, of `bytes` bytes each; the own ones
 * are there at once. It is the collective comm->clock; *request is its virtual request. */
int ft_coll_tell(struct ft_rank *self, struct ft_comm *comm, const void *mine, int bytes, void *all,
                 MPI_Request *request);

#endif
