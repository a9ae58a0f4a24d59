/* Streams that write files of a rank with two copies (ftrun --replicas). libc writes a stream's
 * buffer by itself, which no wrapper sees; so such a stream is one of fopencookie, whose functions
 * are the program's calls of write, read, lseek and close. fileno answers the descriptor, as for
 * any stream of a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/calls.h"

static int fd_of(const void *cookie)
{
    return (int)(intptr_t)cookie;
}

/* Answers less than `length` where a write fails: libc notes the error then. */
static ssize_t cookie_write(void *cookie, const char *bytes, size_t length)
{
    size_t done = 0;

    while (done < length) {
        ssize_t part = write(fd_of(cookie), bytes + done, length - done);

        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            break;
        done += (size_t)part;
    }
    return (ssize_t)done;
}

static ssize_t cookie_read(void *cookie, char *bytes, size_t length)
{
    return read(fd_of(cookie), bytes, length);
}

static int cookie_seek(void *cookie, off64_t *offset, int whence)
{
    off_t at = lseek(fd_of(cookie), *offset, whence);

    if (at < 0)
        return -1;
    *offset = at;
    return 0;
}

static int cookie_close(void *cookie)
{
    return close(fd_of(cookie));
}

int files_cookie_flags(const char *mode)
{
    int update = strchr(mode, '+') != NULL;
    int flags = update ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;

    if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a')
        return -1;
    flags |= mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
    flags |= strchr(mode, 'x') != NULL ? O_EXCL : 0;
    return flags | (strchr(mode, 'e') != NULL ? O_CLOEXEC : 0);
}

FILE *files_cookie_open(int fd, const char *mode)
{
    static const cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek,
                                                    cookie_close};
    FILE *stream = fopencookie((void *)(intptr_t)fd, mode, functions);

    if (stream == NULL)
        return NULL;
    stream->_fileno = fd;
    if (mode[0] == 'a')
        lseek(fd, 0, SEEK_END);
    return stream;
}

/* struct _IO_cookie_file of libio.h: the cookie lies behind the table of functions. */
struct cookie_file {
    FILE file;
    const void *functions, *cookie;
};

static int is_cookie(const FILE *stream)
{
    return ft_unlikely(ft_life.pair != NULL) && stream != NULL && stream->_fileno >= 0 &&
           fd_of(((const struct cookie_file *)stream)->cookie) == stream->_fileno;
}

/* libc takes the stream out of its list first. A write is a safe point, and a stream that is not in
 * the list then is not restored (libc/stdio.c). */
FT_EXPORT int fclose(FILE *stream)
{
    int lost = is_cookie(stream) && fflush(stream) != 0, error = errno;
    int code = NEXT(fclose)(stream);

    if (!lost)
        return code;
    errno = error;
    return EOF;
}
