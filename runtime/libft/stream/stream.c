/* Streams come and go, and the receiver's end.
 *
 * A named receive has its number from the moment of its posting, because messages of one stream
 * may complete out of order: 64 MB, then 8 B: the second is there first. A receive that several
 * streams could answer has its number when it ends, and so has one that was posted after it and
 * could take its message; these end in the order of their posting (request/overtake.h). */
#include "stream/carried.h"
#include "stream/quick.h"

void ft_streams_start(struct ft_rank *self)
{
    struct ft_streams *streams = ft_image_alloc(sizeof *streams);

    streams->peer = ft_image_alloc((size_t)self->size * sizeof *streams->peer);
    for (int i = 0; i < self->size; i++)
        streams->peer[i].learned = -1;
    streams->checkpoint = -1;
    streams->nobody.key.world = -1;
    for (int i = 0; i < FT_STREAM_RECENT; i++)
        streams->recent_out[i] = streams->recent_in[i] = &streams->nobody;
    self->spbc->streams = streams;
    ft_runs_begin(self);
    ft_log_marks(self);
    ft_phases_start(self);
    ft_carried_start();
}

void ft_stream_destroy(struct ft_rank *self, struct ft_stream_table *table,
                       struct ft_stream *stream)
{
    struct ft_streams *streams = self->spbc->streams;
    uint32_t place = ft_recent_place(stream->key.comm, stream->key.world, stream->key.tag);

    if (streams->recent_out[place] == stream)
        streams->recent_out[place] = &streams->nobody;
    if (streams->recent_in[place] == stream)
        streams->recent_in[place] = &streams->nobody;
    ft_landings_forget(&streams->peer[stream->key.world], stream);
    ft_stream_remove(table, stream);
    ft_image_free(stream->have.beyond);
    ft_image_free(stream->safe.beyond);
    ft_image_free(stream->places);
    if (table == &streams->out)
        ft_image_free(stream->phases);
    ft_image_free(stream);
}

uint64_t ft_stream_posted(struct ft_rank *self, const struct ft_comm *comm, int source, int tag)
{
    return ft_stream_post(self, comm, source, tag)->last;
}

void ft_stream_twice(const struct ft_stream *stream, uint64_t number)
{
    ft_panic("message %llu from rank %d (communicator %llx, tag %d) was received twice",
             (unsigned long long)number, stream->key.world, (unsigned long long)stream->key.comm,
             stream->key.tag);
}

void ft_stream_received(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                        uint64_t number)
{
    struct ft_stream *stream = ft_stream_in(self, comm->id, comm->world[source], tag);

    ft_stream_take(stream, number ? number : ++stream->last);
}

void ft_stream_withdrawn(struct ft_rank *self, const struct ft_comm *comm, int source, int tag,
                         uint64_t number)
{
    struct ft_stream *stream = ft_stream_in(self, comm->id, comm->world[source], tag);

    ft_numbers_close(&stream->have, number);
    stream->last--;
}
