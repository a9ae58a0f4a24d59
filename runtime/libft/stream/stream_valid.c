/* Are streams and log as the headers of the room say? Debug builds ask at each epoch, and before
 * each image (checkpoint/validate.c); tests ask whenever they like. */
#include <stdlib.h>

#include "stream/streams.h"

#define CHECK(condition, what)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return what;                                                                           \
    } while (0)

static const char *numbers_wrong(const struct ft_numbers *numbers)
{
    uint64_t before = numbers->prefix + 1;

    CHECK(numbers->count <= numbers->room, "a set of numbers is longer than its memory");
    for (uint32_t i = 0; i < numbers->count; before = numbers->beyond[i++])
        CHECK(numbers->beyond[i] > before, "a set of numbers is not in order");
    return NULL;
}

static const char *table_wrong(const struct ft_stream_table *table)
{
    struct ft_stream *stream;
    uint32_t count = 0;
    const char *wrong;

    DL_FOREACH (table->first, stream) {
        const struct ft_stream_key *key = &stream->key;

        CHECK(ft_stream_known(table, key->comm, key->world, key->tag) == stream,
              "a stream is not found by its key");
        if ((wrong = numbers_wrong(&stream->have)) || (wrong = numbers_wrong(&stream->safe)))
            return wrong;
        count++;
    }
    CHECK(count == table->count, "streams are not counted right");
    return NULL;
}

/* Is the list's memory empty, and of so many bytes? */
static const char *idle_wrong(const struct ft_segment *segment, uint64_t *bytes)
{
    for (*bytes = 0; segment; segment = segment->next) {
        CHECK(segment->data && !segment->entries && !segment->lent && !segment->used &&
                  !segment->current,
              "a free segment of the log is in use");
        *bytes += segment->bytes;
    }
    return NULL;
}

/* entries: of each segment, counted. */
static const char *segments_wrong(const struct ft_segments *all, const uint64_t *entries)
{
    uint64_t mapped = 0, idle, held;
    const char *wrong = idle_wrong(all->free, &idle);

    if (wrong || (wrong = idle_wrong(all->held, &held)))
        return wrong;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct ft_segment *segment = all->table[i];

        CHECK(segment->number == i, "a segment of the log has another number");
        if (!segment->data)
            continue;
        CHECK(segment->used <= segment->ready && segment->ready <= segment->bytes,
              "a segment of the log is used beyond its end");
        CHECK(segment->entries == entries[i] + segment->lent,
              "entries of a segment are not counted right");
        mapped += segment->bytes;
    }
    CHECK(mapped == all->mapped && idle == all->idle, "the log's memory is not counted right");
    return NULL;
}

static const char *entry_wrong(const struct ft_segments *all, const struct ft_entry *entry,
                               uint64_t *entries)
{
    const struct ft_segment *segment;
    const char *begin = (const char *)entry;

    CHECK(entry->segment < all->count, "an entry of the log is in no segment");
    segment = all->table[entry->segment];
    CHECK(begin >= segment->data &&
              begin + ft_entry_room(entry->bytes) <= segment->data + segment->used,
          "an entry of the log is not where its segment is");
    entries[entry->segment]++;
    return NULL;
}

/* The log of one rank; its bytes are added. */
static const char *peer_wrong(const struct ft_streams *streams, int world, uint64_t *entries,
                              uint64_t *held)
{
    const struct ft_peer *peer = &streams->peer[world];
    const struct ft_entry *last = NULL;
    uint64_t memory = 0;
    const char *wrong;

    for (const struct ft_entry *entry = peer->first; entry; last = entry, entry = entry->next) {
        if ((wrong = entry_wrong(&streams->segments, entry, entries)))
            return wrong;
        CHECK(entry->stream->key.world == world && entry->number >= 1 &&
                  entry->number <= entry->stream->last,
              "an entry of the log belongs to another stream");
        CHECK(!last || last->stream != entry->stream || last->number < entry->number,
              "the log is not in send order");
        memory += sizeof *entry + entry->bytes;
        *held += entry->bytes;
        CHECK(memory <= peer->memory, "the log holds more than is counted");
    }
    CHECK(last == peer->end && memory == peer->memory, "the log is not counted right");
    for (int i = 0; i < peer->flying; i++)
        if (peer->flight[i].spilled &&
            (wrong = entry_wrong(&streams->segments, peer->flight[i].entry, entries)))
            return wrong;
    return NULL;
}

/* The fault of the sender's end; ft_stream_is_known asks no further. */
static const char *known_wrong(const struct ft_stream_table *out)
{
    const struct ft_stream *stream;

    DL_FOREACH (out->first, stream)
        CHECK(ft_numbers_last(&stream->have) <= stream->known,
              "a receiver has more than it was known to have");
    return NULL;
}

static const char *log_wrong(const struct ft_rank *self, uint64_t *entries)
{
    const struct ft_streams *streams = self->spbc->streams;
    uint64_t held = 0, memory = 0;
    const char *wrong;

    for (int i = 0; i < self->size; i++) {
        if ((wrong = peer_wrong(streams, i, entries, &held)))
            return wrong;
        memory += streams->peer[i].memory;
    }
    CHECK(held == self->recorder->log_held && memory == streams->memory,
          "the logs are not counted right");
    return segments_wrong(&streams->segments, entries);
}

const char *ft_streams_wrong(const struct ft_rank *self)
{
    const struct ft_streams *streams = self->spbc->streams;
    uint64_t *entries;
    const char *wrong;

    if ((wrong = table_wrong(&streams->out)) || (wrong = table_wrong(&streams->in)) ||
        (wrong = known_wrong(&streams->out)))
        return wrong;
    entries = calloc(streams->segments.count + 1, sizeof *entries);
    wrong = entries ? log_wrong(self, entries) : NULL;
    free(entries);
    return wrong;
}
