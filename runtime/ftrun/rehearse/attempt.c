/* attempt: its process, from the start to the end of everything it has started.
 *
 * This process is the subreaper of the attempt: it waits for a guardian whose ftrun has died
 * before.
 */
#include "rehearse/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "console/say.h"
#include "host/folder.h"
#include "host/loop.h"
#include "host/spawn.h"

static const double cut_patience[] = {5, 2}; /* seconds after a first SIGINT, and a second one */
static const double orphan_patience = 10;    /* seconds until a guardian has cleaned up */

/* The output is kept in memory, where it is compared in the end: a disk that is full neither
 * shortens it nor silences what ftrun says of that. */
void ft_attempt_file(const struct ft_attempts *attempts, const char *name, char path[FT_STORE_PATH])
{
    if (!strcmp(name, "out"))
        snprintf(path, FT_STORE_PATH, "/proc/self/fd/%d", attempts->printed[0]);
    else if (!strcmp(name, "err"))
        snprintf(path, FT_STORE_PATH, "/proc/self/fd/%d", attempts->printed[1]);
    else
        snprintf(path, FT_STORE_PATH, "%.*s/%s", FT_STORE_PATH - 64, attempts->folder, name);
}

/* A signal that is ignored at the start (nohup) stays ignored here; an attempt must not ignore
 * SIGINT, by which it is ended. SIGUSR1 asks for a checkpoint, of which a rehearsal has none: it is
 * blocked. */
static void take_signals(struct ft_attempts *attempts)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP};
    struct sigaction action;
    sigset_t blocked;

    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&attempts->waited);
    sigaddset(&attempts->waited, SIGCHLD);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(&attempts->waited, numbers[i]);
    }
    blocked = attempts->waited;
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGINT, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static const char *parent_of(const struct ft_attempts *attempts)
{
    return attempts->options->store ? attempts->options->store : "./" FT_STORE_STANDARD;
}

static int make_folder(struct ft_attempts *attempts)
{
    const char *parent = parent_of(attempts);
    int missing = access(parent, F_OK) != 0, code = ft_folder_make(parent);

    attempts->made = missing && !code;
    snprintf(attempts->folder, sizeof(attempts->folder), "%.*s/rehearsal-XXXXXX",
             FT_STORE_PATH - 64, parent);
    if (!code && !mkdtemp(attempts->folder))
        code = -errno;
    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s; name another folder with --store", parent,
                             strerror(-code))
                : 0;
}

/* A folder that the user has named and made stays. */
static void remove_folder(const struct ft_attempts *attempts)
{
    ft_folder_remove(attempts->folder);
    if (attempts->made || !attempts->options->store)
        rmdir(parent_of(attempts)); /* only when empty */
}

/* The guardian's whole life, as that of a run (host/shm.c). The processes of the present attempt
 * are being killed meanwhile, and may still put something into the folder. */
static _Noreturn void guard(const struct ft_attempts *attempts, int farewell)
{
    struct pollfd poller = {.fd = farewell, .events = POLLIN};
    char byte;

    prctl(PR_SET_NAME, "ftrun-guard");
    while (poll(&poller, 1, -1) < 0 && errno == EINTR)
        ;
    if (read(farewell, &byte, 1) == 1)
        _exit(0);
    for (int i = 0; i < 500 && !access(attempts->folder, F_OK); i++) {
        poll(NULL, 0, 10);
        remove_folder(attempts);
    }
    _exit(0);
}

static int open_memory(struct ft_attempts *attempts)
{
    attempts->printed[0] = memfd_create("ftrun-out", MFD_CLOEXEC);
    attempts->printed[1] = memfd_create("ftrun-err", MFD_CLOEXEC);
    return attempts->printed[0] < 0 || attempts->printed[1] < 0
               ? ft_say_and(1, "memory for the output: %s", strerror(errno))
               : 0;
}

static int start_guardian(struct ft_attempts *attempts)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC))
        return ft_say_and(1, "pipe: %s", strerror(errno));
    attempts->farewell = ends[1];
    attempts->guardian = ft_spawn_aside(ends[0]);
    if (attempts->guardian == 0)
        guard(attempts, ends[0]);
    close(ends[0]);
    return attempts->guardian < 0
               ? ft_say_and(1, "a guardian: %s", strerror((int)-attempts->guardian))
               : 0;
}

int ft_attempts_open(struct ft_attempts *attempts, const struct ft_options *options)
{
    ssize_t length = readlink("/proc/self/exe", attempts->ftrun, sizeof(attempts->ftrun) - 1);

    attempts->options = options;
    if (length < 0)
        return ft_say_and(1, "/proc/self/exe: %s", strerror(errno));
    attempts->ftrun[length] = 0;
    if (open_memory(attempts))
        return 1;
    if (make_folder(attempts))
        return FT_EXIT_USAGE;
    if (start_guardian(attempts)) {
        remove_folder(attempts);
        return 1;
    }
    take_signals(attempts);
    return 0;
}

void ft_attempts_close(struct ft_attempts *attempts)
{
    remove_folder(attempts);
    ssize_t told = write(attempts->farewell, "q", 1);
    (void)told; /* a guardian that was killed needs no farewell */
    close(attempts->farewell);
    waitpid(attempts->guardian, NULL, __WCLONE);
    close(attempts->printed[0]);
    close(attempts->printed[1]);
}

/* A file is read by each attempt from its beginning; nothing else can be read twice. */
static int open_input(void)
{
    struct stat status;
    int again = !fstat(STDIN_FILENO, &status) && S_ISREG(status.st_mode);

    return open(again ? "/proc/self/fd/0" : "/dev/null", O_RDONLY | O_CLOEXEC);
}

static int open_output(const struct ft_attempts *attempts, const char *name)
{
    char path[FT_STORE_PATH];

    ft_attempt_file(attempts, name, path);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
}

/* Returns its pid, or -errno after a message. */
static pid_t start(const struct ft_attempts *attempts, const struct ft_attempt_order *order)
{
    enum ft_spawn_step step = FT_SPAWN_SETUP;
    char **words = ft_attempt_words(attempts, order), why[1024];
    int fds[3] = {open_input(), open_output(attempts, "out"), open_output(attempts, "err")};
    extern char **environ;
    struct ft_spawn spawn = {.path = attempts->ftrun,
                             .argv = words,
                             .envp = environ,
                             .fds = {fds[0], fds[1], fds[2], -1, -1}};
    pid_t pid = words && fds[1] >= 0 && fds[2] >= 0 ? ft_spawn_start(&spawn, &step) : -ENOMEM;

    for (int i = 0; i < 3; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    ft_attempt_words_destroy(words);
    if (pid < 0) {
        ft_spawn_explain(&spawn, pid, step, why, sizeof(why));
        ft_say("%s", why);
    }
    return pid;
}

/* Waits until the process has ended, the time is over, or a signal has come; ticks. Returns 1 when
 * it has ended. */
static int wait_for(struct ft_attempts *attempts, pid_t pid, double due, int *status)
{
    struct timespec second = {.tv_sec = 1};

    for (double now = ft_loop_now(); now < due && !attempts->signal; now = ft_loop_now()) {
        double left = due - now;

        if (waitpid(pid, status, WNOHANG) == pid)
            return 1;
        if (left < 1)
            second = (struct timespec){.tv_nsec = (long)(left * 1e9)};
        int number = sigtimedwait(&attempts->waited, NULL, &second);
        if (number > 0 && number != SIGCHLD)
            attempts->signal = number;
        if (attempts->tick)
            attempts->tick(attempts->context);
    }
    return waitpid(pid, status, WNOHANG) == pid;
}

/* Ends an attempt as a user would: SIGINT lets it clean up, a second one hurries it. */
static void cut(struct ft_attempts *attempts, pid_t pid, int *status)
{
    struct ft_attempts quiet = *attempts;

    for (size_t i = 0; i < sizeof(cut_patience) / sizeof(cut_patience[0]); i++) {
        quiet.signal = 0;
        quiet.tick = NULL;
        kill(pid, SIGINT);
        if (wait_for(&quiet, pid, ft_loop_now() + cut_patience[i], status))
            return;
    }
    kill(pid, SIGKILL);
    waitpid(pid, status, 0);
}

/* Processes that a killed ftrun has left end by themselves. */
static void reap_orphans(void)
{
    double due = ft_loop_now() + orphan_patience;

    while (waitpid(-1, NULL, WNOHANG) >= 0 && ft_loop_now() < due)
        usleep(1000);
}

void ft_attempt_run(struct ft_attempts *attempts, const struct ft_attempt_order *order,
                    double limit, struct ft_attempt_result *result)
{
    double begun = ft_loop_now();
    char path[FT_STORE_PATH];
    int status = 0;

    ft_attempt_file(attempts, "events", path);
    unlink(path);
    pid_t pid = start(attempts, order);
    *result = (struct ft_attempt_result){.end = FT_ATTEMPT_FAILED, .code = 1};
    if (pid < 0)
        return;
    result->end = FT_ATTEMPT_ENDED;
    if (!wait_for(attempts, pid, begun + limit, &status)) {
        result->end = attempts->signal ? FT_ATTEMPT_INTERRUPTED : FT_ATTEMPT_HUNG;
        cut(attempts, pid, &status);
    }
    reap_orphans();
    ft_attempt_file(attempts, "store", path);
    ft_folder_remove(path);
    result->seconds = ft_loop_now() - begun;
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
