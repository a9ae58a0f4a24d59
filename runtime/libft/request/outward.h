/* outward: a send to another cluster that nothing has to be thought of but its stream and the
 * log: no request, no description, no call between files but the library's. For the program, and
 * for the collectives that are made of messages. outward.c has the rest. Functions that answer
 * `int` answer an MPI code. */
#ifndef FT_REQUEST_OUTWARD_H
#define FT_REQUEST_OUTWARD_H

#include "request/foreign.h"
#include "stream/contents.h"
#include "stream/quick.h"

/* Is a message of this kind? For a basic datatype, when the trail notes nothing of messages but
 * their length, and nothing is resent: then no rank is waited for (ft_peer_waits), because each
 * such counts in `resending`. A place and a phase are noted beside the trail. */
static inline int ft_outward_is_plain(const struct ft_rank *self, int count, MPI_Datatype type,
                                      int tag)
{
    return ((self->spbc->noted & ~(uint32_t)(FT_NOTED_PLACE | FT_NOTED_PHASE | FT_NOTED_LOGGED)) |
            self->spbc->resending) == 0 &&
           (count | tag) >= 0 && ft_library_type_is_basic(type);
}

/* ft_foreign_send, for such a message that its receiver has. */
int ft_outward_known(struct ft_rank *self, struct ft_stream *stream, const void *buffer, int count,
                     MPI_Datatype type, int dest, int tag, const struct ft_comm *comm,
                     MPI_Request *real);

/* The rest of a send that ft_contents_note began: the message is in the log. */
static inline void ft_outward_noted(struct ft_rank *self, const struct ft_stream *stream,
                                    const struct ft_comm *comm, uint64_t key, uint64_t hash,
                                    int known)
{
    ft_contents_check(self, stream, key, hash, known);
    if (!ft_comm_is_lanes(comm))
        ft_stream_placed(self, comm, stream->key.world);
}

/* ft_outward_send with --trust, with --protocol hydee, or on several nodes. */
int ft_outward_watched(struct ft_rank *self, enum ft_send_mode mode, const void *buffer, int count,
                       MPI_Datatype type, int dest, struct ft_stream *stream,
                       const struct ft_comm *comm, MPI_Request *real);

/* The rest of a send whose stream is known, where nothing is noted but the message's length. */
FT_INLINE int ft_outward_plainly(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                                 int count, MPI_Datatype type, int dest, struct ft_stream *stream,
                                 const struct ft_comm *comm, MPI_Request *real)
{
    int tag = stream->key.tag, code;

    if (ft_unlikely(ft_stream_is_known(stream)))
        return ft_outward_known(self, stream, buffer, count, type, dest, tag, comm, real);
    code = ft_send_library(mode, buffer, count, type, dest, tag, comm->real, real);
    if (ft_unlikely(code != MPI_SUCCESS) && !ft_foreign_is_unreachable(self, code, mode, real))
        return code;
    ft_stream_log_plain(self, stream, stream->key.world, buffer,
                        (uint64_t)count * ft_library_type_basic_size(type));
    return MPI_SUCCESS;
}

/* The same for any to rank `dest` of comm, which is world rank `world`, of
 * another cluster. */
FT_INLINE int ft_outward_send(struct ft_rank *self, enum ft_send_mode mode, const void *buffer,
                              int count, MPI_Datatype type, int dest, int world, int tag,
                              const struct ft_comm *comm, MPI_Request *real)
{
    struct ft_stream *stream = ft_stream_out(self, comm->id, world, tag);

    return self->spbc->noted
               ? ft_outward_watched(self, mode, buffer, count, type, dest, stream, comm, real)
               : ft_outward_plainly(self, mode, buffer, count, type, dest, stream, comm, real);
}

#endif
