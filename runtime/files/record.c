/* What is on record.
 *
 * The first change of a path after a checkpoint is preceded by a record of what the path was. Two
 * hashes remember what is on record: by path (its state, absence included) and by inode (its
 * content, under whatever name). A record's time is read after the state and the copy were read:
 * then the earliest record of a path, over all ranks, was read before anybody changed it (undo.c).
 * The hashes lie in the image and are empty at a checkpoint. */
#include "files/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/put.h"
#include "files/resolve.h"

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

#define NOTHING ((enum files_change)0)

struct done {                 /* what is on record of a path, or of a file under any name */
    enum files_change change; /* strongest change that the record allows */
    uint64_t moment;          /* of the newest entry in the list of accesses */
    int changes;              /* which was a change */
};

struct files_done_path {
    UT_hash_handle hh;
    struct done done;
    char path[];
};

struct inode_key {
    uint64_t device, inode;
};

struct files_done_inode {
    UT_hash_handle hh;
    struct done done;
    struct inode_key key;
};

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

/* Do ranks that go back alone need to know who accessed what in which order? */
static int is_listed(void)
{
    return ft_life.boot.clusters > 1;
}

/* Not 0. It is another one behind the next MPI call. */
static uint64_t present(void)
{
    return ft_self == NULL ? 1 : ft_self->calls - ft_self->polls + 1;
}

static int allows(const struct done *done, enum files_change change)
{
    return done != NULL && done->change >= change;
}

/* Is nothing to be written before such an access? access: NOTHING, or the change. */
static int suffices(const struct done *done, enum files_change change, enum files_change access)
{
    return allows(done, change) &&
           (access == NOTHING || !is_listed() ||
            (done->moment == present() && done->changes >= (access > FILES_READ)));
}

static void done_add(struct done *done, enum files_change change, enum files_change access)
{
    if (change > done->change)
        done->change = change;
    if (access == NOTHING)
        return;
    done->changes = access > FILES_READ || (done->moment == present() && done->changes);
    done->moment = present();
}

static struct done *path_find(const struct ft_files *files, const char *path)
{
    struct files_done_path *found;

    HASH_FIND_STR(files->paths, path, found);
    return found ? &found->done : NULL;
}

static struct done *path_make(struct ft_files *files, const char *path)
{
    struct done *found = path_find(files, path);
    struct files_done_path *made;

    if (found != NULL)
        return found;
    made = ft_image_alloc(sizeof *made + strlen(path) + 1);
    strcpy(made->path, path);
    HASH_ADD_STR(files->paths, path, made);
    return &made->done;
}

static struct done *inode_find(const struct ft_files *files, const struct stat *status)
{
    struct inode_key key = {status->st_dev, status->st_ino};
    struct files_done_inode *found;

    HASH_FIND(hh, files->inodes, &key, sizeof key, found);
    return found ? &found->done : NULL;
}

static struct done *inode_make(struct ft_files *files, const struct stat *status)
{
    struct done *found = inode_find(files, status);
    struct files_done_inode *made;

    if (found != NULL)
        return found;
    made = ft_image_alloc(sizeof *made);
    made->key = (struct inode_key){status->st_dev, status->st_ino};
    HASH_ADD(hh, files->inodes, key, sizeof made->key, made);
    return &made->done;
}

static void done_clear(struct ft_files *files)
{
    struct files_done_path *path, *next_path;
    struct files_done_inode *inode, *next_inode;

    HASH_ITER (hh, files->paths, path, next_path) {
        HASH_DEL(files->paths, path);
        ft_image_free(path);
    }
    HASH_ITER (hh, files->inodes, inode, next_inode) {
        HASH_DEL(files->inodes, inode);
        ft_image_free(inode);
    }
}

/* Kernel's own file systems have nothing to undo. */
static int is_kernels(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

/* What must be written before a path is accessed so. status: NULL when nothing is there. */
static int path_write(struct ft_files *files, const char *path, const struct stat *status,
                      enum files_change change, enum files_change access)
{
    const struct done *done = path_find(files, path);
    int code = 0;

    if (!allows(done, change))
        code = change == FILES_READ ? files_record_seen(files, path, status)
                                    : files_record_write(files, path, status, change);
    if (code == 0 && access != NOTHING && is_listed() && !suffices(done, change, access))
        code = files_access_write(files, path, present(), access > FILES_READ);
    return code;
}

/* The record of a resolved path, unless there is one. */
static int path_note(struct ft_files *files, const char *path, const struct stat *status,
                     enum files_change change, enum files_change access)
{
    int code = is_kernels(path) ? 0 : path_write(files, path, status, change, access);
    struct done *done;

    if (code != 0 || is_kernels(path))
        return code;
    done = path_make(files, path);
    done_add(done, status || change == FILES_READ ? change : FILES_OVERWRITE, access);
    if (status != NULL && S_ISREG(status->st_mode))
        done_add(inode_make(files, status), done->change, access);
    return 0;
}

static int note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
                int follow)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int code, there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;

    if (there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    if (there && S_ISREG(status.st_mode) && follow &&
        suffices(inode_find(files, &status), change, change))
        return 0;
    if (!there && follow)
        code = files_dereference(folder_fd, path, resolved);
    else
        code = files_resolve(folder_fd, path, there && follow, resolved);
    if (code != 0)
        return 0; /* the call itself will fail, and say why */
    if (there && S_ISREG(status.st_mode) && !follow && status.st_nlink > 1 &&
        change != FILES_READ && !allows(path_find(files, resolved), change))
        return -EMLINK; /* a copy would be put back where a hard link was */
    return path_note(files, resolved, there ? &status : NULL, change, change);
}

static int note_open(struct ft_files *files, int fd, enum files_change change,
                     enum files_change access)
{
    char link[32], path[FT_UNDO_PATH];
    struct stat status;
    ssize_t length;

    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0 ||
        suffices(inode_find(files, &status), change, access))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return path_note(files, path, &status, change, access);
}

static int is_on(const struct ft_files *files)
{
    return files != NULL && ft_life.boot.undo[0] != 0;
}

int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow)
{
    int code;

    if (!is_on(files) || path == NULL)
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    code = note(files, folder_fd, path, change, follow);
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

static int open_note(struct ft_files *files, int fd, enum files_change change,
                     enum files_change access)
{
    int code;

    if (!is_on(files))
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    code = note_open(files, fd, change, access);
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
    return code;
}

int files_note_open(struct ft_files *files, int fd, enum files_change change)
{
    return open_note(files, fd, change, change);
}

int files_note_held(struct ft_files *files, int fd, enum files_change change)
{
    return open_note(files, fd, change, NOTHING);
}

int files_is_noted(const struct ft_files *files, const struct stat *status)
{
    int noted;

    if (!is_on(files))
        return 1;
    pthread_mutex_lock(&record_lock);
    noted = suffices(inode_find(files, status), FILES_OVERWRITE, FILES_OVERWRITE);
    pthread_mutex_unlock(&record_lock);
    return noted;
}

/* Gives the records of an interval that never became a checkpoint to the one before it. */
static void interval_merge(const struct ft_files *files, uint32_t from, uint32_t to)
{
    char old[FT_WIRE_PATH + FT_UNDO_NAME], new[FT_WIRE_PATH + FT_UNDO_NAME];

    files_lists_merge(from, to);
    for (uint64_t sequence = files->first; sequence < files->sequence; sequence++) {
        files_record_name(old, sizeof old, from, sequence, ".data");
        files_record_name(new, sizeof new, to, sequence, ".data");
        rename(old, new);
        files_record_name(old, sizeof old, from, sequence, ".undo");
        files_record_name(new, sizeof new, to, sequence, ".undo");
        rename(old, new);
    }
}

void files_record_interval(struct ft_files *files, uint32_t interval)
{
    if (is_on(files) && files->interval == interval && interval > 0)
        interval_merge(files, interval, interval - 1);
    files->interval = interval;
    files->first = files->sequence;
    done_clear(files);
}

void files_record_forget(struct ft_files *files)
{
    done_clear(files);
}

int files_record_sizes(struct ft_files *files, const struct files_size *size, int count)
{
    size_t length = sizeof(struct ft_undo_head), room = length;
    char *record;
    int code;

    if (!is_on(files) || count == 0)
        return 0;
    for (int i = 0; i < count; i++)
        room += sizeof(struct ft_undo_entry) + strlen(size[i].path) + 16;
    record = calloc(1, room);
    if (record == NULL)
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        struct ft_undo_entry entry = files_entry_of(&size[i].status, FT_UNDO_SIZE);

        length += files_entry_put(record + length, &entry, size[i].path, NULL);
        path_make(files, size[i].path)->change = FILES_GROW;
        inode_make(files, &size[i].status)->change = FILES_GROW;
    }
    code = files_record_publish(files, record, length, (uint32_t)count);
    free(record);
    return code;
}
