/* A file that ranks of two clusters have changed: putting it back for the one would take the
 * other's work away. */
#include "files/undo.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "files/undo_read.h"

/* Is the path as the record tells it was? (Sizes of all files open for writing are on record,
 * written to or not.) */
static int is_unchanged(const struct state *state)
{
    const struct ft_undo_entry *entry = state->entry;
    struct stat now;

    if (lstat(state->path, &now) != 0)
        return entry->kind == FT_UNDO_ABSENT && errno == ENOENT;
    return entry->kind == FT_UNDO_SIZE && now.st_size == entry->size &&
           now.st_mtim.tv_sec == entry->mtime_s && now.st_mtim.tv_nsec == entry->mtime_ns;
}

/* Both are sorted by path: the first changed one that stands in both. */
static int compare(struct undo *mine, const struct undo *theirs)
{
    size_t other = 0;

    for (size_t at = 0; at < mine->states; at = undo_group_end(mine, at)) {
        const char *path = mine->state[at].path;

        while (other < theirs->states && strcmp(theirs->state[other].path, path) < 0)
            other++;
        if (other < theirs->states && strcmp(theirs->state[other].path, path) == 0 &&
            !is_unchanged(&mine->state[at]))
            return undo_fail(mine, path, -EBUSY);
    }
    return 0;
}

int ft_undo_shared(const char *const *folders, int count, int number, const char *const *others,
                   int other_count, char *failed)
{
    struct undo mine = {.failed = failed}, theirs = {.failed = failed};
    int code = undo_read(&mine, folders, count, number);

    if (code == 0)
        code = undo_read(&theirs, others, other_count, -1);
    if (code == 0)
        code = compare(&mine, &theirs);
    undo_close(&mine);
    undo_close(&theirs);
    return code;
}
