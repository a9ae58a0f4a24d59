/* In which pattern and iteration the messages of the log were sent. Most streams are used in one
 * pattern, some times in each iteration: so a stream keeps the numbers at which the place changes,
 * and forgets those before which the receiver has everything for good. */
#include <string.h>

#include "stream/notices.h"
#include "stream/streams.h"

#define ROOM_FIRST 6u

static int same(struct ft_pattern_place a, struct ft_pattern_place b)
{
    return a.pattern == b.pattern && a.iteration == b.iteration;
}

/* Only the last place up to what is safe is still of use. */
static void drop(struct ft_places *places, uint64_t safe)
{
    uint32_t gone = 0;

    while (gone + 1 < places->count && places->at[gone + 1].first <= safe + 1)
        gone++;
    places->count -= gone;
    memmove(places->at, places->at + gone, places->count * sizeof *places->at);
}

static struct ft_places *with_room(struct ft_places **all, uint64_t safe)
{
    struct ft_places *places = *all;
    uint32_t room = places ? places->room : 0;

    if (places && places->count == room)
        drop(places, safe);
    if (places && places->count <= room / 2)
        return places;
    room = room ? 2 * room : ROOM_FIRST;
    *all = ft_image_realloc(places, sizeof *places + room * sizeof *places->at);
    if (!places)
        (*all)->count = 0;
    (*all)->room = room;
    return *all;
}

void ft_places_note(struct ft_places **all, uint64_t safe, uint64_t number,
                    struct ft_pattern_place place)
{
    struct ft_places *places = *all;
    struct ft_pattern_place last = {0, 0};

    if (places && places->count)
        last = places->at[places->count - 1].place;
    if (same(last, place))
        return;
    if (!places || places->count == places->room)
        places = with_room(all, safe);
    places->at[places->count].first = number;
    places->at[places->count++].place = place;
}

struct ft_pattern_place ft_places_find(const struct ft_places *places, uint64_t number)
{
    uint32_t low = 0, high = places ? places->count : 0;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (places->at[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? places->at[low - 1].place : (struct ft_pattern_place){0, 0};
}

struct ft_pattern_place ft_stream_place(const struct ft_stream *stream, uint64_t number)
{
    return ft_places_find(stream->places, number);
}

void ft_stream_placed(struct ft_rank *self, const struct ft_comm *comm, int world)
{
    const struct ft_peer *peer = &self->spbc->streams->peer[world];
    const struct ft_entry *entry = peer->end;
    struct ft_stream *stream = entry->stream;
    struct ft_pattern_place place = ft_pattern_now(self);

    ft_places_note(&stream->places, stream->safe.prefix, entry->number, place);
    if (peer->hears && !ft_peer_waits(peer) && !ft_numbers_have(&stream->have, entry->number))
        ft_notice_send(self, comm, world, stream->key.tag, place);
}
