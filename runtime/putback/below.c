/* below: what is accessed in a folder keeps its order with who makes the folder, or takes it away
 * (turns.c), also where nobody else accesses it. A rank may go back to where the folder was there,
 * and who had made it to long before that: then it is gone when the rank comes to it. */
#include <string.h>
#include "putback/putback.h"
#include "putback/turns.h"

static int is_folder(const struct ft_access *access, const char *folder, size_t length)
{
    return strncmp(access->path, folder, length) == 0 && access->path[length] == 0;
}

/* Where the accesses of the folder begin in `sorted`: the first that is not before it. */
static size_t find(const struct ft_turns *turns, const char *folder, size_t length)
{
    size_t low = 0, high = turns->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strncmp(turns->sorted[middle]->path, folder, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the first to the last one that changes the folder's name; if none does, *begin is *end. */
static void find_changed(const struct ft_turns *turns, const char *folder, size_t length,
                         size_t *begin, size_t *end)
{
    *begin = *end = 0;
    for (size_t i = find(turns, folder, length);
         i < turns->count && is_folder(turns->sorted[i], folder, length); i++) {
        if (turns->sorted[i]->change != FT_ACCESS_NAME)
            continue;
        *begin = *end ? *begin : i;
        *end = i + 1;
    }
}

int ft_turns_made(const struct ft_access *maker, const struct ft_access *access)
{
    return maker->change == FT_ACCESS_NAME && maker->rank != access->rank &&
           maker->time < access->begun;
}

/* The accesses from `begin` to `end` are of a path: the nearest folder above it whose name changes
 * is what they depend on; that one depends on those above. */
void ft_turns_mark_below(const struct ft_turns *turns, size_t begin, size_t end)
{
    const char *path = turns->sorted[begin]->path;
    size_t length = strlen(path), first = 0, last = 0;

    while (length > 1 && last == first) {
        while (length > 0 && path[--length] != '/')
            ;
        if (length > 0)
            find_changed(turns, path, length, &first, &last);
    }
    for (size_t i = begin; i < end; i++) {
        struct ft_access *access = turns->sorted[i];

        access->above = first;
        access->above_end = last;
        for (size_t k = first; k < last; k++) {
            if (!ft_turns_made(turns->sorted[k], access))
                continue;
            access->waits = 1;
            turns->sorted[k]->waited = 1;
        }
    }
}
