/* names: who reads the names in a folder keeps its order with those that make, remove and rename
 * what is in it (turns.c).
 *
 * Such a change was done at some moment from where it was told of to where it was told to be done.
 * Names that were read in between may have shown it, or not. The folder's time when they were read
 * is that of the last change that they show: where no other change can be that one, it is this one,
 * and it was before. What was done when the rank told that it would read them the last time is not,
 * if the folder's time is another one since. */
#include <string.h>
#include "putback/putback.h"
#include "putback/turns.h"

/* What the folder's time may be too early by: the step of the kernel's clock. Nanoseconds. */
#define STEP 10000000U

/* The accesses in `sorted` of what is in a folder. */
struct inside {
    size_t begin, end;
    size_t length; /* of the folder's path with its slash */
};

static int inside_find(const struct ft_turns *turns, size_t begin, size_t end,
                       struct inside *inside)
{
    const char *path = turns->sorted[begin]->path;

    *inside = (struct inside){.begin = end, .end = end, .length = strlen(path)};
    if (path[inside->length - 1] != '/')
        return 0;
    while (inside->end < turns->count &&
           strncmp(turns->sorted[inside->end]->path, path, inside->length) == 0)
        inside->end++;
    return 1;
}

static int is_change(const struct inside *inside, const struct ft_access *access)
{
    return access->change != FT_ACCESS_READ && strchr(access->path + inside->length, '/') == NULL;
}

int ft_turns_are_names(const struct ft_access *reading, const struct ft_access *access)
{
    const struct inside inside = {.length = strlen(reading->path)};

    return reading->change == FT_ACCESS_READ && is_change(&inside, access) &&
           access->rank != reading->rank;
}

/* Until when was it done? A change of the content is told of before it alone: but it was done when
 * the rank told of what it did next. */
static uint64_t done_by(const struct ft_turns *turns, const struct ft_access *access)
{
    if (access->change == FT_ACCESS_NAME)
        return access->time;
    for (size_t i = access->number; i < turns->count; i++)
        if (turns->access[i]->rank == access->rank)
            return turns->access[i]->begun;
    return UINT64_MAX;
}

/* The last time before that the rank has read these names, from `begin` on; or NULL. */
static const struct ft_access *reading_before(const struct ft_turns *turns, size_t begin, size_t at)
{
    int rank = turns->sorted[at]->rank;

    while (at-- > begin)
        if (turns->sorted[at]->rank == rank)
            return turns->sorted[at];
    return NULL;
}

/* May it be the last change that a reading has shown, which was done behind that time? */
static int may_be_last(const struct ft_turns *turns, const struct ft_access *access,
                       const struct ft_access *reading, uint64_t behind)
{
    uint64_t done = done_by(turns, access);

    return access->begun < reading->time && access->begun <= reading->seen + STEP &&
           done >= reading->seen && done > behind &&
           (access->change == FT_ACCESS_NAME || access->found != FT_NEEDS_PRESENCE);
}

/* The change that the names must have shown although it was told to be done behind them; NULL:
 * there is none. */
static struct ft_access *shown_by(const struct ft_turns *turns, const struct inside *inside,
                                  const struct ft_access *reading, const struct ft_access *before)
{
    struct ft_access *first = NULL;

    if (reading->seen == 0 || (before && before->seen == reading->seen))
        return NULL;
    for (size_t i = inside->begin; i < inside->end; i++) {
        struct ft_access *access = turns->sorted[i];

        if (!is_change(inside, access) ||
            !may_be_last(turns, access, reading, before ? before->time : 0))
            continue;
        if (access->time <= reading->time)
            return NULL;
        if (access->rank != reading->rank && (!first || access->time < first->time))
            first = access;
    }
    return first;
}

int ft_turns_untangle_names(const struct ft_turns *turns, size_t begin, size_t end)
{
    struct inside inside;
    int moved = 0;

    if (!inside_find(turns, begin, end, &inside))
        return 0;
    for (size_t i = begin; i < end; i++) {
        const struct ft_access *reading = turns->sorted[i];
        struct ft_access *shown =
            shown_by(turns, &inside, reading, reading_before(turns, begin, i));

        if (!shown)
            continue;
        ft_turns_put_at(shown, reading->time - 1);
        moved++;
    }
    return moved;
}

static void mark_reading(struct ft_access *reading, const struct ft_turns *turns,
                         const struct inside *inside)
{
    reading->names = inside->begin;
    reading->names_end = inside->end;
    for (size_t i = inside->begin; i < inside->end; i++) {
        struct ft_access *access = turns->sorted[i];

        if (!ft_turns_are_names(reading, access))
            continue;
        *(access->begun < reading->time ? &reading->waits : &reading->waited) = 1;
        *(access->begun < reading->time ? &access->waited : &access->waits) = 1;
    }
}

void ft_turns_mark_names(const struct ft_turns *turns, size_t begin, size_t end)
{
    struct inside inside;

    if (!inside_find(turns, begin, end, &inside))
        return;
    for (size_t i = begin; i < end; i++)
        mark_reading(turns->sorted[i], turns, &inside);
    for (size_t i = end; i < inside.end; i++) {
        if (strchr(turns->sorted[i]->path + inside.length, '/'))
            continue;
        turns->sorted[i]->names = begin;
        turns->sorted[i]->names_end = end;
    }
}
