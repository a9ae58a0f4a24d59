/* quick: short cuts for what most programs do most: small blocking collectives with nothing else
 * running. Their requests lie on the program's stack, which is part of the image.
 *
 * Invariant: messages and results are those of the schedules. Whether something else is running is
 * each rank's own affair: one may take the short cut and the others not, or another in its next
 * life.
 *
 * Thread rule: as all wrappers, one thread at a time. Answers FT_QUICK_NOT when the case is
 * another, or an argument is wrong; else an MPI code. */
#ifndef FT_COLL_QUICK_H
#define FT_COLL_QUICK_H

#include "coll/shape.h"

#define FT_QUICK_NOT (-1)
/* Bytes of data up to which ranks that reduce exchange everything at each step, by either way. */
#define FT_QUICK_BYTES 128

int ft_quick_barrier(struct ft_rank *self, struct ft_comm *on);
int ft_quick_bcast(struct ft_rank *self, struct ft_comm *on, void *buffer, int count,
                   MPI_Datatype type, int root);
int ft_quick_allreduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                       int count, MPI_Datatype type, MPI_Op op);

#endif
