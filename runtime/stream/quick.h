/* quick: what each message between clusters passes, inline: of an 8-byte send a quarter of what it
 * takes more than a native one was calls from one file to the next, and what each of them looked up
 * again. For runtime/request/foreign.c and direct.h alone; the contracts are in stream.h. */
#ifndef FT_STREAM_QUICK_H
#define FT_STREAM_QUICK_H

#include <string.h>
#include "stream/streams.h"

#define FT_ENTRY_FAR (256u << 10) /* bytes of a message that would not stay in a cache */

/* Would the stream's next message be one that the receiver has? */
static inline int ft_stream_is_known(const struct ft_stream *stream)
{
    return ft_numbers_have(&stream->have, stream->last + 1);
}

/* The sender's end. A send to another cluster asks ft_stream_due first, which finds its stream: 1:
 * the message has to be given to the library now; 0: the receiver has it, or it goes later, behind
 * what is sent again. Then, when the library has accepted it, ft_stream_log counts it and copies
 * its data. Answers an MPI code; a failed call changes nothing. */
FT_INLINE int ft_stream_due(struct ft_rank *self, const struct ft_message *message,
                            struct ft_stream **stream)
{
    const struct ft_comm *comm = message->comm;
    int world = comm->world[message->dest];

    *stream = ft_stream_out(self, comm->id, world, message->tag);
    return !ft_peer_waits(&self->spbc->streams->peer[world]) && !ft_stream_is_known(*stream);
}

/* An entry with the data of a message of a datatype that is not basic. */
int ft_entry_pack(struct ft_rank *self, struct ft_peer *peer, const struct ft_message *message,
                  struct ft_entry **out);
/* Copies the data of one that is FT_ENTRY_FAR or longer. */
void ft_entry_fill_long(struct ft_entry *entry, const void *from);

static inline void ft_entry_fill(struct ft_entry *entry, const void *from, uint64_t bytes)
{
    if (bytes == 8)
        memcpy(entry->data, from, 8);
    else if (ft_unlikely(bytes >= FT_ENTRY_FAR))
        ft_entry_fill_long(entry, from);
    else if (bytes > 0)
        memcpy(entry->data, from, bytes);
}

/* The log has grown by an entry with so many bytes. */
static inline void ft_log_grown(struct ft_rank *self, struct ft_peer *peer, uint64_t bytes)
{
    struct ft_recorder *recorder = self->recorder;
    struct ft_streams *streams = self->spbc->streams;
    uint64_t held = streams->held += bytes;

    peer->traffic.messages++;
    peer->traffic.bytes += bytes;
    peer->memory += sizeof(struct ft_entry) + bytes;
    streams->memory += sizeof(struct ft_entry) + bytes;
    recorder->logged += bytes;
    if (held > recorder->log_most)
        recorder->log_most = held;
}

FT_INLINE int ft_stream_log(struct ft_rank *self, const struct ft_message *message,
                            struct ft_stream *stream)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_peer *peer = &streams->peer[stream->key.world];
    uint64_t bytes = (uint64_t)message->count * ft_type_basic_size(message->type);
    struct ft_entry *entry;

    if (ft_unlikely((uint32_t)message->type >> 24 != FT_BASIC_BYTE)) {
        int code = ft_entry_pack(self, peer, message, &entry);

        if (code != MPI_SUCCESS)
            return code;
        bytes = entry->bytes;
    } else if (ft_unlikely(message->count < 0)) {
        return MPI_ERR_COUNT;
    } else {
        entry = ft_entry_alloc(self, peer, bytes);
        ft_entry_fill(entry, message->buffer, bytes);
    }
    if (ft_unlikely(streams->memory >= streams->alarm))
        ft_log_alarm(self);
    if (ft_unlikely(ft_peer_waits(peer)) && !ft_stream_is_known(stream))
        ft_replay_expect(self, stream, message->comm, 1);
    entry->stream = stream;
    entry->number = ++stream->last;
    if (ft_likely(peer->end != NULL))
        peer->end->next = entry;
    else
        peer->first = entry;
    peer->end = entry;
    ft_log_grown(self, peer, bytes);
    return MPI_SUCCESS;
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
/* ft_stream_received: a message with a number. */
static inline void ft_stream_take(struct ft_stream *stream, uint64_t number)
{
    if (ft_unlikely(ft_numbers_add(&stream->have, number) != 0))
        ft_stream_twice(stream, number);
}

#endif
