/* calls: what the wrappers of libc's file calls share (changes.c and its kin, reads.c). */
#ifndef FT_FILES_CALLS_H
#define FT_FILES_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "files/record.h"
#include "files/settle.h"
#include "os/os.h"

#define SITE __builtin_return_address(0)

/* libc's own definition of a function that the including file exports, too. */
#define NEXT(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&name) next_;                                                            \
        if (ft_unlikely(next_ == NULL))                                                            \
            next_ = (__typeof__(&name))ft_os_next_symbol(#name);                                   \
        next_;                                                                                     \
    })

/* The files of the rank when the program itself asks, else NULL. */
static inline struct ft_files *files_asks(void)
{
    return ft_self != NULL && ft_depth == 0 ? ft_self->files : NULL;
}

/* The same where ranks of other clusters may have a part in the files. */
static inline struct ft_files *files_shares(void)
{
    return ft_life.boot.clusters > 1 ? files_asks() : NULL;
}

/* libc's headers say that no path is, so that compilers leave the question out; libc answers
 * EFAULT.
 */
static inline int files_is_null(const char *path)
{
    __asm__("" : "+r"(path));
    return path == NULL;
}

/* No record, no change, and no read: the file could not be put back. */
static inline void files_require(int code, const char *call, const void *site)
{
    static char reason[160];

    if (code == 0)
        return;
    snprintf(reason, sizeof reason, "no undo record of the file can be written (%s)",
             strerror(-code));
    ft_refuse(call, site, reason);
}

/* Before anything is done with a path. */
static inline void files_path_begins(int folder, const char *path, enum files_kind kind,
                                     const char *call, const void *site)
{
    ft_outside_point(site);
    if (files_shares() != NULL)
        files_settle(ft_self, folder, path, kind, call, site);
}

/* Before the content of what a path stands for changes. */
static inline void files_content_changes(const char *path, enum files_change change,
                                         const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    if (files == NULL)
        return;
    files_path_begins(AT_FDCWD, path, FILES_CHANGE, call, site);
    files_require(files_note(files, AT_FDCWD, path, change, 1), call, site);
}

/* Before what a path is reaches the program. */
static inline void files_path_is_read(int folder, const char *path, int follow, const char *call,
                                      const void *site)
{
    struct ft_files *files = files_shares();

    ft_outside_point(site);
    if (files == NULL || files_is_null(path) || path[0] == 0)
        return;
    files_settle(ft_self, folder, path, FILES_PATH, call, site);
    files_require(files_note(files, folder, path, FILES_READ, follow), call, site);
}

static inline void files_path_was(int folder, const char *path, int follow,
                                  enum files_answer answer, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    int error = errno;

    if (files != NULL && !files_is_null(path) && path[0] != 0)
        files_require(files_note_ends(files, folder, path, follow, answer), call, site);
    errno = error;
}

/* And behind that, when libc has asked for it; found: with success, or errno tells why not. */
static inline void files_path_was_read(int folder, const char *path, int follow, int found,
                                       const char *call, const void *site)
{
    enum files_answer answer = found                                 ? FILES_THERE
                               : errno == ENOENT || errno == ENOTDIR ? FILES_NOT_THERE
                                                                     : FILES_UNKNOWN;

    files_path_was(folder, path, follow, answer, call, site);
}

/* Before `path` is made, which must not be there. FILES_TAKEN: the call is to fail, with the errno
 * that is set. */
static inline enum files_place files_path_is_made(int folder, const char *path, const char *call,
                                                  const void *site)
{
    struct ft_files *files = files_asks();
    enum files_place place = FILES_FREE;

    ft_outside_point(site);
    if (files == NULL || files_is_null(path))
        return place;
    if (files_shares() != NULL)
        place = files_settle_make(ft_self, folder, path, call, site);
    files_require(files_note_make(files, folder, path, place), call, site);
    if (place == FILES_TAKEN)
        errno = EEXIST;
    return place;
}

/* And behind that, or behind the removal of a name, when libc was asked. */
static inline void files_path_was_named(int folder, const char *path, int done, const char *call,
                                        const void *site)
{
    enum files_answer answer = done ? FILES_NAMED : errno == EEXIST ? FILES_EXCLUDED : FILES_KEPT;

    files_path_was(folder, path, 0, answer, call, site);
}

/* The same for what is open. */
static inline void files_open_is_read(int fd, const char *call, const void *site)
{
    struct ft_files *files = files_shares();

    if (files == NULL)
        return;
    files_settle_open(ft_self, fd, FILES_PATH, call, site);
    files_require(files_note_open(files, fd, FILES_READ), call, site);
}

static inline void files_open_was_read(int fd, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    int error = errno;

    if (files != NULL)
        files_require(files_note_open_ends(files, fd), call, site);
    errno = error;
}

/* Before `offset` (-1: the descriptor's own) of fd is written. changes.c. */
void files_write_begins(int fd, off_t offset, const char *call, const void *site);

/* Before a stream writes what it holds. streams.c. */
void files_stream_flushes(FILE *stream, const char *call, const void *site);

/* What is read of a random device is recorded (chance/entropy.c). */
static inline void files_device_note(const char *path)
{
    if (files_asks() != NULL && ft_self->spbc != NULL && !files_is_null(path) &&
        strncmp(path, "/dev/", 5) == 0 && strstr(path, "random") != NULL)
        ft_self->spbc->devices = 1;
}

#endif
