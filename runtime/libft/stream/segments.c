/* The memory of the log: segments of pages, filled from the beginning.
 *
 * Each rank that messages go to has a segment of its own that its newest entries go to, because its
 * messages leave the log together. A segment without entries is free, and is filled again while its
 * pages are warm: in a run whose checkpoints drop what they cover, no message touches fresh memory
 * after the first few.
 *
 * A new segment is a quarter of what the log holds for the rank, so little is lost at its end; or
 * of what it held before the last checkpoints, which is as long as those that they left free. Free
 * ones are kept as long as the log needed as much between the last two checkpoints, and never
 * beyond --log-limit.
 *
 * The first touch of a page costs several times the copy that follows, and by one call of the
 * kernel for many pages half of what it costs by a fault for each. So a segment gets ready in
 * steps, and what was never touched of a step is touched by one call.
 *
 * A fork would write-protect all pages, and the next message to each pay a fault. So the cloned
 * writer does not get them, and reads what the image needs from this process, which goes on
 * (image/apart.h). Until then nothing that was in use when the image was taken is written over:
 * entries come behind it, and a segment that loses its entries meanwhile is held. But the link of
 * the last entry may be there before it is read, and leads nowhere; a new life cuts it.
 *
 * A message that the library sends out of a segment keeps it in use, whatever becomes of the entry.
 * Nothing of that is written into the entry, which an image may be reading.
 *
 * Invariant: table[i]->number == i; a segment that is not on the list of the free ones or of
 * those that are held has entries, or is `current`; used <= ready <= bytes; used == 0 on both
 * lists. */
#include "stream/streams.h"

#define PAGE ((uint64_t)4096)
#define SMALLEST ((uint64_t)16 << 10)
#define LARGEST ((uint64_t)32 << 20) /* but for a message that is longer */
#define STEP ((uint64_t)128 << 10)   /* fits into a cache together with what is copied */

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) & ~(to - 1);
}

/* How long a new segment for this rank is, whose first entry takes `room`: it holds some of them
 * without a rest. */
static uint64_t length_of(const struct ft_peer *peer, uint64_t room)
{
    uint64_t bytes = room > SMALLEST / 4 && room <= SMALLEST ? 4 * SMALLEST : SMALLEST;
    uint64_t memory = peer->memory > peer->expected ? peer->memory : peer->expected;

    while (bytes < LARGEST && 8 * bytes <= memory)
        bytes *= 2;
    return round_up(bytes < room ? room : bytes / room * room, PAGE);
}

/* Gives back the pages of the one that was freed first. */
static void oldest_drop(struct ft_segments *all)
{
    struct ft_segment **link = &all->free, *segment;

    while ((*link)->next)
        link = &(*link)->next;
    segment = *link;
    *link = NULL;
    ft_image_pages_free(segment->data, segment->bytes);
    all->mapped -= segment->bytes;
    all->idle -= segment->bytes;
    segment->data = NULL;
    segment->next = all->spare;
    all->spare = segment;
}

/* A record without pages. */
static struct ft_segment *segment_create(struct ft_segments *all)
{
    struct ft_segment *segment = all->spare;

    if (segment) {
        all->spare = segment->next;
        return segment;
    }
    if (all->count == FT_SEGMENTS)
        ft_panic("the log has more than %u segments", FT_SEGMENTS);
    if ((all->count & (all->count - 1)) == 0) /* 0, or a power of two: all are in use */
        all->table = ft_image_realloc(all->table, 2 * (all->count + 1) * sizeof *all->table);
    segment = ft_image_alloc(sizeof *segment);
    segment->number = all->count;
    return all->table[all->count++] = segment;
}

static struct ft_segment *segment_map(struct ft_segments *all, uint64_t bytes)
{
    uint64_t limit = ft_life.boot.log_limit;
    struct ft_segment *segment;

    while (limit && all->free && all->mapped + bytes > limit)
        oldest_drop(all);
    segment = segment_create(all);
    segment->data = ft_image_pages(bytes);
    segment->bytes = bytes;
    segment->ready = 0;
    all->mapped += bytes;
    return segment;
}

/* Has `room` bytes behind `used` ready, and the rest of their step. */
static void segment_ready(struct ft_segment *segment, uint64_t room)
{
    uint64_t end = round_up(segment->used + room, STEP);

    if (end > segment->bytes)
        end = segment->bytes;
    if (segment->ready >= end)
        return;
    ft_image_pages_touch(segment->data + segment->ready, end - segment->ready);
    segment->ready = end;
}

/* Does the image that is being written still need what lies in it? */
static int is_held(const struct ft_segment *segment)
{
    return segment->imaged && !ft_apart_is_read();
}

static void free_add(struct ft_segments *all, struct ft_segment *segment)
{
    all->idle += segment->bytes;
    segment->next = all->free;
    all->free = segment;
}

static void segment_free(struct ft_segments *all, struct ft_segment *segment)
{
    segment->current = 0;
    segment->used = 0;
    if (!is_held(segment)) {
        free_add(all, segment);
        return;
    }
    segment->next = all->held;
    all->held = segment;
}

/* The image is written, or nobody wants it any more. */
static void held_release(struct ft_segments *all)
{
    struct ft_segment *segment;

    while ((segment = all->held)) {
        all->held = segment->next;
        free_add(all, segment);
    }
}

/* A free one that is large enough and not much too large, the warmest first; NULL: none. */
static struct ft_segment *free_take(struct ft_segments *all, uint64_t least, uint64_t most)
{
    for (struct ft_segment **link = &all->free, *segment; (segment = *link);
         link = &segment->next) {
        if (segment->bytes < least || segment->bytes > most)
            continue;
        *link = segment->next;
        all->idle -= segment->bytes;
        return segment;
    }
    return NULL;
}

static struct ft_segment *segment_take(struct ft_segments *all, const struct ft_peer *peer,
                                       uint64_t room)
{
    uint64_t bytes = length_of(peer, room);
    struct ft_segment *segment;

    if (all->held && ft_apart_is_read())
        held_release(all);
    segment = free_take(all, room, 4 * bytes);
    if (!segment)
        segment = segment_map(all, bytes);
    if (all->mapped - all->idle > all->most)
        all->most = all->mapped - all->idle;
    return segment;
}

void ft_segment_turn(struct ft_rank *self, struct ft_peer *peer, uint64_t room)
{
    struct ft_segments *all = &self->spbc->streams->segments;
    struct ft_segment *segment = peer->segment;

    if (segment && segment->bytes - segment->used >= room) {
        segment_ready(segment, room);
        return;
    }
    if (segment) {
        segment->current = 0;
        if (segment->entries == 0)
            segment_free(all, segment);
    }
    peer->segment = segment_take(all, peer, room);
    peer->segment->current = 1;
    segment_ready(peer->segment, room);
}

/* One entry less is in use. */
static void segment_lose(struct ft_segments *all, struct ft_segment *segment)
{
    if (--segment->entries > 0)
        return;
    if (!segment->current)
        segment_free(all, segment);
    else if (!is_held(segment))
        segment->used = 0;
}

void ft_entry_free(struct ft_rank *self, struct ft_entry *entry)
{
    struct ft_segments *all = &self->spbc->streams->segments;

    segment_lose(all, all->table[entry->segment]);
}

void ft_entry_lend(struct ft_rank *self, const struct ft_entry *entry)
{
    struct ft_streams *streams = self->spbc->streams;

    streams->lending = streams->segments.table[entry->segment];
    streams->lending->entries++;
    streams->lending->lent++;
}

void *ft_stream_lent(struct ft_rank *self)
{
    struct ft_segment *segment = self->spbc->streams->lending;

    self->spbc->streams->lending = NULL;
    return segment;
}

void ft_stream_returned(struct ft_rank *self, void *lent)
{
    struct ft_segment *segment = lent;

    segment->lent--;
    segment_lose(&self->spbc->streams->segments, segment);
}

void ft_entry_cut(struct ft_rank *self, struct ft_entry *entry, uint64_t bytes)
{
    struct ft_segment *segment = self->spbc->streams->segments.table[entry->segment];

    segment->used -= ft_entry_room(entry->bytes) - ft_entry_room(bytes);
    entry->bytes = bytes;
}

/* Nobody's newest entries go to an empty one; the next may have to be shorter. */
static void current_free(struct ft_segments *all, struct ft_peer *peer)
{
    if (!peer->segment || peer->segment->entries > 0)
        return;
    segment_free(all, peer->segment);
    peer->segment = NULL;
}

/* The expected log for a rank: the most that it held in the last two periods. */
static void expect(struct ft_peer *peer)
{
    peer->expected = peer->most > peer->most_before ? peer->most : peer->most_before;
    peer->most_before = peer->most;
    peer->most = 0;
}

/* The image that was being written has been, or nobody wants it any more. */
static void image_forget(struct ft_segments *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        all->table[i]->imaged = 0;
    held_release(all);
}

void ft_segments_settle(struct ft_rank *self)
{
    struct ft_segments *all = &self->spbc->streams->segments;
    uint64_t most = all->most > all->most_before ? all->most : all->most_before;

    image_forget(all);
    for (int i = 0; i < self->size; i++) {
        current_free(all, &self->spbc->streams->peer[i]);
        expect(&self->spbc->streams->peer[i]);
    }
    while (all->free && all->mapped > most)
        oldest_drop(all);
    all->most_before = all->most;
    all->most = all->mapped - all->idle;
    for (uint32_t i = 0; i < all->count; i++) {
        struct ft_segment *segment = all->table[i];

        segment->imaged = segment->entries > 0;
        if (segment->data)
            ft_image_pages_apart(segment->data, segment->bytes);
    }
}

int ft_streams_pages(const void *rank, ft_apart_visit *visit, void *closure)
{
    const struct ft_segments *all = &((const struct ft_rank *)rank)->spbc->streams->segments;
    int code = 0;

    for (uint32_t i = 0; i < all->count && code == 0; i++)
        if (all->table[i]->data)
            code = visit(closure, all->table[i]->data, all->table[i]->bytes, all->table[i]->used);
    return code;
}

void ft_streams_leave(struct ft_rank *self)
{
    const struct ft_segments *all = &self->spbc->streams->segments;

    for (uint32_t i = 0; i < all->count; i++) {
        const struct ft_segment *segment = all->table[i];
        uint64_t edge = round_up(segment->used, PAGE);

        if (segment->data && edge < segment->bytes && (segment->entries > 0 || !is_held(segment)))
            ft_image_pages_drop(segment->data + edge, segment->bytes - edge);
    }
}

void ft_segments_begin(struct ft_rank *self)
{
    struct ft_segments *all = &self->spbc->streams->segments;

    image_forget(all);
    for (uint32_t i = 0; i < all->count; i++)
        all->table[i]->ready = round_up(all->table[i]->used, PAGE);
    for (int i = 0; i < self->size; i++)
        if (self->spbc->streams->peer[i].end)
            self->spbc->streams->peer[i].end->next = NULL;
}
