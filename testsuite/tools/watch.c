/* watch: runs a command and watches, from outside, what becomes of its processes.
 *
 *     watch [-o LOG] [-e EVENTS] [-p PROGRAM] [-t SECONDS] [-b LOOK] [-s SEED]
 *           [-k WHEN/WHO[/SIGNAL]]... -- COMMAND [ARGUMENT]...
 *
 * It shares nothing with the runtime: it walks /proc from the command downwards every few
 * milliseconds, holds a pidfd for each process it has met, and logs, with seconds since the launch,
 *     T birth PID PPID STARTTIME EXE      T exec PID PPID STARTTIME EXE      T death PID
 *     T kill PID WHO SIGNAL               T left WHAT
 *     T still FROM                        nothing was seen since FROM: the machine stood still
 * It is the subreaper of all of them, so that nobody can slip away. Afterwards it reports what was
 * left behind: processes, System V segments they made, files in /dev/shm that nobody maps.
 *
 * -k kills on purpose. WHEN is a number of seconds, or EVENT#N, or EVENT#N+SECONDS: the N-th event
 * of that name in the file EVENTS. WHO is rankR (the process of rank R, by its last `start` event),
 * any (a rank drawn with SEED), ftrun (the command), or the name of a program among the
 * descendants; writer is a process of PROGRAM that is no rank, until the next commit. SIGNAL is a
 * name without SIG; KILL when left out. CONT goes to whom the last STOP for this WHO went.
 *
 * -t ends the command when the time is up, of which moments in which the machine stood still (a
 * virtual one may) are none. Before that the shell gets LOOK, with the pids of the processes of
 * PROGRAM that are alive behind it: for their stacks, say.
 *
 * Exit code: the command's (128 + signal), 124 when the time was up, 125 when something was left
 * behind. Reads EVENTS only to find the moment and the victim of a kill. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "testsuite/tools/watch.h"

/* Seconds; a look takes milliseconds. */
#define STILL 1.0

FILE *log_file;

static const char *events_path, *program = "", *look;
static double launched, limit = 1e9;
static unsigned seed = 1;
static volatile sig_atomic_t forward;

double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - launched;
}

void fatal(const char *what)
{
    fprintf(stderr, "watch: %s: %s\n", what, strerror(errno));
    exit(126);
}

int reap(pid_t command, int *code)
{
    int status, ended = 0;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == command) {
            *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            ended = 1;
        }
    return ended;
}

/* The output of LOOK goes to stderr. */
static void look_at_program(void)
{
    char *line = NULL;
    size_t length;
    FILE *text = open_memstream(&line, &length);

    if (!text)
        fatal("open_memstream");
    fputs(look, text);
    for (int i = 0; i < processes; i++)
        if (process[i].handle >= 0 && !strcmp(process[i].exe, program))
            fprintf(text, " %d", process[i].pid);
    fputs(" >&2", text);
    fclose(text);
    if (system(line))
        fprintf(stderr, "watch: failed: %s\n", line);
    free(line);
}

static void time_is_up(pid_t command)
{
    fprintf(log_file, "%.6f limit\n", clock_now());
    if (look)
        look_at_program();
    kill(command, SIGKILL); /* what depends on it must end by itself */
}

/* The stolen part of the time since the last look: a machine that is only busy lets watch look
 * more often. */
static double stood_still(double *looked)
{
    double from = *looked, now = *looked = clock_now();

    if (now - from < STILL)
        return 0;
    fprintf(log_file, "%.6f still %.6f\n", now, from);
    return now - from;
}

static int supervise(pid_t command)
{
    int code = 0, ended = 0, late = 0;
    double looked = clock_now(), lost = 0;

    process_meet(command);
    while (!ended) {
        walk(getpid());
        events_follow(events_path);
        orders_carry_out(program, &seed);
        wait_tick();
        ended = reap(command, &code);
        lost += stood_still(&looked);
        if (forward) {
            kill(command, forward);
            forward = 0;
        }
        if (!ended && !late && clock_now() - lost > limit) {
            late = 1;
            time_is_up(command);
        }
    }
    fprintf(log_file, "%.6f end %d\n", clock_now(), code);
    return late ? 124 : code;
}

static void on_signal(int number)
{
    forward = number;
}

static pid_t launch(char **command)
{
    pid_t pid = fork();

    if (pid < 0)
        fatal("fork");
    if (pid == 0) {
        execvp(command[0], command);
        fprintf(stderr, "watch: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    return pid;
}

static void options_parse(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "+o:e:p:t:b:s:k:")) != -1)
        switch (option) {
        case 'o':
            log_file = fopen(optarg, "we");
            if (!log_file)
                fatal(optarg);
            break;
        case 'e':
            events_path = optarg;
            break;
        case 'p':
            program = optarg;
            break;
        case 't':
            limit = atof(optarg);
            break;
        case 'b':
            look = optarg;
            break;
        case 's':
            seed = (unsigned)atoi(optarg);
            break;
        case 'k':
            order_parse(optarg);
            break;
        default:
            exit(126);
        }
    if (!log_file)
        log_file = fopen("/dev/null", "we");
    if (optind == argc) {
        errno = EINVAL;
        fatal("no command");
    }
}

int main(int argc, char **argv)
{
    struct name_set before;
    int code, left;

    options_parse(argc, argv);
    names_read(&before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    setvbuf(log_file, NULL, _IOLBF, 0);
    launched = clock_now();
    code = supervise(launch(argv + optind));
    left = leftovers(&before);
    fclose(log_file);
    return left && code != 124 ? 125 : code;
}
