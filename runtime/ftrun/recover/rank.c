/* rank: one rank's process and its socket. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "recover/recover.h"

static void on_control(void *context, uint32_t events)
{
    struct ft_member *member = context;

    ft_rank_listen(member);
    if (events & (EPOLLHUP | EPOLLERR) && member->control >= 0) {
        ft_loop_forget(member->run->loop, member->control);
        member->first_sign = ft_loop_now();
    }
}

/* Keeps ftrun's ends and closes the rank's. */
static void keep_ends(struct ft_member *member, struct ft_ends *ends)
{
    struct ft_run *run = member->run;

    member->control = ends->control[0];
    member->out[0] = ends->out[0];
    member->out[1] = ends->err[0];
    ft_loop_watch(run->loop, member->control, EPOLLIN, on_control, member);
    ft_pipes_watch(member);
    close(ends->control[1]);
    close(ends->out[1]);
    close(ends->err[1]);
    close(ends->in[0]);
    if (ends->in[1] >= 0) {
        fcntl(ends->in[1], F_SETFL, O_NONBLOCK);
        ft_input_attach(run->input, ends->in[1], run->input_position);
    }
}

static void begin_life(struct ft_member *member)
{
    member->hello = member->back = 0;
    member->finalizing = member->ended = member->code = 0;
    member->first_sign = member->aborted = 0;
    member->recorder->starting = 0;
    ft_loop_cancel(member->run->loop, &member->abort);
    free(member->backtrace);
    member->backtrace = NULL;
}

static int start_here(struct ft_member *member, char *why, size_t size)
{
    struct ft_run *run = member->run;
    struct ft_ends ends;
    int code = ft_ends_open(&ends, member->rank == 0);

    if (code) {
        snprintf(why, size, "pipes of rank %d: %s", member->rank, strerror(-code));
        return code;
    }
    pid_t pid =
        ft_starter_start(&run->starter, &run->program, member->rank, &ends, member->recorder_fd,
                         ft_shm_rank(run->shm, member->rank), why, size);
    if (pid < 0) {
        ft_ends_close(&ends);
        return pid;
    }
    member->pid = member->group = pid;
    begin_life(member);
    keep_ends(member, &ends);
    return 0;
}

int ft_rank_start(struct ft_member *member, char *why, size_t size)
{
    struct ft_run *run = member->run;
    int code;

    member->writer = member->continued = 0;
    if (member->node) {
        begin_life(member);
        if ((code = ft_away_start(member)))
            snprintf(why, size, "%s", strerror(-code));
        return code;
    }
    if ((code = start_here(member, why, size)))
        return code;
    ft_events_emit(run->events, "start", "{s:i, s:i, s:s, s:i}", "rank", member->rank, "pid",
                   (int)member->pid, "node", run->node, "epoch", (int)run->epoch);
    return 0;
}

/* The process executes the program anew: same pid, same socket, same pipes. */
void ft_rank_continue(struct ft_member *member)
{
    begin_life(member);
    member->continued = 1;
    ft_rank_send(member, FT_WIRE_EXEC, NULL, 0, NULL, 0, -1);
    ft_events_emit(member->run->events, "exec", "{s:i, s:i, s:i}", "rank", member->rank, "pid",
                   ft_rank_number(member), "epoch", (int)member->run->epoch);
}

void ft_rank_close(struct ft_member *member)
{
    ft_pipes_close(member);
    if (member->control >= 0) {
        ft_loop_forget(member->run->loop, member->control);
        close(member->control);
    }
    member->control = -1;
    ft_away_close(member);
    if (member->rank == 0)
        ft_input_detach(member->run->input);
}

/* Messages of a rank that rolls back are ignored. */
int ft_rank_is_heard(const struct ft_member *member)
{
    enum ft_run_state state = member->run->state;

    return state < FT_RUN_LEAVING || (state == FT_RUN_LEAVING && !member->cluster->fallen);
}

void ft_rank_listen(struct ft_member *member)
{
    static char buffer[FT_WIRE_MAX] __attribute__((aligned(16)));

    while (member->control >= 0) {
        int fd;
        ssize_t length = ft_wire_receive(member->control, 0, buffer, &fd);

        if (length > 0 && (ft_rank_is_heard(member) || ft_message_is_fault(buffer)))
            ft_message_handle(member, buffer, (size_t)length, &fd);
        if (fd >= 0)
            close(fd);
        if (length <= 0)
            return;
    }
}
