/* turns: who goes back accesses shared files in the order in which they were accessed before.
 *
 * Messages keep ranks in order that do again what they did, but not those that a survivor sends
 * again: it had got something from a rank that has not come as far yet. So a rank could read what
 * is not written yet, or append a line before the line above it. Each rank has left a list of its
 * accesses with the times (files/put.c). Among ranks that go back an access waits for all that were
 * before it, unless both only read. The lists are kept for as long as somebody can go back to
 * before them: when somebody dies again, what was written again has a new time.
 *
 * Who reads the names in a folder, an access of a path that ends in a slash, has to keep its order
 * with those that change paths in it (names.c); and each access with those of the folders above it
 * (below.c).
 *
 * What is waited for was earlier, and needs nothing that was later; and collectives, of which it
 * may need a message, go on in such a wait. So nobody waits for ever. An access is over when the
 * rank has entered another MPI call: it may access the path again before; or when the rank is where
 * it was. Or when it waits for something before that call that was later than the access that waits
 * for it: then it had not entered the call either when that was made, and so the program had no
 * order for the two, or the rank looked for what the other one did: such a look is an access of its
 * own. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "putback/putback.h"
#include "putback/turns.h"

enum { ROUNDS = 16 }; /* of sorting */

static struct ft_access *access_of(const struct ft_turns *turns, uint32_t number)
{
    return number > 0 && number <= turns->count ? turns->access[number - 1] : NULL;
}

static size_t key_bytes(const struct ft_access *access)
{
    return offsetof(struct ft_access, path) - offsetof(struct ft_access, moment) +
           strlen(access->path);
}

/* Room for one more. 0 or -ENOMEM. */
static int grow(struct ft_turns *turns)
{
    size_t room = turns->room ? 2 * turns->room : 256;
    struct ft_access **more;

    if (turns->count < turns->room)
        return 0;
    more = realloc(turns->access, room * sizeof(*more));
    if (!more)
        return -ENOMEM;
    turns->access = more;
    turns->room = room;
    return 0;
}

/* That it was late is said once, and by the life that did it first; or by the next one, where that
 * has not heard whether it was done. */
static void settle_known(struct ft_access *known, const struct ft_access *again)
{
    int more = again->change > known->change, heard = again->late && !known->late;

    if (known->old) {
        if (more || (heard && known->change == FT_ACCESS_NAME)) {
            known->time = again->change < known->change ? again->time : known->time;
            known->change = again->change;
            known->needs = again->needs;
        }
        known->late |= again->late;
        return;
    }
    if (!heard && (known->late || !more))
        return;
    known->change = again->change;
    known->late = again->late;
    known->time = again->time;
    known->begun = again->late ? known->begun : again->time;
    known->found = again->late ? known->found : again->found;
    known->needs = again->needs;
    known->seen_behind = again->seen;
    if (known->change == FT_ACCESS_READ || !again->late)
        known->seen = again->seen;
}

/* What a rank does again it does at another time, but the first time counts. */
int ft_turns_add(struct ft_turns *turns, int rank, const struct ft_undo_access *access)
{
    struct ft_access *made = calloc(1, sizeof(*made) + strlen(access->path) + 1), *known;

    if (!made || grow(turns)) {
        free(made);
        return -ENOMEM;
    }
    made->time = made->begun = access->time;
    made->moment = access->moment;
    made->rank = rank;
    made->look = access->look;
    made->change = (enum ft_access_change)access->change;
    made->needs = (enum ft_access_needs)access->needs;
    made->found = (enum ft_access_needs)access->found;
    made->seen = made->seen_behind = access->seen;
    made->late = (int)access->late;
    strcpy(made->path, access->path);
    HASH_FIND(hh, turns->known, &made->moment, key_bytes(made), known);
    if (known) {
        settle_known(known, made);
        free(made);
        return 0;
    }
    turns->access[turns->count++] = made;
    made->number = (uint32_t)turns->count;
    HASH_ADD_KEYPTR(hh, turns->known, &made->moment, key_bytes(made), made);
    return 0;
}

static void forget_gone(struct ft_turns *turns)
{
    size_t kept = 0;

    for (size_t i = 0; i < turns->count; i++) {
        struct ft_access *access = turns->access[i];

        if (access->gone) {
            HASH_DEL(turns->known, access);
            free(access);
        } else {
            turns->access[kept++] = access;
            access->number = (uint32_t)kept;
        }
    }
    turns->count = kept;
}

void ft_turns_forget(struct ft_turns *turns, uint64_t time)
{
    for (size_t i = 0; i < turns->count; i++)
        turns->access[i]->gone = turns->access[i]->time > time;
    forget_gone(turns);
}

/* Nobody goes back to before this moment; ns, 0: somebody can go back to main. */
static uint64_t oldest_moment(const struct ft_run *run)
{
    double oldest = INFINITY;

    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_cluster *cluster = run->clusters[i];

        oldest =
            fmin(oldest, cluster->dropped && cluster->kept_count ? cluster->kept[0]->frozen : 0);
    }
    return isinf(oldest) ? 0 : (uint64_t)(oldest * 1e9);
}

/* Of a cluster that cannot go back to main. In a call that turns out to have been a poll the place
 * was one less than it seemed. */
static int is_behind_oldest(const struct ft_member *member, const struct ft_access *access)
{
    return access->moment >= member->cluster->kept[0]->ranks[member->place].progress;
}

void ft_turns_forget_past(struct ft_run *run)
{
    uint64_t oldest = oldest_moment(run);

    for (size_t i = 0; i < run->turns.count; i++) {
        struct ft_access *access = run->turns.access[i];

        access->gone =
            access->time < oldest && !is_behind_oldest(&run->members[access->rank], access);
    }
    forget_gone(&run->turns);
}

static int compare_place(const void *a, const void *b)
{
    const struct ft_access *x = *(struct ft_access *const *)a, *y = *(struct ft_access *const *)b;
    int order = (x->rank > y->rank) - (x->rank < y->rank);

    order = order ? order : (x->moment > y->moment) - (x->moment < y->moment);
    order = order ? order : strcmp(x->path, y->path);
    return order ? order : (x->look > y->look) - (x->look < y->look);
}

/* What a life before had left behind it when the rank was here again: there it did this, too, or
 * did not need to. It would come behind what others did when that life was long gone. */
static void mark_covered(struct ft_access **place, size_t count)
{
    const struct ft_access *last = NULL, *near = NULL; /* the next old ones of the rank, the path */

    for (size_t i = count; i-- > 0;) {
        struct ft_access *access = place[i];

        if (last && last->rank != access->rank)
            last = NULL;
        if (near && (near->rank != access->rank || near->moment != access->moment ||
                     strcmp(near->path, access->path) != 0))
            near = NULL;
        access->gone =
            !access->old && (access->again || (near && near->time < access->time) ||
                             (last && last->moment > access->moment && last->time < access->time));
        if (access->old) {
            last = last ? last : access;
            near = access;
        }
    }
}

static void forget_covered(struct ft_turns *turns)
{
    forget_gone(turns);
    for (size_t i = 0; i < turns->count; i++)
        turns->access[i]->old = 1;
}

static int compare(const void *a, const void *b)
{
    const struct ft_access *x = *(struct ft_access *const *)a, *y = *(struct ft_access *const *)b;
    int order = strcmp(x->path, y->path);

    order = order ? order : (x->time > y->time) - (x->time < y->time);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* One past the last access of the path of the access at `at`. */
static size_t group_end(const struct ft_turns *turns, size_t at)
{
    size_t end = at + 1;

    while (end < turns->count && strcmp(turns->sorted[end]->path, turns->sorted[at]->path) == 0)
        end++;
    return end;
}

struct seen { /* ranks */
    int rank; /* 1 + the last one; 0: none */
    int several;
};

static void see(struct seen *seen, int rank)
{
    seen->several |= seen->rank > 0 && seen->rank != rank + 1;
    seen->rank = rank + 1;
}

/* Is there one among them that has to keep its order with the access: of another rank, and one of
 * the two a change? Then adds the access. seen: of all, and of changes. */
static int meet(struct seen seen[2], const struct ft_access *access)
{
    int changes = access->change != FT_ACCESS_READ;
    const struct seen *others = &seen[!changes];
    int met = others->several || (others->rank > 0 && others->rank != access->rank + 1);

    see(&seen[0], access->rank);
    if (changes)
        see(&seen[1], access->rank);
    return met;
}

static void mark_group(struct ft_access **sorted, size_t begin, size_t end)
{
    struct seen before[2] = {0}, behind[2] = {0};

    for (size_t i = begin; i < end; i++) {
        sorted[i]->place = sorted[i]->open = i;
        sorted[i]->first = begin;
        sorted[i]->names = sorted[i]->names_end = 0;
        sorted[i]->waits = meet(before, sorted[i]);
    }
    for (size_t i = end; i-- > begin;)
        sorted[i]->waited = meet(behind, sorted[i]);
}

/* Of a file that is renamed both names are told of one behind the other. */
static void pair(const struct ft_turns *turns)
{
    for (size_t i = 0; i < turns->count; i++) {
        struct ft_access *to = turns->access[i], *from = i > 0 ? turns->access[i - 1] : NULL;

        to->other = NULL;
        if (!from || to->change != FT_ACCESS_NAME || to->needs != FT_NEEDS_NOTHING ||
            from->change != FT_ACCESS_NAME || from->needs != FT_NEEDS_PRESENCE ||
            from->rank != to->rank || from->moment != to->moment)
            continue;
        to->other = from;
        from->other = to;
        to->time = from->time;
    }
}

/* By path, in the order in which they must have been. A name that moves takes the other one with
 * it, which stands among those of another path. */
static void arrange(const struct ft_turns *turns)
{
    int moved = 1;

    for (int round = 0; moved && round < ROUNDS; round++) {
        qsort(turns->sorted, turns->count, sizeof(*turns->sorted), compare);
        moved = 0;
        for (size_t at = 0, next; at < turns->count; at = next) {
            next = group_end(turns, at);
            moved += ft_turns_untangle(turns->sorted, at, next);
            moved += ft_turns_untangle_names(turns, at, next);
        }
    }
}

int ft_turns_sort(struct ft_turns *turns)
{
    struct ft_access **sorted = realloc(turns->sorted, (turns->count + 1) * sizeof(*turns->sorted));

    if (!sorted)
        return -ENOMEM;
    turns->sorted = sorted;
    if (!turns->count)
        return 0;
    memcpy(sorted, turns->access, turns->count * sizeof(*sorted));
    qsort(sorted, turns->count, sizeof(*sorted), compare_place);
    mark_covered(sorted, turns->count);
    forget_covered(turns);
    memcpy(sorted, turns->access, turns->count * sizeof(*sorted));
    pair(turns);
    arrange(turns);
    for (size_t at = 0, next; at < turns->count; at = next) {
        next = group_end(turns, at);
        mark_group(sorted, at, next);
    }
    for (size_t at = 0, next; at < turns->count; at = next) {
        next = group_end(turns, at);
        ft_turns_mark_names(turns, at, next);
        ft_turns_mark_below(turns, at, next);
    }
    return 0;
}

void ft_turns_read(const struct ft_turns *turns, void (*each)(void *context, const char *path),
                   void *context)
{
    const char *last = "";

    for (size_t i = 0; i < turns->count; i++) {
        const struct ft_access *access = turns->sorted[i];

        if (!access->change && strcmp(access->path, last) != 0)
            each(context, last = access->path);
    }
}

static int write_turn(FILE *file, const struct ft_access *access)
{
    size_t length = strlen(access->path), padded = (length + 8) & ~7UL;
    static const char zeros[8];
    struct ft_undo_turn turn = {.moment = access->moment,
                                .look = access->look,
                                .number = access->number,
                                .change = (uint32_t)access->change,
                                .waits = (uint32_t)access->waits,
                                .needs = (uint32_t)access->needs,
                                .bytes = (uint32_t)(sizeof(turn) + padded)};

    return fwrite(&turn, sizeof(turn), 1, file) == 1 &&
           fwrite(access->path, 1, length, file) == length &&
           fwrite(zeros, 1, padded - length, file) == padded - length;
}

/* What of the rank has to wait, or is waited for. 0 or -errno. */
static int write_turns(const struct ft_turns *turns, int rank, const char *folder)
{
    char name[FT_STORE_PATH + 8];
    FILE *file;
    int whole = 1;

    snprintf(name, sizeof(name), "%s/turns", folder);
    file = fopen(name, "we");
    if (!file)
        return -errno;
    for (size_t i = 0; i < turns->count && whole; i++) {
        const struct ft_access *access = turns->access[i];

        if (access->rank == rank && (access->waits || access->waited))
            whole = write_turn(file, access);
    }
    if (fclose(file) || !whole)
        return errno ? -errno : -EIO;
    return 0;
}

/* A turn that was granted, and not seen yet, is so no more: who was before it may have gone back.
 * ft_turns_sort has forgotten what is over. */
int ft_turns_publish(struct ft_run *run)
{
    int code = 0;

    for (int i = 0; !code && i < run->size; i++) {
        const struct ft_member *member = &run->members[i];

        member->recorder->granted = 0;
        code = write_turns(&run->turns, i, member->cluster->undo[member->place]);
    }
    return code;
}

/* Whoever waits for it, and as long as this epoch lasts. */
static int is_over(const struct ft_run *run, const struct ft_access *access)
{
    const struct ft_member *member = &run->members[access->rank];

    return member->ended || ft_progress_of(member->recorder) >= access->moment ||
           ft_is_where_it_was(member->recorder);
}

/* For one that was later. */
static int is_over_for(const struct ft_run *run, const struct ft_access *access,
                       const struct ft_access *waits)
{
    const struct ft_member *member = &run->members[access->rank];
    uint32_t awaits = __atomic_load_n(&member->recorder->awaits, __ATOMIC_ACQUIRE);
    const struct ft_access *next = access_of(&run->turns, awaits);

    return is_over(run, access) || awaits == FT_AWAITS_ALL ||
           (next && next->rank == access->rank && next->moment == access->moment &&
            next->time > waits->time);
}

/* Where the names in a folder are read, and one of them is changed. */
static int is_due_in_folder(const struct ft_run *run, const struct ft_access *access)
{
    int reads = access->path[strlen(access->path) - 1] == '/';

    for (size_t i = access->names; i < access->names_end; i++) {
        const struct ft_access *other = run->turns.sorted[i];

        if ((reads ? ft_turns_are_names(access, other) && other->begun < access->time
                   : ft_turns_are_names(other, access) && other->time <= access->begun) &&
            !is_over_for(run, other, access))
            return 0;
    }
    return 1;
}

static int is_due_below(const struct ft_run *run, const struct ft_access *access)
{
    for (size_t i = access->above; i < access->above_end; i++) {
        const struct ft_access *maker = run->turns.sorted[i];

        if (ft_turns_made(maker, access) && !is_over_for(run, maker, access))
            return 0;
    }
    return 1;
}

/* Is all that it has to wait for over? A path may have been accessed a million times: what is over
 * is not looked at again. */
static int is_due(const struct ft_run *run, const struct ft_access *access)
{
    struct ft_access *const *sorted = run->turns.sorted;
    size_t *open = &sorted[access->first]->open;

    while (*open < access->place && is_over(run, sorted[*open]))
        ++*open;
    for (size_t i = *open; i < access->place; i++) {
        if (sorted[i]->rank != access->rank &&
            (sorted[i]->change != FT_ACCESS_READ || access->change != FT_ACCESS_READ) &&
            !is_over_for(run, sorted[i], access))
            return 0;
    }
    return is_due_in_folder(run, access) && is_due_below(run, access);
}

enum ft_turns_found ft_turns_look(struct ft_run *run)
{
    enum ft_turns_found found = FT_TURNS_NONE;

    for (int i = 0; i < run->size; i++) {
        struct ft_recorder *recorder = run->members[i].recorder;
        uint32_t number = __atomic_load_n(&recorder->awaits, __ATOMIC_ACQUIRE);
        const struct ft_access *access = access_of(&run->turns, number);

        if (!access)
            continue;
        if (found == FT_TURNS_NONE)
            found = FT_TURNS_WAITING;
        if (number == recorder->granted || !is_due(run, access))
            continue;
        __atomic_store_n(&recorder->granted, number, __ATOMIC_RELEASE);
        found = FT_TURNS_GRANTED;
    }
    return found;
}

void ft_turns_free(struct ft_turns *turns)
{
    HASH_CLEAR(hh, turns->known);
    for (size_t i = 0; i < turns->count; i++)
        free(turns->access[i]);
    free(turns->access);
    free(turns->sorted);
}
