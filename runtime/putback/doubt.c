/* doubt: who has died in a call that makes, removes or renames a path had told of it, and had not
 * heard whether it was the one that did it.
 *
 * Others tell: what makes a path and what takes it away follow each other in turn. Where the next
 * call of another rank has needed the path as this one did, or the one before it has left it
 * otherwise, this one was in vain, if it was made at all. Then it was a look, behind that; else two
 * ranks could do what one had done, and this one would never be where it was. Where nobody can
 * tell, nobody has found out either, and it was done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "putback/putback.h"
#include "putback/turns.h"

struct attempt {              /* of a rank, not heard of */
    struct ft_access *access; /* what decides */
    struct ft_access *to;     /* what it was to be renamed to; or NULL */
};

static int is_attempt(const struct ft_run *run, const struct ft_access *access)
{
    const struct ft_recorder *recorder = run->members[access->rank].recorder;

    return access->change == FT_ACCESS_NAME && !access->late && recorder->accessing &&
           access->moment == ft_progress_of(recorder) + 1;
}

/* Of the last two things that a rank did. A file that is renamed loses a name, then gets one. */
static struct attempt attempt_of(const struct ft_run *run, struct ft_access *before,
                                 struct ft_access *last)
{
    if (!last || !is_attempt(run, last))
        return (struct attempt){0};
    if (last->needs != FT_NEEDS_NOTHING)
        return (struct attempt){.access = last};
    if (!before || !is_attempt(run, before))
        return (struct attempt){0};
    return (struct attempt){.access = before, .to = last};
}

/* Of each rank that went back: ranks tell of what they do in order. */
static void find(const struct ft_run *run, struct attempt *attempts)
{
    for (size_t i = 0; i < run->turns.count; i++) {
        struct ft_access *access = run->turns.access[i];
        struct attempt *attempt = &attempts[access->rank];

        if (!access->old)
            *attempt = (struct attempt){.access = access, .to = attempt->access};
    }
    for (int i = 0; i < run->size; i++)
        attempts[i] = attempt_of(run, attempts[i].to, attempts[i].access);
}

static int compare(const void *a, const void *b)
{
    const struct attempt *x = a, *y = b;
    uint64_t first = x->access ? x->access->time : 0, second = y->access ? y->access->time : 0;

    return (first > second) - (first < second);
}

/* The moment to which the rank goes back, ns: what was before it may be in no list any more. */
static uint64_t cut_of(const struct ft_run *run, int rank)
{
    const struct ft_manifest *newest = ft_cluster_newest(run->members[rank].cluster);

    return newest ? (uint64_t)(newest->frozen * 1e9) : 0;
}

/* Of another change of the path: does it stand before this one and forbid it? */
static int forbids(const struct ft_access *before, const struct ft_access *access)
{
    return access->needs == FT_NEEDS_ABSENCE ? before->needs != FT_NEEDS_PRESENCE
                                             : before->needs == FT_NEEDS_PRESENCE;
}

/* Is it among those that nobody has judged yet? */
static int is_open(const struct attempt *attempts, int first, int count,
                   const struct ft_access *access)
{
    for (int i = first; i < count; i++) {
        if (attempts[i].access == access || attempts[i].to == access)
            return 1;
    }
    return 0;
}

/* Was the attempt at `at` in vain? Then *time is when that was clear. */
static int is_vain(const struct ft_run *run, const struct attempt *attempts, int at, uint64_t *time)
{
    const struct ft_access *access = attempts[at].access, *before = NULL, *behind = NULL;

    for (size_t i = 0; i < run->turns.count; i++) {
        const struct ft_access *other = run->turns.access[i];

        if (other->change == FT_ACCESS_READ || strcmp(other->path, access->path) != 0 ||
            is_open(attempts, at, run->size, other) || other->time < cut_of(run, access->rank))
            continue;
        if (other->time <= access->time)
            before = !before || other->time > before->time ? other : before;
        else if (other->rank != access->rank)
            behind = !behind || other->time < behind->time ? other : behind;
    }
    *time = access->time;
    if (behind && behind->change == FT_ACCESS_NAME && behind->needs == access->needs)
        *time = behind->time + 1;
    return *time > access->time || (before && forbids(before, access));
}

/* It changed nothing, and is counted no more among what the rank does again. Who was to make the
 * path has found it there. last: of the rank's. */
static void take_back(struct ft_run *run, struct ft_access *access, uint64_t time, int last)
{
    struct ft_recorder *recorder = run->members[access->rank].recorder;

    access->change = FT_ACCESS_READ;
    access->needs = access->needs == FT_NEEDS_ABSENCE ? FT_NEEDS_PRESENCE : FT_NEEDS_NOTHING;
    access->time = time;
    recorder->accesses -= !last || recorder->accessing == FT_ACCESSING_COUNTED;
}

/* The recorders say still what was reached before the life that has ended. */
static void mark_again(const struct ft_run *run)
{
    for (size_t i = 0; i < run->turns.count; i++) {
        struct ft_access *access = run->turns.access[i];
        const struct ft_member *member = &run->members[access->rank];

        access->again = access->moment <= member->recorder->reached &&
                        access->time > (uint64_t)(member->life_began * 1e9);
    }
}

int ft_turns_doubt(struct ft_run *run)
{
    struct attempt *attempts = calloc((size_t)run->size, sizeof(*attempts));
    uint64_t time;

    if (!attempts)
        return -ENOMEM;
    mark_again(run);
    find(run, attempts);
    qsort(attempts, (size_t)run->size, sizeof(*attempts), compare);
    for (int i = 0; i < run->size; i++) {
        if (!attempts[i].access || !is_vain(run, attempts, i, &time))
            continue;
        take_back(run, attempts[i].access, time, !attempts[i].to);
        if (attempts[i].to)
            take_back(run, attempts[i].to, time, 1);
    }
    free(attempts);
    return 0;
}
