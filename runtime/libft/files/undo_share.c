/* Files that ranks share by writing, and how far that takes everybody back (undo.h).
 *
 * Two accesses of a path by two ranks, one of them a change, depend on each other: what one rank
 * wrote the other has read, or written over. A record tells when a rank accessed a path for the
 * first time in an interval; the rank may have done so again until the interval's end. Let `first`
 * be the earlier of two such accesses, `second` the later one:
 *
 *     - `first` will be undone: `second` has to be undone as well, and both will be done again, in
 *       the old order.
 *     - `first` is kept, and its interval had ended when `second` began: `second` can be undone and
 *       done again, it will find the same. (A file that is written, committed by a checkpoint and
 *       only then read by others binds nobody.)
 *     - `first` is kept, but may have gone on behind the beginning of `second`: if `second` is
 *       undone, `first` has to be undone as well.
 *
 * The messages that ranks receive again come early, where they come out of logs: those that were
 * sent before the sender's checkpoint, or by a rank that does not roll back. Such messages may have
 * told the rank of `second` that `first` was done. So the order of both is kept only if no message
 * of after `first` comes out of a log: if all ranks roll back to checkpoints that precede `first`.
 * That is the answer in each of these cases, and it holds for two ranks of one cluster, too.
 *
 * A file that is open for writing is on record at each checkpoint, and counts as changed: what a
 * stream writes is not seen.
 *
 * Exempt is a folder that is made and used by others: undo.c does not remove it while somebody
 * stays. */
#include "files/undo.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files/undo_read.h"

struct question {
    const struct ft_undo_party *parties;
    uint64_t latest; /* moment that a party rolls back to, or the present one if a party stays */
    struct ft_undo_share *share;
    int found; /* *share is filled */
};

static int is_undone(const struct question *question, const struct record *record)
{
    return (int64_t)record->interval > question->parties[record->party].number;
}

static uint64_t end_of(const struct question *question, const struct record *record)
{
    const struct ft_undo_party *party = &question->parties[record->party];

    return party->end(party->context, record->interval);
}

static void share_tell(struct question *question, const struct state *first,
                       const struct state *second)
{
    struct ft_undo_share *share = question->share;
    const struct record *record[2] = {first->record, second->record};

    question->found = 1;
    for (int i = 0; i < 2; i++) {
        share->party[i] = record[i]->party;
        share->place[i] = record[i]->place;
    }
    share->time = first->record->time;
    snprintf(share->path, sizeof share->path, "%s", second->path);
}

/* Two accesses that depend on each other, if they are of two ranks. */
static void pair_check(struct question *question, const struct state *first,
                       const struct state *second)
{
    const struct state *earlier = second;
    int undone;

    if (first->record->party == second->record->party &&
        first->record->place == second->record->place)
        return;
    if (undo_precedes(second->record, first->record)) {
        second = first;
        first = earlier;
    }
    undone = is_undone(question, first->record);
    if (!undone && !is_undone(question, second->record))
        return;
    if (!undone && end_of(question, first->record) <= second->record->time)
        return;
    if (first->record->time < question->latest &&
        (!question->found || first->record->time < question->share->time))
        share_tell(question, first, second);
}

static int is_made_folder(const struct state *change)
{
    return change->entry->kind == FT_UNDO_ABSENT && S_ISDIR(change->entry->mode);
}

/* The first state whose path is not less than `path`. */
static size_t find_from(const struct undo_pile *pile, const char *path)
{
    size_t low = 0, high = pile->states;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(pile->state[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All other accesses of the path of one change. [at, end) are the changes of that path. */
static void path_check(struct question *question, const struct undo *undo, size_t change, size_t at,
                       size_t end)
{
    const struct state *state = undo->changed.state, *seen = undo->seen.state;
    size_t read = undo->seen.states;

    for (size_t i = at; i < end; i++)
        if (i != change)
            pair_check(question, &state[change], &state[i]);
    if (!is_made_folder(&state[change]))
        read = find_from(&undo->seen, state[change].path);
    for (; read < undo->seen.states && strcmp(seen[read].path, state[change].path) == 0; read++)
        pair_check(question, &state[change], &seen[read]);
}

/* A folder was removed: whoever accesses something below it needs it. */
static void below_check(struct question *question, const struct undo_pile *pile,
                        const struct state *removal)
{
    char prefix[FAILED];
    size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s/", removal->path);

    for (size_t i = find_from(pile, prefix);
         i < pile->states && strncmp(pile->state[i].path, prefix, length) == 0; i++)
        pair_check(question, removal, &pile->state[i]);
}

/* The names in a folder were read: a rank that makes or removes one changes them. */
static void names_check(struct question *question, const struct undo_pile *changed,
                        const struct state *seen)
{
    size_t length = strlen(seen->path);

    for (size_t i = find_from(changed, seen->path);
         i < changed->states && strncmp(changed->state[i].path, seen->path, length) == 0; i++)
        if (strchr(changed->state[i].path + length, '/') == NULL &&
            changed->state[i].entry->kind != FT_UNDO_SIZE)
            pair_check(question, &changed->state[i], seen);
}

static void all_check(struct question *question, const struct undo *undo)
{
    const struct undo_pile *changed = &undo->changed;

    for (size_t at = 0, end; at < changed->states; at = end) {
        end = undo_group_end(changed, at);
        for (size_t i = at; i < end; i++) {
            path_check(question, undo, i, at, end);
            if (changed->state[i].entry->kind == FT_UNDO_FOLDER) {
                below_check(question, changed, &changed->state[i]);
                below_check(question, &undo->seen, &changed->state[i]);
            }
        }
    }
    for (size_t i = 0; i < undo->seen.states; i++)
        if (ft_undo_is_names(undo->seen.state[i].path))
            names_check(question, changed, &undo->seen.state[i]);
}

int ft_undo_shared(const struct ft_undo_party *parties, int count, struct ft_undo_share *share)
{
    struct question question = {.parties = parties, .share = share};
    struct undo undo = {.failed = share->path};
    int code = undo_read(&undo, parties, count, UNDO_ALL);

    for (int i = 0; i < count; i++)
        if (parties[i].cut > question.latest)
            question.latest = parties[i].cut;
    if (code == 0)
        all_check(&question, &undo);
    undo_close(&undo);
    return code != 0 ? code : question.found;
}
