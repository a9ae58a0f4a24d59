/* The calls that open, write out and move streams, in front of libc's: each makes sure that an undo
 * record exists before it acts (changes.c). What libc does inside (a stream that writes its buffer)
 * passes by; so streams are looked at when they are opened, moved backward, and at each checkpoint
 * (descriptors.c). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/claim.h"

#define NO_WRITES 8        /* _IO_NO_WRITES of libio.h */
extern FILE *_IO_list_all; /* exported by glibc, declared nowhere */

static void open_changes(int fd, enum files_change change, const char *call, const void *site)
{
    struct ft_files *files = files_asks();

    if (files != NULL)
        files_require(files_note_open(files, fd, change), call, site);
}

static int is_there(const char *path, const char *call, const void *site)
{
    files_path_begins(AT_FDCWD, path, FILES_PATH, call, site);
    return NEXT(access)(path, F_OK) == 0;
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
 * content is kept at once. Answers 0, or -1 when libc is not to be asked. */
static int stream_begins(const char *path, const char *mode, const char *call, const void *site)
{
    files_device_note(path);
    if (files_asks() == NULL || path == NULL || mode == NULL)
        return 0;
    if (is_exclusive_mode(mode))
        return files_path_is_made(AT_FDCWD, path, call, site) == FILES_TAKEN ? -1 : 0;
    if (mode[0] == 'w' ||
        (mode[0] == 'r' && strchr(mode, '+') != NULL && is_there(path, call, site)))
        files_content_changes(path, FILES_OVERWRITE, call, site);
    else if (mode[0] == 'a')
        files_content_changes(path, FILES_GROW, call, site);
    else
        files_path_is_read(AT_FDCWD, path, 1, call, site);
    return 0;
}

static void stream_ends(const char *path, const char *mode, FILE *stream, const char *call,
                        const void *site)
{
    if (stream != NULL)
        files_claim(files_asks(), fileno(stream));
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
FOPEN(fopen)
FOPEN(fopen64)

FT_EXPORT FILE *fdopen(int fd, const char *mode)
{
    if (files_asks() != NULL && mode != NULL && is_writing_mode(mode))
        files_write_begins(fd, -1, "fdopen", SITE);
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

/* What it writes when it is full nobody can rely on. */
void files_stream_flushes(FILE *stream, const char *call, const void *site)
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
        files_stream_flushes(stream, "fflush", SITE);
    else
        streams_flush(SITE);
    return NEXT(fflush)(stream);
}

FT_EXPORT int fclose(FILE *stream)
{
    files_stream_flushes(stream, "fclose", SITE);
    return NEXT(fclose)(stream);
}

/* It is closed first, and so it is where the other file cannot be opened. */
#define FREOPEN(name)                                                                              \
    FT_EXPORT FILE *name(const char *restrict path, const char *restrict mode,                     \
                         FILE *restrict stream)                                                    \
    {                                                                                              \
        FILE *opened;                                                                              \
                                                                                                   \
        files_stream_flushes(stream, #name, SITE);                                                 \
        if (path == NULL && mode != NULL && is_writing_mode(mode) && fileno(stream) >= 0)          \
            open_changes(fileno(stream), FILES_OVERWRITE, #name, SITE);                            \
        if (stream_begins(path, mode, #name, SITE) != 0) {                                         \
            NEXT(fclose)(stream);                                                                  \
            errno = EEXIST;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        opened = NEXT(name)(path, mode, stream);                                                   \
        stream_ends(path, mode, opened, #name, SITE);                                              \
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
