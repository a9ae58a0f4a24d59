/* Piles of records. An entry is used where it is whole and may stand there. */
#include "files/undo_pile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int undo_grow(void **array, size_t count, size_t *room, size_t bytes)
{
    size_t larger = *room ? 2 * *room : 64;
    void *bigger;

    if (count < *room)
        return 0;
    bigger = realloc(*array, larger * bytes);
    if (bigger == NULL)
        return -ENOMEM;
    *array = bigger;
    *room = larger;
    return 0;
}

int undo_pile_add(struct undo_pile *pile, const struct record *record)
{
    struct ft_undo_head head;
    int code =
        undo_grow((void **)&pile->record, pile->records, &pile->record_room, sizeof *pile->record);

    if (code != 0)
        return code;
    memcpy(&head, record->bytes, sizeof head);
    pile->record[pile->records] = *record;
    pile->record[pile->records].time = head.time;
    pile->record[pile->records++].boot = head.boot;
    return 0;
}

/* The entry at `at` is whole, of a kind that may stand there, and its strings end where they
 * should. */
static int entry_is_valid(const struct ft_undo_entry *entry, const char *at, const char *end,
                          int reads)
{
    const char *path = at + sizeof *entry;
    int lowest = reads ? FT_UNDO_READ : FT_UNDO_ABSENT;
    int highest = reads ? FT_UNDO_READ : FT_UNDO_FIFO;

    return (int)entry->kind >= lowest && (int)entry->kind <= highest && entry->size >= 0 &&
           entry->path >= 2 && entry->path <= FT_UNDO_PATH && entry->target <= FT_UNDO_PATH &&
           ft_undo_entry_bytes(entry->path, entry->target) <= (size_t)(end - at) &&
           path[0] == '/' && strnlen(path, entry->path) == entry->path - 1 &&
           (entry->kind != FT_UNDO_LINK ||
            (entry->target >= 2 &&
             strnlen(path + entry->path, entry->target) == entry->target - 1));
}

/* Adds the entries of a record to the states. */
static int record_unpack(struct undo_pile *pile, const struct record *record, int reads)
{
    struct ft_undo_head head;
    const char *at = record->bytes + sizeof head, *end;

    memcpy(&head, record->bytes, sizeof head);
    end = at + head.bytes;
    for (uint32_t i = 0; i < head.entries; i++) {
        const struct ft_undo_entry *entry = (const struct ft_undo_entry *)at;
        int code;

        if ((size_t)(end - at) < sizeof *entry || !entry_is_valid(entry, at, end, reads))
            return -EBADMSG;
        code =
            undo_grow((void **)&pile->state, pile->states, &pile->state_room, sizeof *pile->state);
        if (code != 0)
            return code;
        pile->state[pile->states++] =
            (struct state){entry, at + sizeof *entry, at + sizeof *entry + entry->path, record};
        at += ft_undo_entry_bytes(entry->path, entry->target);
    }
    return at == end ? 0 : -EBADMSG;
}

int undo_precedes(const struct record *a, const struct record *b)
{
    return a->boot != b->boot ? a->interval < b->interval : a->time < b->time;
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    return undo_precedes(x, y) ? -1 : undo_precedes(y, x);
}

static int compare_states(const void *a, const void *b)
{
    const struct state *x = a, *y = b;
    int order = strcmp(x->path, y->path);

    return order ? order : compare_records(x->record, y->record);
}

/* Entries refer to records by address, so they are unpacked when the array no longer moves. */
int undo_pile_unpack(struct undo_pile *pile, int reads, const struct record **bad)
{
    if (pile->records > 0)
        qsort(pile->record, pile->records, sizeof *pile->record, compare_records);
    for (size_t i = 0; i < pile->records; i++) {
        int code = record_unpack(pile, &pile->record[i], reads);

        if (code != 0) {
            *bad = &pile->record[i];
            return code;
        }
    }
    if (pile->states > 0)
        qsort(pile->state, pile->states, sizeof *pile->state, compare_states);
    return 0;
}

size_t undo_group_end(const struct undo_pile *pile, size_t at)
{
    size_t end = at + 1;

    while (end < pile->states && strcmp(pile->state[end].path, pile->state[at].path) == 0)
        end++;
    return end;
}

void undo_pile_free(struct undo_pile *pile)
{
    free(pile->record);
    free(pile->state);
}
