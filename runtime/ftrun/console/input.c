/* input: read, spool, write; one block at a time.
 *
 * Invariant: written <= spooled, and the spool holds bytes [dropped, spooled) of the input, of
 * which the last BLOCK are never dropped: by them a file that is given to --restart is known again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>
#include "console/input.h"

enum { BLOCK = 65536 };

struct ft_input {
    struct ft_loop *loop;
    struct ft_timer again; /* the spool fails, or the terminal belongs to another job now */
    int spool;
    int sink;     /* rank 0's pipe, -1: none, or closed */
    int ended;    /* end of the standard input */
    int readable; /* the standard input was seen to have something */
    int paused;
    uint64_t spooled, written;
    uint64_t synced;   /* of what is spooled */
    uint64_t doubtful; /* bytes before this one may never get to the disk: a sync has failed */
    off_t begins;      /* where the standard input begins, if it is a file; otherwise -1 */
    int terminal;      /* the standard input is one, or was */
    void (*lost)(void *context, int error);
    void *context;
    int is_lost;             /* lost has been called: nothing more is written */
    struct ft_input *source; /* of a second copy: reads, and keeps; NULL: this one does */
    struct ft_input *copy;   /* the second copy's; NULL: none */
    uint64_t unneeded;       /* no rollback of this copy goes before this byte */
    size_t held;             /* bytes of block that the spool could not take yet */
    char block[BLOCK];
};

static void pump(struct ft_input *input);

static void pump_again(void *context)
{
    pump(context);
}

static void on_sink(void *context, uint32_t events)
{
    struct ft_input *input = context;

    (void)events;
    ft_loop_forget(input->loop, input->sink);
    pump(input);
}

static void on_source(void *context, uint32_t events)
{
    struct ft_input *input = context;

    (void)events;
    ft_loop_forget(input->loop, STDIN_FILENO);
    input->readable = 1;
    pump(input);
}

/* Where the standard input stands, if it is a file; otherwise -1. */
static off_t place_in_file(void)
{
    struct stat status;

    return !fstat(STDIN_FILENO, &status) && S_ISREG(status.st_mode)
               ? lseek(STDIN_FILENO, 0, SEEK_CUR)
               : -1;
}

int ft_input_create(struct ft_loop *loop, const char *spool, void (*lost)(void *context, int error),
                    void *context, struct ft_input **out)
{
    struct ft_input *input = calloc(1, sizeof(*input));
    struct stat status;

    if (!input)
        return -ENOMEM;
    input->loop = loop;
    input->sink = -1;
    input->lost = lost;
    input->context = context;
    input->begins = place_in_file();
    input->terminal = isatty(STDIN_FILENO);
    input->spool = open(spool, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (input->spool < 0 || fstat(input->spool, &status)) {
        int code = -errno;

        ft_input_destroy(input);
        return code;
    }
    input->spooled = (uint64_t)status.st_size;
    if (input->begins >= 0)
        lseek(STDIN_FILENO, input->begins + (off_t)input->spooled, SEEK_SET);
    *out = input;
    return 0;
}

int ft_input_copy(struct ft_input *source, struct ft_input **out)
{
    struct ft_input *input = calloc(1, sizeof(*input));

    if (!input)
        return -ENOMEM;
    input->loop = source->loop;
    input->sink = -1;
    input->begins = -1;
    input->lost = source->lost;
    input->context = source->context;
    input->spool = fcntl(source->spool, F_DUPFD_CLOEXEC, 0);
    if (input->spool < 0) {
        free(input);
        return -errno;
    }
    input->source = source;
    source->copy = input;
    *out = input;
    return 0;
}

/* Is what the spool has at its end in the file, at the same place? 1, 0, or -errno. */
static int is_same_file(const struct ft_input *input)
{
    char kept[BLOCK], given[BLOCK];
    uint64_t from = input->spooled > BLOCK ? input->spooled - BLOCK : 0;
    size_t length = (size_t)(input->spooled - from);
    ssize_t got = pread(input->spool, kept, length, (off_t)from);

    if (got < 0 || pread(STDIN_FILENO, given, length, input->begins + (off_t)from) < 0)
        return -errno;
    return got == (ssize_t)length && memcmp(kept, given, length) == 0;
}

int ft_input_check(const struct ft_input *input, uint64_t read)
{
    uint64_t passed = input->spooled > read ? input->spooled : read;
    struct stat status;
    int same;

    if (input->begins < 0)
        return input->spooled < read ? -ENODATA : 0;
    if (fstat(STDIN_FILENO, &status))
        return -errno;
    if (status.st_size < input->begins + (off_t)passed)
        return -EBADMSG;
    same = is_same_file(input);
    return same > 0 ? 0 : same ? same : -EBADMSG;
}

void ft_input_detach(struct ft_input *input)
{
    if (!input->source)
        ft_loop_forget(input->loop, STDIN_FILENO);
    ft_loop_cancel(input->loop, &input->again);
    if (input->sink < 0)
        return;
    ft_loop_forget(input->loop, input->sink);
    close(input->sink);
    input->sink = -1;
}

void ft_input_destroy(struct ft_input *input)
{
    if (!input)
        return;
    ft_input_detach(input);
    if (input->spool >= 0)
        close(input->spool);
    free(input);
}

void ft_input_attach(struct ft_input *input, int pipe, uint64_t position)
{
    ft_input_detach(input);
    input->sink = pipe;
    input->written = position;
    input->paused = 0;
    pump(input);
}

void ft_input_pause(struct ft_input *input, int paused)
{
    input->paused = paused;
    pump(input);
}

uint64_t ft_input_written(const struct ft_input *input)
{
    return input->written;
}

uint64_t ft_input_kept(const struct ft_input *input)
{
    return input->spooled;
}

/* A second sync behind one that failed finds nothing to be written any more, and says so. */
int ft_input_sync(struct ft_input *input, uint64_t from)
{
    if (from < input->doubtful)
        return -EIO;
    if (input->synced < input->spooled && fdatasync(input->spool)) {
        input->doubtful = input->spooled;
        return -errno;
    }
    input->synced = input->spooled;
    return 0;
}

/* Nobody reads it again, of neither copy. */
static uint64_t unneeded_of(const struct ft_input *input)
{
    const struct ft_input *other = input->source ? input->source : input->copy;

    return other && other->unneeded < input->unneeded ? other->unneeded : input->unneeded;
}

void ft_input_drop(struct ft_input *input, uint64_t before)
{
    input->unneeded = before;
    before = unneeded_of(input);
    if (before > BLOCK)
        fallocate(input->spool, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                  (off_t)(before - BLOCK));
}

/* Reports lost input: neither the bytes that somebody has cut off nor those after an error come
 * again. Always 0. */
static int tell_lost(struct ft_input *input, int error)
{
    input->is_lost = 1;
    input->lost(input->context, error);
    return 0;
}

/* Neither is the end of the input: a full disk may have room again, and a file server may answer.
 */
static int try_again(struct ft_input *input, const char *what)
{
    fprintf(stderr, "ftrun: cannot %s (%s); trying again\n", what, strerror(errno));
    ft_loop_after(input->loop, &input->again, 1, pump_again, input);
    return 0;
}

/* Writes one block from the spool. Returns 1 to go on, 0 to wait or stop. */
static int write_block(struct ft_input *input)
{
    char block[BLOCK];
    ssize_t got = pread(input->spool, block, sizeof(block), (off_t)input->written), done;

    if (got <= 0)
        return got ? try_again(input, "read standard input in the store") : tell_lost(input, 0);
    done = write(input->sink, block, (size_t)got);
    if (done > 0) {
        input->written += (uint64_t)done;
        return 1;
    }
    if (errno == EAGAIN)
        ft_loop_watch(input->loop, input->sink, EPOLLOUT, on_sink, input);
    else
        ft_input_detach(input); /* rank 0 has closed its standard input */
    return 0;
}

/* Puts the block that was read into the spool. Returns 1, or 0 to wait. Nothing may follow a
 * cut: it would leave a hole, which reads as zeros. */
static int spool_block(struct ft_input *input)
{
    struct stat status;

    while (input->held) {
        if (fstat(input->spool, &status))
            return try_again(input, "keep standard input in the store");
        if ((uint64_t)status.st_size < input->spooled)
            return tell_lost(input, 0);
        ssize_t done = pwrite(input->spool, input->block, input->held, (off_t)input->spooled);

        if (done <= 0)
            return try_again(input, "keep standard input in the store");
        memmove(input->block, input->block + done, input->held - (size_t)done);
        input->held -= (size_t)done;
        input->spooled += (uint64_t)done;
    }
    return 1;
}

/* May ftrun read? A background job that reads its terminal would be stopped. */
static int is_foreground(void)
{
    return !isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* The standard input has failed. The input that nohup gives cannot be read, and a terminal that
 * the program does not need may be gone: both end the input. Returns as below. */
static int read_failed(struct ft_input *input)
{
    if (errno == EAGAIN || errno == EINTR)
        return 1;
    if (input->begins >= 0 && (errno == EIO || errno == ESTALE))
        return try_again(input, "read standard input");
    input->ended = errno == EBADF || (errno == EIO && input->terminal);
    return input->ended ? 1 : tell_lost(input, errno);
}

/* Reads one block when there is one. Returns 1 to go on, 0 to wait. */
static int read_block(struct ft_input *input)
{
    if (!is_foreground()) {
        ft_loop_after(input->loop, &input->again, 1, pump_again, input);
        return 0;
    }
    if (!input->readable) {
        int code = ft_loop_watch(input->loop, STDIN_FILENO, EPOLLIN, on_source, input);

        if (code != -EPERM && code != -EBADF) /* those are always ready: files, none at all */
            return 0;
    }
    input->readable = 0;
    ssize_t got = read(STDIN_FILENO, input->block, BLOCK);
    if (got < 0)
        return read_failed(input);
    input->ended = !got;
    input->held = (size_t)got;
    return 1;
}

/* A second copy gets what the first one has read; it waits for that. */
static void pump_copy(struct ft_input *input)
{
    while (input->sink >= 0 && !input->paused && !input->is_lost) {
        if (input->written < input->source->spooled) {
            if (!write_block(input))
                return;
        } else if (input->source->ended) {
            ft_input_detach(input);
        } else {
            return;
        }
    }
}

static void pump_own(struct ft_input *input)
{
    while (input->sink >= 0 && !input->paused && !input->is_lost) {
        if (input->held) {
            if (!spool_block(input))
                return;
        } else if (input->written < input->spooled) {
            if (!write_block(input))
                return;
        } else if (input->ended) {
            ft_input_detach(input);
        } else if (!read_block(input)) {
            return;
        }
    }
}

static void pump(struct ft_input *input)
{
    if (input->source) {
        pump_copy(input);
        return;
    }
    pump_own(input);
    if (input->copy)
        pump_copy(input->copy);
}
