/* The end of streams: those of a communicator that all members have freed for good, and of its
 * collectives, which travel on the lanes with its tags. Messages that were sent there and never
 * received are forgotten with them. While messages are resent to a rank, its log stays as it is,
 * and with it the streams that are gone. */
#include "stream/streams.h"

static int is_among(const int *ranks, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] == rank)
            return 1;
    return 0;
}

static int is_of(const struct ft_stream_key *key, const struct ft_comm *comm, uint64_t lanes)
{
    if (key->comm == comm->id)
        return 1;
    return key->comm == lanes && key->tag >> FT_LANE_BITS == comm->lane &&
           comm->lane >= FT_LANE_FIRST &&
           (is_among(comm->local, comm->size, key->world) ||
            is_among(comm->world, comm->peers, key->world));
}

struct end { /* of streams to one rank */
    const struct ft_comm *comm;
    uint64_t lanes;
    int world;
};

static int is_stone_of(const void *context, const struct ft_stone *stone)
{
    const struct end *end = context;
    struct ft_stream_key key = {stone->comm, end->world, stone->tag};

    return is_of(&key, end->comm, end->lanes);
}

static void retire(struct ft_rank *self, const struct ft_comm *comm)
{
    uint64_t lanes = ft_comm_lanes(self)->id;
    struct ft_stream *stream, *next;

    DL_FOREACH_SAFE (self->spbc->streams->out.first, stream, next)
        stream->gone |= is_of(&stream->key, comm, lanes);
    DL_FOREACH_SAFE (self->spbc->streams->in.first, stream, next)
        stream->gone |= is_of(&stream->key, comm, lanes);
    for (int i = 0; i < self->size; i++)
        ft_stones_drop(&self->spbc->streams->peer[i], is_stone_of, &(struct end){comm, lanes, i});
}

/* Nobody will need it. Behind a rollback messages are logged that were safe before; without
 * them the log may hold entries of a stream that is quiet (stones.c). */
static int is_past(const struct ft_entry *entry)
{
    return entry->stream->gone || ft_numbers_have(&entry->stream->safe, entry->number);
}

static void table_sweep(struct ft_rank *self, struct ft_stream_table *table)
{
    struct ft_stream *stream, *next;

    DL_FOREACH_SAFE (table->first, stream, next) {
        struct ft_peer *peer = &self->spbc->streams->peer[stream->key.world];

        if (stream->gone && !stream->spans && !ft_peer_waits(peer) && !peer->flying)
            ft_stream_destroy(self, table, stream);
    }
}

void ft_streams_retire(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;

    ft_tombs_drop(self, retire);
    for (int i = 0; i < self->size; i++) {
        struct ft_peer *peer = &streams->peer[i];

        if (ft_peer_waits(peer) || peer->flying)
            continue;
        ft_runs_drop(self, peer);
        ft_log_sweep(self, peer, is_past);
    }
    table_sweep(self, &streams->out);
    table_sweep(self, &streams->in);
}
