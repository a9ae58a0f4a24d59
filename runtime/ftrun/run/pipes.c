/* pipes: what the ranks print, from their pipes to the output. */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "run/run.h"

/* Reads what one pipe holds now: a rank that prints faster than it is read must not keep ftrun from
 * all else. Returns 0 when it has ended. */
static int drain_pipe(struct ft_member *member, int stream)
{
    static char block[65536];
    int held = 0;
    ssize_t got;

    ioctl(member->out[stream], FIONREAD, &held);
    do {
        got = read(member->out[stream], block, sizeof(block));
        if (got > 0)
            ft_output_feed(member->run->output, member->rank, stream, block, (size_t)got);
        held -= (int)got;
    } while (got > 0 && held > 0);
    return got > 0 || (got < 0 && errno != EIO);
}

static void close_pipe(struct ft_member *member, int stream)
{
    if (member->out[stream] < 0)
        return;
    ft_loop_forget(member->run->loop, member->out[stream]);
    close(member->out[stream]);
    member->out[stream] = -1;
}

/* A rank's stderr while its library starts is passed on when that was successful, or when the
 * run ends: one that dies then makes the libraries of others complain, which start again. */
void ft_pipes_drain(struct ft_member *member)
{
    ft_output_detain(member->run->output, member->rank, 1, member->recorder->starting != 0);
    for (int stream = 0; stream < 2; stream++) {
        if (member->out[stream] >= 0 && !drain_pipe(member, stream))
            close_pipe(member, stream);
    }
}

static void watch_pipes(struct ft_run *run);

static void on_pipe(void *context, uint32_t events)
{
    struct ft_member *member = context;

    (void)events;
    ft_pipes_drain(member);
    ft_output_watch(member->run);
}

static void on_idle(void *context)
{
    struct ft_run *run = context;

    if (ft_output_idle(run->output))
        ft_loop_after(run->loop, &run->idle, FT_OUTPUT_IDLE_MS / 1e3, on_idle, run);
}

static void on_reader(void *context, uint32_t events)
{
    struct ft_run *run = context;

    (void)events;
    ft_output_pump(run->output);
    if (run->twin)
        ft_output_pump(run->twin->output);
    for (int i = 0; i < 2; i++) {
        if (!ft_output_waits(run->output, i))
            ft_loop_forget(run->loop, run->output_fds[i]);
    }
    watch_pipes(run);
    if (run->twin)
        watch_pipes(run->twin);
}

/* Ranks are read as long as the reader of ftrun's own output keeps up. */
static void watch_pipes(struct ft_run *run)
{
    int full = ft_output_is_full(run->output);

    for (int i = 0; run->nodes && full != run->paused && i < run->nodes->count; i++)
        ft_node_tell(&run->nodes->node[i], FT_AGENT_PAUSE, -1, 0, full, NULL, 0);
    run->paused = full;
    for (int i = 0; i < 2 * run->size; i++) {
        struct ft_member *member = &run->members[i / 2];

        if (member->out[i % 2] < 0)
            continue;
        if (full)
            ft_loop_forget(run->loop, member->out[i % 2]);
        else
            ft_loop_watch(run->loop, member->out[i % 2], EPOLLIN, on_pipe, member);
    }
}

void ft_output_watch(struct ft_run *run)
{
    for (int i = 0; i < 2; i++) {
        if (ft_output_waits(run->output, i))
            ft_loop_watch(run->loop, run->output_fds[i], EPOLLOUT, on_reader, run);
    }
    if (ft_output_is_full(run->output))
        watch_pipes(run);
    if (!run->idle.armed)
        ft_loop_after(run->loop, &run->idle, FT_OUTPUT_IDLE_MS / 1e3, on_idle, run);
}

void ft_pipes_watch(struct ft_member *member)
{
    for (int i = 0; i < 2; i++) {
        fcntl(member->out[i], F_SETFL, O_NONBLOCK);
        ft_loop_watch(member->run->loop, member->out[i], EPOLLIN, on_pipe, member);
    }
}

void ft_pipes_close(struct ft_member *member)
{
    ft_pipes_drain(member);
    close_pipe(member, 0);
    close_pipe(member, 1);
}
