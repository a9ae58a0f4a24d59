/* The calls that change the file system, in front of libc's: each makes sure that an undo record
 * exists before it acts. What libc does inside (a stream that writes its buffer) passes by; so
 * streams are looked at when they are opened, moved backward, and at each checkpoint
 * (descriptors.c).
 *
 * Invariant: no byte that existed at the last checkpoint is lost before a copy of it is on record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files/calls.h"

#define NO_WRITES 8        /* _IO_NO_WRITES of libio.h */
extern FILE *_IO_list_all; /* exported by glibc, declared nowhere */

/* What _FORTIFY_SOURCE turns open into; declared by no header without it. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);

/* What is read of a random device is recorded (chance/entropy.c). */
static void device_note(const char *path)
{
    if (files_asks() != NULL && ft_self->spbc != NULL && path != NULL &&
        strncmp(path, "/dev/", 5) == 0 && strstr(path, "random") != NULL)
        ft_self->spbc->devices = 1;
}

static void name_note(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    if (files != NULL)
        files_require(files_note(files, folder, path, FILES_OVERWRITE, 0), call, site);
}

/* The wait before a name goes away. 1: libc is not to be asked, it is gone, which is noted. */
static int name_is_gone(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_shares();

    ft_outside_point(site);
    if (files == NULL || path == NULL || !files_settle_removal(ft_self, folder, path, call, site))
        return 0;
    files_require(files_note(files, folder, path, FILES_READ, 0), call, site);
    errno = ENOENT;
    return 1;
}

/* Before a name goes away. One that is not there stays so: others need not know of it. Answers 0,
 * or -1 when libc is not to be asked. */
static int name_goes(int folder, const char *path, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    struct stat status;

    if (name_is_gone(folder, path, call, site))
        return -1;
    if (files != NULL && path != NULL &&
        NEXT(fstatat)(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        files_require(files_note(files, folder, path, FILES_READ, 0), call, site);
    else
        name_note(folder, path, call, site);
    return 0;
}

static void content_changes(const char *path, enum files_change change, const char *call,
                            const void *site)
{
    struct ft_files *files = files_asks();

    if (files == NULL)
        return;
    files_path_begins(AT_FDCWD, path, FILES_CHANGE, call, site);
    files_require(files_note(files, AT_FDCWD, path, change, 1), call, site);
}

static void open_changes(int fd, enum files_change change, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    if (files != NULL)
        files_require(files_note_open(files, fd, change), call, site);
}

/* What must not be there is made. */
static int is_exclusive(int flags)
{
    return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
}

/* Before an open with these flags. A file opened for writing is at first only noted by its size:
 * what it writes is seen in write. Answers 0, or -1 when libc is not to be asked. */
static int open_begins(int folder, const char *path, int flags, const void *site)
{
    struct ft_files *files = files_asks();
    enum files_change change = flags & O_TRUNC ? FILES_OVERWRITE : FILES_GROW;

    device_note(path);
    if (files == NULL || (flags & O_PATH) || (flags & O_TMPFILE) == O_TMPFILE)
        return 0;
    if (is_exclusive(flags))
        return files_path_is_made(folder, path, "open", site) == FILES_TAKEN ? -1 : 0;
    if (!(flags & (O_CREAT | O_TRUNC)) && (flags & O_ACCMODE) == O_RDONLY) {
        files_path_is_read(folder, path, 1, "open", site);
        return 0;
    }
    files_path_begins(folder, path, FILES_CHANGE, "open", site);
    files_require(files_note(files, folder, path, change, 1), "open", site);
    return 0;
}

/* Behind it: one that only reads, or would make what must not be there. */
static void open_ends(int folder, const char *path, int flags, int fd, const void *site)
{
    if (flags & O_PATH)
        return;
    if (is_exclusive(flags))
        files_path_was_named(folder, path, fd >= 0, "open", site);
    else if (!(flags & (O_CREAT | O_TRUNC)) && (flags & O_ACCMODE) == O_RDONLY)
        files_path_was_read(folder, path, 1, fd >= 0, "open", site);
}

/* Before `offset` (-1: the descriptor's own) of fd is written. */
static void write_begins(int fd, off_t offset, const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    struct stat status;
    int append;

    if (files_shares() != NULL)
        files_settle_open(ft_self, fd, FILES_CHANGE, call, site);
    if (files == NULL || NEXT(fstat)(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_nlink == 0 || files_is_noted(files, &status))
        return;
    append = fcntl(fd, F_GETFL) & O_APPEND;
    if (offset < 0)
        offset = append ? status.st_size : lseek(fd, 0, SEEK_CUR);
    files_require(
        files_note_open(files, fd, offset < status.st_size ? FILES_OVERWRITE : FILES_GROW), call,
        site);
}

static mode_t mode_argument(int flags, va_list list)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
    FT_EXPORT int name(const char *path, int flags, ...)                                           \
    {                                                                                              \
        va_list list;                                                                              \
        mode_t mode;                                                                               \
        int fd;                                                                                    \
                                                                                                   \
        va_start(list, flags);                                                                     \
        mode = mode_argument(flags, list);                                                         \
        va_end(list);                                                                              \
        if (open_begins(AT_FDCWD, path, flags, SITE) != 0)                                         \
            return -1;                                                                             \
        fd = NEXT(name)(path, flags, mode);                                                        \
        open_ends(AT_FDCWD, path, flags, fd, SITE);                                                \
        return fd;                                                                                 \
    }
#define OPENAT(name)                                                                               \
    FT_EXPORT int name(int folder, const char *path, int flags, ...)                               \
    {                                                                                              \
        va_list list;                                                                              \
        mode_t mode;                                                                               \
        int fd;                                                                                    \
                                                                                                   \
        va_start(list, flags);                                                                     \
        mode = mode_argument(flags, list);                                                         \
        va_end(list);                                                                              \
        if (open_begins(folder, path, flags, SITE) != 0)                                           \
            return -1;                                                                             \
        fd = NEXT(name)(folder, path, flags, mode);                                                \
        open_ends(folder, path, flags, fd, SITE);                                                  \
        return fd;                                                                                 \
    }
#define CREAT(name)                                                                                \
    FT_EXPORT int name(const char *path, mode_t mode)                                              \
    {                                                                                              \
        open_begins(AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, SITE);                           \
        return NEXT(name)(path, mode);                                                             \
    }
#define OPEN_2(name)                                                                               \
    FT_EXPORT int name(const char *path, int flags)                                                \
    {                                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        if (open_begins(AT_FDCWD, path, flags, SITE) != 0)                                         \
            return -1;                                                                             \
        fd = NEXT(name)(path, flags);                                                              \
        open_ends(AT_FDCWD, path, flags, fd, SITE);                                                \
        return fd;                                                                                 \
    }
#define OPENAT_2(name)                                                                             \
    FT_EXPORT int name(int folder, const char *path, int flags)                                    \
    {                                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        if (open_begins(folder, path, flags, SITE) != 0)                                           \
            return -1;                                                                             \
        fd = NEXT(name)(folder, path, flags);                                                      \
        open_ends(folder, path, flags, fd, SITE);                                                  \
        return fd;                                                                                 \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
CREAT(creat)
CREAT(creat64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

static int is_there(const char *path, const char *call, const void *site)
{
    files_path_begins(AT_FDCWD, path, FILES_PATH, call, site);
    return NEXT(access)(path, F_OK) == 0;
}

static int is_exclusive_mode(const char *mode)
{
    return mode[0] == 'w' && strchr(mode, 'x') != NULL;
}

/* Before a stream is opened. One for update may write anywhere without a call that is seen, so the
 * content is kept at once. Answers 0, or -1 when libc is not to be asked. */
static int stream_begins(const char *path, const char *mode, const char *call, const void *site)
{
    device_note(path);
    if (files_asks() == NULL || path == NULL || mode == NULL)
        return 0;
    if (is_exclusive_mode(mode))
        return files_path_is_made(AT_FDCWD, path, call, site) == FILES_TAKEN ? -1 : 0;
    if (mode[0] == 'w' ||
        (mode[0] == 'r' && strchr(mode, '+') != NULL && is_there(path, call, site)))
        content_changes(path, FILES_OVERWRITE, call, site);
    else if (mode[0] == 'a')
        content_changes(path, FILES_GROW, call, site);
    else
        files_path_is_read(AT_FDCWD, path, 1, call, site);
    return 0;
}

static void stream_ends(const char *path, const char *mode, const FILE *stream, const char *call,
                        const void *site)
{
    if (mode == NULL)
        return;
    if (is_exclusive_mode(mode))
        files_path_was_named(AT_FDCWD, path, stream != NULL, call, site);
    else if (mode[0] == 'r')
        files_path_was_read(AT_FDCWD, path, 1, stream != NULL, call, site);
}

#define FOPEN(name)                                                                                \
    FT_EXPORT FILE *name(const char *restrict path, const char *restrict mode)                     \
    {                                                                                              \
        FILE *stream;                                                                              \
                                                                                                   \
        if (stream_begins(path, mode, #name, SITE) != 0)                                           \
            return NULL;                                                                           \
        stream = NEXT(name)(path, mode);                                                           \
        stream_ends(path, mode, stream, #name, SITE);                                              \
        return stream;                                                                             \
    }
#define FREOPEN(name)                                                                              \
    FT_EXPORT FILE *name(const char *restrict path, const char *restrict mode,                     \
                         FILE *restrict stream)                                                    \
    {                                                                                              \
        stream_begins(path, mode, #name, SITE);                                                    \
        if (path == NULL && mode != NULL && mode[0] != 'r' && fileno(stream) >= 0)                 \
            open_changes(fileno(stream), FILES_OVERWRITE, #name, SITE);                            \
        return NEXT(name)(path, mode, stream);                                                     \
    }

FOPEN(fopen)
FOPEN(fopen64)
FREOPEN(freopen)
FREOPEN(freopen64)

FT_EXPORT FILE *fdopen(int fd, const char *mode)
{
    if (files_asks() != NULL && mode != NULL && (mode[0] != 'r' || strchr(mode, '+') != NULL))
        write_begins(fd, -1, "fdopen", SITE);
    return NEXT(fdopen)(fd, mode);
}

/* Of a stream that may hold what is to be written, where that concerns others; else -1. */
static int written_fd(FILE *stream)
{
    int saved = errno, fd = -1;

    if (files_shares() != NULL && !(stream->_flags & NO_WRITES))
        fd = fileno(stream);
    errno = saved;
    return fd;
}

static void flush_settles(FILE *stream, const char *call, const void *site)
{
    int fd = written_fd(stream);

    if (fd >= 0)
        files_settle_open(ft_self, fd, FILES_CHANGE, call, site);
}

static void flush_note(FILE *stream, const char *call, const void *site)
{
    int fd = written_fd(stream), saved = errno;

    if (fd >= 0)
        files_require(files_note_open(files_shares(), fd, FILES_GROW), call, site);
    errno = saved;
}

/* Before a stream writes what it holds. What it writes when it is full nobody can rely on. */
static void stream_flushes(FILE *stream, const char *call, const void *site)
{
    flush_settles(stream, call, site);
    flush_note(stream, call, site);
}

/* Behind the last wait of all, as with two names (link_begins). */
static void streams_flush(const void *site)
{
    for (FILE *each = _IO_list_all; each != NULL; each = each->_chain)
        flush_settles(each, "fflush", site);
    for (FILE *each = _IO_list_all; each != NULL; each = each->_chain)
        flush_note(each, "fflush", site);
}

FT_EXPORT int fflush(FILE *stream)
{
    if (stream != NULL)
        stream_flushes(stream, "fflush", SITE);
    else
        streams_flush(SITE);
    return NEXT(fflush)(stream);
}

FT_EXPORT int fclose(FILE *stream)
{
    stream_flushes(stream, "fclose", SITE);
    return NEXT(fclose)(stream);
}

/* After a stream was moved, before it writes. */
static void stream_moved(FILE *stream, const char *call, const void *site)
{
    struct stat status;
    int fd, saved = errno;
    off_t at;

    if (files_asks() == NULL || (stream->_flags & NO_WRITES) || (fd = fileno(stream)) < 0)
        return;
    if (NEXT(fstat)(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        !(fcntl(fd, F_GETFL) & O_APPEND) && (at = ftello(stream)) >= 0 && at < status.st_size)
        open_changes(fd, FILES_OVERWRITE, call, site);
    errno = saved;
}

#define FSEEK(name, type)                                                                          \
    FT_EXPORT int name(FILE *stream, type offset, int whence)                                      \
    {                                                                                              \
        int code = NEXT(name)(stream, offset, whence);                                             \
                                                                                                   \
        stream_moved(stream, #name, SITE);                                                         \
        return code;                                                                               \
    }
#define FSETPOS(name, type)                                                                        \
    FT_EXPORT int name(FILE *stream, const type *position)                                         \
    {                                                                                              \
        int code = NEXT(name)(stream, position);                                                   \
                                                                                                   \
        stream_moved(stream, #name, SITE);                                                         \
        return code;                                                                               \
    }

FSEEK(fseek, long)
FSEEK(fseeko, off_t)
FSEEK(fseeko64, off64_t)
FSETPOS(fsetpos, fpos_t)
FSETPOS(fsetpos64, fpos64_t)

FT_EXPORT void rewind(FILE *stream)
{
    NEXT(rewind)(stream);
    stream_moved(stream, "rewind", SITE);
}

#define WRITES(type, name, parameters, arguments, offset)                                          \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        write_begins(fd, offset, #name, SITE);                                                     \
        return NEXT(name) arguments;                                                               \
    }

WRITES(ssize_t, write, (int fd, const void *bytes, size_t length), (fd, bytes, length), -1)
WRITES(ssize_t, writev, (int fd, const struct iovec *part, int count), (fd, part, count), -1)
WRITES(ssize_t, pwrite, (int fd, const void *bytes, size_t length, off_t at),
       (fd, bytes, length, at), at)
WRITES(ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off64_t at),
       (fd, bytes, length, at), at)
WRITES(ssize_t, pwritev, (int fd, const struct iovec *part, int count, off_t at),
       (fd, part, count, at), at)
WRITES(ssize_t, pwritev64, (int fd, const struct iovec *part, int count, off64_t at),
       (fd, part, count, at), at)
WRITES(ssize_t, pwritev2, (int fd, const struct iovec *part, int count, off_t at, int flags),
       (fd, part, count, at, flags), at)
WRITES(ssize_t, pwritev64v2, (int fd, const struct iovec *part, int count, off64_t at, int flags),
       (fd, part, count, at, flags), at)
WRITES(ssize_t, sendfile, (int fd, int from, off_t *at, size_t length), (fd, from, at, length), -1)
WRITES(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t length), (fd, from, at, length),
       -1)
WRITES(ssize_t, copy_file_range,
       (int from, off64_t *from_at, int fd, off64_t *at, size_t length, unsigned flags),
       (from, from_at, fd, at, length, flags), at ? *at : -1)
WRITES(int, fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length),
       mode ? 0 : at)
WRITES(int, fallocate64, (int fd, int mode, off64_t at, off64_t length), (fd, mode, at, length),
       mode ? 0 : at)
WRITES(int, ftruncate, (int fd, off_t length), (fd, length), length)
WRITES(int, ftruncate64, (int fd, off64_t length), (fd, length), length)

FT_EXPORT int truncate(const char *path, off_t length)
{
    content_changes(path, FILES_OVERWRITE, "truncate", SITE);
    return NEXT(truncate)(path, length);
}

FT_EXPORT int truncate64(const char *path, off64_t length)
{
    content_changes(path, FILES_OVERWRITE, "truncate64", SITE);
    return NEXT(truncate64)(path, length);
}

#define REMOVES(name, parameters, arguments, folder)                                               \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        if (name_goes(folder, path, #name, SITE) != 0)                                             \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        files_path_was_named(folder, path, code == 0, #name, SITE);                                \
        return code;                                                                               \
    }

REMOVES(unlink, (const char *path), (path), AT_FDCWD)
REMOVES(remove, (const char *path), (path), AT_FDCWD)
REMOVES(rmdir, (const char *path), (path), AT_FDCWD)
REMOVES(unlinkat, (int folder, const char *path, int flags), (folder, path, flags), folder)

#define MAKES(name, parameters, arguments, folder)                                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code = -1;                                                                             \
                                                                                                   \
        if (files_path_is_made(folder, path, #name, SITE) == FILES_TAKEN)                          \
            return code;                                                                           \
        code = NEXT(name) arguments;                                                               \
        files_path_was_named(folder, path, code == 0, #name, SITE);                                \
        return code;                                                                               \
    }

MAKES(mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
MAKES(mkfifoat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)
MAKES(mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), AT_FDCWD)
MAKES(symlink, (const char *target, const char *path), (target, path), AT_FDCWD)
MAKES(symlinkat, (const char *target, int folder, const char *path), (target, folder, path), folder)

/* A folder that others have filled meanwhile could not be put away: who makes it again has made it.
 */
#define MAKES_FOLDER(name, parameters, arguments, folder)                                          \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        enum files_place place = files_path_is_made(folder, path, #name, SITE);                    \
        int code;                                                                                  \
                                                                                                   \
        if (place == FILES_TAKEN)                                                                  \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        if (code != 0 && errno == EEXIST && place == FILES_OURS)                                   \
            code = 0;                                                                              \
        files_path_was_named(folder, path, code == 0, #name, SITE);                                \
        return code;                                                                               \
    }

MAKES_FOLDER(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD)
MAKES_FOLDER(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), folder)

/* Where something is done with two names, waiting is a safe point, behind which nothing is on
 * record: so both are waited for first. Answers 0, or -1 when libc is not to be asked. */
static int link_begins(int from_folder, const char *from, int to_folder, const char *to,
                       const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    enum files_place place = FILES_FREE;
    struct stat status;

    if (files == NULL || from == NULL || to == NULL)
        return 0;
    files_path_begins(from_folder, from, FILES_CHANGE, call, site);
    if (files_shares() != NULL)
        place = files_settle_make(ft_self, to_folder, to, call, site);
    files_require(files_note(files, from_folder, from, FILES_OVERWRITE, 1), call, site);
    files_require(files_note_make(files, to_folder, to, place), call, site);
    if (place != FILES_TAKEN)
        return 0;
    if (from[0] == 0 || NEXT(fstatat)(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) == 0)
        errno = EEXIST; /* what is missing tells libc first */
    return -1;
}

#define LINKS(name, parameters, arguments, from_folder, to_folder)                                 \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code;                                                                                  \
                                                                                                   \
        if (link_begins(from_folder, from, to_folder, to, #name, SITE) != 0)                       \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        files_path_was_named(to_folder, to, code == 0, #name, SITE);                               \
        return code;                                                                               \
    }

LINKS(link, (const char *from, const char *to), (from, to), AT_FDCWD, AT_FDCWD)
LINKS(linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
      (from_folder, from, to_folder, to, flags), from_folder, to_folder)

/* Before a rename. What lies in a folder would change its path unseen, so folders stay. Answers 0
 * where nothing is there to be renamed: then nothing changes; or -1 when libc is not to be asked.
 */
static int rename_begins(int from_folder, const char *from, int to_folder, const char *to,
                         const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    struct stat status;

    if (files == NULL || from == NULL || to == NULL)
        return 0;
    if (name_is_gone(from_folder, from, call, site))
        return -1;
    files_path_begins(to_folder, to, FILES_REPLACE, call, site);
    if (NEXT(fstatat)(from_folder, from, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        files_require(files_note_unused(files, to_folder, to), call, site);
        if (files_shares() != NULL)
            files_require(files_note(files, from_folder, from, FILES_READ, 0), call, site);
        return 0;
    }
    if (S_ISDIR(status.st_mode))
        ft_refuse(call, site, "the rename of a folder cannot be undone: rename its files");
    name_note(from_folder, from, call, site);
    files_require(files_note_replaced(files, to_folder, to), call, site);
    return 1;
}

/* Of several ranks that rename one file one has done it. noted: as rename_begins has answered. */
static void rename_ends(int from_folder, const char *from, int to_folder, const char *to, int noted,
                        int code, const char *call, const void *site)
{
    struct ft_files *files = files_shares();
    enum files_answer answer = code == 0 ? FILES_NAMED : FILES_KEPT;
    int error = errno;

    if (files == NULL || from == NULL || to == NULL)
        return;
    files_require(files_note_named(files, from_folder, from, answer), call, site);
    if (noted)
        files_require(files_note_named(files, to_folder, to, answer), call, site);
    else if (code == 0)
        files_require(files_note_replaced(files, to_folder, to), call, site);
    errno = error;
}

#define RENAMES(name, parameters, arguments, from_folder, to_folder)                               \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int noted = rename_begins(from_folder, from, to_folder, to, #name, SITE), code;            \
                                                                                                   \
        if (noted < 0)                                                                             \
            return -1;                                                                             \
        code = NEXT(name) arguments;                                                               \
        rename_ends(from_folder, from, to_folder, to, noted, code, #name, SITE);                   \
        return code;                                                                               \
    }

RENAMES(rename, (const char *from, const char *to), (from, to), AT_FDCWD, AT_FDCWD)
RENAMES(renameat, (int from_folder, const char *from, int to_folder, const char *to),
        (from_folder, from, to_folder, to), from_folder, to_folder)
RENAMES(renameat2,
        (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
        (from_folder, from, to_folder, to, flags), from_folder, to_folder)

/* Fills the six places of a mkstemp template with a name that is not taken. */
static int template_fill(char *place)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[6];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return -1;
    for (int i = 0; i < 6; i++)
        place[i] = letters[random[i] % 62];
    return 0;
}

/* mkstemp and its family: the name must be on record before the file exists. folder: mkdtemp. */
static int temporary_make(char *name, int suffix, int flags, int folder, const void *site)
{
    size_t length = strlen(name);
    struct stat status;
    char *place;

    if (suffix < 0 || length < 6 + (size_t)suffix ||
        strncmp(place = name + length - 6 - (size_t)suffix, "XXXXXX", 6) != 0) {
        errno = EINVAL;
        return -1;
    }
    for (int tries = 0; tries < 1000 && template_fill(place) == 0; tries++) {
        int made;

        if (NEXT(lstat)(name, &status) == 0 || files_path_is_made(AT_FDCWD, name, "mkstemp", site))
            continue;
        made = folder ? NEXT(mkdir)(name, 0700)
                      : NEXT(open)(name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        files_path_was_named(AT_FDCWD, name, made >= 0, "mkstemp", site);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    errno = EEXIST;
    return -1;
}

#define MKSTEMP(name, parameters, arguments, suffix, flags)                                        \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        if (files_asks() == NULL)                                                                  \
            return NEXT(name) arguments;                                                           \
        return temporary_make(template, suffix, flags, 0, SITE);                                   \
    }

MKSTEMP(mkstemp, (char *template), (template), 0, 0)
MKSTEMP(mkstemp64, (char *template), (template), 0, 0)
MKSTEMP(mkostemp, (char *template, int flags), (template, flags), 0, flags)
MKSTEMP(mkostemp64, (char *template, int flags), (template, flags), 0, flags)
MKSTEMP(mkstemps, (char *template, int suffix), (template, suffix), suffix, 0)
MKSTEMP(mkstemps64, (char *template, int suffix), (template, suffix), suffix, 0)
MKSTEMP(mkostemps, (char *template, int suffix, int flags), (template, suffix, flags), suffix,
        flags)
MKSTEMP(mkostemps64, (char *template, int suffix, int flags), (template, suffix, flags), suffix,
        flags)

FT_EXPORT char *mkdtemp(char *template)
{
    if (files_asks() == NULL)
        return NEXT(mkdtemp)(template);
    return temporary_make(template, 0, 0, 1, SITE) == 0 ? template : NULL;
}
