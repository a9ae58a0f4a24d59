/* Stones: streams are retired. Their ends are forgotten when no recovery can need their counts, so
 * that fresh tags and communicators do not fill the memory.
 *
 * A sender retires a stream when it takes a checkpoint, if all n messages that it has ever sent on
 * it are in the oldest checkpoint that the receiver can roll back to. It forgets the stream and
 * keeps a stone: stream, n, number of that checkpoint. If it sends on it again, it counts from 1. A
 * receiver learns of it when it takes a checkpoint: a file beside each image has the stones that
 * were in it, and the receiver reads that of o, the oldest checkpoint that the sender can roll back
 * to. From then on the receiver subtracts n messages from the counts that it tells (`base`), notes
 * that it has learned up to o, and forgets its end as soon as nothing else was received or posted.
 * The receiver tells the sender o together with its counts. From its own counts the sender
 * subtracts the messages of all stones that it made in checkpoints after o. It forgets the stones
 * up to the o that it finds beside the receiver's oldest image.
 *
 * Why both always count from the same message: the sender never rolls back before o, so each of its
 * states counts from the message after those of the stones up to o. So does each state of the
 * receiver that has learned o. For older states of the receiver, back to its oldest, the sender
 * keeps the stones. These states have all n messages: before the sender made a stone it had found
 * that the receiver's oldest checkpoint had them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/streams.h"
#include "stream/words.h"

#define FT_STONES_MAGIC 0x003153454e4f5453u /* "STONES1" */

enum { FIXED = 4, FIRST_ROOM = 16 };

static void stone_add(struct ft_peer *peer, const struct ft_stream *stream, int32_t checkpoint)
{
    if (peer->stones == peer->stone_room) {
        peer->stone_room = peer->stone_room ? 2 * peer->stone_room : FIRST_ROOM;
        peer->stone = ft_image_realloc(peer->stone, peer->stone_room * sizeof *peer->stone);
    }
    peer->stone[peer->stones++] =
        (struct ft_stone){stream->key.comm, stream->key.tag, checkpoint, stream->last};
}

void ft_stones_drop(struct ft_peer *peer, int (*goes)(const void *context, const struct ft_stone *),
                    const void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < peer->stones; i++)
        if (!goes(context, &peer->stone[i]))
            peer->stone[kept++] = peer->stone[i];
    peer->stones = kept;
    if (kept > 0 || !peer->stone)
        return;
    ft_image_free(peer->stone);
    peer->stone = NULL;
    peer->stone_room = 0;
}

static int is_learned(const void *learned, const struct ft_stone *stone)
{
    return stone->checkpoint <= *(const int32_t *)learned;
}

void ft_stones_forget(struct ft_peer *peer, int32_t learned)
{
    ft_stones_drop(peer, is_learned, &learned);
}

void ft_stones_owe(struct ft_rank *self, int world, int owed)
{
    const struct ft_peer *peer = &self->spbc->streams->peer[world];

    for (uint32_t i = 0; i < peer->stones; i++) {
        struct ft_stream *stream = ft_stream_known(&self->spbc->streams->out, peer->stone[i].comm,
                                                   world, peer->stone[i].tag);

        if (stream)
            stream->owed = owed ? stream->owed + peer->stone[i].count : 0;
    }
}

void ft_stones_owe_all(struct ft_rank *self, int world, int32_t learned)
{
    const struct ft_peer *peer = &self->spbc->streams->peer[world];

    for (uint32_t i = 0; i < peer->stones; i++)
        if (peer->stone[i].checkpoint > learned)
            ft_stream_out(self, peer->stone[i].comm, world, peer->stone[i].tag)->owed +=
                peer->stone[i].count;
}

/* Does the receiver have all that was ever sent, whatever happens? */
static int is_quiet(const struct ft_stream *stream)
{
    return stream->safe.prefix == stream->last && stream->safe.count == 0 &&
           stream->known <= stream->last && ft_numbers_last(&stream->have) <= stream->last &&
           stream->missing == 0 && !stream->comm && stream->spans == 0 && !stream->gone;
}

static void retire_out(struct ft_rank *self, int32_t checkpoint)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_stream *stream, *next;

    DL_FOREACH_SAFE (streams->out.first, stream, next) {
        struct ft_peer *peer = &streams->peer[stream->key.world];

        if (ft_peer_waits(peer) || peer->flying || !is_quiet(stream))
            continue;
        if (stream->last > 0)
            stone_add(peer, stream, checkpoint);
        ft_stream_destroy(self, &streams->out, stream);
    }
}

/* Ends of which nothing is left to tell, and for which no receive is posted. */
static void retire_in(struct ft_rank *self)
{
    struct ft_streams *streams = self->spbc->streams;
    struct ft_stream *stream, *next;

    DL_FOREACH_SAFE (streams->in.first, stream, next)
        if (stream->base > 0 && stream->base == stream->have.prefix && stream->have.count == 0 &&
            stream->last == stream->base)
            ft_stream_destroy(self, &streams->in, stream);
}

/* Not where the rank has two copies: each may begin with an image of the other one, whose
 * checkpoints have numbers of their own. */
void ft_stones_lay(struct ft_rank *self, int32_t checkpoint)
{
    if (ft_life.pair)
        return;
    self->spbc->streams->checkpoint = checkpoint;
    retire_out(self, checkpoint);
    retire_in(self);
}

int ft_streams_write_stones(const struct ft_rank *self, int fd)
{
    static struct ft_words out;
    const struct ft_peer *peer = self->spbc->streams->peer;
    uint64_t count = 0;

    for (int i = 0; i < self->size; i++)
        count += (uint64_t)FIXED * peer[i].stones;
    ft_words_begin(&out, fd, FT_STONES_MAGIC, count);
    for (int i = 0; i < self->size; i++)
        for (uint32_t k = 0; k < peer[i].stones; k++) {
            const struct ft_stone *stone = &peer[i].stone[k];

            ft_words_put(&out, stone->comm);
            ft_words_put(&out, (uint64_t)(uint32_t)stone->tag << 32 | (uint32_t)i);
            ft_words_put(&out, (uint64_t)stone->checkpoint);
            ft_words_put(&out, stone->count);
        }
    return ft_words_end(&out);
}

/* `count` messages of the stream are not told any more. That it is not there is right when all have
 * freed its communicator, and this rank was the first to hear of it. */
static void take_out(struct ft_rank *self, int world, uint64_t comm, int tag, uint64_t count)
{
    struct ft_stream *stream = ft_stream_known(&self->spbc->streams->in, comm, world, tag);

    if (!stream)
        return;
    if (stream->have.prefix < stream->base + count)
        ft_panic("rank %d has retired %llu messages of communicator %llx, tag %d, that were not "
                 "all received",
                 world, (unsigned long long)count, (unsigned long long)comm, tag);
    stream->base += count;
}

int ft_streams_learn(struct ft_rank *self, int world, int32_t checkpoint, int fd)
{
    struct ft_peer *peer = &self->spbc->streams->peer[world];
    uint64_t *words;
    size_t count;
    int code;

    if (checkpoint <= peer->learned)
        return 0;
    code = ft_words_read(fd, FT_STONES_MAGIC, &words, &count);
    if (code != 0)
        return code;
    if (count % FIXED != 0) {
        free(words);
        return -EBADMSG;
    }
    for (const uint64_t *word = words; word < words + count; word += FIXED)
        if ((uint32_t)word[1] == (uint32_t)self->rank && (int32_t)word[2] > peer->learned)
            take_out(self, world, word[0], (int)(uint32_t)(word[1] >> 32), word[3]);
    peer->learned = checkpoint;
    free(words);
    return 0;
}
