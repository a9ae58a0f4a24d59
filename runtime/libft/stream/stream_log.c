/* The sender's end (what each message passes: quick.h): numbers, and the log of everything that
 * was sent to other clusters, one list for each destination, in send order. The list is also the
 * queue of what is resent: while ft_peer_waits, a message is complete when it is in the list,
 * and goes when its turn comes.
 */
#include <emmintrin.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "handle/pack.h"
#include "stream/marks.h"
#include "stream/quick.h"

void ft_log_shrunk(struct ft_rank *self, const struct ft_entry *entry)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_recorder *recorder = self->recorder;

    recorder->log_most = ft_log_most_of(recorder);
    recorder->log_held -= entry->bytes;
    streams->memory -= sizeof *entry + entry->bytes;
    streams->peer[entry->stream->key.world].memory -= sizeof *entry + entry->bytes;
}

static void entry_drop(struct ft_rank *self, struct ft_entry *entry)
{
    ft_log_shrunk(self, entry);
    self->recorder->log_dropped += entry->bytes;
    ft_entry_free(self, entry);
}

void ft_log_sweep(struct ft_rank *self, struct ft_peer *peer, int (*goes)(const struct ft_entry *))
{
    struct ft_entry **link = &peer->first, *entry;

    if (peer->memory > peer->most)
        peer->most = peer->memory;
    peer->end = NULL;
    while ((entry = *link)) {
        if (!goes(entry)) {
            peer->end = entry;
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        entry_drop(self, entry);
    }
}

/* Long messages pass by the caches, which the log would fill with what nobody reads again: 46 us
 * for each MB in place of 73 (warm memory, pages of 4 KB). `to` begins at a cache line. */
static void copy_long(char *to, const char *from, uint64_t bytes)
{
    uint64_t at = 0;

    for (; at + 64 <= bytes; at += 64)
        for (uint64_t i = at; i < at + 64; i += 16)
            _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
    _mm_sfence();
    memcpy(to + at, from + at, bytes - at);
}

void ft_entry_fill_long(struct ft_entry *entry, const void *from)
{
    copy_long(entry->data, from, entry->bytes);
}

/* Packs a message of a datatype that is not basic. */
static int entry_pack(struct ft_rank *self, struct ft_peer *peer, const struct ft_message *message,
                      struct ft_entry **out)
{
    struct ft_entry *entry;
    MPI_Count room = 0, used = 0;
    int code = PMPI_Pack_size_c(message->count, message->type, MPI_COMM_SELF, &room);

    if (code != MPI_SUCCESS)
        return code;
    entry = ft_entry_alloc(self, peer, (uint64_t)room);
    code = ft_pack(message->buffer, message->count, message->type, entry->data, room, &used,
                   MPI_COMM_SELF);
    if (code != MPI_SUCCESS) {
        ft_entry_free(self, entry);
        return code;
    }
    ft_entry_cut(self, entry, (uint64_t)used);
    *out = entry;
    return MPI_SUCCESS;
}

int ft_stream_due(struct ft_rank *self, const struct ft_message *message, struct ft_stream **stream)
{
    const struct ft_comm *comm = message->comm;
    int world = comm->world[message->dest];

    *stream = ft_stream_out(self, comm->id, world, message->tag);
    return !ft_peer_waits(&self->spbc->streams->peer[world]) && !ft_stream_is_known(*stream) &&
           !ft_marks_hold(self, world);
}

/* An entry with the message's data, on no list. */
static int entry_make(struct ft_rank *self, struct ft_peer *peer, const struct ft_message *message,
                      struct ft_entry **out)
{
    uint64_t bytes = (uint64_t)message->count * ft_library_type_basic_size(message->type);

    if (!ft_library_type_is_basic(message->type))
        return entry_pack(self, peer, message, out);
    if (message->count < 0)
        return MPI_ERR_COUNT;
    *out = ft_entry_alloc(self, peer, bytes);
    ft_entry_fill(*out, message->buffer, bytes);
    return MPI_SUCCESS;
}

int ft_stream_log(struct ft_rank *self, const struct ft_message *message, struct ft_stream *stream,
                  int due)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_peer *peer = &streams->peer[stream->key.world];
    struct ft_entry *entry;
    int later = !due && !ft_stream_is_known(stream);
    int code = entry_make(self, peer, message, &entry);

    if (code != MPI_SUCCESS)
        return code;
    if (streams->memory >= streams->alarm)
        ft_log_alarm(self);
    if (later)
        ft_replay_expect(self, stream, message->comm, 1);
    ft_log_append(self, streams, peer, stream, entry, entry->bytes);
    if (later)
        ft_replay_add(self, peer, entry);
    return MPI_SUCCESS;
}

int ft_stream_pack(struct ft_rank *self, const struct ft_message *message, struct ft_stream *stream,
                   struct ft_entry **entry)
{
    return entry_pack(self, &self->spbc->streams->peer[stream->key.world], message, entry);
}

void ft_stream_log_packed(struct ft_rank *self, struct ft_stream *stream, struct ft_entry *entry,
                          int lent)
{
    struct ft_streams *streams = self->spbc->streams;

    if (streams->memory >= streams->alarm)
        ft_log_alarm(self);
    ft_log_append(self, streams, &streams->peer[stream->key.world], stream, entry, entry->bytes);
    if (lent)
        ft_entry_lend(self, entry);
}

uint64_t ft_stream_told(const struct ft_rank *self, int world)
{
    const struct ft_entry *entry = self->spbc->streams->peer[world].end;
    const struct ft_stream_key *key = &entry->stream->key;
    uint64_t told = ft_stream_told_plain(key->comm, key->world, key->tag, entry->bytes);

    return self->spbc->noted & FT_NOTED_CONTENT
               ? ft_trail_mix(told, XXH3_64bits(entry->data, entry->bytes))
               : told;
}

void ft_streams_traffic(const struct ft_rank *self, struct ft_wire_traffic *traffic)
{
    for (int i = 0; i < self->size; i++)
        traffic[i] = self->spbc->streams->peer[i].traffic;
}
