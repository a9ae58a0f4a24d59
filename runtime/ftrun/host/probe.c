/* probe: a trial start, with a pipe that the program answers on. */
#include "host/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/program.h"
#include "wire/wire.h"

enum { PATIENCE = 10000 }; /* milliseconds; a script may load modules first */

/* "PID PATH" in `text`. False: no answer. */
static int answer_read(int fd, char *text, size_t size)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    ssize_t length = -1;

    while (poll(&wait, 1, PATIENCE) < 0 && errno == EINTR)
        ;
    if (wait.revents)
        length = read(fd, text, size - 1);
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

static void command_end(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static char *answer_take(const char *text, pid_t pid, const char *name, char *why, size_t size)
{
    char *path;
    long who = strtol(text, &path, 10);

    if (who == pid && *path == ' ')
        return strdup(path + 1);
    snprintf(why, size,
             "%s starts%s as a child of its own, and ftrun has to see how a rank ends: let it "
             "execute the "
             "program (in a script: exec in front of the last command)",
             name, path);
    return NULL;
}

/* Messages of the shell about a script would come twice: nothing is heard of the trial. */
char *ft_probe_run(struct ft_spawn command, char *why, size_t size)
{
    enum ft_spawn_step step = FT_SPAWN_FORK;
    char text[PATH_MAX + 32], **envp = ft_program_copy(command.envp), *found = NULL;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC), ends[2] = {-1, -1};
    pid_t pid = -ENOMEM;

    command.fds[0] = command.fds[1] = command.fds[2] = nowhere;
    if (envp && nowhere >= 0 && pipe2(ends, O_CLOEXEC) == 0 &&
        ft_program_setenv(&envp, FT_WIRE_PROBE, "3") == 0) {
        command.envp = envp;
        command.fds[3] = ends[1];
        command.fds[4] = -1;
        pid = ft_spawn_start(&command, &step);
    }
    if (ends[1] >= 0)
        close(ends[1]);
    if (pid < 0)
        ft_spawn_explain(&command, pid, step, why, size);
    else if (answer_read(ends[0], text, sizeof(text)))
        found = answer_take(text, pid, command.argv[0], why, size);
    else
        snprintf(
            why, size,
            "%s was not linked with ftcc, and started no program that was: build the program with "
            "ftcc instead of mpicc",
            command.argv[0]);
    if (pid > 0)
        command_end(pid);
    if (ends[0] >= 0)
        close(ends[0]);
    if (nowhere >= 0)
        close(nowhere);
    for (char **string = envp; string && *string; string++)
        free(*string);
    free(envp);
    return found;
}
