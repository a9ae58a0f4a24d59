/* Waiting for files of others (settle.h). */
#include "files/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/resolve.h"
#include "files/settle_await.h"
#include "files/settle_list.h"
#include "os/os.h"

static const double patience = 60; /* seconds that one waits who may not call MPI */

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

static void await(struct ft_rank *self, struct names *names, enum files_kind kind, const char *call,
                  const void *site)
{
    struct ft_recorder *recorder = self->recorder;
    struct waiting waiting = {0};
    uint32_t where = recorder->where, what;

    if (is_mpi_thread()) /* it says where that is */
        recorder->where = FT_WHERE_CALL;
    while ((what = files_awaits(self, names, kind)) != 0) {
        __atomic_store_n(&recorder->accessing, FT_ACCESSING_NONE,
                         __ATOMIC_RELEASE); /* or it waits for itself */
        __atomic_store_n(&recorder->awaits, what, __ATOMIC_RELEASE);
        if (__atomic_load_n(&recorder->granted, __ATOMIC_ACQUIRE) == what &&
            !files_is_below_missing(names)) {
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

    if (files_unsettled(self) == 0 || self->mpi_state != 1 || path == NULL)
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
    return names->listed && !names->due && (names->later || files_is_again(self));
}

int files_settle_removal(struct ft_rank *self, int folder, const char *path, const char *call,
                         const void *site)
{
    struct names names = {.folder = folder, .path = path};
    int error = errno, gone;

    if (files_unsettled(self) == 0 || self->mpi_state != 1)
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

    if (!files_is_again(self) || !names->known || lstat(names->plain, &status) != 0 ||
        !S_ISDIR(status.st_mode) || (names->matched && names->change != FT_ACCESS_NAME))
        return 0;
    files_lists_lock();
    done = (struct text){self->files->made, self->files->made_length};
    made = files_has_listed(FT_UNSETTLED_STAYED, names->plain, 0) &&
           !files_is_in(&done, "", names->plain, 0);
    if (made)
        made_add(self->files, names->plain);
    files_lists_unlock();
    return made;
}

/* Behind the wait. Where it had made it, libc decides: what was there at the last look may be gone.
 * What was in vain is so again, whatever is there now. */
static enum files_place place_of(const struct ft_rank *self, const struct names *names)
{
    if (files_unsettled(self) == 0)
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

    if (files_unsettled(self) == 0 || self->mpi_state != 1)
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

    if (files_unsettled(self) == 0 || self->mpi_state != 1 || path == NULL)
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

    if (files_unsettled(self) == 0 || self->mpi_state != 1)
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
    files_lists_back_set(files_unsettled(self));
}

int files_is_unsettled(const struct ft_rank *self, const char *path)
{
    uint32_t number = files_unsettled(self);
    int listed;

    if (number == 0)
        return 0;
    files_lists_lock();
    files_lists_read(number);
    listed = files_has_listed("", path, 0);
    files_lists_unlock();
    return listed;
}
