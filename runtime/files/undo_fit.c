/* Which parties can go back to their checkpoints without the others, as far as files are concerned.
 *
 * Putting a file back means the state that its earliest record tells, of time t (undo.c).
 *
 * Changers: that is the state that each party p had left behind at its checkpoint if p did nothing
 * to the file between t and its checkpoint: cut(p) <= t, or p has not changed it before that at
 * all. A record tells the first change of an interval only, so any that is kept may be one of
 * behind t.
 *
 * Readers: a party q that goes back reads again what it has read since its checkpoint, and must
 * find what it found. What it found behind t is written again, and it waits for that (turns.c).
 * What it found at a time r < t, or where nothing is undone, must be what is put back, or is there;
 * if it is not, then one of those that keep a change of after r has made it otherwise: those p with
 * cut(p) > r that keep a change, which must go back, too. Had nobody changed it that is known here,
 * it is somebody else's file, and left to him.
 *
 * What is there may be what was found, and have been something else in between: a name that came
 * and went. A record of after r tells of it, where neither size nor time would.
 *
 * Who has read the names in a folder (a path that ends in a slash) must find these: those that have
 * made or removed a name there since, and keep that, must go back, too.
 *
 * Parties that have no record of the file do not matter; for that, all records since the oldest
 * checkpoint that anybody can go back to must be there. */
#include "files/undo.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files/undo_read.h"
#include "files/undo_seen.h"

struct question {
    const struct ft_undo_party *parties;
    int late; /* only misfits of this party; -1: of all */
    struct ft_undo_misfit *misfit;
};

struct group { /* the states of one path */
    const struct state *changed, *changed_end;
    const struct state *seen, *seen_end;
    const struct state *first; /* the earliest change that would be undone, or NULL */
    const struct state *copy;  /* the earliest copy among those, or NULL */
};

/* Is the path as the record tells it was? (Sizes of all files open for writing are on record,
 * written to or not.) A name that is not there again has come and gone. */
static int is_unchanged(const struct state *state)
{
    const struct ft_undo_entry *entry = state->entry;
    struct stat now;

    return lstat(state->path, &now) == 0 && entry->kind == FT_UNDO_SIZE &&
           now.st_size == entry->size && now.st_mtim.tv_sec == entry->mtime_s &&
           now.st_mtim.tv_nsec == entry->mtime_ns;
}

static int is_undone(const struct question *question, const struct state *change)
{
    const struct record *record = change->record;

    return (int64_t)record->interval > question->parties[record->party].number;
}

/* Is the change kept, by a party that keeps what it did after that time, and that is asked for? */
static int is_late(const struct question *question, const struct state *change, uint64_t time)
{
    int party = change->record->party;

    return (question->late < 0 || party == question->late) && question->parties[party].cut > time &&
           !is_undone(question, change);
}

static int misfit_tell(const struct question *question, int early, int late, uint64_t time,
                       const char *path)
{
    struct ft_undo_misfit *misfit = question->misfit;

    misfit->early = early;
    misfit->late = late;
    misfit->time = time;
    snprintf(misfit->path, sizeof misfit->path, "%s", path);
    return 1;
}

/* Who changed the path, and has done so after the first undone change. */
static int first_fit(const struct question *question, const struct group *group)
{
    const struct state *first = group->first;
    const struct record *record = first->record;

    for (const struct state *change = group->changed; change < group->changed_end; change++) {
        int party = change->record->party;

        if (party != record->party && is_late(question, change, record->time) &&
            !is_unchanged(first))
            return misfit_tell(question, record->party, party, record->time, first->path);
    }
    return 0;
}

/* Has somebody begun to change the path after it was seen, and would keep that? Where the time of
 * modification decides, that tells. */
static int has_changed_since(const struct state *change, const struct state *seen)
{
    return (seen->entry->kind == FT_UNDO_MISSED || seen->entry->hashed) &&
           change->entry->kind != FT_UNDO_SIZE && undo_precedes(seen->record, change->record);
}

/* What was seen before the first undone change must be found again. */
static int seen_fit(const struct question *question, const struct group *group,
                    const struct state *seen)
{
    int found = -1, reader = seen->record->party;
    uint64_t time = seen->record->time;

    if (group->first != NULL && !undo_precedes(seen->record, group->first->record))
        return 0;
    for (const struct state *change = group->changed; change < group->changed_end; change++) {
        int party = change->record->party;

        if (party == reader || !is_late(question, change, time))
            continue;
        if (found < 0)
            found = undo_is_found(seen, group->first, group->copy);
        if (!found || has_changed_since(change, seen))
            return misfit_tell(question, reader, party, time, seen->path);
    }
    return 0;
}

static int group_fit(const struct question *question, const struct group *group)
{
    int code = 0;

    if (group->first != NULL)
        code = first_fit(question, group);
    for (const struct state *seen = group->seen; code == 0 && seen < group->seen_end; seen++)
        code = seen_fit(question, group, seen);
    return code;
}

/* What of the group would be undone. */
static void group_mark(const struct question *question, struct group *group)
{
    for (const struct state *change = group->changed; change < group->changed_end; change++) {
        if (!is_undone(question, change))
            continue;
        if (group->first == NULL)
            group->first = change;
        if (group->copy == NULL && change->entry->kind == FT_UNDO_COPY)
            group->copy = change;
    }
}

/* Those of the path among the seen ones, from *from on; *from moves behind them. */
static void group_see(struct group *group, const struct undo_pile *seen, size_t *from)
{
    int order = 1;

    while (*from < seen->states &&
           (order = strcmp(seen->state[*from].path, group->changed->path)) < 0)
        ++*from;
    if (*from == seen->states || order != 0)
        return;
    group->seen = &seen->state[*from];
    *from = undo_group_end(seen, *from);
    group->seen_end = seen->state + *from;
}

/* All paths that somebody has changed. Both piles are in the order of paths. */
static int paths_fit(const struct question *question, const struct undo *undo)
{
    const struct undo_pile *changed = &undo->changed;
    size_t seen = 0;
    int code = 0;

    for (size_t at = 0, end; code == 0 && at < changed->states; at = end) {
        struct group group = {.changed = &changed->state[at]};

        end = undo_group_end(changed, at);
        group.changed_end = changed->state + end;
        group_see(&group, &undo->seen, &seen);
        group_mark(question, &group);
        code = group_fit(question, &group);
    }
    return code;
}

/* Is it about a name in the folder that was seen, which is there now and was not, or was and is
 * not?
 */
static int has_other_name(const struct state *change, const struct state *seen)
{
    size_t length = strlen(seen->path);
    struct stat now;

    return strncmp(change->path, seen->path, length) == 0 && change->path[length] != 0 &&
           strchr(change->path + length, '/') == NULL &&
           (lstat(change->path, &now) == 0) == (change->entry->kind == FT_UNDO_ABSENT);
}

static int names_fit(const struct question *question, const struct undo *undo,
                     const struct state *seen)
{
    uint64_t time = seen->record->time;

    for (size_t i = 0; i < undo->changed.states; i++) {
        const struct state *change = &undo->changed.state[i];
        int party = change->record->party;

        if (party != seen->record->party && is_late(question, change, time) &&
            undo_precedes(seen->record, change->record) && has_other_name(change, seen))
            return misfit_tell(question, seen->record->party, party, time, seen->path);
    }
    return 0;
}

static int folders_fit(const struct question *question, const struct undo *undo)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < undo->seen.states; i++) {
        const struct state *seen = &undo->seen.state[i];

        if (seen->path[strlen(seen->path) - 1] == '/')
            code = names_fit(question, undo, seen);
    }
    return code;
}

int ft_undo_fit(const struct ft_undo_party *parties, int count, int late,
                struct ft_undo_misfit *misfit)
{
    struct question question = {parties, late, misfit};
    struct undo undo = {.failed = misfit->path};
    int code = undo_read(&undo, parties, count, UNDO_ALL);

    if (code == 0)
        code = paths_fit(&question, &undo);
    if (code == 0)
        code = folders_fit(&question, &undo);
    undo_close(&undo);
    return code;
}
