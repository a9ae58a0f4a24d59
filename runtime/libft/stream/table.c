/* A table of streams. Programs that use a fresh tag for each message have very many at a time,
 * and each is looked for in vain once: so a chain is short, nothing but the key is hashed, and
 * tags that follow each other, as fresh ones mostly do, have their places in one line of the
 * cache. */
#include "stream/streams.h"

#define SMALLEST 6 /* bits of a table at first */
#define LINE 3     /* bits of the number of a place in its line */

static struct ft_stream **place_of(const struct ft_stream_table *table,
                                   const struct ft_stream_key *key)
{
    uint32_t tag = (uint32_t)key->tag, line = tag >> LINE;
    uint64_t hash = key->comm * 0xd6e8feb86659fd93u;

    hash ^= (uint64_t)(uint32_t)key->world << 32 | line;
    hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15u;
    /* Where only every eighth tag is used, the line's number has to choose in the line, too. */
    line ^= line >> 2 * LINE;
    tag ^= line ^ line >> LINE;
    return &table->place[hash >> (64 + LINE - table->bits) << LINE | (tag & ((1u << LINE) - 1))];
}

/* Twice as many places as streams, or just as many before it grows again. */
static void grow(struct ft_stream_table *table)
{
    struct ft_stream *stream;

    table->bits = table->place ? table->bits + 1 : SMALLEST;
    ft_image_free(table->place);
    table->place = ft_image_alloc(sizeof *table->place << table->bits);
    DL_FOREACH (table->first, stream) {
        struct ft_stream **place = place_of(table, &stream->key);

        stream->chain = *place;
        *place = stream;
    }
}

struct ft_stream *ft_stream_known(const struct ft_stream_table *table, uint64_t comm, int world,
                                  int tag)
{
    struct ft_stream_key key = {comm, world, tag};
    struct ft_stream *stream = table->place ? *place_of(table, &key) : NULL;

    while (stream &&
           (stream->key.tag != tag || stream->key.world != world || stream->key.comm != comm))
        stream = stream->chain;
    return stream;
}

struct ft_stream *ft_stream_find(struct ft_stream_table *table, uint64_t comm, int world, int tag)
{
    struct ft_stream *stream = ft_stream_known(table, comm, world, tag), **place;

    if (stream)
        return stream;
    if (!table->place || table->count >> table->bits)
        grow(table);
    stream = ft_image_alloc(sizeof *stream);
    stream->key = (struct ft_stream_key){comm, world, tag};
    place = place_of(table, &stream->key);
    stream->chain = *place;
    *place = stream;
    DL_APPEND(table->first, stream);
    table->count++;
    return stream;
}

void ft_stream_remove(struct ft_stream_table *table, struct ft_stream *stream)
{
    struct ft_stream **link = place_of(table, &stream->key);

    while (*link != stream)
        link = &(*link)->chain;
    *link = stream->chain;
    DL_DELETE(table->first, stream);
    table->count--;
}
