/* untangle: the order of what was done to one name (turns.c).
 *
 * A rank tells of an access before it, and again when it has made, removed or renamed a path: in
 * between lies the moment at which that happened. The second time counts, because who waits for a
 * path, and then takes it, has told of it long before. But others may have seen what was done, and
 * have told so, before that. Then what was needed or found by an access shows it: what makes a path
 * and what takes it away follow each other in turn. A file that is renamed loses a name and gets
 * one at the same time. */
#include <string.h>
#include "putback/turns.h"

/* What the path is behind the access: FT_NEEDS_PRESENCE, _ABSENCE; NOTHING: as before. */
static enum ft_access_needs left_by(const struct ft_access *access)
{
    if (access->change == FT_ACCESS_READ)
        return access->needs;
    return access->change == FT_ACCESS_NAME && access->needs == FT_NEEDS_PRESENCE
               ? FT_NEEDS_ABSENCE
               : FT_NEEDS_PRESENCE;
}

/* The longest time from where one was told of to where it was done. */
static uint64_t longest(struct ft_access *const *sorted, size_t begin, size_t end)
{
    uint64_t most = 0;

    for (size_t i = begin; i < end; i++) {
        uint64_t took = sorted[i]->time > sorted[i]->begun ? sorted[i]->time - sorted[i]->begun : 0;

        most = took > most ? took : most;
    }
    return most;
}

/* Of those behind `at`, for that time, the first one that may have happened before it, and leaves
 * what it needs. 0: there is none. */
static size_t cause_of(struct ft_access *const *sorted, size_t at, size_t end, uint64_t most)
{
    for (size_t i = at + 1; i < end && sorted[i]->time <= sorted[at]->time + most; i++) {
        if (sorted[i]->change == FT_ACCESS_NAME && sorted[i]->begun < sorted[at]->time &&
            left_by(sorted[i]) == sorted[at]->needs)
            return i;
    }
    return 0;
}

/* Is there an access between the two that leaves the path so, and was begun before that time? */
static int is_left(struct ft_access *const *sorted, size_t at, size_t cause,
                   enum ft_access_needs so, uint64_t time)
{
    for (size_t i = at + 1; i < cause; i++) {
        if (sorted[i]->change == FT_ACCESS_NAME && left_by(sorted[i]) == so &&
            sorted[i]->begun < time)
            return 1;
    }
    return 0;
}

/* Nobody knows what the path was when the access at `at` came. Must the cause be before it? Only if
 * that needed the contrary, and nothing in between leaves the path so; or has found the contrary
 * when it told what it would do, and nothing that had begun by then leaves the path so. */
static int is_forced(struct ft_access *const *sorted, size_t at, size_t cause)
{
    const struct ft_access *by = sorted[cause];

    if (by->needs != FT_NEEDS_NOTHING && !is_left(sorted, at, cause, by->needs, UINT64_MAX))
        return 1;
    return by->found != FT_NEEDS_NOTHING && by->found != left_by(by) &&
           !is_left(sorted, at, cause, by->found, by->begun);
}

void ft_turns_put_at(struct ft_access *access, uint64_t time)
{
    access->time = time;
    if (access->other)
        access->other->time = time;
}

static void put_before(struct ft_access **sorted, size_t at, size_t from)
{
    struct ft_access *moved = sorted[from];

    memmove(sorted + at + 1, sorted + at, (from - at) * sizeof(struct ft_access *));
    sorted[at] = moved;
    ft_turns_put_at(moved, sorted[at + 1]->time - 1);
}

int ft_turns_untangle(struct ft_access **sorted, size_t begin, size_t end)
{
    enum ft_access_needs state = FT_NEEDS_NOTHING, left;
    uint64_t most = longest(sorted, begin, end);
    int moved = 0;

    for (size_t at = begin; at < end; at++) {
        enum ft_access_needs needs = sorted[at]->needs;
        size_t cause = 0;

        if (needs != FT_NEEDS_NOTHING && needs != state)
            cause = cause_of(sorted, at, end, most);
        if (cause && (state != FT_NEEDS_NOTHING || is_forced(sorted, at, cause))) {
            put_before(sorted, at, cause);
            moved++;
        }
        left = left_by(sorted[at]);
        state = left != FT_NEEDS_NOTHING ? left : state;
    }
    return moved;
}
