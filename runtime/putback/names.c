/* names: who reads the names in a folder keeps its order with those that make, remove and rename
 * what is in it (turns.c).
 *
 * Such a change was done at some moment from where it was told of to where it was told to be done.
 * Names that were read in between may have shown it, or not. Where nobody can tell they have: who
 * looks for a name may find it at a look that was in vain before, but would look for ever behind
 * the one that has shown it. The folder's time tells, if the kernel gives it another one for each
 * change. */
#include <string.h>
#include "putback/putback.h"
#include "putback/turns.h"

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

/* Has somebody seen the path as it was before the change at `at`, behind that time? */
static int was_seen_before(struct ft_access *const *sorted, size_t at, uint64_t time)
{
    const struct ft_access *access = sorted[at], *before = sorted[at - 1];

    return strcmp(before->path, access->path) == 0 && before->time > time &&
           before->needs != FT_NEEDS_NOTHING && before->needs == access->found;
}

/* May the names have shown the change, which was told to be done behind them? Not where the folder
 * had another time when that was done, and still the one that it had before when they were read. */
static int may_be_shown(struct ft_access *const *sorted, size_t at, const struct ft_access *reading)
{
    const struct ft_access *access = sorted[at];

    return access->begun < reading->time && access->time > reading->time &&
           (reading->seen > access->seen ||
            (reading->seen == access->seen && access->seen == access->seen_behind)) &&
           !was_seen_before(sorted, at, reading->time);
}

int ft_turns_untangle_names(const struct ft_turns *turns, size_t begin, size_t end)
{
    struct inside inside;
    int moved = 0;

    if (!inside_find(turns, begin, end, &inside))
        return 0;
    for (size_t i = begin; i < end; i++) {
        const struct ft_access *reading = turns->sorted[i];

        for (size_t k = inside.begin; k < inside.end; k++) {
            struct ft_access *access = turns->sorted[k];

            if (!ft_turns_are_names(reading, access) || !may_be_shown(turns->sorted, k, reading))
                continue;
            ft_turns_put_at(access, reading->time - 1);
            moved++;
        }
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
