/* The calls that open, write and cut files, in front of libc's: each makes sure that an undo record
 * exists before it acts. Streams are in streams.c, names in paths.c, temporary files in
 * temporary.c.
 *
 * Invariant: no byte that existed at the last checkpoint is lost before a copy of it is on record.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/claim.h"

/* The function into which _FORTIFY_SOURCE turns open; declared by no header without it. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
int __dprintf_chk(int fd, int level, const char *format, ...);
int __vdprintf_chk(int fd, int level, const char *format, va_list list);

/* Does the open fail where something is there? */
static int is_exclusive(int flags)
{
    return (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
}

/* Does the open neither change anything nor fail where something is there? */
static int is_reading(int flags)
{
    return !(flags & (O_CREAT | O_TRUNC | O_PATH)) && (flags & O_TMPFILE) != O_TMPFILE &&
           (flags & O_ACCMODE) == O_RDONLY;
}

/* Before an open with these flags. A file opened for writing is at first only noted by its size:
 * what the program writes is seen in write. One opened for reading is noted behind the open.
 * Returns the moment of now. */
static uint64_t open_begins(int folder, const char *path, int flags, const void *site)
{
    files_device_note(path);
    if (files_asks() == NULL || (flags & O_PATH) || (flags & O_TMPFILE) == O_TMPFILE)
        return 0;
    if (is_reading(flags)) {
        files_point("open", site);
        return files_now();
    }
    if (is_exclusive(flags))
        files_path_is_made(folder, path, FILES_GROW, "open", site);
    else
        files_path_begins(folder, path, flags & O_TRUNC ? FILES_OVERWRITE : FILES_GROW, 1, "open",
                          site);
    return 0;
}

static void open_ends(int folder, const char *path, int flags, int fd, uint64_t time,
                      const void *site)
{
    if (is_reading(flags))
        files_opened(folder, path, fd, time, "open", site);
    else
        files_claim(files_asks(), fd, NULL);
}

void files_write_begins(int fd, off_t offset, const char *call, const void *site)
{
    struct ft_files *files = files_asks();
    struct stat status;
    int append;

    if (files == NULL || NEXT(fstat)(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_nlink == 0 || files_is_noted(files, &status))
        return;
    append = fcntl(fd, F_GETFL) & O_APPEND;
    if (offset < 0)
        offset = append ? status.st_size : lseek(fd, 0, SEEK_CUR);
    files_require(
        files_note_open(files, fd,
                        offset < files_kept_size(files, &status) ? FILES_OVERWRITE : FILES_GROW),
        call, site);
}

/* Those with which the second copy of a rank opens a file that the first one has made (once.h). */
static int files_flags_again(int flags)
{
    return flags & ~(O_CREAT | O_EXCL | O_TRUNC);
}

static void copy_check(int fd, const char *call, const void *site)
{
    struct stat status;

    if (files_is_paired() && NEXT(fstat)(fd, &status) == 0 && S_ISREG(status.st_mode))
        ft_refuse(call, site,
                  "it is not carried with two copies of each rank (--replicas): use read and "
                  "write, or leave --replicas out for this program");
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
        uint64_t time;                                                                             \
        int fd;                                                                                    \
                                                                                                   \
        va_start(list, flags);                                                                     \
        mode = mode_argument(flags, list);                                                         \
        va_end(list);                                                                              \
        time = open_begins(AT_FDCWD, path, flags, SITE);                                           \
        fd = FILES_ONCE_OPEN(AT_FDCWD, path, flags, SITE, NEXT(name)(path, flags, mode),           \
                             NEXT(name)(path, files_flags_again(flags)));                          \
        open_ends(AT_FDCWD, path, flags, fd, time, SITE);                                          \
        return fd;                                                                                 \
    }
#define OPENAT(name)                                                                               \
    FT_EXPORT int name(int folder, const char *path, int flags, ...)                               \
    {                                                                                              \
        va_list list;                                                                              \
        mode_t mode;                                                                               \
        uint64_t time;                                                                             \
        int fd;                                                                                    \
                                                                                                   \
        va_start(list, flags);                                                                     \
        mode = mode_argument(flags, list);                                                         \
        va_end(list);                                                                              \
        time = open_begins(folder, path, flags, SITE);                                             \
        fd = FILES_ONCE_OPEN(folder, path, flags, SITE, NEXT(name)(folder, path, flags, mode),     \
                             NEXT(name)(folder, path, files_flags_again(flags)));                  \
        open_ends(folder, path, flags, fd, time, SITE);                                            \
        return fd;                                                                                 \
    }
#define CREAT(name)                                                                                \
    FT_EXPORT int name(const char *path, mode_t mode)                                              \
    {                                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        open_begins(AT_FDCWD, path, O_CREAT | O_TRUNC | O_WRONLY, SITE);                           \
        fd = FILES_ONCE_OPEN(AT_FDCWD, path, O_CREAT, SITE, NEXT(name)(path, mode),                \
                             NEXT(open)(path, O_WRONLY));                                          \
        files_claim(files_asks(), fd, NULL);                                                       \
        return fd;                                                                                 \
    }
#define OPEN_2(name)                                                                               \
    FT_EXPORT int name(const char *path, int flags)                                                \
    {                                                                                              \
        uint64_t time;                                                                             \
        int fd;                                                                                    \
                                                                                                   \
        time = open_begins(AT_FDCWD, path, flags, SITE);                                           \
        fd = FILES_ONCE_OPEN(AT_FDCWD, path, flags, SITE, NEXT(name)(path, flags),                 \
                             NEXT(name)(path, files_flags_again(flags)));                          \
        open_ends(AT_FDCWD, path, flags, fd, time, SITE);                                          \
        return fd;                                                                                 \
    }
#define OPENAT_2(name)                                                                             \
    FT_EXPORT int name(int folder, const char *path, int flags)                                    \
    {                                                                                              \
        uint64_t time;                                                                             \
        int fd;                                                                                    \
                                                                                                   \
        time = open_begins(folder, path, flags, SITE);                                             \
        fd = FILES_ONCE_OPEN(folder, path, flags, SITE, NEXT(name)(folder, path, flags),           \
                             NEXT(name)(folder, path, files_flags_again(flags)));                  \
        open_ends(folder, path, flags, fd, time, SITE);                                            \
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

/* Calls that move the offset of a second descriptor, too, are refused with two copies. */
#define COPIES(name, parameters, arguments, offset)                                                \
    FT_EXPORT ssize_t name parameters                                                              \
    {                                                                                              \
        files_write_begins(fd, offset, #name, SITE);                                               \
        copy_check(fd, #name, SITE);                                                               \
        return NEXT(name) arguments;                                                               \
    }

#define WRITES(type, name, parameters, arguments, offset)                                          \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        files_write_begins(fd, offset, #name, SITE);                                               \
        return FILES_ONCE(FILES_ONCE_WRITE, fd, NULL, #name, SITE, NULL, 0, NEXT(name) arguments); \
    }

FT_EXPORT ssize_t write(int fd, const void *bytes, size_t length)
{
    files_write_begins(fd, -1, "write", SITE);
    return FILES_ONCE(FILES_ONCE_WRITE, fd, NULL, "write", SITE, bytes, length,
                      NEXT(write)(fd, bytes, length));
}

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
COPIES(sendfile, (int fd, int from, off_t *at, size_t length), (fd, from, at, length), -1)
COPIES(sendfile64, (int fd, int from, off64_t *at, size_t length), (fd, from, at, length), -1)
COPIES(copy_file_range,
       (int from, off64_t *from_at, int fd, off64_t *at, size_t length, unsigned flags),
       (from, from_at, fd, at, length, flags), at ? *at : -1)
COPIES(splice, (int from, off64_t *from_at, int fd, off64_t *at, size_t length, unsigned flags),
       (from, from_at, fd, at, length, flags), at ? *at : -1)
WRITES(int, vdprintf, (int fd, const char *format, va_list list), (fd, format, list), -1)
WRITES(int, __vdprintf_chk, (int fd, int level, const char *format, va_list list),
       (fd, level, format, list), -1)
WRITES(int, fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length),
       mode ? 0 : at)
WRITES(int, fallocate64, (int fd, int mode, off64_t at, off64_t length), (fd, mode, at, length),
       mode ? 0 : at)
WRITES(int, ftruncate, (int fd, off_t length), (fd, length), length)
WRITES(int, ftruncate64, (int fd, off64_t length), (fd, length), length)

FT_EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list list;
    int length;

    files_write_begins(fd, -1, "dprintf", SITE);
    va_start(list, format);
    length = FILES_ONCE(FILES_ONCE_WRITE, fd, NULL, "dprintf", SITE, NULL, 0,
                        NEXT(vdprintf)(fd, format, list));
    va_end(list);
    return length;
}

FT_EXPORT int __dprintf_chk(int fd, int level, const char *format, ...)
{
    va_list list;
    int length;

    files_write_begins(fd, -1, "dprintf", SITE);
    va_start(list, format);
    length = FILES_ONCE(FILES_ONCE_WRITE, fd, NULL, "dprintf", SITE, NULL, 0,
                        NEXT(__vdprintf_chk)(fd, level, format, list));
    va_end(list);
    return length;
}

FT_EXPORT int truncate(const char *path, off_t length)
{
    files_path_begins(AT_FDCWD, path, FILES_OVERWRITE, 1, "truncate", SITE);
    return FILES_ONCE(FILES_ONCE_AGAIN, AT_FDCWD, path, "truncate", SITE, NULL, 0,
                      NEXT(truncate)(path, length));
}

FT_EXPORT int truncate64(const char *path, off64_t length)
{
    files_path_begins(AT_FDCWD, path, FILES_OVERWRITE, 1, "truncate64", SITE);
    return FILES_ONCE(FILES_ONCE_AGAIN, AT_FDCWD, path, "truncate64", SITE, NULL, 0,
                      NEXT(truncate64)(path, length));
}
