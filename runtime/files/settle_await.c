/* Which listed access an access is, and what was before that (settle_await.h). */
#include "files/settle_await.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "files/resolve.h"
#include "files/settle_list.h"

/* Such a call is of the link itself. */
static int is_of_link(enum files_kind kind)
{
    return kind >= FILES_REMOVE && kind <= FILES_MAKE;
}

static void name_find_way(struct names *names, enum files_kind kind)
{
    char way[FT_UNDO_PATH];

    names->known = names->lost = 0;
    if (files_resolve(names->folder, names->path, 0, names->plain) != 0) {
        names->lost = files_presume(names->folder, names->path, names->gap, names->plain) != 0;
        strcpy(names->target, names->plain);
    } else if (is_of_link(kind)) {
        names->known = 1;
        strcpy(names->target, names->plain);
    } else if (files_dereference(names->folder, names->path, names->target) == 0) {
        names->known = 1;
    } else {
        strcpy(way, names->target);
        names->lost = files_presume(AT_FDCWD, way, names->gap, names->target) != 0;
    }
}

static void names_find(struct names *names, enum files_kind kind)
{
    struct stat status;

    if (names->path == NULL)
        return;
    name_find_way(names, kind);
    names->there = fstatat(names->folder, names->path, &status, AT_SYMLINK_NOFOLLOW) == 0;
    names->missing = !names->there && errno == ENOENT;
}

static int is_either_listed(const struct names *names, const char *mark)
{
    return files_has_listed(mark, names->plain, 0) || files_has_listed(mark, names->target, 0);
}

/* Will somebody read the names in the folder where the path is, or was? */
static int is_name_read(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[FT_UNDO_PATH];

    if (slash == NULL)
        return 0;
    memcpy(folder, path, (size_t)(slash + 1 - path));
    folder[slash + 1 - path] = 0;
    return files_has_listed(FT_UNSETTLED_READ, folder, 0);
}

static int is_meant(const struct names *names, enum files_kind kind)
{
    if (kind == FILES_ANYTHING || !names->known || is_either_listed(names, ""))
        return 1;
    if (kind == FILES_FOLDER)
        return files_has_listed("", names->target, '/');
    return kind >= FILES_CHANGE && kind <= FILES_MAKE &&
           (is_either_listed(names, FT_UNSETTLED_READ) ||
            ((kind != FILES_CHANGE || !names->there) &&
             (is_name_read(names->plain) || is_name_read(names->target))));
}

/* Somebody may make the folder that is missing: it was put back, or is on the list of this rank. */
static int is_to_come(const struct names *names)
{
    const struct ft_undo_turn *const *turn;
    size_t length, count;

    if (names->lost || files_has_listed("", names->gap, 0) || files_has_listed("", names->gap, '/'))
        return 1;
    length = strlen(names->gap);
    turn = files_turns(0, &count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(turn[i]->path, names->gap, length) == 0 &&
            (turn[i]->path[length] == 0 || turn[i]->path[length] == '/'))
            return 1;
    return 0;
}

static int is_of(const struct ft_undo_turn *turn, const struct names *names)
{
    return !names->lost &&
           (strcmp(turn->path, names->target) == 0 || strcmp(turn->path, names->plain) == 0);
}

/* Which access of the path at this place of the program it is. */
static uint64_t look_of(const struct ft_rank *self, const struct names *names)
{
    uint64_t target = names->lost ? 1 : files_look_next(self->files, names->target);

    return target > 1 || names->lost ? target : files_look_next(self->files, names->plain);
}

struct here {                          /* what is listed of the path at this place of the program */
    const struct ft_undo_turn *access; /* this one, or NULL */
    const struct ft_undo_turn *change; /* the next change of that kind before the name changes */
    int changed;                       /* there was a change since the name has changed */
    int later;                         /* something is listed behind it */
    int due;                           /* a change of the name is listed before it, and not done */
    int listed;                        /* something is, since the name has changed */
};

static void here_add(struct here *here, const struct ft_undo_turn *turn, uint64_t look,
                     enum ft_access_change change)
{
    int near = ft_undo_names(turn->look) == ft_undo_names(look);

    here->listed |= near;
    here->due |= near && turn->look < look && turn->change == FT_ACCESS_NAME;
    if (turn->look == look)
        here->access = turn;
    else if (turn->look < look)
        here->changed |= near && turn->change != FT_ACCESS_READ;
    else
        here->later = 1;
    if (turn->look > look && near && turn->change == change &&
        (!here->change || turn->look < here->change->look))
        here->change = turn;
}

static struct here here_find(const struct ft_rank *self, const struct names *names, uint64_t look,
                             enum ft_access_change change)
{
    uint64_t moment = self->calls - self->polls + 1;
    struct here here = {0};
    size_t count;
    const struct ft_undo_turn *const *turn = files_turns(moment, &count);

    for (size_t i = 0; i < count && turn[i]->moment == moment; i++)
        if (is_of(turn[i], names))
            here_add(&here, turn[i], look, change);
    return here;
}

int files_is_again(const struct ft_rank *self)
{
    const struct ft_recorder *recorder = self->recorder;
    uint64_t progress = self->calls - self->polls;

    return progress < recorder->reached ||
           (progress == recorder->reached && ft_accesses_of(recorder) < recorder->reached_accesses);
}

/* What would such an access do now? */
static enum ft_access_change change_of(const struct names *names, enum files_kind kind)
{
    if (kind == FILES_REPLACE || (kind == FILES_REMOVE && names->there) ||
        (kind == FILES_MAKE && !names->there))
        return FT_ACCESS_NAME;
    return kind == FILES_CHANGE ? FT_ACCESS_CONTENT : FT_ACCESS_READ;
}

/* Which of the listed accesses is it? NULL: none. One that was not listed, before one that was, had
 * found what the one before had. But the first change is the first one that was listed, also where
 * the rank looks less often before it, because others have done already what it looks for; and so
 * is the one that makes or removes the path. What would do so now and could not then comes too
 * early: it waits for the turn that it had, and then for that one. */
static const struct ft_undo_turn *listed_as(struct names *names, const struct here *here,
                                            enum ft_access_change change)
{
    names->early = 0;
    if (change == FT_ACCESS_NAME && here->change != NULL &&
        (here->access == NULL || here->access->change != FT_ACCESS_NAME)) {
        names->early =
            here->access != NULL && here->access->waits && here->access->number != names->looked;
        return names->early ? here->access : here->change;
    }
    if (here->access != NULL || change != FT_ACCESS_CONTENT || here->changed)
        return here->access;
    return here->change;
}

int files_is_below_missing(const struct names *names)
{
    return !names->known && names->back &&
           (names->change != FT_ACCESS_READ || names->needs != FT_NEEDS_ABSENCE);
}

/* What has the access to wait for? 0: nothing. Who comes to where it was goes on with what it has
 * begun: it knows no more of others than before. But it does not take a lock that it has tried to
 * take in vain: others on the way to where they were may need it. */
static uint32_t what_awaits(const struct ft_rank *self, struct names *names, enum files_kind kind)
{
    uint32_t number = files_unsettled(self);
    const struct ft_undo_turn *turn;
    enum ft_access_change change;
    struct here here;
    uint64_t look;

    names->asked = names->listed = names->later = names->due = names->matched = 0;
    if (number == 0)
        return 0;
    files_lists_read(number);
    names_find(names, kind);
    names->asked = 1;
    names->back = !names->known && !names->lost && files_has_listed("", names->gap, 0);
    if (!names->known && !is_to_come(names))
        return 0;
    look = look_of(self, names);
    change = change_of(names, kind);
    here = here_find(self, names, look, change);
    names->listed = here.listed;
    names->later = here.later;
    names->due = here.due;
    turn = listed_as(names, &here, change);
    if (turn != NULL) {
        names->matched = 1;
        names->change = (enum ft_access_change)turn->change;
        names->needs = (enum ft_access_needs)turn->needs;
        return turn->waits || files_is_below_missing(names) ? turn->number : 0;
    }
    if (files_is_again(self) || here.later ||
        (look > 1 && number == files_lists_back() && !(here.listed && change == FT_ACCESS_NAME)))
        return 0;
    return is_meant(names, kind) ? FT_AWAITS_ALL : 0;
}

uint32_t files_awaits(const struct ft_rank *self, struct names *names, enum files_kind kind)
{
    uint32_t what;

    files_lists_lock();
    what = what_awaits(self, names, kind);
    files_lists_unlock();
    return what;
}
