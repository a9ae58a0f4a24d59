/* What may leave the log: messages that their receiver has in the oldest checkpoint it can go back
 * to. The clone that writes a rank's image writes what the rank had received by then, too; senders
 * read it later, when they are about to write images themselves. No message is sent for it.
 *
 * The file's words are, for each rank of the world, 1 + the checkpoint of it up to which its
 * retired streams are not counted any more (stones.c), and then for each stream communicator, tag
 * and the count c of numbers beyond the prefix, source, prefix, those c numbers
 * (docs/formats/received.md).
 */
#include <errno.h>
#include <stdlib.h>

#include "stream/streams.h"
#include "stream/words.h"

#define FT_RECEIVED_MAGIC 0x3244454349455246u /* "FREICED2" */

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
    uint64_t count = (uint64_t)self->size;

    for (const struct ft_stream *stream = streams->in; stream; stream = stream->hh.next)
        count += FIXED + stream->have.count;
    ft_words_begin(&out, fd, FT_RECEIVED_MAGIC, count);
    for (int i = 0; i < self->size; i++)
        ft_words_put(&out, (uint64_t)(streams->peer[i].learned + 1));
    for (const struct ft_stream *stream = streams->in; stream; stream = stream->hh.next)
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
static void note_safe(struct ft_rank *self, int world, const uint64_t *word, const uint64_t *end)
{
    for (; word < end; word += FIXED + (uint32_t)word[1]) {
        struct ft_stream_key key = {word[0], world, (int32_t)(word[1] >> 32)};
        struct ft_stream *stream = NULL;

        if (word[2] == (uint64_t)self->rank)
            HASH_FIND(hh, self->spbc->streams->out, &key, sizeof key, stream);
        if (!stream || word[3] < stream->owed)
            continue;
        ft_numbers_set(&stream->safe, word[3], word + FIXED, (uint32_t)word[1]);
        ft_numbers_lower(&stream->safe, stream->owed);
    }
}

/* Takes the safe entries in memory out of the log of one destination. */
static void sweep(struct ft_rank *self, struct ft_peer *peer)
{
    struct ft_entry **link = &peer->first, *last = NULL;

    while (*link) {
        struct ft_entry *entry = *link;

        if (!ft_numbers_have(&entry->stream->safe, entry->number)) {
            last = entry;
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        ft_log_shrunk(self, entry);
        self->recorder->log_dropped += entry->bytes;
        ft_image_free(entry);
    }
    peer->end = last;
}

int ft_streams_drop(struct ft_rank *self, int world, int fd)
{
    struct ft_peer *peer = &self->spbc->streams->peer[world];
    size_t count, size = (size_t)self->size;
    uint64_t *words;
    int code;

    if (ft_peer_waits(peer) || peer->flying)
        return 0; /* the log is being sent from; another time */
    code = ft_words_read(fd, FT_RECEIVED_MAGIC, &words, &count);
    if (code != 0)
        return code;
    if (count < size || !is_whole(words + size, count - size)) {
        free(words);
        return -EBADMSG;
    }
    ft_stones_forget(peer, (int32_t)words[self->rank] - 1);
    ft_stones_owe(self, world, 1);
    note_safe(self, world, words + size, words + count);
    ft_stones_owe(self, world, 0);
    ft_runs_drop(self, peer);
    sweep(self, peer);
    free(words);
    return 0;
}
