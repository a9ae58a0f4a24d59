/* Which parties can go back to their checkpoints without the others, as far as files are concerned.
 *
 * Putting a file back means the state that its earliest record tells, of time t (undo.c). That is
 * the state that each party p had left behind at its checkpoint if p did nothing to the file
 * between t and its checkpoint: cut(p) <= t. Parties that have no record of the file do not matter;
 * for that, all records since the oldest checkpoint that anybody can go back to must be there. */
#include "files/undo.h"

#include <errno.h>
#include <stdio.h>
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

/* The earliest record of the group that would be undone, or NULL. */
static const struct state *first_undone(const struct undo *undo, size_t at, size_t end,
                                        const struct ft_undo_party *parties)
{
    for (; at < end; at++) {
        const struct record *record = undo->changed.state[at].record;

        if ((int64_t)record->interval > parties[record->party].number)
            return &undo->changed.state[at];
    }
    return NULL;
}

/* One path: its states from `at` to `end`. */
static int group_fit(const struct undo *undo, size_t at, size_t end,
                     const struct ft_undo_party *parties, int late, struct ft_undo_misfit *misfit)
{
    const struct state *first = first_undone(undo, at, end, parties);

    if (first == NULL)
        return 0;
    for (; at < end; at++) {
        int party = undo->changed.state[at].record->party;

        if (party == first->record->party || (late >= 0 && party != late) ||
            parties[party].cut <= first->record->time || is_unchanged(first))
            continue;
        misfit->early = first->record->party;
        misfit->late = party;
        misfit->time = first->record->time;
        snprintf(misfit->path, sizeof(misfit->path), "%s", first->path);
        return 1;
    }
    return 0;
}

int ft_undo_fit(const struct ft_undo_party *parties, int count, int late,
                struct ft_undo_misfit *misfit)
{
    struct undo undo = {.failed = misfit->path};
    int code = undo_read(&undo, parties, count, UNDO_ALL);

    for (size_t at = 0, end; code == 0 && at < undo.changed.states; at = end) {
        end = undo_group_end(&undo.changed, at);
        code = group_fit(&undo, at, end, parties, late, misfit);
    }
    undo_close(&undo);
    return code;
}
