/* Waiting for files of others (settle.h). */
#include "files/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/record.h"
#include "files/resolve.h"
#include "os/os.h"

static const double patience = 60; /* seconds that one waits who may not call MPI */

struct text { /* paths, with marks before them, each between two zeros */
    char *text;
    size_t length;
};

/* What ftrun has listed. Of this process, not in the image. Threads of the program take the lock.
 */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint32_t number;  /* of the lists; 0: there are none */
    uint32_t back;    /* of those with which the rank itself has gone back; 0: it has not */
    struct text text; /* what was put back or will be read */
    char *turns;      /* of struct ft_undo_turn: accesses that wait; or NULL */
    const struct ft_undo_turn **turn; /* [turn_count] by moment; owned */
    size_t turn_count;
} list;

static uint32_t unsettled(const struct ft_rank *self)
{
    return __atomic_load_n(&self->recorder->unsettled, __ATOMIC_ACQUIRE);
}

/* The whole file, with a zero behind it; NULL when it is not there. */
static char *file_read(const char *name, size_t *length)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    ssize_t part = 1;
    char *text;

    *length = 0;
    if (fd < 0 && errno == ENOENT)
        return NULL;
    text = fd >= 0 && fstat(fd, &status) == 0 ? calloc(1, (size_t)status.st_size + 1) : NULL;
    while (text != NULL && part > 0 && *length < (size_t)status.st_size) {
        part = read(fd, text + *length, (size_t)status.st_size - *length);
        if (part > 0)
            *length += (size_t)part;
    }
    if (text == NULL || part < 0)
        ft_panic("%s cannot be read: %s", name, strerror(errno));
    close(fd);
    return text;
}

static int compare(const void *a, const void *b)
{
    const struct ft_undo_turn *x = *(const struct ft_undo_turn *const *)a;
    const struct ft_undo_turn *y = *(const struct ft_undo_turn *const *)b;

    return (x->moment > y->moment) - (x->moment < y->moment);
}

static void turns_sort(size_t length)
{
    const struct ft_undo_turn *turn;

    free(list.turn);
    list.turn_count = 0;
    list.turn = malloc((length / sizeof *turn + 1) * sizeof *list.turn);
    if (list.turn == NULL)
        ft_panic("no memory for the list of accesses");
    for (size_t at = 0; at < length; at += turn->bytes) {
        turn = (const struct ft_undo_turn *)(list.turns + at);
        list.turn[list.turn_count++] = turn;
    }
    qsort(list.turn, list.turn_count, sizeof *list.turn, compare);
}

/* The first one that is not before this moment. */
static size_t turn_at(uint64_t moment)
{
    size_t low = 0, high = list.turn_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (list.turn[middle]->moment < moment)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void lists_read(uint32_t number)
{
    char name[FT_WIRE_PATH + 16];
    size_t length;

    if (number == list.number)
        return;
    free(list.text.text);
    free(list.turns);
    snprintf(name, sizeof name, "%s/../unsettled", ft_life.boot.undo);
    list.text.text = file_read(name, &list.text.length);
    if (list.text.text == NULL)
        ft_panic("%s is gone", name);
    snprintf(name, sizeof name, "%s/turns", ft_life.boot.undo);
    list.turns = file_read(name, &length);
    turns_sort(length);
    list.number = number;
}

/* Is a path in it behind this mark, "", FT_UNSETTLED_READ or _STAYED, that begins with `path` and
 * goes on with `next`: 0 for the path itself, or a slash? */
static int is_in(const struct text *text, const char *mark, const char *path, char next)
{
    char wanted[FT_UNDO_PATH + 4], *end;

    if (strlen(path) >= FT_UNDO_PATH)
        return 1;
    wanted[0] = 0;
    end = stpcpy(stpcpy(wanted + 1, mark), path);
    *end++ = next;
    return memmem(text->text, text->length, wanted, (size_t)(end - wanted)) != NULL;
}

static int is_listed(const char *mark, const char *path, char next)
{
    return is_in(&list.text, mark, path, next);
}

struct names { /* of what is accessed */
    int folder;
    const char *path;                               /* as given; NULL: the others are known */
    char plain[FT_UNDO_PATH], target[FT_UNDO_PATH]; /* before links, and as far as they count */
    int known;                    /* 0: they are what they will be when a folder has come: */
    char gap[FT_UNDO_PATH];       /* this one; */
    int lost;                     /* or 1: nobody knows */
    int back;                     /* 1: this folder was put back */
    int asked;                    /* the following is so now, as far as lists are in force */
    int there, missing;           /* missing: that is sure */
    int listed;                   /* 1: something is, since the name has changed, */
    int later;                    /* 1: and something is behind this access, */
    int due;                      /* 1: and a change of the name is due by now, */
    int matched;                  /* 1: and that is what this access is, */
    enum ft_access_change change; /* with this change, */
    enum ft_access_needs needs;   /* and it had found or needed this */
    int early;                    /* 1: and it would not find now what it found then */
    uint32_t looked;              /* number of such a turn that was given */
};

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
    return is_listed(mark, names->plain, 0) || is_listed(mark, names->target, 0);
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
    return is_listed(FT_UNSETTLED_READ, folder, 0);
}

static int is_meant(const struct names *names, enum files_kind kind)
{
    if (kind == FILES_ANYTHING || !names->known || is_either_listed(names, ""))
        return 1;
    if (kind == FILES_FOLDER)
        return is_listed("", names->target, '/');
    return kind >= FILES_CHANGE && kind <= FILES_MAKE &&
           (is_either_listed(names, FT_UNSETTLED_READ) ||
            ((kind != FILES_CHANGE || !names->there) &&
             (is_name_read(names->plain) || is_name_read(names->target))));
}

/* Somebody may make the folder that is missing: it was put back, or is on the list of this rank. */
static int is_to_come(const struct names *names)
{
    size_t length;

    if (names->lost || is_listed("", names->gap, 0) || is_listed("", names->gap, '/'))
        return 1;
    length = strlen(names->gap);
    for (size_t i = 0; i < list.turn_count; i++)
        if (strncmp(list.turn[i]->path, names->gap, length) == 0 &&
            (list.turn[i]->path[length] == 0 || list.turn[i]->path[length] == '/'))
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

    for (size_t i = turn_at(moment); i < list.turn_count && list.turn[i]->moment == moment; i++)
        if (is_of(list.turn[i], names))
            here_add(&here, list.turn[i], look, change);
    return here;
}

static int is_mpi_thread(void)
{
    return getpid() == gettid();
}

struct waiting {
    unsigned passes;
    double since;   /* when the calls of MPI were this many, as far as one knows */
    uint64_t calls; /* by whoever makes them */
};

/* One more look is due. Another thread of the program may be in MPI now, and need not come out; and
 * so is the library while it calls the program. As long as it does come out, others get what they
 * need from this rank. */
static void pass(struct ft_rank *self, struct waiting *waiting, const char *call, const void *site)
{
    static const struct timespec nap = {.tv_nsec = 1000000};
    uint64_t calls = __atomic_load_n(&self->calls, __ATOMIC_RELAXED);

    if (is_mpi_thread() && !self->in_callback) {
        ft_gate_pass(self, waiting->passes++);
        return;
    }
    if (waiting->since <= 0 || waiting->calls != calls)
        *waiting = (struct waiting){.since = ft_os_now(), .calls = calls};
    if (ft_os_now() - waiting->since > patience)
        ft_refuse(
            call, site,
            "this waits for a file that ranks of another cluster have not written "
            "again since they went back, and they may wait for this rank: access such "
            "files from the thread that calls MPI and outside of its callbacks, or use --protocol "
            "coordinated");
    nanosleep(&nap, NULL);
}

/* Does the rank do again what it did before its cluster went back? */
static int is_again(const struct ft_rank *self)
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

/* Did the access have the folder that is missing now, and is somebody to make it again? (A survivor
 * may have removed it for good.) Who has found nothing finds nothing either way: that folder may be
 * gone again, and nobody waits for such a look. */
static int is_below_missing(const struct names *names)
{
    return !names->known && names->back &&
           (names->change != FT_ACCESS_READ || names->needs != FT_NEEDS_ABSENCE);
}

/* What has the access to wait for? 0: nothing. Who comes to where it was goes on with what it has
 * begun: it knows no more of others than before. But it does not take a lock that it has tried to
 * take in vain: others on the way to where they were may need it. */
static uint32_t what_awaits(const struct ft_rank *self, struct names *names, enum files_kind kind)
{
    uint32_t number = unsettled(self);
    const struct ft_undo_turn *turn;
    enum ft_access_change change;
    struct here here;
    uint64_t look;

    names->asked = names->listed = names->later = names->due = names->matched = 0;
    if (number == 0)
        return 0;
    lists_read(number);
    names_find(names, kind);
    names->asked = 1;
    names->back = !names->known && !names->lost && is_listed("", names->gap, 0);
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
        return turn->waits || is_below_missing(names) ? turn->number : 0;
    }
    if (is_again(self) || here.later ||
        (look > 1 && number == list.back && !(here.listed && change == FT_ACCESS_NAME)))
        return 0;
    return is_meant(names, kind) ? FT_AWAITS_ALL : 0;
}

static uint32_t look_up(const struct ft_rank *self, struct names *names, enum files_kind kind)
{
    uint32_t what;

    pthread_mutex_lock(&list_lock);
    what = what_awaits(self, names, kind);
    pthread_mutex_unlock(&list_lock);
    return what;
}

static void await(struct ft_rank *self, struct names *names, enum files_kind kind, const char *call,
                  const void *site)
{
    struct ft_recorder *recorder = self->recorder;
    struct waiting waiting = {0};
    uint32_t where = recorder->where, what;

    if (is_mpi_thread()) /* it says where that is */
        recorder->where = FT_WHERE_CALL;
    while ((what = look_up(self, names, kind)) != 0) {
        __atomic_store_n(&recorder->accessing, FT_ACCESSING_NONE,
                         __ATOMIC_RELEASE); /* or it waits for itself */
        __atomic_store_n(&recorder->awaits, what, __ATOMIC_RELEASE);
        if (__atomic_load_n(&recorder->granted, __ATOMIC_ACQUIRE) == what &&
            !is_below_missing(names)) {
            if (!names->early)
                break;
            names->looked = what;
            continue;
        }
        pass(self, &waiting, call, site);
    }
    __atomic_store_n(&recorder->awaits, 0, __ATOMIC_RELEASE);
    if (is_mpi_thread())
        recorder->where = where;
}

void files_settle(struct ft_rank *self, int folder, const char *path, enum files_kind kind,
                  const char *call, const void *site)
{
    struct names names = {.folder = folder, .path = path};
    int error = errno;

    if (unsettled(self) == 0 || self->mpi_state != 1 || path == NULL)
        return;
    ft_depth++;
    await(self, &names, kind, call, site);
    ft_depth--;
    errno = error;
}

/* Was such a call of this place in vain, because the name was there? A look that is not listed
 * between others had found what the one before it had, unless the rank has looked more often this
 * time, and the name is to change by now. */
static int was_vain(const struct ft_rank *self, const struct names *names)
{
    if (names->matched)
        return names->change == FT_ACCESS_READ && names->needs == FT_NEEDS_PRESENCE;
    return names->listed && !names->due && (names->later || is_again(self));
}

int files_settle_removal(struct ft_rank *self, int folder, const char *path, const char *call,
                         const void *site)
{
    struct names names = {.folder = folder, .path = path};
    int error = errno, gone;

    if (unsettled(self) == 0 || self->mpi_state != 1)
        return 0;
    ft_depth++;
    await(self, &names, FILES_REMOVE, call, site);
    /* Where it was there libc decides: the look may be from before the turn was given. */
    gone = names.asked && names.known && names.missing &&
           !(names.matched && names.change == FT_ACCESS_NAME);
    ft_depth--;
    errno = error;
    return gone;
}

/* The rank has made a folder that had stayed: it does so once. */
static void made_add(struct ft_files *files, const char *path)
{
    char *text = ft_image_alloc(files->made_length + strlen(path) + 2);

    if (files->made != NULL) {
        memcpy(text, files->made, files->made_length);
        ft_image_free(files->made);
    }
    text[files->made_length] = 0;
    strcpy(text + files->made_length + 1, path);
    files->made = text;
    files->made_length += strlen(path) + 2;
}

/* Was this folder to be put away, and has stayed, because others have put something into it; and is
 * the rank before the point where it had made it? */
static int was_made(const struct ft_rank *self, const struct names *names)
{
    struct stat status;
    struct text done;
    int made;

    if (!is_again(self) || !names->known || lstat(names->plain, &status) != 0 ||
        !S_ISDIR(status.st_mode) || (names->matched && names->change != FT_ACCESS_NAME))
        return 0;
    pthread_mutex_lock(&list_lock);
    done = (struct text){self->files->made, self->files->made_length};
    made = is_listed(FT_UNSETTLED_STAYED, names->plain, 0) && !is_in(&done, "", names->plain, 0);
    if (made)
        made_add(self->files, names->plain);
    pthread_mutex_unlock(&list_lock);
    return made;
}

/* Behind the wait. Where it had made it, libc decides: what was there at the last look may be gone.
 * What was in vain is so again, whatever is there now. */
static enum files_place place_of(const struct ft_rank *self, const struct names *names)
{
    if (unsettled(self) == 0)
        return FILES_FREE;
    if (was_vain(self, names))
        return FILES_TAKEN;
    if (!names->there)
        return FILES_FREE;
    if (was_made(self, names))
        return FILES_OURS;
    return names->matched ? FILES_FREE : FILES_TAKEN;
}

enum files_place files_settle_make(struct ft_rank *self, int folder, const char *path,
                                   const char *call, const void *site)
{
    struct names names = {.folder = folder, .path = path};
    enum files_place place;
    int error = errno;

    if (unsettled(self) == 0 || self->mpi_state != 1)
        return FILES_FREE;
    ft_depth++;
    await(self, &names, FILES_MAKE, call, site);
    place = place_of(self, &names);
    ft_depth--;
    errno = error;
    return place;
}

void files_settle_names(struct ft_rank *self, int folder, const char *path, const char *call,
                        const void *site)
{
    struct names names = {.known = 1, .there = 1};
    int error = errno;

    if (unsettled(self) == 0 || self->mpi_state != 1 || path == NULL)
        return;
    ft_depth++;
    if (files_names_of(folder, path, names.target) == 0) {
        strcpy(names.plain, names.target);
        await(self, &names, FILES_PATH, call, site);
    }
    ft_depth--;
    errno = error;
}

void files_settle_open(struct ft_rank *self, int fd, enum files_kind kind, const char *call,
                       const void *site)
{
    struct names names = {.known = 1, .there = 1};
    int error = errno;
    char link[32];
    ssize_t length;

    if (unsettled(self) == 0 || self->mpi_state != 1)
        return;
    ft_depth++;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, names.plain, sizeof names.plain - 1);
    if (length > 0 && names.plain[0] == '/') {
        names.plain[length] = 0;
        memcpy(names.target, names.plain, (size_t)length + 1);
        await(self, &names, kind, call, site);
    }
    ft_depth--;
    errno = error;
}

void files_settle_back(const struct ft_rank *self)
{
    list.back = unsettled(self);
}

int files_is_unsettled(const struct ft_rank *self, const char *path)
{
    uint32_t number = unsettled(self);
    int listed;

    if (number == 0)
        return 0;
    pthread_mutex_lock(&list_lock);
    lists_read(number);
    listed = is_listed("", path, 0);
    pthread_mutex_unlock(&list_lock);
    return listed;
}
