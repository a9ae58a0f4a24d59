/* The room before and behind a change that takes effect once: which copy makes it (once.h). */
#include "files/once.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/descriptors.h"
#include "files/place.h"
#include "files/resolve.h"

static int is_of_descriptor(const struct files_once *once)
{
    return once->path == NULL;
}

/* How the file is now. Answers 0 if it is not there. */
static int look(const struct files_once *once, struct stat *status)
{
    return is_of_descriptor(once)
               ? NEXT(fstat)(once->at, status) == 0
               : NEXT(fstatat)(once->at, once->path, status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A file that never had a name is this process's. One that has lost its name while it was open is
 * not carried. */
static int is_private(const struct files_once *once, const struct stat *status)
{
    char link[32], name[FT_UNDO_PATH];
    const char *last;
    ssize_t length;

    if (status->st_nlink > 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", once->at);
    length = NEXT(readlink)(link, name, sizeof name - 1);
    name[length < 0 ? 0 : length] = 0;
    last = strrchr(name, '/');
    if (last == NULL || last[1] == '#' || strncmp(name, "/memfd:", 7) == 0)
        return 1;
    ft_refuse(once->call, once->site,
              "the file was removed while it was open, and the two copies of a rank (--replicas) "
              "cannot both have it: use tmpfile, or leave --replicas out for this program");
}

/* Is the change seen by others? */
static int is_seen(const struct files_once *once, int there, const struct stat *status)
{
    return !is_of_descriptor(once) ||
           (there && S_ISREG(status->st_mode) && !is_private(once, status));
}

static int is_open(const struct stat *status)
{
    struct stat open;
    int count, found = 0;
    int *number;

    ft_depth++;
    number = files_numbers_list(&count);
    for (int i = 0; number != NULL && !found && i < count; i++)
        found = fstat(number[i], &open) == 0 && open.st_dev == status->st_dev &&
                open.st_ino == status->st_ino;
    free(number);
    ft_depth--;
    return found;
}

/* Does it lie where all nodes see it? The other copy is on another one. */
static int is_everywhere(const struct files_once *once)
{
    char link[32], name[FT_UNDO_PATH];
    ssize_t length;

    if (!is_of_descriptor(once))
        return files_resolve(once->at, once->path, 0, name) != 0 || files_is_everywhere(name);
    snprintf(link, sizeof link, "/proc/self/fd/%d", once->at);
    length = NEXT(readlink)(link, name, sizeof name - 1);
    name[length < 0 ? 0 : length] = 0;
    return length < 0 || files_is_everywhere(name);
}

static void check(const struct files_once *once, int there, const struct stat *status)
{
    if (ft_life.boot.nodes && !is_everywhere(once))
        files_require(-EREMOTE, once->call, once->site);
    if (getpid() != gettid() || ft_self->in_callback)
        ft_refuse(once->call, once->site,
                  "the copies of a rank (--replicas) agree on changes of files in the thread that "
                  "calls MPI, outside of its callbacks: change files there");
    if (once->kind == FILES_ONCE_REMOVE && there && S_ISREG(status->st_mode) &&
        status->st_nlink == 1 && strncmp(once->call, "rename", 6) != 0 && is_open(status))
        ft_refuse(once->call, once->site,
                  "the program has the file open, and the two copies of a rank (--replicas) could "
                  "not both keep it: close it first, or leave --replicas out for this program");
}

static int is_append(const struct files_once *once)
{
    return is_of_descriptor(once) && (fcntl(once->at, F_GETFL) & O_APPEND);
}

/* Are the bytes that were to be appended where the file ended? */
static int is_appended(const struct files_once *once, int64_t end)
{
    char link[32], *read = malloc(once->length + 1);
    int fd, equal;

    snprintf(link, sizeof link, "/proc/self/fd/%d", once->at);
    fd = NEXT(open)(link, O_RDONLY | O_CLOEXEC);
    equal = read != NULL && fd >= 0 &&
            NEXT(pread)(fd, read, once->length, end) == (ssize_t)once->length &&
            memcmp(read, once->bytes, once->length) == 0;
    if (fd >= 0)
        close(fd);
    free(read);
    return equal;
}

/* A leader that died has begun the change. Has it made it? Then *result is what it got. */
static int was_made(const struct files_once *once, int there, const struct stat *status,
                    int64_t *result)
{
    const struct ft_pair *before = ft_life.pair;

    *result = 0;
    if (once->kind == FILES_ONCE_MAKE)
        return there && !before->there;
    if (once->kind == FILES_ONCE_REMOVE)
        return !there && before->there;
    if (once->kind != FILES_ONCE_TAKE && (!is_append(once) || status->st_size == before->size))
        return 0;
    if (once->bytes == NULL || !is_appended(once, before->size))
        ft_refuse(once->call, once->site,
                  "a copy of this rank (--replicas) was killed in the moment in which it changed "
                  "this file, and whether it did cannot be told");
    *result = (int64_t)once->length;
    return 1;
}

static void take_offset(struct files_once *once)
{
    if (is_of_descriptor(once) && once->act.offset >= 0)
        lseek(once->at, once->act.offset, SEEK_SET);
    if (once->act.result < 0)
        errno = (int)once->act.error;
}

enum files_once_part files_once_begin(struct files_once *once)
{
    enum ft_act_part part;
    struct stat status;
    int there = look(once, &status);
    int64_t result;

    if (!is_seen(once, there, &status))
        return FILES_ONCE_PLAIN;
    check(once, there, &status);
    part = ft_act_meet(ft_self, &once->act);
    if (part == FT_ACT_TAKEN) {
        take_offset(once);
        return FILES_ONCE_TAKEN;
    }
    there = look(once, &status);
    if (part == FT_ACT_DOUBT && was_made(once, there, &status, &result)) {
        if (is_append(once))
            lseek(once->at, 0, SEEK_END);
        files_once_made(once, result);
        return FILES_ONCE_TAKEN;
    }
    if (part == FT_ACT_MINE) /* a change in doubt stays as it was begun */
        ft_act_begin(ft_self, there, there ? status.st_size : 0);
    return FILES_ONCE_MINE;
}

void files_once_made(struct files_once *once, int64_t result)
{
    int error = errno;

    once->act.result = result;
    once->act.error = result < 0 ? error : 0;
    once->act.offset = is_of_descriptor(once) ? lseek(once->at, 0, SEEK_CUR) : -1;
    ft_depth++;
    ft_act_note(ft_self, &once->act);
    ft_depth--;
    errno = error;
}

_Noreturn void files_once_lost(const struct files_once *once)
{
    static char reason[128];

    snprintf(reason, sizeof reason,
             "the copy of this rank that leads (--replicas) has opened the file, and this one "
             "cannot: %s",
             strerror(errno));
    ft_refuse(once->call, once->site, reason);
}
