/* input: read, spool, write; one block at a time.
 *
 * Invariant: written <= spooled, and the spool holds bytes [dropped, spooled) of the input. */
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
    uint64_t synced; /* of what is spooled */
    size_t held; /* bytes of block that the spool could not take yet */
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

int ft_input_create(struct ft_loop *loop, const char *spool, struct ft_input **out)
{
    struct ft_input *input = calloc(1, sizeof(*input));
    struct stat status;

    if (!input)
        return -ENOMEM;
    input->loop = loop;
    input->sink = -1;
    input->spool = open(spool, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (input->spool < 0 || fstat(input->spool, &status)) {
        int code = -errno;

        ft_input_destroy(input);
        return code;
    }
    input->spooled = (uint64_t)status.st_size;
    if (input->spooled && !fstat(STDIN_FILENO, &status) && S_ISREG(status.st_mode))
        lseek(STDIN_FILENO, (off_t)input->spooled, SEEK_SET);
    *out = input;
    return 0;
}

void ft_input_detach(struct ft_input *input)
{
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

int ft_input_sync(struct ft_input *input)
{
    if (input->synced < input->spooled && fdatasync(input->spool))
        return -errno;
    input->synced = input->spooled;
    return 0;
}

void ft_input_drop(struct ft_input *input, uint64_t before)
{
    fallocate(input->spool, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)before);
}

/* Neither is the end of the input: a full disk may have room again, and a file server may answer.
 */
static int try_again(struct ft_input *input, const char *verb)
{
    fprintf(stderr, "ftrun: cannot %s standard input in the store (%s); trying again\n", verb,
            strerror(errno));
    ft_loop_after(input->loop, &input->again, 1, pump_again, input);
    return 0;
}

/* Writes one block from the spool. Returns 1 to go on, 0 to wait or stop. */
static int write_block(struct ft_input *input)
{
    char block[BLOCK];
    ssize_t got = pread(input->spool, block, sizeof(block), (off_t)input->written), done;

    if (got <= 0) {
        errno = got ? errno : ENODATA; /* somebody has cut it */
        return try_again(input, "read");
    }
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

/* Puts the block that was read into the spool. Returns 1, or 0 to wait. */
static int spool_block(struct ft_input *input)
{
    while (input->held) {
        ssize_t done = pwrite(input->spool, input->block, input->held, (off_t)input->spooled);

        if (done <= 0)
            return try_again(input, "keep");
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
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    input->ended = got <= 0;
    input->held = got > 0 ? (size_t)got : 0;
    return 1;
}

static void pump(struct ft_input *input)
{
    while (input->sink >= 0 && !input->paused) {
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
