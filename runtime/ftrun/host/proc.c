/* proc: the fields are described in proc(5). */
#include "host/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/format.h"

#define EXITING 0x4u /* PF_EXITING of the kernel, in the flags */
#define KILLED ((unsigned long long)1 << (SIGKILL - 1))

int ft_proc_read(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = 0;
    return length > 0;
}

const char *ft_proc_value(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? at + strlen(name) : "";
}

int ft_proc_module(pid_t pid, uint64_t address, char *path, uint64_t *base)
{
    char line[PATH_MAX + 128];
    int found = 0;

    snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
    FILE *file = fopen(line, "re");
    while (file && !found && fgets(line, sizeof(line), file)) {
        unsigned long long from, to, offset;
        int name = 0;

        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &from, &to, &offset, &name) < 3 || !name)
            continue;
        if (offset == 0)
            *base = from; /* the file's other parts follow */
        found = line[name] == '/' && from <= address && address < to;
        if (found)
            snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, line + name);
    }
    if (file)
        fclose(file);
    return found;
}

/* The name of a program may hold anything; the fields follow its last parenthesis. */
static int is_exiting(pid_t pid)
{
    char text[1024];
    const char *end;
    char state = 0;
    unsigned flags = 0;

    if (!ft_proc_read(pid, "stat", text, sizeof(text)) || !(end = strrchr(text, ')')) ||
        sscanf(end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
        return 0;
    return state == 'Z' || (flags & EXITING);
}

/* SIGKILL may be sent and not have been met yet. */
static int is_killed(pid_t pid)
{
    char text[8192];
    unsigned long long pending;

    if (!ft_proc_read(pid, "status", text, sizeof(text)))
        return 0;
    pending = strtoull(ft_proc_value(text, "\nSigPnd:\t"), NULL, 16) |
              strtoull(ft_proc_value(text, "\nShdPnd:\t"), NULL, 16);
    return (pending & KILLED) != 0;
}

double ft_proc_used(pid_t pid)
{
    unsigned long user = 0, system = 0;
    char text[1024], *end;

    ft_proc_read(pid, "stat", text, sizeof(text));
    end = strrchr(text, ')'); /* of the name, which may have any character */
    if (end)
        sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int is_librarys(const char *path)
{
    return !strncmp(path, "/dev/", 5) || !strncmp(path, "/SYSV", 5) ||
           (!strncmp(path, "/memfd:", 7) && strcmp(path, FT_NAMELESS_MEMORY FT_NAMELESS_SUFFIX));
}

/* Looks at a descriptor of the folder. 1: it is such a file. */
static int look_at(int folder, const char *name, char *path, size_t room,
                   struct ft_proc_nameless *file)
{
    const size_t suffix = strlen(FT_NAMELESS_SUFFIX);
    struct stat status, link;
    ssize_t length = readlinkat(folder, name, path, room - 1);

    if (length <= (ssize_t)suffix)
        return 0;
    path[length] = 0;
    if (strcmp(path + length - suffix, FT_NAMELESS_SUFFIX) || is_librarys(path) ||
        fstatat(folder, name, &status, 0) || fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(status.st_mode) || status.st_nlink)
        return 0;
    path[(size_t)length - suffix] = 0;
    *file = (struct ft_proc_nameless){.device = status.st_dev,
                                      .inode = status.st_ino,
                                      .writes = (link.st_mode & S_IWUSR) != 0,
                                      .path = path};
    return 1;
}

int ft_proc_nameless(pid_t pid, ft_proc_nameless_each *each, void *context)
{
    char path[PATH_MAX];
    struct ft_proc_nameless file;
    struct dirent *entry;
    int code = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    while (!code && folder && (entry = readdir(folder))) {
        if (look_at(dirfd(folder), entry->d_name, path, sizeof(path), &file))
            code = each(context, &file);
    }
    if (folder)
        closedir(folder);
    return code;
}

int ft_proc_is_ending(pid_t pid)
{
    return pid > 0 && (is_killed(pid) || is_exiting(pid));
}
