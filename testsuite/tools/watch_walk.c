/* Walks /proc from a process downwards, and holds a pidfd for each that it has met. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "testsuite/tools/watch.h"

enum { TICK_MS = 5 };

struct process process[PROCESSES];
int processes;

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

struct process *process_find(pid_t pid)
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

void process_meet(pid_t pid)
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

/* Children belong to the thread that made them. */
void walk(pid_t pid)
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

void wait_tick(void)
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
