/* Drops from the log the messages that their receiver has in the oldest checkpoint it can roll back
 * to. The clone that writes a rank's image writes what the rank had received by then, too; senders
 * read it later, when they are about to write images themselves. No message is sent for it.
 *
 * The file's words (words.h) are the number of those that speak of communicators
 * (handle/tombs.c), these; for each rank of the world 1 + the checkpoint of it up to which its
 * retired streams are not counted (stones.c); and for each stream communicator, tag and the
 * count c of numbers beyond the prefix, source, prefix, those c numbers
 * (docs/formats/received.md). */
#include <errno.h>
#include <stdlib.h>

#include "stream/streams.h"
#include "stream/words.h"

#define FT_RECEIVED_MAGIC 0x3344454349455246u /* "FREICED3" */

enum { FIXED = 4 };

static void put_stream(struct ft_words *out, const struct ft_stream *stream)
{
    ft_words_put(out, stream->key.comm);
    ft_words_put(out, (uint64_t)(uint32_t)stream->key.tag << 32 | stream->have.count);
    ft_words_put(out, (uint64_t)stream->key.world);
    ft_words_put(out, stream->have.prefix - stream->base);
    for (uint32_t i = 0; i < stream->have.count; i++)
        ft_words_put(out, stream->have.beyond[i] - stream->base);
}

int ft_streams_write(const struct ft_rank *self, int fd)
{
    static struct ft_words out;
    const struct ft_streams *streams = self->spbc->streams;
    uint64_t census = ft_census_words(self), count = 1 + census + (uint64_t)self->size;

    for (const struct ft_stream *stream = streams->in.first; stream; stream = stream->next)
        count += FIXED + stream->have.count;
    ft_words_begin(&out, fd, FT_RECEIVED_MAGIC, count);
    ft_words_put(&out, census);
    ft_census_write(self, ft_words_put, &out);
    for (int i = 0; i < self->size; i++)
        ft_words_put(&out, (uint64_t)(streams->peer[i].learned + 1));
    for (const struct ft_stream *stream = streams->in.first; stream; stream = stream->next)
        put_stream(&out, stream);
    return ft_words_end(&out);
}

/* Are the words whole streams? */
static int is_whole(const uint64_t *word, size_t count)
{
    while (count >= FIXED && count - FIXED >= (uint32_t)word[1]) {
        size_t length = FIXED + (uint32_t)word[1];

        word += length;
        count -= length;
    }
    return count == 0;
}

/* Notes what `world` has of this rank's streams. */
static void note_safe(struct ft_rank *self, int world, const uint64_t *word, size_t count)
{
    for (const uint64_t *end = word + count; word < end; word += FIXED + (uint32_t)word[1]) {
        struct ft_stream *stream = NULL;

        if (word[2] == (uint64_t)self->rank)
            stream = ft_stream_known(&self->spbc->streams->out, word[0], world,
                                     (int32_t)(word[1] >> 32));
        if (!stream || word[3] < stream->owed)
            continue;
        ft_numbers_set(&stream->safe, word[3], word + FIXED, (uint32_t)word[1]);
        ft_numbers_lower(&stream->safe, stream->owed);
    }
}

static int is_safe(const struct ft_entry *entry)
{
    return ft_numbers_have(&entry->stream->safe, entry->number);
}

/* The log is being sent from: another time. */
static int is_busy(const struct ft_peer *peer)
{
    return ft_peer_waits(peer) || peer->flying;
}

/* words: what it has learned of each rank, and its streams. */
static void received_note(struct ft_rank *self, int world, const uint64_t *words, size_t count)
{
    struct ft_peer *peer = &self->spbc->streams->peer[world];
    size_t size = (size_t)self->size;

    if (!self->spbc->foreign[world] || is_busy(peer))
        return;
    ft_stones_forget(peer, (int32_t)words[self->rank] - 1);
    ft_stones_owe(self, world, 1);
    note_safe(self, world, words + size, count - size);
    ft_stones_owe(self, world, 0);
    ft_runs_drop(self, peer);
    ft_log_sweep(self, peer, is_safe);
}

int ft_streams_drop(struct ft_rank *self, int world, int fd)
{
    uint64_t *words, census;
    size_t count, fixed = 1 + (size_t)self->size;
    int code = ft_words_read(fd, FT_RECEIVED_MAGIC, &words, &count);

    if (code != 0)
        return code;
    census = count >= fixed ? words[0] : 0;
    if (count < fixed || census > count - fixed ||
        !is_whole(words + fixed + census, count - fixed - census))
        code = -EBADMSG;
    if (code == 0)
        code = ft_tombs_hear(self, world, words + 1, census);
    if (code == 0)
        received_note(self, world, words + 1 + census, count - 1 - census);
    free(words);
    return code;
}
