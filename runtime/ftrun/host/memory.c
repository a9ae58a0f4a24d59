/* memory: proc(5), cgroups(7); the kernel's documents cgroup-v2.rst and cgroup-v1/memory.rst.
 *
 * A group's own files lie below where its hierarchy is mounted, at the path that /proc/self/cgroup
 * names. In a container that path may be the host's, while the mount shows the container's
 * group; so the limits of each folder on the way up are read, and missing folders are left out. */
#include "host/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096, TEXT = 16384 };

struct hierarchy {
    const char *controllers; /* as they stand in /proc/self/cgroup */
    const char *mount;
    const char *limit, *used;                /* files */
    const char *inactive_file, *active_file; /* words of memory.stat */
};

static const struct hierarchy versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file", "active_file"},
    {"", "/sys/fs/cgroup/unified", "memory.max", "memory.current", "inactive_file", "active_file"},
    {"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file", "total_active_file"}};

/* The file, as far as it fits, behind a newline and with a zero at its end. 1, or 0 and "". */
static int read_text(const char *path, char *text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text + 1, TEXT - 2);

    if (fd >= 0)
        close(fd);
    text[0] = length > 0 ? '\n' : 0;
    text[length > 0 ? length + 1 : 0] = 0;
    return length > 0;
}

/* The number behind the name at the beginning of a line. 1, or 0 and 0. */
static int find(const char *text, const char *name, uint64_t *out)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strchr(at, '\n')); at++) {
        const char *behind = at + 1 + length;

        if (!strncmp(at + 1, name, length) && (*behind == ':' || *behind == ' ')) {
            *out = strtoull(behind + 1, NULL, 10);
            return 1;
        }
    }
    *out = 0;
    return 0;
}

static int read_number(const char *folder, const char *name, uint64_t *out)
{
    char path[PATH + 64], text[TEXT], *end;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!read_text(path, text))
        return 0;
    *out = strtoull(text + 1, &end, 10);
    return end > text + 1; /* "max" is no limit */
}

static void lower(struct ft_memory *memory, uint64_t total, uint64_t left)
{
    if (total < memory->total)
        memory->total = total;
    if (left < memory->left)
        memory->left = left;
}

static void look_at_group(const char *folder, const struct hierarchy *version,
                          struct ft_memory *memory)
{
    char path[PATH + 64], text[TEXT];
    uint64_t limit, used, inactive, active;

    if (!read_number(folder, version->limit, &limit) || !read_number(folder, version->used, &used))
        return;
    snprintf(path, sizeof(path), "%s/memory.stat", folder);
    read_text(path, text);
    find(text, version->inactive_file, &inactive);
    find(text, version->active_file, &active);
    used -= inactive + active < used ? inactive + active : used;
    lower(memory, limit, used < limit ? limit - used : 0);
}

/* The group and those above it. */
static void look_at_groups(const char *root, const char *group, const struct hierarchy *version,
                           struct ft_memory *memory)
{
    char folder[PATH];
    int mount = snprintf(folder, sizeof(folder), "%s%s", root, version->mount);
    int length = mount + snprintf(folder + mount, sizeof(folder) - (size_t)mount, "%s", group);

    if (length >= (int)sizeof(folder))
        return;
    for (char *end = folder + length; end; end = strrchr(folder + mount, '/')) {
        *end = 0;
        look_at_group(folder, version, memory);
    }
}

/* Returns the begin of GROUP in a line "NUMBER:CONTROLLERS:GROUP" of /proc/PID/cgroup, or NULL if
 * the line is not that of the memory controller. */
static char *group_of(char *line, const struct hierarchy *version)
{
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    char *word, *rest = controllers;

    if (!group)
        return NULL;
    *group++ = 0;
    if (!*version->controllers)
        return controllers[1] ? NULL : group;
    while ((word = strtok_r(rest, ":,", &rest))) {
        if (!strcmp(word, version->controllers))
            return group;
    }
    return NULL;
}

static void look_at_hierarchy(const char *root, const struct hierarchy *version,
                              struct ft_memory *memory)
{
    char path[PATH], text[TEXT], *line, *rest = text;

    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    read_text(path, text);
    while ((line = strtok_r(rest, "\n", &rest))) {
        const char *group = group_of(line, version);

        if (group)
            look_at_groups(root, group, version, memory);
    }
}

static void look_at_machine(const char *root, struct ft_memory *memory)
{
    char path[PATH], text[TEXT];
    uint64_t kilobytes;

    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    read_text(path, text);
    if (find(text, "MemTotal", &kilobytes))
        memory->total = 1024 * kilobytes;
    if (find(text, "MemAvailable", &kilobytes))
        memory->left = 1024 * kilobytes;
}

void ft_memory_look(const char *root, struct ft_memory *out)
{
    *out = (struct ft_memory){UINT64_MAX, UINT64_MAX};
    look_at_machine(root, out);
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        look_at_hierarchy(root, &versions[i], out);
}
