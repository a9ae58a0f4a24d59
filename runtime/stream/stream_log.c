/* The sender's end: numbers, and the log of everything that was sent to other clusters, one list
 * for each destination, in send order. The list is also the queue of what is sent again: while
 * ft_peer_waits, a message is complete when it is in the list, and goes when its turn comes.
 */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "determinant/trail.h"
#include "handle/pack.h"
#include "stream/streams.h"

/* Would the stream's next message be one that the receiver has? */
static int is_known(const struct ft_stream *stream)
{
    return ft_numbers_have(&stream->have, stream->last + 1);
}

int ft_stream_due(struct ft_rank *self, const struct ft_comm *comm, int dest, int tag)
{
    int world = comm->world[dest];

    return !ft_peer_waits(&self->spbc->streams->peer[world]) &&
           !is_known(ft_stream_out(self, comm->id, world, tag));
}

/* The log has grown by an entry. */
static void log_added(struct ft_rank *self, struct ft_peer *peer, const struct ft_entry *entry)
{
    struct ft_recorder *recorder = self->recorder;
    struct ft_streams *streams = self->spbc->streams;
    uint64_t held = streams->held += entry->bytes;

    peer->traffic.messages++;
    peer->traffic.bytes += entry->bytes;
    peer->memory += sizeof *entry + entry->bytes;
    streams->memory += sizeof *entry + entry->bytes;
    recorder->logged += entry->bytes;
    if (held > recorder->log_most)
        recorder->log_most = held;
}

void ft_log_shrunk(struct ft_rank *self, const struct ft_entry *entry)
{
    struct ft_streams *streams = self->spbc->streams;

    streams->held -= entry->bytes;
    streams->memory -= sizeof *entry + entry->bytes;
    streams->peer[entry->stream->key.world].memory -= sizeof *entry + entry->bytes;
}

static void entry_drop(struct ft_rank *self, struct ft_entry *entry)
{
    ft_log_shrunk(self, entry);
    self->recorder->log_dropped += entry->bytes;
    ft_image_free(entry);
}

void ft_log_sweep(struct ft_rank *self, struct ft_peer *peer, int (*goes)(const struct ft_entry *))
{
    struct ft_entry **link = &peer->first, *entry;

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

static struct ft_entry *entry_alloc(uint64_t bytes)
{
    struct ft_entry *entry = ft_image_room(sizeof *entry + bytes);

    entry->next = NULL;
    entry->bytes = bytes;
    return entry;
}

static int entry_pack(const void *buffer, int count, MPI_Datatype type, struct ft_entry **out)
{
    struct ft_entry *entry;
    MPI_Count room = 0, used = 0;
    int code = PMPI_Pack_size_c(count, type, MPI_COMM_SELF, &room);

    if (code != MPI_SUCCESS)
        return code;
    entry = entry_alloc((uint64_t)room);
    code = ft_pack(buffer, count, type, entry->data, room, &used, MPI_COMM_SELF);
    if (code != MPI_SUCCESS) {
        ft_image_free(entry);
        return code;
    }
    entry->bytes = (uint64_t)used;
    *out = entry;
    return MPI_SUCCESS;
}

static int entry_create(const void *buffer, int count, MPI_Datatype type, struct ft_entry **out)
{
    int size = 0, code;

    if ((uint32_t)type >> 24 != FT_BASIC_BYTE)
        return entry_pack(buffer, count, type, out);
    code = PMPI_Type_size(type, &size);
    if (code != MPI_SUCCESS)
        return code;
    if (count < 0)
        return MPI_ERR_COUNT;
    *out = entry_alloc((uint64_t)count * (uint64_t)size);
    if ((*out)->bytes > 0)
        memcpy((*out)->data, buffer, (*out)->bytes);
    return MPI_SUCCESS;
}

int ft_stream_log(struct ft_rank *self, struct ft_comm *comm, int dest, int tag, const void *buffer,
                  int count, MPI_Datatype type)
{
    int world = comm->world[dest];
    struct ft_peer *peer = &self->spbc->streams->peer[world];
    struct ft_stream *stream = ft_stream_out(self, comm->id, world, tag);
    struct ft_entry *entry;
    int code = entry_create(buffer, count, type, &entry);

    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    if (ft_unlikely(self->spbc->streams->memory >= self->spbc->streams->alarm))
        ft_log_alarm(self);
    if (ft_unlikely(ft_peer_waits(peer)) && !is_known(stream))
        ft_replay_expect(self, stream, comm, 1);
    entry->stream = stream;
    entry->number = ++stream->last;
    if (peer->end)
        peer->end->next = entry;
    else
        peer->first = entry;
    peer->end = entry;
    log_added(self, peer, entry);
    return MPI_SUCCESS;
}

uint64_t ft_stream_told(const struct ft_rank *self, int world)
{
    const struct ft_entry *entry = self->spbc->streams->peer[world].end;
    const struct ft_stream_key *key = &entry->stream->key;
    uint64_t told = ft_trail_mix(key->comm, (uint64_t)(uint32_t)key->tag << 32 | (uint32_t)world);

    told = ft_trail_mix(told, entry->bytes);
    return self->spbc->content ? ft_trail_mix(told, XXH3_64bits(entry->data, entry->bytes)) : told;
}

void ft_streams_traffic(const struct ft_rank *self, struct ft_wire_traffic *traffic)
{
    for (int i = 0; i < self->size; i++)
        traffic[i] = self->spbc->streams->peer[i].traffic;
}
