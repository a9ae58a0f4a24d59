/* rank: one rank's process and its socket.
 *
 * Every life is started with the same words (arguments, environment, descriptors 0 to 4), because
 * a restore needs the same layout: 3 is the control socket, 4 the recorder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "host/spawn.h"
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

struct ends { /* the rank's and ftrun's ends of everything that connects them */
    int control[2], in[2], out[2], err[2];
};

static void close_ends(struct ends *ends)
{
    int *fds = &ends->control[0];

    for (size_t i = 0; i < sizeof(*ends) / sizeof(int); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

static int open_ends(const struct ft_member *member, struct ends *ends)
{
    memset(ends, -1, sizeof(*ends));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends->control) ||
        pipe2(ends->out, O_CLOEXEC) || pipe2(ends->err, O_CLOEXEC))
        return -errno;
    if (member->rank == 0)
        return pipe2(ends->in, O_CLOEXEC) ? -errno : 0;
    ends->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return ends->in[0] < 0 ? -errno : 0;
}

/* Keeps ftrun's ends and closes the rank's. */
static void keep_ends(struct ft_member *member, struct ends *ends)
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

/* Starts the process as it is, or by the zygote where the system forbids fixed addresses. */
static pid_t start_process(struct ft_run *run, const struct ft_spawn *spawn, int control, char *why,
                           size_t size)
{
    enum ft_spawn_step step = FT_SPAWN_FORK;
    pid_t pid = run->zygote ? 0 : ft_spawn_start(spawn, &step);
    int forbidden = pid < 0 && step == FT_SPAWN_PERSONALITY;

    if (forbidden && ft_run_contains(run)) {
        snprintf(why, size,
                 "--protocol spbc needs the same addresses in a process that goes on after a "
                 "failure, and address randomisation cannot be switched off (%s): allow "
                 "personality(2) (docker: --security-opt seccomp=unconfined), or choose --protocol "
                 "coordinated",
                 strerror(-pid));
        return pid;
    }
    if (forbidden && !run->options.restart) {
        int code = ft_zygote_start(spawn, &run->zygote, why, size);

        if (code)
            return code;
    }
    if (run->zygote)
        return ft_zygote_fork(run->zygote, spawn, control, why, size);
    if (pid < 0)
        ft_spawn_explain(spawn, pid, step, why, size);
    return pid;
}

int ft_rank_start(struct ft_member *member, char *why, size_t size)
{
    struct ft_run *run = member->run;
    struct ends ends;
    int code = open_ends(member, &ends);

    if (code) {
        snprintf(why, size, "pipes of rank %d: %s", member->rank, strerror(-code));
        close_ends(&ends);
        return code;
    }
    struct ft_spawn spawn = {
        .path = run->program.path,
        .argv = run->program.argv,
        .envp = run->program.envp,
        .cwd = run->program.cwd,
        .fds = {ends.in[0], ends.out[1], ends.err[1], ends.control[1], member->recorder_fd},
        .stack_limit = run->program.stack_limit,
        .fixed_addresses = 1,
        .note = ft_shm_rank(run->shm, member->rank)};
    pid_t pid = start_process(run, &spawn, ends.control[0], why, size);
    if (pid < 0) {
        close_ends(&ends);
        return pid;
    }
    member->pid = member->group = pid;
    member->writer = member->continued = 0;
    begin_life(member);
    keep_ends(member, &ends);
    ft_events_emit(run->events, "start", "{s:i, s:i, s:s, s:i}", "rank", member->rank, "pid",
                   (int)pid, "node", run->node, "epoch", (int)run->epoch);
    return 0;
}

/* The process executes the program anew: same pid, same socket, same pipes. */
void ft_rank_continue(struct ft_member *member)
{
    begin_life(member);
    member->continued = 1;
    ft_wire_send(member->control, FT_WIRE_EXEC, NULL, 0, NULL, 0, -1);
    ft_events_emit(member->run->events, "exec", "{s:i, s:i, s:i}", "rank", member->rank, "pid",
                   (int)member->pid, "epoch", (int)member->run->epoch);
}

void ft_rank_close(struct ft_member *member)
{
    ft_pipes_close(member);
    if (member->control >= 0) {
        ft_loop_forget(member->run->loop, member->control);
        close(member->control);
    }
    member->control = -1;
    if (member->rank == 0)
        ft_input_detach(member->run->input);
}

/* What a rank says that goes back is of no interest any more. */
static int is_heard(const struct ft_member *member)
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

        if (length > 0 && is_heard(member))
            ft_message_handle(member, buffer, (size_t)length, &fd);
        if (fd >= 0)
            close(fd);
        if (length <= 0)
            return;
    }
}
