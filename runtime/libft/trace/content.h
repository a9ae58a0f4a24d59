/* content: how long a message is, and a hash of it. Thread rule: inside a wrapper. */
#ifndef FT_TRACE_CONTENT_H
#define FT_TRACE_CONTENT_H

#include "handle/handle.h"

/* *size: bytes; *hash is 0 only
 * if the message is empty or cannot be hashed. type is the
 * program's; buffer MPI_IN_PLACE: only the size is told. An invalid type has no size and no
 * content: the call that follows will say so. */
void ft_content(struct ft_rank *self, const struct ft_comm *comm, const void *buffer, int64_t count,
                MPI_Datatype type, uint64_t *size, uint32_t *hash);

#endif
