/* quick: what each message between clusters passes, inline: of an 8-byte send a quarter of what it
 * takes more than a native one was calls from one file to the next, and what each of them looked up
 * again. For runtime/libft/request/foreign.c, outward.c, direct.h and outward.h alone; the
 * contracts are in stream.h.
 */
#ifndef FT_STREAM_QUICK_H
#define FT_STREAM_QUICK_H

#include <assert.h>
#include <string.h>
#include "determinant/trail.h"
#include "stream/phases.h"
#include "stream/streams.h"

#define FT_ENTRY_FAR (256u << 10) /* bytes of a message that would not stay in a cache */

/* Would the stream's next message be one that the receiver has? Its messages are at most
 * `known`. */
static inline int ft_stream_is_known(const struct ft_stream *stream)
{
    uint64_t next = stream->last + 1;

    return ft_unlikely(next <= stream->known) && ft_numbers_have(&stream->have, next);
}

/* Copies the data of an entry that is FT_ENTRY_FAR or longer. */
void ft_entry_fill_long(struct ft_entry *entry, const void *from);

static inline void ft_entry_fill(struct ft_entry *entry, const void *from, uint64_t bytes)
{
    if (ft_likely(bytes == 8))
        memcpy(entry->data, from, 8);
    else if (ft_unlikely(bytes >= FT_ENTRY_FAR))
        ft_entry_fill_long(entry, from);
    else if (bytes > 0)
        memcpy(entry->data, from, bytes);
}

/* The log has grown by an entry with so many bytes. */
static inline void ft_log_grown(struct ft_rank *self, struct ft_streams *streams,
                                struct ft_peer *peer, uint64_t bytes)
{
    uint64_t memory = sizeof(struct ft_entry) + bytes;

    peer->traffic.messages++;
    peer->traffic.bytes += bytes;
    peer->memory += memory;
    streams->memory += memory;
    self->recorder->logged += bytes;
    self->recorder->log_held += bytes;
}

/* The entry, with so many bytes, holds the stream's next message, which goes behind all others to
 * this rank. */
static inline void ft_log_append(struct ft_rank *self, struct ft_streams *streams,
                                 struct ft_peer *peer, struct ft_stream *stream,
                                 struct ft_entry *entry, uint64_t bytes)
{
    entry->stream = stream;
    entry->number = ++stream->last;
    if (ft_likely(peer->end != NULL))
        peer->end->next = entry;
    else
        peer->first = entry;
    peer->end = entry;
    ft_log_grown(self, streams, peer, bytes);
}

/* The sender's end. A send to another cluster asks ft_stream_due first, which finds its stream:
 * 1: the message has to be given to the library now; 0: the receiver has it, or it goes later,
 * behind what is resent. Then, when the library has accepted it, or `due` is 0, ft_stream_log
 * counts it and copies its data; what is not due and not known goes from the log. A caller that
 * wants that says so by `due`. Answers an MPI code; a failed call changes nothing. */
int ft_stream_due(struct ft_rank *self, const struct ft_message *message,
                  struct ft_stream **stream);
int ft_stream_log(struct ft_rank *self, const struct ft_message *message, struct ft_stream *stream,
                  int due);

/* The same of a message that is due and not of a basic datatype, which is packed once: first
 * ft_stream_pack, whose entry has the data and is on no list. Then, when the library has accepted
 * them, ft_stream_log_packed; if not, ft_entry_free. With `lent` the library has not sent all of
 * them yet: they stay where they are until what ft_stream_lent answers has been given back. */
int ft_stream_pack(struct ft_rank *self, const struct ft_message *message, struct ft_stream *stream,
                   struct ft_entry **entry);
void ft_stream_log_packed(struct ft_rank *self, struct ft_stream *stream, struct ft_entry *entry,
                          int lent);

/* The same for `bytes` of a basic datatype, to a rank that nothing is resent to. */
FT_INLINE void ft_stream_log_plain(struct ft_rank *self, struct ft_stream *stream, int world,
                                   const void *buffer, uint64_t bytes)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_peer *peer = &streams->peer[world];
    struct ft_entry *entry = ft_entry_alloc(self, peer, bytes);

    assert(!ft_peer_waits(peer));
    ft_entry_fill(entry, buffer, bytes);
    if (ft_unlikely(streams->memory >= streams->alarm))
        ft_log_alarm(self);
    ft_log_append(self, streams, peer, stream, entry, bytes);
}

/* The word of ft_stream_told about a message of `bytes` without FT_NOTED_CONTENT. */
static inline uint64_t ft_stream_told_plain(uint64_t comm, int world, int tag, uint64_t bytes)
{
    uint64_t told = ft_trail_mix(comm, (uint64_t)(uint32_t)tag << 32 | (uint32_t)world);

    return ft_trail_mix(told, bytes);
}

/* ft_stream_posted: the stream, whose `last` is the message's number. It is there until its message
 * is received, or the receive withdrawn. */
static inline struct ft_stream *ft_stream_post(struct ft_rank *self, const struct ft_comm *comm,
                                               int source, int tag)
{
    struct ft_stream *stream = ft_stream_in(self, comm->id, comm->world[source], tag);

    stream->last++;
    return stream;
}

_Noreturn void ft_stream_twice(const struct ft_stream *stream, uint64_t number);
/* ft_stream_received: a message with a number. (--protocol hydee and causal have to know of each:
 * that is 2 instructions of a receive's 1,670.) */
static inline void ft_stream_take(struct ft_stream *stream, uint64_t number)
{
    if (ft_unlikely(ft_numbers_add(&stream->have, number) != 0))
        ft_stream_twice(stream, number);
    if (ft_unlikely(ft_life.heed != NULL))
        ft_life.heed(ft_self, stream->key.world);
}

#endif
