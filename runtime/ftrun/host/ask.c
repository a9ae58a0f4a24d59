#include "host/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/loop.h"
#include "host/spawn.h"

enum { STEP = 4096 };

static pid_t start(const char *command, int out)
{
    const char *argv[] = {"sh", "-c", command, NULL};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    enum ft_spawn_step step;
    extern char **environ;
    struct ft_spawn spawn = {.path = "/bin/sh",
                             .argv = (char *const *)(uintptr_t)argv,
                             .envp = environ,
                             .fds = {null, out, STDERR_FILENO, -1, -1}};
    pid_t pid = null < 0 ? -errno : ft_spawn_start(&spawn, &step);

    if (null >= 0)
        close(null);
    return pid;
}

/* All that comes until the end of the pipe. NULL with an error number: it has not come in time, or
 * there is no memory. */
static char *read_all(int fd, double seconds)
{
    double end = ft_loop_now() + seconds, left;
    char *text = malloc(STEP), *more;
    size_t used = 0, room = STEP;
    ssize_t got = 0;

    while (text && (left = end - ft_loop_now()) > 0) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};

        if (poll(&wait, 1, (int)(left * 1000) + 1) <= 0)
            continue;
        got = read(fd, text + used, room - used - 1);
        text[used += got > 0 ? (size_t)got : 0] = 0;
        if (got <= 0)
            return text;
        if (used + 1 < room)
            continue;
        more = realloc(text, room *= 2);
        if (!more)
            break;
        text = more;
    }
    free(text);
    errno = ETIMEDOUT;
    return NULL;
}

char *ft_ask(const char *command, double seconds, char *why, size_t size)
{
    int name = (int)strcspn(command, " "), ends[2], status = 0;
    pid_t pid = pipe2(ends, O_CLOEXEC) ? -errno : start(command, ends[1]);
    char *text;

    if (pid < 0) {
        snprintf(why, size, "%.*s cannot be started: %s", name, command, strerror(-pid));
        return NULL;
    }
    close(ends[1]);
    text = read_all(ends[0], seconds);
    close(ends[0]);
    if (!text)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (text && !status)
        return text;
    if (!text)
        snprintf(why, size, "%.*s has not answered within %.0f s", name, command, seconds);
    else if (WIFEXITED(status))
        snprintf(why, size, "%.*s has ended with code %d", name, command, WEXITSTATUS(status));
    else
        snprintf(why, size, "%.*s was ended by signal %d", name, command, WTERMSIG(status));
    free(text);
    return NULL;
}
