/* watch: runs a command and watches, from outside, what becomes of its processes.
 *
 *     watch [-o LOG] [-e EVENTS] [-p PROGRAM] [-t SECONDS] [-s SEED] [-k WHEN/WHO[/SIGNAL]]...
 *           -- COMMAND [ARGUMENT]...
 *
 * It shares nothing with the runtime: it walks /proc from the command downwards every few
 * milliseconds, holds a pidfd for each process it has met, and logs, with seconds since the launch,
 *     T birth PID PPID STARTTIME EXE      T exec PID PPID STARTTIME EXE      T death PID
 *     T kill PID WHO SIGNAL               T left WHAT
 * It is the subreaper of all of them, so that nobody can slip away. Afterwards it reports what was
 * left behind: processes, System V segments they made, files in /dev/shm that nobody maps.
 *
 * -k kills on purpose. WHEN is a number of seconds, or EVENT#N, or EVENT#N+SECONDS: the N-th event
 * of that name in the file EVENTS. WHO is rankR (the process of rank R, by its last `start` event),
 * any (a rank drawn with SEED), ftrun (the command), or the name of a program among the
 * descendants; writer is a process of PROGRAM that is no rank. SIGNAL is a name without SIG; KILL
 * when left out.
 *
 * Exit code: the command's (128 + signal), 124 when the time was up, 125 when something was left
 * behind. Reads EVENTS only to find the moment and the victim of a kill. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 4096, KILLS = 64, RANKS = 256, TICK_MS = 5, NAMES = 512 };

struct process {
    pid_t pid;
    int handle; /* pidfd, -1 once dead */
    unsigned long long start;
    char exe[256];
};

struct order {
    char event[32]; /* "": at a time */
    long number;    /* which event of that name, from 1 */
    double delay;   /* seconds after it, or after the launch */
    double due;     /* seconds since the launch, < 0: not known yet */
    char who[32];
    int signal;
    int done;
};

struct name_set {
    char *name[NAMES];
    int count;
};

static struct process process[PROCESSES];
static int processes;
static struct order order[KILLS];
static int orders;
static pid_t rank_pid[RANKS];
static const char *events_path, *program = "";
static FILE *log_file;
static double launched, limit = 1e9;
static unsigned seed = 1;
static int left;
static volatile sig_atomic_t forward;

static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - launched;
}

static void fatal(const char *what)
{
    fprintf(stderr, "watch: %s: %s\n", what, strerror(errno));
    exit(126);
}

static void report_left(const char *what, const char *name)
{
    left++;
    fprintf(log_file, "%.6f left %s %s\n", clock_now(), what, name);
    fprintf(stderr, "watch: left behind: %s %s\n", what, name);
}

/* Reads a file of /proc; returns its length, 0 when it is gone. */
static size_t proc_read(char *text, size_t room, pid_t pid, const char *name)
{
    char path[340];
    ssize_t length;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    length = read(fd, text, room - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

/* Start time and parent of a process; 0 when it is gone or a zombie. */
static int proc_stat(pid_t pid, pid_t *parent, unsigned long long *start)
{
    char text[1024], state, *end;

    if (!proc_read(text, sizeof(text), pid, "stat") || !(end = strrchr(text, ')')))
        return 0;
    if (sscanf(end + 2,
               "%c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, parent, start) != 3)
        return 0;
    return state != 'Z' && state != 'X';
}

static void proc_exe(pid_t pid, char *exe, size_t room)
{
    char path[64];
    ssize_t length;

    snprintf(path, sizeof(path), "/proc/%d/exe", pid);
    length = readlink(path, exe, room - 1);
    exe[length > 0 ? length : 0] = '\0';
}

static struct process *process_find(pid_t pid)
{
    for (int i = processes - 1; i >= 0; i--)
        if (process[i].pid == pid && process[i].handle >= 0)
            return &process[i];
    return NULL;
}

static void process_log(const struct process *found, const char *what, pid_t parent)
{
    fprintf(log_file, "%.6f %s %d %d %llu %s\n", clock_now(), what, found->pid, parent,
            found->start, found->exe);
}

/* Takes notice of a process that was met on the walk: new, or known but with another program. */
static void process_meet(pid_t pid)
{
    struct process *found = process_find(pid);
    unsigned long long start;
    char exe[256];
    pid_t parent;

    if (!proc_stat(pid, &parent, &start))
        return;
    proc_exe(pid, exe, sizeof(exe));
    if (found && (strcmp(found->exe, exe) && *exe)) {
        memcpy(found->exe, exe, sizeof(exe));
        process_log(found, "exec", parent);
    }
    if (found || processes == PROCESSES)
        return;
    found = &process[processes];
    found->handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (found->handle < 0)
        return;
    found->pid = pid;
    found->start = start;
    memcpy(found->exe, exe, sizeof(exe));
    processes++;
    process_log(found, "birth", parent);
}

static void walk(pid_t pid);

static void walk_thread(pid_t pid, const char *thread)
{
    char name[300], text[16384], *at = text, *end;
    long child;

    snprintf(name, sizeof(name), "task/%s/children", thread);
    if (!proc_read(text, sizeof(text), pid, name))
        return;
    while ((child = strtol(at, &end, 10)) > 0 && end != at) {
        process_meet((pid_t)child);
        walk((pid_t)child);
        at = end;
    }
}

/* Visits all descendants; children belong to the thread that made them. */
static void walk(pid_t pid)
{
    struct dirent *entry;
    char path[64];
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    folder = opendir(path);
    if (!folder)
        return;
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            walk_thread(pid, entry->d_name);
    closedir(folder);
}

static void process_bury(struct process *dead)
{
    fprintf(log_file, "%.6f death %d\n", clock_now(), dead->pid);
    close(dead->handle);
    dead->handle = -1;
}

/* Waits for a death, at most a tick. */
static void wait_tick(void)
{
    static struct pollfd poller[PROCESSES];
    static int index[PROCESSES];
    int count = 0;

    for (int i = 0; i < processes; i++)
        if (process[i].handle >= 0) {
            poller[count] = (struct pollfd){.fd = process[i].handle, .events = POLLIN};
            index[count++] = i;
        }
    if (poll(poller, (nfds_t)count, TICK_MS) <= 0)
        return;
    for (int i = 0; i < count; i++)
        if (poller[i].revents)
            process_bury(&process[index[i]]);
}

static void event_seen(const char *name)
{
    for (int i = 0; i < orders; i++)
        if (*order[i].event && !strcmp(order[i].event, name) && --order[i].number == 0)
            order[i].due = clock_now() + order[i].delay;
}

static void event_line(const char *line)
{
    json_t *event = json_loads(line, 0, NULL);
    const char *name = json_string_value(json_object_get(event, "event"));
    long long rank = json_integer_value(json_object_get(event, "rank"));

    if (name && !strcmp(name, "start") && rank >= 0 && rank < RANKS)
        rank_pid[rank] = (pid_t)json_integer_value(json_object_get(event, "pid"));
    if (name)
        event_seen(name);
    json_decref(event);
}

/* Reads what was added to the events since the last time, whole lines only. */
static void events_follow(void)
{
    static char *line;
    static size_t room;
    static FILE *file;
    long place;

    if (!file && (!events_path || !(file = fopen(events_path, "re"))))
        return;
    clearerr(file);
    for (;;) {
        place = ftell(file);
        if (getline(&line, &room, file) < 0)
            return;
        if (!strchr(line, '\n')) {
            fseek(file, place, SEEK_SET);
            return;
        }
        event_line(line);
    }
}

static int is_rank(pid_t pid)
{
    for (int i = 0; i < RANKS; i++)
        if (rank_pid[i] == pid)
            return 1;
    return 0;
}

static pid_t victim_any(void)
{
    int ranks = 0;

    while (ranks < RANKS && rank_pid[ranks])
        ranks++;
    return ranks ? rank_pid[rand_r(&seed) % (unsigned)ranks] : 0;
}

static pid_t victim_program(const char *who)
{
    int writer = !strcmp(who, "writer");
    const char *base;

    for (int i = processes - 1; i >= 0; i--) {
        base = strrchr(process[i].exe, '/');
        if (process[i].handle < 0)
            continue;
        if (writer ? !strcmp(process[i].exe, program) && !is_rank(process[i].pid)
                   : base && !strncmp(base + 1, who, strlen(who)))
            return process[i].pid;
    }
    return 0;
}

static pid_t victim_find(const char *who)
{
    if (!strncmp(who, "rank", 4))
        return rank_pid[atoi(who + 4) % RANKS];
    if (!strcmp(who, "any"))
        return victim_any();
    if (!strcmp(who, "ftrun"))
        return process[0].pid;
    return victim_program(who);
}

/* A victim that does not exist yet is looked for again in the next tick. */
static void orders_carry_out(void)
{
    pid_t pid;

    for (int i = 0; i < orders; i++) {
        if (order[i].done || order[i].due < 0 || clock_now() < order[i].due)
            continue;
        pid = victim_find(order[i].who);
        if (pid <= 0 || !process_find(pid))
            continue;
        order[i].done = 1;
        fprintf(log_file, "%.6f kill %d %s %d\n", clock_now(), pid, order[i].who, order[i].signal);
        kill(pid, order[i].signal);
    }
}

static int signal_number(const char *name)
{
    for (int number = 1; number < 32; number++)
        if (sigabbrev_np(number) && !strcmp(sigabbrev_np(number), name))
            return number;
    return atoi(name);
}

static void order_parse(char *text)
{
    struct order *new = &order[orders++];
    char *when = strtok(text, "/"), *who = strtok(NULL, "/"), *name = strtok(NULL, "/"), *plus,
         *hash;

    if (!when || !who || orders == KILLS)
        fatal("-k WHEN/WHO[/SIGNAL]");
    new->signal = name ? signal_number(name) : SIGKILL;
    snprintf(new->who, sizeof(new->who), "%s", who);
    hash = strchr(when, '#');
    if (!hash) {
        new->due = atof(when);
        return;
    }
    *hash = '\0';
    plus = strchr(hash + 1, '+');
    snprintf(new->event, sizeof(new->event), "%s", when);
    new->number = atol(hash + 1);
    new->delay = plus ? atof(plus + 1) : 0;
    new->due = -1;
}

static void kill_everything(void)
{
    walk(getpid());
    for (int i = 0; i < processes; i++)
        if (process[i].handle >= 0)
            syscall(SYS_pidfd_send_signal, process[i].handle, SIGKILL, NULL, 0);
}

/* Reaps what was orphaned to us. Returns 1 and the command's code when it was the command. */
static int reap(pid_t command, int *code)
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

static int supervise(pid_t command)
{
    int code = 0, ended = 0, late = 0;

    process_meet(command);
    while (!ended) {
        walk(getpid());
        events_follow();
        orders_carry_out();
        wait_tick();
        ended = reap(command, &code);
        if (forward) {
            kill(command, forward);
            forward = 0;
        }
        if (!ended && !late && clock_now() > limit) {
            late = 1;
            fprintf(log_file, "%.6f limit\n", clock_now());
            kill(command, SIGKILL); /* what depends on it must end by itself */
        }
    }
    fprintf(log_file, "%.6f end %d\n", clock_now(), code);
    return late ? 124 : code;
}

/* Gives the descendants some time to go; what is alive then was left behind. */
static void leftover_processes(void)
{
    double until = clock_now() + 2;
    char text[300];
    int alive, code;

    do {
        walk(getpid());
        wait_tick();
        reap(0, &code);
        alive = 0;
        for (int i = 0; i < processes; i++)
            alive += process[i].handle >= 0;
        if (alive)
            usleep(5000);
    } while (alive && clock_now() < until);
    for (int i = 0; i < processes; i++)
        if (process[i].handle >= 0) {
            snprintf(text, sizeof(text), "%d %s", process[i].pid, process[i].exe);
            report_left("process", text);
        }
    kill_everything();
}

static int made_by_us(pid_t pid)
{
    for (int i = 0; i < processes; i++)
        if (process[i].pid == pid)
            return 1;
    return 0;
}

static void leftover_segments(void)
{
    FILE *file = fopen("/proc/sysvipc/shm", "re");
    char line[512];
    int identity, creator;

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "%*d %d %*o %*u %d", &identity, &creator) == 2 && made_by_us(creator)) {
            snprintf(line, sizeof(line), "%d", identity);
            report_left("System V segment", line);
        }
    if (file)
        fclose(file);
}

static void names_read(struct name_set *set)
{
    DIR *folder = opendir("/dev/shm");
    struct dirent *entry;

    set->count = 0;
    while (folder && (entry = readdir(folder)) && set->count < NAMES)
        if (entry->d_name[0] != '.')
            set->name[set->count++] = strdup(entry->d_name);
    if (folder)
        closedir(folder);
}

static int names_have(const struct name_set *set, const char *name)
{
    for (int i = 0; i < set->count; i++)
        if (!strcmp(set->name[i], name))
            return 1;
    return 0;
}

/* Whether a file of /proc, with lines or with strings that end in 0, names /dev/shm/NAME. */
static int proc_names(const char *pid, const char *file, const char *name)
{
    char path[300], wanted[300];
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int found = 0;
    FILE *stream;

    snprintf(path, sizeof(path), "/proc/%s/%s", pid, file);
    snprintf(wanted, sizeof(wanted), "/dev/shm/%s", name);
    stream = fopen(path, "re");
    while (stream && !found && (length = getline(&line, &room, stream)) > 0)
        found = memmem(line, (size_t)length, wanted, strlen(wanted)) != NULL;
    free(line);
    if (stream)
        fclose(stream);
    return found;
}

/* Whether any process of the machine maps /dev/shm/NAME or was told its name in its environment
 * (other runs go on beside ours). */
static int shared_file_used(const char *name)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    int used = 0;

    while (folder && !used && (entry = readdir(folder)))
        used =
            entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
            (proc_names(entry->d_name, "maps", name) || proc_names(entry->d_name, "environ", name));
    if (folder)
        closedir(folder);
    return used;
}

/* A file that stays for a second, and that nobody uses meanwhile. */
static int shared_file_left(const char *name)
{
    char path[300];

    snprintf(path, sizeof(path), "/dev/shm/%s", name);
    for (int i = 0; i < 4; i++) {
        if (access(path, F_OK) || shared_file_used(name))
            return 0;
        usleep(300000);
    }
    return 1;
}

static void leftover_files(const struct name_set *before)
{
    struct name_set after;
    char path[300];

    names_read(&after);
    for (int i = 0; i < after.count; i++) {
        if (names_have(before, after.name[i]) || !shared_file_left(after.name[i]))
            continue;
        snprintf(path, sizeof(path), "/dev/shm/%s", after.name[i]);
        report_left("file", path);
    }
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

    log_file = NULL;
    while ((option = getopt(argc, argv, "+o:e:p:t:s:k:")) != -1)
        switch (option) {
        case 'o':
            log_file = fopen(optarg, "we");
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
    if (optind == argc)
        fatal("no command");
}

int main(int argc, char **argv)
{
    struct name_set before;
    int code;

    options_parse(argc, argv);
    names_read(&before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    setvbuf(log_file, NULL, _IOLBF, 0);
    launched = clock_now();
    code = supervise(launch(argv + optind));
    leftover_processes();
    leftover_segments();
    leftover_files(&before);
    fclose(log_file);
    return left && code != 124 ? 125 : code;
}
