/* Landings: a synchronous send to another cluster that the library does not have, or has no
 * more, ends when its message, which is in the log, has met a receive: when it has landed,
 * resent as a synchronous one (replay.c), or when the exchange says that the receiver has it.
 * They are in the image, and go on in a new epoch. */
#include "stream/streams.h"

struct ft_landing *ft_landing_await(struct ft_rank *self, const struct ft_comm *comm, int dest,
                                    int tag, uint64_t number)
{
    struct ft_streams *streams = self->spbc->streams;
    int world = comm->world[dest];
    struct ft_stream *stream = ft_stream_known(&streams->out, comm->id, world, tag);
    struct ft_landing *landing;

    if (!stream || stream->last < number) /* it was retired, so the receiver has had it for long */
        return NULL;
    landing = ft_image_alloc(sizeof *landing);
    landing->stream = stream;
    landing->number = number;
    DL_APPEND(streams->peer[world].landings, landing);
    return landing;
}

int ft_landing_ended(const struct ft_landing *landing)
{
    return !landing || !landing->stream;
}

static void landing_end(struct ft_peer *peer, struct ft_landing *landing)
{
    DL_DELETE(peer->landings, landing);
    landing->stream = NULL;
}

void ft_landing_release(struct ft_rank *self, struct ft_landing *landing)
{
    if (landing && landing->stream)
        landing_end(&self->spbc->streams->peer[landing->stream->key.world], landing);
    ft_image_free(landing);
}

struct ft_landing *ft_landing_find(const struct ft_peer *peer, const struct ft_stream *stream,
                                   uint64_t number)
{
    struct ft_landing *landing;

    DL_FOREACH (peer->landings, landing)
        if (landing->stream == stream && landing->number == number)
            return landing;
    return NULL;
}

void ft_landing_meet(struct ft_peer *peer, const struct ft_stream *stream, uint64_t number)
{
    struct ft_landing *landing = ft_landing_find(peer, stream, number);

    if (landing)
        landing_end(peer, landing);
}

void ft_landings_settle(struct ft_peer *peer)
{
    struct ft_landing *landing, *next;

    DL_FOREACH_SAFE (peer->landings, landing, next)
        if (landing->stream->lost || ft_numbers_have(&landing->stream->have, landing->number))
            landing_end(peer, landing);
}

void ft_landings_forget(struct ft_peer *peer, const struct ft_stream *stream)
{
    struct ft_landing *landing, *next;

    DL_FOREACH_SAFE (peer->landings, landing, next)
        if (landing->stream == stream)
            landing_end(peer, landing);
}
