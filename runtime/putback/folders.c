/* folders: new ones that cannot be removed when their makers go back.
 *
 * One that others have put something into stays, and one that a survivor works in. Where all go
 * back to one moment a mark says so (files/stayed.h): who makes it first in the new life has made
 * it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "files/format.h"
#include "putback/putback.h"

static int is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static int works_in(const struct ft_member *member, const char *folder)
{
    char name[32], path[PATH_MAX];
    ssize_t length;

    snprintf(name, sizeof(name), "/proc/%d/cwd", (int)member->pid);
    length = member->pid > 0 ? readlink(name, path, sizeof(path) - 1) : 0;
    path[length > 0 ? length : 0] = '\0';
    return is_in(path, folder);
}

int ft_folder_is_used(const struct ft_run *run, const char *path)
{
    for (int i = 0; i < run->cluster_count; i++) {
        const struct ft_cluster *cluster = run->clusters[i];

        for (int j = 0; !cluster->fallen && j < cluster->count; j++) {
            if (works_in(cluster->members[j], path))
                return 1;
        }
    }
    return 0;
}

/* 0 or -errno. */
static int mark(const struct ft_run *run, const char *path)
{
    char folder[FT_STORE_PATH], name[FT_STORE_PATH + 32];
    int fd;

    ft_store_file(run->store, "undo/" FT_UNDO_STAYS_FOLDER, folder);
    if (mkdir(folder, 0700) && errno != EEXIST)
        return -errno;
    snprintf(name, sizeof(name), "%s/" FT_UNDO_STAYS_NAME, folder,
             (unsigned long long)XXH3_64bits(path, strlen(path)));
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

void ft_folder_stay(const struct ft_run *run, const char *path)
{
    int code = mark(run, path);

    ft_say("the folder %s is new since the checkpoint, but something is in it that no rank has put "
           "there: it stays%s%s",
           path, code ? ", and the program will find it: " : "", code ? strerror(-code) : "");
}

int ft_folders_add(void *context, const char *path, enum ft_undo_fate fate)
{
    if (fate == FT_UNDO_STAYED)
        ft_folder_stay(context, path);
    return 0;
}
