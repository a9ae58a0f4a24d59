/* The folder is resolved and the name put behind it, because the file itself may be a link, or not
 * be there. */
#include "files/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* symbolic links in a row, as the kernel follows them */

int files_resolve(int folder_fd, const char *path, int whole, char resolved[FT_UNDO_PATH])
{
    char from[FT_UNDO_PATH + 32], *slash, *base;
    size_t length;

    if (path[0] == '/' || folder_fd == AT_FDCWD)
        snprintf(from, sizeof from, "%s", path);
    else
        snprintf(from, sizeof from, "/proc/self/fd/%d/%s", folder_fd, path);
    if (whole)
        return realpath(from, resolved) ? 0 : -errno;
    for (length = strlen(from); length > 1 && from[length - 1] == '/'; length--)
        from[length - 1] = 0;
    slash = strrchr(from, '/');
    base = slash ? slash + 1 : from;
    if (slash != NULL)
        *slash = 0;
    if (realpath(slash == NULL ? "." : slash == from ? "/" : from, resolved) == NULL)
        return -errno;
    length = strlen(resolved);
    if (length == 1)
        length = 0;
    return snprintf(resolved + length, FT_UNDO_PATH - length, "/%s", base) <
                   (int)(FT_UNDO_PATH - length)
               ? 0
               : -ENAMETOOLONG;
}

int files_dereference(int folder_fd, const char *path, char name[FT_UNDO_PATH])
{
    char target[FT_UNDO_PATH], *slash;
    struct stat status;
    ssize_t length;
    int code = files_resolve(folder_fd, path, 0, name);

    for (int links = 0; code == 0 && lstat(name, &status) == 0 && S_ISLNK(status.st_mode);
         links++) {
        length = readlink(name, target, sizeof target - 1);
        if (length < 0 || links == LINKS_MAX)
            return -ELOOP;
        target[length] = 0;
        slash = strrchr(name, '/');
        if (target[0] == '/')
            slash = name;
        else
            *slash++ = '/';
        if (snprintf(slash, (size_t)(name + FT_UNDO_PATH - slash), "%s", target) >=
            name + FT_UNDO_PATH - slash)
            return -ENAMETOOLONG;
        memcpy(target, name, sizeof target);
        code = files_resolve(AT_FDCWD, target, 0, name);
        if (code != 0)
            memcpy(name, target, sizeof target);
    }
    return code;
}

/* The first folder on the way to the path that is not there, and where the rest of the path begins.
 * 0 or -errno; -ENOENT: nobody knows; 1: `gap` is the path that a link on the way leads to, below a
 * folder that is not there. */
static int gap_find(int folder_fd, const char *path, char *gap, const char **rest)
{
    char way[FT_UNDO_PATH], *slash;

    strcpy(way, path);
    while ((slash = strrchr(way, '/')) != NULL && slash > way) {
        *slash = 0;
        *rest = path + (slash - way);
        if (files_resolve(folder_fd, way, 0, gap) != 0)
            continue;
        if (faccessat(folder_fd, way, F_OK, 0) == 0)
            return -ENOENT;
        return files_dereference(folder_fd, way, gap) == 0 ? 0 : 1;
    }
    return -ENOENT;
}

/* The same behind all links on the way. `path`: FT_UNDO_PATH bytes, may be changed; *rest is in it.
 */
static int gap_follow(int folder_fd, char *path, char *gap, const char **rest)
{
    int code = gap_find(folder_fd, path, gap, rest);
    char next[FT_UNDO_PATH];

    for (int links = 0; code > 0; links++) {
        if (links == LINKS_MAX)
            return -ELOOP;
        if (snprintf(next, sizeof next, "%s%s", gap, *rest) >= (int)sizeof next)
            return -ENAMETOOLONG;
        memcpy(path, next, sizeof next);
        code = gap_find(AT_FDCWD, path, gap, rest);
    }
    return code;
}

/* Adds the parts of `rest` to the name. 0 or -ENAMETOOLONG. */
static int name_extend(char *name, const char *rest)
{
    const char *part, *slash;
    size_t length, at = strlen(name);

    for (; *(part = rest + strspn(rest, "/")) != 0; rest = part + length) {
        length = strcspn(part, "/");
        if (length == 1 && *part == '.')
            continue;
        if (length == 2 && memcmp(part, "..", 2) == 0) {
            slash = memrchr(name, '/', at);
            at = slash != NULL ? (size_t)(slash - name) : 0;
        } else if (at + length + 2 > FT_UNDO_PATH) {
            return -ENAMETOOLONG;
        } else {
            at += (size_t)sprintf(name + at, "/%.*s", (int)length, part);
        }
        name[at] = 0;
    }
    if (at == 0)
        strcpy(name, "/");
    return 0;
}

int files_presume(int folder_fd, const char *path, char gap[FT_UNDO_PATH], char name[FT_UNDO_PATH])
{
    char way[FT_UNDO_PATH];
    const char *rest;
    int code;

    if (strlen(path) >= sizeof way)
        return -ENAMETOOLONG;
    strcpy(way, path);
    code = gap_follow(folder_fd, way, gap, &rest);
    if (code != 0)
        return code;
    strcpy(name, gap);
    return name_extend(name, rest);
}

int files_names_of(int folder_fd, const char *path, char names[FT_UNDO_PATH])
{
    int code = files_resolve(folder_fd, path, 1, names);
    size_t length;

    if (code != 0)
        return code;
    length = strlen(names);
    if (length + 1 >= FT_UNDO_PATH)
        return -ENAMETOOLONG;
    if (length > 1) /* the root has it already */
        strcpy(names + length, "/");
    return 0;
}
