/* Random bytes: system calls, libc's generator, and reads of the devices. Recorded bytes are
 * written over those read now: a random device is never empty. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "chance/ask.h"
#include "files/files.h"

#define PIECE ((size_t)4096) /* bytes that are recorded at once */
#define SITE __builtin_return_address(0)
#define MEMORY 1 /* the major number of /dev/random and /dev/urandom */

/* The functions into which _FORTIFY_SOURCE turns read and fread; declared by no header without
 * it. */
ssize_t __read_chk(int fd, void *data, size_t bytes, size_t room);
size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream);

static void bytes_settle(struct ft_rank *self, char *data, size_t bytes)
{
    for (size_t done = 0; done < bytes; done += PIECE)
        ask_value(self, FT_VALUE_RANDOM, data + done, bytes - done < PIECE ? bytes - done : PIECE);
}

/* As many bytes as there were before, at most `room`; got: what the call has answered. */
static ssize_t some_settle(struct ft_rank *self, char *data, size_t room, ssize_t got)
{
    int64_t length = ask_number(self, FT_VALUE_LENGTH, got < 0 ? -errno : got);

    if (length < 0) {
        errno = (int)-length;
        return -1;
    }
    if ((size_t)length > room)
        ft_differs(self, "a longer piece of random bytes was read here before");
    while (got < length) { /* now it was interrupted earlier */
        ssize_t more = ASK_NEXT(getrandom)(data + (got < 0 ? 0 : got), 1, 0);

        got = (got < 0 ? 0 : got) + (more > 0);
    }
    bytes_settle(self, data, (size_t)length);
    return length;
}

FT_EXPORT ssize_t getrandom(void *data, size_t bytes, unsigned flags)
{
    struct ft_rank *self = ASK_RECORDED();
    ssize_t got = ASK_NEXT(getrandom)(data, bytes, flags);

    return ft_likely(self == NULL) ? got : some_settle(self, data, bytes, got);
}

FT_EXPORT int getentropy(void *data, size_t bytes)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(getentropy)(data, bytes);

    if (ft_unlikely(self != NULL) && code == 0)
        bytes_settle(self, data, bytes);
    return code;
}

FT_EXPORT uint32_t arc4random(void)
{
    struct ft_rank *self = ASK_RECORDED();
    uint32_t number = ASK_NEXT(arc4random)();

    if (ft_unlikely(self != NULL))
        bytes_settle(self, (char *)&number, sizeof number);
    return number;
}

FT_EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
    struct ft_rank *self = ASK_RECORDED();
    uint32_t number = ASK_NEXT(arc4random_uniform)(bound);

    if (ft_unlikely(self != NULL))
        bytes_settle(self, (char *)&number, sizeof number);
    return number;
}

FT_EXPORT void arc4random_buf(void *data, size_t bytes)
{
    struct ft_rank *self = ASK_RECORDED();

    ASK_NEXT(arc4random_buf)(data, bytes);
    if (ft_unlikely(self != NULL))
        bytes_settle(self, data, bytes);
}

/* /dev/random is 1:8, /dev/urandom 1:9. */
static int is_device(int fd)
{
    struct stat status;
    int saved = errno, is;

    is = fd >= 0 && ASK_NEXT(fstat)(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
         major(status.st_rdev) == MEMORY &&
         (minor(status.st_rdev) == 8 || minor(status.st_rdev) == 9);
    errno = saved;
    return is;
}

/* The rank, when fd may be a device, because the program has opened one, and is. */
static struct ft_rank *reads_device(struct ft_rank *self, int fd)
{
    return ft_unlikely(self != NULL) && self->spbc->devices && is_device(fd) ? self : NULL;
}

static ssize_t read_settle(struct ft_rank *self, int fd, void *data, size_t bytes, ssize_t got)
{
    self = reads_device(self, fd);
    return ft_likely(self == NULL) ? got : some_settle(self, data, bytes, got);
}

FT_EXPORT ssize_t read(int fd, void *data, size_t bytes)
{
    struct ft_rank *self;
    ssize_t got;

    ft_outside_point(SITE);
    self = ASK_RECORDED();
    got = ASK_NEXT(read)(fd, data, bytes);
    return read_settle(self, fd, data, bytes, got);
}

FT_EXPORT ssize_t __read_chk(int fd, void *data, size_t bytes, size_t room)
{
    struct ft_rank *self;
    ssize_t got;

    ft_outside_point(SITE);
    self = ASK_RECORDED();
    got = ASK_NEXT(__read_chk)(fd, data, bytes, room);
    return read_settle(self, fd, data, bytes, got);
}

static size_t fread_settle(struct ft_rank *self, void *data, size_t size, size_t got, FILE *stream)
{
    if (ft_likely(self == NULL) || !self->spbc->devices)
        return got;
    self = reads_device(self, fileno(stream));
    if (self != NULL)
        bytes_settle(self, data, size * got);
    return got;
}

FT_EXPORT size_t fread(void *restrict data, size_t size, size_t count, FILE *restrict stream)
{
    struct ft_rank *self;
    size_t got;

    ft_outside_point(SITE);
    self = ASK_RECORDED();
    got = ASK_NEXT(fread)(data, size, count, stream);
    return fread_settle(self, data, size, got, stream);
}

FT_EXPORT size_t __fread_chk(void *data, size_t room, size_t size, size_t count, FILE *stream)
{
    struct ft_rank *self;
    size_t got;

    ft_outside_point(SITE);
    self = ASK_RECORDED();
    got = ASK_NEXT(__fread_chk)(data, room, size, count, stream);
    return fread_settle(self, data, size, got, stream);
}
