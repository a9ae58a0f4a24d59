/* zygote: the launcher's half. Every exchange is a question and an answer with a time limit,
 * because ftrun must not hang on a process that hangs. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/zygote.h"
#include "wire/wire.h"

#define PATIENCE_MS                                                                                \
    20000 /* an answer takes milliseconds; loading a program over a network longer */

struct ft_zygote {
    pid_t pid;   /* 0: it has ended */
    int control; /* ftrun's end */
};

static char zygote_buffer[FT_WIRE_MAX];

/* Waits for a message of this type; its payload, or NULL with errno. */
static const void *answer(struct ft_zygote *zygote, uint32_t type, size_t length)
{
    struct pollfd wait = {.fd = zygote->control, .events = POLLIN};
    int fd = -1, ready;

    while ((ready = poll(&wait, 1, PATIENCE_MS)) < 0 && errno == EINTR)
        ;
    errno = ETIMEDOUT;
    if (ready <= 0)
        return NULL;
    ssize_t got = ft_wire_receive(zygote->control, 0, zygote_buffer, &fd);
    if (fd >= 0)
        close(fd);
    errno = EPIPE;
    if (got <= 0 || ((struct ft_wire_head *)zygote_buffer)->type != type)
        return NULL;
    return ft_wire_payload(zygote_buffer, length);
}

void ft_zygote_destroy(struct ft_zygote *zygote)
{
    if (!zygote)
        return;
    if (zygote->control >= 0)
        close(zygote->control);
    if (zygote->pid > 0) {
        kill(zygote->pid, SIGKILL);
        waitpid(zygote->pid, NULL, 0);
    }
    free(zygote);
}

/* HELLO and a BOOT that makes a zygote of the process. */
static int greet(struct ft_zygote *zygote)
{
    static struct ft_wire_boot boot = {.rank = -1, .restore = -1, .recorder_fd = -1};
    const struct ft_wire_hello *hello = answer(zygote, FT_WIRE_HELLO, sizeof(*hello));

    if (!hello)
        return -errno;
    if (hello->version != FT_WIRE_VERSION)
        return -EPROTO;
    return ft_wire_send(zygote->control, FT_WIRE_BOOT, &boot, sizeof(boot), NULL, 0, -1);
}

int ft_zygote_start(const struct ft_spawn *rank, struct ft_zygote **out, char *why, size_t size)
{
    struct ft_zygote *zygote = calloc(1, sizeof(*zygote));
    int ends[2] = {-1, -1}, null = open("/dev/null", O_RDWR | O_CLOEXEC), code = 0;
    struct ft_spawn spawn = *rank;
    enum ft_spawn_step step = FT_SPAWN_SETUP;

    if (!zygote || null < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        code = -errno;
    spawn.fixed_addresses = 0;
    spawn.note = NULL;
    memcpy(spawn.fds, (int[FT_SPAWN_FDS]){null, null, STDERR_FILENO, ends[1], -1},
           sizeof(spawn.fds));
    if (!code) {
        zygote->control = ends[0];
        zygote->pid = ft_spawn_start(&spawn, &step);
        code = zygote->pid < 0 ? zygote->pid : greet(zygote);
    }
    if (code)
        ft_spawn_explain(&spawn, code, step, why, size);
    close(null);
    close(ends[1]);
    if (!code)
        *out = zygote;
    else
        ft_zygote_destroy(zygote);
    return code;
}

/* Puts a descriptor into the new rank's socket, for it to take before anything else. */
static int give(int control, int value, int fd)
{
    struct ft_wire_number number = {value};

    return ft_wire_send(control, FT_WIRE_FD, &number, sizeof(number), NULL, 0, fd);
}

/* Its pid, or -errno; -EPIPE: the zygote has ended. */
static pid_t order_rank(struct ft_zygote *zygote, const struct ft_spawn *spawn, int control)
{
    const struct ft_wire_number *pid;
    int code = 0;

    for (int i = 0; i < 3 && !code; i++)
        code = give(control, i, spawn->fds[i]);
    if (!code)
        code = give(control, -1, spawn->fds[4]);
    if (!code)
        code = ft_wire_send(zygote->control, FT_WIRE_SPAWN, NULL, 0, NULL, 0, spawn->fds[3]);
    if (code)
        return code;
    pid = answer(zygote, FT_WIRE_SPAWNED, sizeof(*pid));
    if (!pid)
        return -errno;
    if (pid->value > 0 && spawn->note)
        *spawn->note = (pid_t)pid->value;
    return (pid_t)pid->value;
}

pid_t ft_zygote_fork(struct ft_zygote *zygote, const struct ft_spawn *spawn, int control, char *why,
                     size_t size)
{
    pid_t pid = order_rank(zygote, spawn, control);

    if (pid == -EPIPE)
        snprintf(why, size,
                 "the process that all ranks are forked from has ended, and no other one has their "
                 "addresses, because address randomisation cannot be switched off here: allow "
                 "personality(2) (docker: --security-opt seccomp=unconfined)");
    else if (pid < 0)
        ft_spawn_explain(spawn, pid, FT_SPAWN_FORK, why, size);
    return pid;
}

int ft_zygote_reaped(struct ft_zygote *zygote, pid_t pid)
{
    if (!zygote || pid != zygote->pid)
        return 0;
    zygote->pid = 0;
    return 1;
}
