/* logs: files of messages (stream/spill.c) that a checkpoint of all ranks refers to. Ranks remove
 * theirs when no kept checkpoint of their cluster needs them; so the folder of the checkpoint has
 * links of its own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/store.h"

/* Handles an entry of the folder `from`. 0 to go on, or an answer. */
typedef int each_entry(int from, int to, const char *name);

/* Copies what is open as `in` to a new file. 0 or -errno. */
static int copy_file(int in, int to, const char *name)
{
    int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), code = 0;
    ssize_t done = out < 0 ? -1 : 1;

    while (done > 0)
        done = sendfile(out, in, NULL, 1 << 24);
    if (done < 0 || fsync(out))
        code = -errno;
    if (out >= 0)
        close(out);
    return code;
}

static int copy_entry(int from, int to, const char *name)
{
    int in = openat(from, name, O_RDONLY | O_CLOEXEC);
    int code = in < 0 ? -errno : copy_file(in, to, name);

    if (in >= 0)
        close(in);
    return code;
}

/* Some file systems have no links, or not so many of one file. */
static int link_entry(int from, int to, const char *name)
{
    if (linkat(from, name, to, name, 0) == 0)
        return 0;
    return errno == EPERM || errno == ENOTSUP || errno == EMLINK ? copy_entry(from, to, name)
                                                                 : -errno;
}

static int remove_entry(int from, int to, const char *name)
{
    (void)to;
    return unlinkat(from, name, 0) ? -errno : 0;
}

/* Does it with all entries of a folder; one that is not there has none. 0, or the first answer that
 * is not, or -errno where not all entries could be read. */
static int for_each(const char *path, int to, each_entry *each)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int code = folder || errno == ENOENT ? 0 : -errno;

    for (errno = 0; !code && folder && (entry = readdir(folder)); errno = 0) {
        if (entry->d_name[0] != '.')
            code = each(dirfd(folder), to, entry->d_name);
    }
    if (!code && folder)
        code = -errno;
    if (folder)
        closedir(folder);
    return code;
}

static int find_entry(int from, int to, const char *name)
{
    (void)from;
    (void)to;
    (void)name;
    return 1;
}

/* Links all entries of `from`, NULL: none, and syncs the folder `to`. */
static int link_all(const char *from, const char *to)
{
    int fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int code = fd < 0 ? -errno : from ? for_each(from, fd, link_entry) : 0;

    if (!code && fsync(fd))
        code = -errno;
    if (fd >= 0)
        close(fd);
    return code;
}

static void log_folder(const struct ft_store *store, int rank, char *path)
{
    char name[64];

    snprintf(name, sizeof(name), "log/rank-%d", rank);
    ft_store_file(store, name, path);
}

/* The folder of the rank's links in a checkpoint, and above it the one of all ranks. */
static void link_folders(const struct ft_store *store, uint32_t checkpoint, const char *suffix,
                         int rank, char *all, char *own)
{
    char name[96];

    snprintf(name, sizeof(name), "ckpt-%u%s/log", checkpoint, suffix);
    ft_store_file(store, name, all);
    snprintf(name, sizeof(name), "ckpt-%u%s/log/rank-%d", checkpoint, suffix, rank);
    ft_store_file(store, name, own);
}

int ft_store_save_log(const struct ft_store *store, uint32_t checkpoint, int rank)
{
    char from[FT_STORE_PATH], all[FT_STORE_PATH], to[FT_STORE_PATH];
    int code;

    log_folder(store, rank, from);
    link_folders(store, checkpoint, ".tmp", rank, all, to);
    if (for_each(from, -1, find_entry) == 0)
        return 0;
    if (mkdir(all, 0700) && errno != EEXIST)
        return -errno;
    if (mkdir(to, 0700) && errno != EEXIST)
        return -errno;
    code = link_all(from, to);
    return code ? code : link_all(NULL, all);
}

int ft_store_lend_log(const struct ft_store *store, uint32_t checkpoint, int rank,
                      const struct ft_store *to)
{
    char own[FT_STORE_PATH], all[FT_STORE_PATH], from[FT_STORE_PATH];
    int fd, code;

    log_folder(to, rank, own);
    link_folders(store, checkpoint, "", rank, all, from);
    if (access(from, F_OK))
        return errno == ENOENT ? 0 : -errno;
    if ((fd = open(own, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return -errno;
    code = for_each(from, fd, copy_entry);
    close(fd);
    return code;
}

int ft_store_restore_log(const struct ft_store *store, uint32_t checkpoint, int rank)
{
    char from[FT_STORE_PATH], all[FT_STORE_PATH], to[FT_STORE_PATH];
    int code;

    log_folder(store, rank, to);
    link_folders(store, checkpoint, "", rank, all, from);
    code = for_each(to, -1, remove_entry);
    if (!code && access(from, F_OK))
        return errno == ENOENT ? 0 : -errno;
    return code ? code : link_all(from, to);
}
