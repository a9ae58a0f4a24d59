/* Processes, System V segments they made, files in /dev/shm that nobody maps. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "testsuite/tools/watch.h"

static int left;

static void report_left(const char *what, const char *name)
{
    left++;
    fprintf(log_file, "%.6f left %s %s\n", clock_now(), what, name);
    fprintf(stderr, "watch: left behind: %s %s\n", what, name);
}

static int count_alive(void)
{
    int alive = 0, code;

    walk(getpid());
    wait_tick();
    reap(0, &code);
    for (int i = 0; i < processes; i++)
        alive += process[i].handle >= 0;
    return alive;
}

static void kill_everything(void)
{
    while (count_alive())
        for (int i = 0; i < processes; i++)
            if (process[i].handle >= 0)
                syscall(SYS_pidfd_send_signal, process[i].handle, SIGKILL, NULL, 0);
}

/* Gives the descendants some time to go; what is alive then was left behind. */
static void leftover_processes(void)
{
    double until = clock_now() + 2;
    char text[300];

    while (count_alive() && clock_now() < until)
        usleep(5000);
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

void names_read(struct name_set *set)
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

/* Whether a process has /dev/shm/NAME open. */
static int proc_opens(const char *pid, const char *name)
{
    char path[300], wanted[300], target[300];
    struct dirent *entry;
    int found = 0;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%s/fd", pid);
    snprintf(wanted, sizeof(wanted), "/dev/shm/%s", name);
    folder = opendir(path);
    while (folder && !found && (entry = readdir(folder))) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);

        target[length > 0 ? length : 0] = 0;
        found = !strcmp(target, wanted);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* An ftrun has its folder locked, also while it has no ranks. */
static int is_locked(const char *name)
{
    char path[300];
    int fd, locked;

    snprintf(path, sizeof(path), "/dev/shm/%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

/* Whether any process of the machine has locked, opened or mapped /dev/shm/NAME, or was told its
 * name in its environment (other runs go on beside ours). */
static int shared_file_used(const char *name)
{
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    int used = is_locked(name);

    while (folder && !used && (entry = readdir(folder)))
        used = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
               (proc_names(entry->d_name, "maps", name) || proc_opens(entry->d_name, name) ||
                proc_names(entry->d_name, "environ", name));
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

int leftovers(const struct name_set *before)
{
    leftover_processes();
    leftover_segments();
    leftover_files(before);
    return left;
}
