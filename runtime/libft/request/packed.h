/* packed: receives of types that are not plain, from other clusters (--protocol spbc).
 *
 * Messages resent from a log are bytes. MPICH 4.0.2 says "truncated" when more than 8 KB of them
 * meet a receive of a type with gaps, in which its parts of a message end inside of an element.
 * (The reverse is sound: data of any type, sent live, can be received as bytes.) So a receive
 * that a log may answer takes bytes into the image, and unpacks them when it completes. */
#ifndef FT_REQUEST_PACKED_H
#define FT_REQUEST_PACKED_H

#include "request/virtual.h"

/* Must the receive be packed? For a described request with self->spbc. The first one: of a
 * type that is not plain. */
int ft_packed_foreign(struct ft_rank *self, const struct ft_request *request);
static inline int ft_packed_wanted(struct ft_rank *self, const struct ft_request *request)
{
    return ft_unlikely(!ft_type_is_plain(self, request->type)) && ft_packed_foreign(self, request);
}
/* Posts it, for the first time or again in a new epoch: request->keep is where the bytes come. An
 * MPI code, as the receive itself would have; a failed call changes nothing. */
int ft_packed_post(struct ft_rank *self, struct ft_request *request);
/* The library has completed it, and it was not cancelled: fills the program's buffer. Where that
 * fails, request->code says so. */
void ft_packed_deliver(struct ft_rank *self, struct ft_request *request);

/* The library's answer about the arguments of a receive; it keeps nothing. */
int ft_recv_check(struct ft_rank *self, const struct ft_request *request);

#endif
