/* start: see start.h. A process is started as it is, or by the zygote where the system forbids
 * fixed addresses. */
#include "host/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/parts.h"

void ft_ends_close(struct ft_ends *ends)
{
    int *fds = &ends->control[0];

    for (size_t i = 0; i < sizeof(*ends) / sizeof(int); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

int ft_ends_open(struct ft_ends *ends, int input)
{
    int code = 0;

    memset(ends, -1, sizeof(*ends));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends->control) ||
        pipe2(ends->out, O_CLOEXEC) || pipe2(ends->err, O_CLOEXEC))
        code = -errno;
    else if (input)
        code = pipe2(ends->in, O_CLOEXEC) ? -errno : 0;
    else if ((ends->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
        code = -errno;
    if (code)
        ft_ends_close(ends);
    return code;
}

/* Slurm sends SIGTERM to all processes of a job that is about to end: a rank would die of it while
 * ftrun takes the last checkpoint. A program that handles it gets it. */
pid_t ft_starter_start(struct ft_starter *starter, const struct ft_program *program, int rank,
                       const struct ft_ends *ends, int recorder, pid_t *note, char *why,
                       size_t size)
{
    struct ft_part part = ft_parts_of(program, rank);
    struct ft_spawn spawn = {
        .path = part.starter ? part.starter : part.path,
        .argv = part.argv,
        .envp = program->envp,
        .cwd = program->cwd,
        .fds = {ends->in[0], ends->out[1], ends->err[1], ends->control[1], recorder},
        .stack_limit = program->stack_limit,
        .fixed_addresses = 1,
        .deaf = getenv("SLURM_JOB_ID") != NULL,
        .note = note};
    enum ft_spawn_step step = FT_SPAWN_FORK;
    pid_t pid = starter->zygote ? 0 : ft_spawn_start(&spawn, &step);
    int forbidden = pid < 0 && step == FT_SPAWN_PERSONALITY;

    if (forbidden && starter->fixed) {
        snprintf(why, size,
                 "--protocol spbc needs the same addresses in a process that goes on after a "
                 "failure, and address randomisation cannot be switched off (%s): allow "
                 "personality(2) (docker: --security-opt seccomp=unconfined), or choose --protocol "
                 "coordinated",
                 strerror(-pid));
        return pid;
    }
    if (forbidden && !starter->restart) {
        int code = ft_zygote_start(&spawn, &starter->zygote, why, size);

        if (code)
            return code;
    }
    if (starter->zygote)
        return ft_zygote_fork(starter->zygote, &spawn, ends->control[0], why, size);
    if (pid < 0)
        ft_spawn_explain(&spawn, pid, step, why, size);
    return pid;
}
