/* Invariant: at == recorder->contents. Owed hashes are of entries before `at`; its messages
 * write no entries. A message that a stream did not owe is behind all that it had sent. */
#include "stream/contents.h"

#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "determinant/determinant.h"
#include "pattern/pattern.h"
#include "stream/streams.h"

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

struct ft_contents_owed { /* in the image */
    uint64_t key;
    uint32_t count, next, room; /* entries of item; of them, the first that is owed; allocated */
    struct {
        uint64_t at; /* place in the ring */
        uint32_t content, site;
    } * item; /* owned */
    UT_hash_handle hh;
};

uint64_t ft_contents_hash(const void *data, uint64_t bytes)
{
    uint64_t word;

    if (bytes == 8 && data) {
        memcpy(&word, data, 8);
        return ft_trail_fold(word ^ 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u);
    }
    return data ? XXH3_64bits_withSeed(data, bytes, bytes) : 0;
}

void ft_contents_start(struct ft_rank *self, struct ft_content *ring, uint64_t capacity)
{
    struct ft_contents *all = ft_image_alloc(sizeof *all);

    all->ring = ring;
    all->capacity = capacity;
    self->spbc->contents = all;
    ft_contents_restore(self);
}

static struct ft_contents_owed *owed_find(const struct ft_contents *all, uint64_t key)
{
    struct ft_contents_owed *owed;

    HASH_FIND(hh, all->owed, &key, sizeof key, owed);
    return owed;
}

static void owe(struct ft_contents *all, uint64_t at)
{
    const struct ft_content *entry = &all->ring[at & (all->capacity - 1)];
    struct ft_contents_owed *owed = owed_find(all, entry->stream);

    if (!owed) {
        owed = ft_image_alloc(sizeof *owed);
        owed->key = entry->stream;
        HASH_ADD(hh, all->owed, key, sizeof owed->key, owed);
    }
    if (owed->count == owed->room) {
        owed->room = owed->room ? 2 * owed->room : 4;
        owed->item = ft_image_realloc(owed->item, owed->room * sizeof *owed->item);
    }
    owed->item[owed->count].at = at;
    owed->item[owed->count].content = entry->content;
    owed->item[owed->count++].site = entry->site;
}

/* A job that is continued (--restart) counts from its images on. */
void ft_contents_restore(struct ft_rank *self)
{
    struct ft_contents *all = self->spbc->contents;
    uint64_t end = self->recorder->contents, from = all->at;

    if (end < all->at) {
        self->recorder->contents = all->at;
        return;
    }
    all->lost = 0;
    if (end - from > all->capacity)
        from = all->lost = end - all->capacity;
    for (; from != end; from++)
        owe(all, from);
    all->at = end;
}

int ft_contents_owes(const struct ft_contents *all, uint64_t key)
{
    return owed_find(all, key) != NULL;
}

void ft_contents_ask(void)
{
    struct ft_wire_number asked = {FT_REQUEST_ROOM};

    if (ft_wire_send(ft_life.control, FT_WIRE_REQUEST, &asked, sizeof asked, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* A site of which something is believed that may decide what the rank sends; 0: none. */
static uint32_t belief_of(const struct ft_contents *all, uint32_t before)
{
    return before ? before : all->site ? all->site : ft_life.boot.believed;
}

static _Noreturn void differs(const struct ft_rank *self, const struct ft_stream *stream,
                              uint32_t site, const char *how)
{
    char belief[512], what[900];

    ft_trust_belief(site, belief, sizeof belief);
    snprintf(what, sizeof what,
             "re-execution differs: the message to rank %d (tag %d) %s. What decides here was not "
             "recorded, because it is believed (--trust) that no message depends on it: %s. Use "
             "--trust none, or overrule that verdict by a comment",
             stream->key.world, stream->key.tag, how, belief);
    ft_disbelieve(self, what);
}

/* Nothing more is owed by this stream. */
static void owed_end(struct ft_contents *all, struct ft_contents_owed *owed)
{
    HASH_DEL(all->owed, owed);
    ft_image_free(owed->item);
    ft_image_free(owed);
}

void ft_contents_check_again(struct ft_rank *self, const struct ft_stream *stream, uint64_t key,
                             uint64_t hash, int known)
{
    struct ft_contents *all = self->spbc->contents;
    struct ft_contents_owed *owed = owed_find(all, key);
    uint32_t content = (uint32_t)(hash >> 32), i, site;

    if (!owed) {
        if (known && all->lost && belief_of(all, 0))
            differs(self, stream, belief_of(all, 0),
                    "cannot be held against the one that the rank received before, because too "
                    "many were sent since the checkpoint (take checkpoints more often)");
        return;
    }
    i = owed->next++;
    site = belief_of(all, owed->item[i].site);
    if (owed->item[i].content != content && known && site)
        differs(self, stream, site, "has other data than the one that the rank received before");
    if (owed->item[i].content != content && all->at - owed->item[i].at <= all->capacity)
        all->ring[owed->item[i].at & (all->capacity - 1)].content = content;
    if (owed->next == owed->count)
        owed_end(all, owed);
}

/* Has the rank done all again that it had done? */
static int is_where_it_was(const struct ft_rank *self)
{
    const struct ft_trail *trail = self->spbc->trail;

    return !(trail->flags & FT_TRAIL_LOOSE) && trail->at >= trail->end &&
           !ft_determinants_replay(self->spbc->determinants);
}

void ft_contents_settle(struct ft_rank *self)
{
    const struct ft_stream *stream;
    uint32_t site;

    if (!(self->spbc->noted & FT_NOTED_PLACE) || ft_life.boot.unmarked || !is_where_it_was(self) ||
        !(site = belief_of(self->spbc->contents, 0)))
        return;
    DL_FOREACH (self->spbc->streams->out.first, stream)
        if (stream->known > stream->last && stream->key.comm != FT_LANES_ID)
            differs(self, stream, site, "that the rank received before is not resent");
}

void ft_contents_close(struct ft_rank *self)
{
    struct ft_contents *all = self->spbc->contents;

    ft_contents_settle(self);
    all->closed = all->at;
    all->site = 0;
}
