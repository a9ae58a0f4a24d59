/* The calls that open, write out and move streams, in front of libc's: each makes sure that an
 * undo record exists before it acts (changes.c). Writes inside libc (a stream that writes its
 * buffer) pass by; so streams are looked at when they are opened, moved backward, and at each
 * checkpoint (descriptors.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/claim.h"

#define NO_WRITES 8 /* _IO_NO_WRITES of libio.h */

static void open_changes(int fd, enum files_change change, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    if (files != NULL)
        files_require(files_note_open(files, fd, change), call, site);
}

static int is_writing_mode(const char *mode)
{
    return mode[0] != 'r' || strchr(mode, '+') != NULL;
}

static int is_exclusive_mode(const char *mode)
{
    return mode[0] == 'w' && strchr(mode, 'x') != NULL;
}

/* Before a stream is opened. One for update may write anywhere without a call that is seen, so the
 * content is kept at once. One for reading is noted behind the open. Returns the moment of now. */
static uint64_t stream_begins(const char *path, const char *mode, const char *call,
                              const void *site)
{
    files_device_note(path);
    if (files_asks() == NULL || path == NULL || mode == NULL)
        return 0;
    if (is_exclusive_mode(mode))
        files_path_is_made(AT_FDCWD, path, FILES_GROW, call, site);
    else if (mode[0] == 'a')
        files_path_begins(AT_FDCWD, path, FILES_GROW, 1, call, site);
    else if (is_writing_mode(mode) && (mode[0] == 'w' || NEXT(access)(path, F_OK) == 0))
        files_path_begins(AT_FDCWD, path, FILES_OVERWRITE, 1, call, site);
    else
        files_point(call, site);
    return files_now();
}

static void stream_ends(const char *path, const char *mode, FILE *stream, uint64_t time,
                        const char *call, const void *site)
{
    if (mode != NULL && mode[0] == 'r')
        files_opened(AT_FDCWD, path, stream != NULL ? fileno(stream) : -1, time, call, site);
    else if (stream != NULL)
        files_claim(files_asks(), fileno(stream), NULL);
}

/* Does the stream write a file of a rank with two copies (once.h)? */
static int is_seen_once(const char *path, const char *mode)
{
    return ft_unlikely(ft_life.pair != NULL) && files_asks() != NULL && path != NULL &&
           mode != NULL && is_writing_mode(mode) && files_cookie_flags(mode) >= 0;
}

static FILE *open_once(const char *path, const char *mode, const void *site)
{
    int flags = files_cookie_flags(mode);
    int fd = FILES_ONCE_OPEN(AT_FDCWD, path, flags, site, NEXT(open)(path, flags, 0666),
                             NEXT(open)(path, flags & ~(O_CREAT | O_EXCL | O_TRUNC)));

    return fd < 0 ? NULL : files_cookie_open(fd, mode);
}

static void freopen_check(const char *mode, const char *call, const void *site)
{
    if (ft_unlikely(ft_life.pair != NULL) && files_asks() != NULL && mode != NULL &&
        is_writing_mode(mode))
        ft_refuse(call, site,
                  "it is not carried with two copies of each rank (--replicas): use fopen, or "
                  "leave --replicas out for this program");
}

#define FOPEN(name)                                                                                \
    FT_EXPORT FILE *name(const char *restrict path, const char *restrict mode)                     \
    {                                                                                              \
        FILE *stream;                                                                              \
        uint64_t time;                                                                             \
                                                                                                   \
        time = stream_begins(path, mode, #name, SITE);                                             \
        stream = is_seen_once(path, mode) ? open_once(path, mode, SITE) : NEXT(name)(path, mode);  \
        stream_ends(path, mode, stream, time, #name, SITE);                                        \
        return stream;                                                                             \
    }
FOPEN(fopen)
FOPEN(fopen64)

FT_EXPORT FILE *fdopen(int fd, const char *mode)
{
    struct stat status;

    if (files_asks() != NULL && mode != NULL && is_writing_mode(mode))
        files_write_begins(fd, -1, "fdopen", SITE);
    if (is_seen_once("", mode) && NEXT(fstat)(fd, &status) == 0 && S_ISREG(status.st_mode))
        return files_cookie_open(fd, mode);
    return NEXT(fdopen)(fd, mode);
}

#define FREOPEN(name)                                                                              \
    FT_EXPORT FILE *name(const char *restrict path, const char *restrict mode,                     \
                         FILE *restrict stream)                                                    \
    {                                                                                              \
        FILE *opened;                                                                              \
        uint64_t time;                                                                             \
                                                                                                   \
        freopen_check(mode, #name, SITE);                                                          \
        if (path == NULL && mode != NULL && is_writing_mode(mode) && fileno(stream) >= 0)          \
            open_changes(fileno(stream), FILES_OVERWRITE, #name, SITE);                            \
        time = stream_begins(path, mode, #name, SITE);                                             \
        opened = NEXT(name)(path, mode, stream);                                                   \
        stream_ends(path, mode, opened, time, #name, SITE);                                        \
        return opened;                                                                             \
    }

FREOPEN(freopen)
FREOPEN(freopen64)

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
