/* The memory of the log: segments of pages, filled from the beginning.
 *
 * Each rank that messages go to has a segment of its own that its newest entries go to, because its
 * messages leave the log together. A segment without entries is free, and is filled again while its
 * pages are warm: in a run whose checkpoints drop what they cover, no message touches fresh memory
 * after the first few. What is free, and the rest of segments that are not full, is left out of
 * images.
 *
 * A new segment is a quarter of what the log holds for the rank, so little is lost at its end. Free
 * ones are kept as long as the log needed as much between the last two checkpoints, and never
 * beyond --log-limit.
 *
 * The first touch of a page costs several times the copy that follows, and by one call of the
 * kernel for many pages half of what it costs by a fault for each. So a segment gets ready in
 * steps, and what was never touched of a step is touched by one call.
 *
 * Invariant: table[i]->number == i; entries of a segment that is not on the free list > 0, or it is
 * `current`; used <= ready <= open <= bytes while it is current; ready <= touched; what images lack
 * begins at `open`. */
#include "stream/streams.h"

#define PAGE ((uint64_t)4096)
#define SMALLEST ((uint64_t)16 << 10)
#define LARGEST ((uint64_t)32 << 20) /* but for a message that is longer */
#define STEP ((uint64_t)128 << 10)   /* fits into a cache together with what is copied */

static uint64_t round_up(uint64_t bytes, uint64_t to)
{
    return (bytes + to - 1) & ~(to - 1);
}

/* How long a new segment for this rank is, whose first entry takes `room`. */
static uint64_t length_of(const struct ft_peer *peer, uint64_t room)
{
    uint64_t bytes = room > SMALLEST / 4 && room <= SMALLEST ? 4 * SMALLEST : SMALLEST;

    while (bytes < LARGEST && 8 * bytes <= peer->memory)
        bytes *= 2;
    return bytes < room ? round_up(room, PAGE) : bytes;
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
    segment->bytes = segment->open = bytes;
    segment->ready = segment->touched = 0;
    all->mapped += bytes;
    return segment;
}

/* Has `room` bytes behind `used` ready, and the rest of their step. */
static void segment_ready(struct ft_segment *segment, uint64_t room)
{
    uint64_t end = round_up(segment->used + room, STEP);

    if (end > segment->bytes)
        end = segment->bytes;
    if (segment->open < segment->bytes)
        ft_image_pages_use(segment->data + segment->open, segment->bytes - segment->open);
    segment->open = segment->bytes;
    if (segment->touched < end) {
        ft_image_pages_touch(segment->data + segment->touched, end - segment->touched);
        segment->touched = end;
    }
    segment->ready = segment->touched;
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
    struct ft_segment *segment = free_take(all, room, 4 * bytes);

    if (!segment)
        segment = segment_map(all, bytes);
    if (all->mapped - all->idle > all->most)
        all->most = all->mapped - all->idle;
    return segment;
}

static void segment_free(struct ft_segments *all, struct ft_segment *segment)
{
    all->idle += segment->bytes;
    segment->next = all->free;
    all->free = segment;
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

void ft_entry_free(struct ft_rank *self, struct ft_entry *entry)
{
    struct ft_segments *all = &self->spbc->streams->segments;
    struct ft_segment *segment = all->table[entry->segment];

    if (--segment->entries > 0)
        return;
    segment->used = 0;
    if (!segment->current)
        segment_free(all, segment);
}

void ft_entry_cut(struct ft_rank *self, struct ft_entry *entry, uint64_t bytes)
{
    struct ft_segment *segment = self->spbc->streams->segments.table[entry->segment];

    segment->used -= ft_entry_room(entry->bytes) - ft_entry_room(bytes);
    entry->bytes = bytes;
}

/* Tells `leave_out` of all that holds nothing and is in images up to now. */
static void each_rest(struct ft_segments *all, void (*leave_out)(void *, size_t))
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct ft_segment *segment = all->table[i];
        uint64_t edge = round_up(segment->used, PAGE);

        if (!segment->data || segment->open <= edge)
            continue;
        leave_out(segment->data + edge, segment->bytes - edge);
        segment->ready = segment->open = edge;
    }
}

/* Nobody's newest entries go to an empty one; the next may have to be shorter. */
static void current_free(struct ft_segments *all, struct ft_peer *peer)
{
    if (!peer->segment || peer->segment->entries > 0)
        return;
    peer->segment->current = 0;
    segment_free(all, peer->segment);
    peer->segment = NULL;
}

void ft_segments_settle(struct ft_rank *self)
{
    struct ft_segments *all = &self->spbc->streams->segments;
    uint64_t most = all->most > all->most_before ? all->most : all->most_before;

    for (int i = 0; i < self->size; i++)
        current_free(all, &self->spbc->streams->peer[i]);
    while (all->free && all->mapped > most)
        oldest_drop(all);
    all->most_before = all->most;
    all->most = all->mapped - all->idle;
    each_rest(all, ft_image_pages_skip);
}

void ft_streams_leave(struct ft_rank *self)
{
    each_rest(&self->spbc->streams->segments, ft_image_pages_drop);
}

void ft_segments_begin(struct ft_rank *self)
{
    const struct ft_segments *all = &self->spbc->streams->segments;

    for (uint32_t i = 0; i < all->count; i++)
        all->table[i]->touched = all->table[i]->ready = round_up(all->table[i]->used, PAGE);
}
