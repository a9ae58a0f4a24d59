/* What may leave the log: messages that their receiver has in the oldest checkpoint it can go back
 * to. The clone that writes a rank's image writes what the rank had received by then, too; senders
 * read it later, when they are about to write images themselves. No message is sent for it.
 *
 * The file is words of 64 bits: FT_RECEIVED_MAGIC, the number of words that follow, and for each
 * stream communicator, tag and the count c of numbers beyond the prefix, source, prefix, those c
 * numbers (docs/formats/received.md). It is written by raw calls alone, from the clone's memory. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/streams.h"

#define FT_RECEIVED_MAGIC 0x3144454349455246u /* "FRECEIVED1", as far as it goes */

enum { FIXED = 4, BUFFER = 4096 };

struct out {
    int fd, code;
    unsigned used;
    uint64_t word[BUFFER];
};

static void flush(struct out *out)
{
    const char *at = (const char *)out->word, *end = (const char *)(out->word + out->used);

    while (out->code == 0 && at < end) {
        ssize_t done = write(out->fd, at, (size_t)(end - at));

        if (done > 0)
            at += done;
        else if (errno != EINTR)
            out->code = -errno;
    }
    out->used = 0;
}

static void put(struct out *out, uint64_t word)
{
    if (out->used == BUFFER)
        flush(out);
    out->word[out->used++] = word;
}

static void put_stream(struct out *out, const struct ft_stream *stream)
{
    put(out, stream->key.comm);
    put(out, (uint64_t)(uint32_t)stream->key.tag << 32 | stream->have.count);
    put(out, (uint64_t)stream->key.world);
    put(out, stream->have.prefix);
    for (uint32_t i = 0; i < stream->have.count; i++)
        put(out, stream->have.beyond[i]);
}

int ft_streams_write(const struct ft_rank *self, int fd)
{
    static struct out out;
    const struct ft_stream *stream;
    uint64_t words = 0;

    out = (struct out){.fd = fd};
    for (stream = self->spbc->streams->in; stream; stream = stream->hh.next)
        words += FIXED + stream->have.count;
    put(&out, FT_RECEIVED_MAGIC);
    put(&out, words);
    for (stream = self->spbc->streams->in; stream; stream = stream->hh.next)
        put_stream(&out, stream);
    flush(&out);
    return out.code;
}

/* The whole file, from malloc; NULL and *code when it cannot be read. */
static uint64_t *read_all(int fd, size_t *count, int *code)
{
    struct stat status;
    uint64_t *words;
    size_t bytes;

    *code = fstat(fd, &status) ? -errno : 0;
    if (*code)
        return NULL;
    bytes = (size_t)status.st_size;
    words = malloc(bytes + sizeof *words);
    if (!words)
        *code = -ENOMEM;
    else if (pread(fd, words, bytes, 0) != (ssize_t)bytes)
        *code = -EIO;
    else if (bytes < 16 || words[0] != FT_RECEIVED_MAGIC || bytes != (words[1] + 2) * 8)
        *code = -EBADMSG;
    *count = *code ? 0 : words[1];
    return words;
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
        struct ft_stream_key key = {word[0], world, (int32_t)(word[1] >> 32)};
        struct ft_stream *stream = NULL;

        if (word[2] == (uint64_t)self->rank)
            HASH_FIND(hh, self->spbc->streams->out, &key, sizeof key, stream);
        if (stream)
            ft_numbers_set(&stream->safe, word[3], word + FIXED, (uint32_t)word[1]);
    }
}

/* Takes the safe entries out of the log of one destination. */
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
        ft_log_dropped(self, entry);
        ft_image_free(entry);
    }
    peer->end = last;
}

int ft_streams_drop(struct ft_rank *self, int world, int fd)
{
    struct ft_peer *peer = &self->spbc->streams->peer[world];
    uint64_t *words;
    size_t count;
    int code;

    if (peer->again || peer->flying)
        return 0; /* the log is being sent from; another time */
    words = read_all(fd, &count, &code);
    if (code == 0 && !is_whole(words + 2, count))
        code = -EBADMSG;
    if (code == 0) {
        note_safe(self, world, words + 2, count);
        sweep(self, peer);
    }
    free(words);
    return code;
}
