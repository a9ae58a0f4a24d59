/* spawn: vfork, set-up, execve.
 *
 * vfork stops ftrun until the child has called execve (about half a millisecond) and shares memory
 * with it: the child therefore reports its failure in a variable, and touches nothing else. It also
 * notes its pid itself, so that the guardian knows a rank before the rank can do anything. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "host/spawn.h"

static struct rlimit files;    /* RLIMIT_NOFILE that ftrun was started with, once it has its own */
static void (*too_large)(int); /* what SIGXFSZ did then */

/* Nothing can be read from it, and what is written is an error. */
static void fill_standard(void)
{
    int fd;

    while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
        continue;
    if (fd >= 0)
        close(fd);
}

void ft_spawn_prepare(void)
{
    struct rlimit own;

    fill_standard();
    too_large = signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_NOFILE, &own))
        return;
    files = own;
    own.rlim_cur = own.rlim_max;
    setrlimit(RLIMIT_NOFILE, &own);
}

/* The targets are low and the sources may be anywhere: sources go out of the way first. */
static int place_descriptors(const struct ft_spawn *spawn)
{
    int high[FT_SPAWN_FDS];

    for (int i = 0; i < FT_SPAWN_FDS; i++) {
        high[i] = -1;
        if (spawn->fds[i] >= 0 &&
            (high[i] = fcntl(spawn->fds[i], F_DUPFD_CLOEXEC, FT_SPAWN_FDS)) < 0)
            return -errno;
    }
    for (int i = 0; i < FT_SPAWN_FDS; i++) {
        if (high[i] < 0)
            close(i);
        else if (dup2(high[i], i) < 0)
            return -errno;
    }
    return close_range(FT_SPAWN_FDS, ~0U, 0) ? -errno : 0;
}

static int set_stack_limit(uint64_t bytes)
{
    struct rlimit limit;

    if (!bytes)
        return 0;
    if (getrlimit(RLIMIT_STACK, &limit))
        return -errno;
    limit.rlim_cur = bytes;
    return setrlimit(RLIMIT_STACK, &limit) ? -errno : 0;
}

/* Sets up every child. Returns 0 or -errno. */
static int set_up(const struct ft_spawn *spawn, pid_t parent)
{
    sigset_t none;

    setpgid(0, 0);
    if (spawn->note)
        *spawn->note = getpid();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL))
        return -errno;
    if (getppid() != parent)
        return -ESRCH;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, too_large);
    if (spawn->deaf)
        signal(SIGTERM, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int code = set_stack_limit(spawn->stack_limit);
    if (!code)
        code = place_descriptors(spawn);
    return code || !files.rlim_max || !setrlimit(RLIMIT_NOFILE, &files) ? code : -errno;
}

static int fix_addresses(void)
{
    int now = personality(0xffffffff);

    return now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0 ? -errno : 0;
}

/* In the child: returns only when something failed, with -errno. */
static int become(const struct ft_spawn *spawn, pid_t parent, volatile enum ft_spawn_step *step)
{
    int code = set_up(spawn, parent);

    if (code)
        return code;
    *step = FT_SPAWN_PERSONALITY;
    if (spawn->fixed_addresses && (code = fix_addresses()))
        return code;
    *step = FT_SPAWN_CWD;
    if (spawn->cwd && chdir(spawn->cwd))
        return -errno;
    *step = FT_SPAWN_EXEC;
    execve(spawn->path, spawn->argv, spawn->envp);
    return -errno;
}

pid_t ft_spawn_start(const struct ft_spawn *spawn, enum ft_spawn_step *step)
{
    volatile enum ft_spawn_step reached = FT_SPAWN_SETUP;
    volatile int code = 0;
    pid_t parent = getpid(), child = vfork();

    if (child == 0) {
        code = become(spawn, parent, &reached);
        _exit(127);
    }
    if (child < 0)
        reached = FT_SPAWN_FORK;
    *step = reached;
    if (child < 0)
        return -errno;
    return code ? code : child;
}

void ft_spawn_explain(const struct ft_spawn *spawn, int code, enum ft_spawn_step step, char *why,
                      size_t size)
{
    const char *reason = strerror(-code);

    if (step == FT_SPAWN_PERSONALITY)
        snprintf(
            why, size,
            "a restart needs the addresses of the run before, and address randomisation cannot be "
            "switched off (%s): a container's seccomp profile may forbid personality(2); allow "
            "it (docker: --security-opt seccomp=unconfined)",
            reason);
    else if (step == FT_SPAWN_CWD)
        snprintf(why, size, "cannot enter the working directory %s: %s", spawn->cwd, reason);
    else if (step == FT_SPAWN_EXEC)
        snprintf(why, size, "cannot execute %s: %s", spawn->path, reason);
    else
        snprintf(why, size, "cannot start a process for %s: %s", spawn->path, reason);
}

static void close_all_but(unsigned int low, unsigned int high)
{
    if (low)
        close_range(0, low - 1, 0);
    if (high > low + 1)
        close_range(low + 1, high - 1, 0);
    close_range(high + 1, ~0U, 0);
}

/* In both processes: child is what the one that has made the copy got. */
static pid_t settle_copy(pid_t child, int keep, int keep_too)
{
    if (child)
        return child < 0 ? -errno : child;
    setsid();
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    close_all_but((unsigned int)(keep < keep_too ? keep : keep_too),
                  (unsigned int)(keep < keep_too ? keep_too : keep));
    return 0;
}

pid_t ft_spawn_copy(int keep, int keep_too)
{
    return settle_copy(fork(), keep, keep_too);
}

/* A child whose end is no signal to its parent is none that waitpid looks for. */
pid_t ft_spawn_aside(int keep)
{
    return settle_copy((pid_t)syscall(SYS_clone, 0L, NULL, NULL, NULL, 0L), keep, keep);
}

pid_t ft_spawn_helper_with(int keep, int keep_too)
{
    pid_t parent = getpid(), child = fork();

    if (child)
        return child < 0 ? -errno : child;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
        _exit(1);
    close_all_but((unsigned int)(keep < keep_too ? keep : keep_too),
                  (unsigned int)(keep < keep_too ? keep_too : keep));
    return 0;
}

pid_t ft_spawn_helper(void)
{
    pid_t child = ft_spawn_helper_with(0, 0);

    if (child == 0)
        close(0);
    return child;
}
