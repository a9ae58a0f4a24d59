/* Before an access: which path it is of, and which record it needs (record.h).
 *
 * A record's time is read after the state of the path and the copy were read: so the earliest
 * record of a path, over all ranks, was read before anybody changed the path (undo.c). */
#include "files/place.h"
#include "files/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/claim.h"
#include "files/done.h"
#include "files/put.h"
#include "files/resolve.h"

#define TRIES 100 /* to copy a file that another rank removes meanwhile */

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

/* 0: nothing is to be recorded; 1: note_end must follow. */
static int note_begin(struct ft_files *files, enum files_change change)
{
    if (!files_is_on(files))
        return 0;
    __atomic_store_n(&files->removable, 0, __ATOMIC_RELAXED);
    if (change == FILES_READ && ft_life.boot.clusters == 1)
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    return 1;
}

/* One more path is about to be changed: ftrun is told, because the rank may roll back to before
 * this (files/settle.h). */
static void change_count(struct ft_files *files, enum files_change change)
{
    struct ft_recorder *recorder = ft_self != NULL ? ft_self->recorder : NULL;
    uint64_t place;

    if (recorder == NULL || change == FILES_READ || ft_life.boot.clusters == 1)
        return;
    place = (uint32_t)(ft_progress_of(recorder) + 1);
    files->changes = place << 32 | (ft_changes_of(recorder) + 1U);
    __atomic_store_n(&recorder->changes, files->changes, __ATOMIC_RELEASE);
}

static void note_end(void)
{
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
}

/* Devices and sockets have no state that could be put back. */
static int is_stateless(const struct stat *status)
{
    return S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode) || S_ISSOCK(status->st_mode);
}

/* Does the access need no record? Other names of a file are other paths, which other ranks may
 * use: so with clusters `given`, how the program wrote the path, has to be the same as before.
 * given: NULL: the access is by an open descriptor. */
static int is_repeated(const struct ft_files *files, const struct stat *status, const char *given,
                       enum files_change change)
{
    const struct files_done_inode *inode = files_inode_find(files, status);

    return inode != NULL && inode->change >= change &&
           (given == NULL || ft_life.boot.clusters == 1 ||
            (inode->given != NULL && strcmp(inode->given, given) == 0));
}

static void given_set(struct files_done_inode *inode, const char *path)
{
    if (path == NULL || (inode->given != NULL && strcmp(inode->given, path) == 0))
        return;
    if (inode->given != NULL)
        ft_image_free(inode->given);
    inode->given = ft_image_alloc(strlen(path) + 1);
    strcpy(inode->given, path);
}

/* Puts the path on record, unless it is. name: resolved. status: of what is there; NULL: nothing.
 * given: as in is_repeated. time: of a read. */
static int path_note_at(struct ft_files *files, const char *name, const struct stat *status,
                        const char *given, enum files_change change, uint64_t time)
{
    struct files_done_inode *inode;
    struct files_done_path *path;
    int code, folder = change == FILES_MAKE_FOLDER || (status != NULL && S_ISDIR(status->st_mode));

    if (files_is_kernels(name))
        return 0;
    if (ft_life.pair != NULL &&
        change > FILES_READ) /* before MPI_Init: the second copy begins there */
        return -EUSERS;
    if (ft_life.boot.nodes && change > FILES_READ && !files_is_everywhere(name))
        return -EREMOTE; /* ftrun could not put it back */
    path = files_path_make(files, name);
    if (path->change < change) {
        code = change == FILES_READ ? files_record_read(files, name, time)
                                    : files_record_write(files, name, status, change);
        if (code != 0)
            return code;
        if (folder && change > FILES_READ)
            files->removable = files->sequence;
        path->before = path->change;
        path->change = status == NULL && change == FILES_GROW ? FILES_OVERWRITE : change;
    }
    if (status == NULL || ft_undo_is_names(name) ||
        !(S_ISREG(status->st_mode) || (S_ISDIR(status->st_mode) && change == FILES_READ)))
        return 0;
    inode = files_inode_make(files, status);
    given_set(inode, given);
    if (inode->change < path->change) {
        inode->change = path->change;
        inode->size = status->st_size;
    }
    return 0;
}

static int path_note(struct ft_files *files, const char *name, const struct stat *status,
                     const char *given, enum files_change change)
{
    return path_note_at(files, name, status, given, change, files_now());
}

static int is_changed(const struct ft_files *files, const char *name, enum files_change change)
{
    const struct files_done_path *path = files_path_find(files, name);

    return path != NULL && path->change >= change;
}

/* Where the path cannot be resolved the call itself fails, and says why. */
static int note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
                int follow)
{
    int there, code;
    char name[FT_UNDO_PATH], gap[FT_UNDO_PATH];
    const char *given = folder_fd == AT_FDCWD ? path : "";
    struct stat status;

    there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
    if (there && is_stateless(&status))
        return 0;
    if (there && (follow || !S_ISLNK(status.st_mode)) && (follow || change == FILES_READ) &&
        is_repeated(files, &status, given, change))
        return 0;
    code = !there && follow ? files_dereference(folder_fd, path, name)
                            : files_resolve(folder_fd, path, there && follow, name);
    if (code == -ENOENT && change == FILES_READ) /* a folder on the way may come, and the file */
        code = files_presume(folder_fd, path, gap, name);
    if (code != 0)
        return 0;
    if (there && S_ISREG(status.st_mode) && !follow && status.st_nlink > 1 &&
        change != FILES_READ && !is_changed(files, name, change))
        return -EMLINK; /* a copy would be put back where a hard link was */
    return path_note(files, name, there ? &status : NULL,
                     follow && folder_fd == AT_FDCWD ? path : NULL, change);
}

int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow)
{
    int code = -ENOENT;

    if (path == NULL || !note_begin(files, change))
        return 0;
    change_count(files, change);
    for (int tries = 0; code == -ENOENT && tries < TRIES; tries++)
        code = note(files, folder_fd, path, change, follow);
    note_end();
    return code;
}

int files_note_make(struct ft_files *files, int folder_fd, const char *path,
                    enum files_change change)
{
    char name[FT_UNDO_PATH];
    struct stat status;
    int code = 0;

    if (path == NULL || !note_begin(files, change))
        return 0;
    change_count(files, change);
    if (files_resolve(folder_fd, path, 0, name) == 0) {
        if (lstat(name, &status) != 0)
            code = path_note(files, name, NULL, NULL, change);
        else if (!is_stateless(&status) && ft_life.boot.clusters > 1)
            code = path_note(files, name, &status, NULL, FILES_READ);
    }
    note_end();
    return code;
}

int files_note_made_again(struct ft_files *files, int folder_fd, const char *path)
{
    char name[FT_UNDO_PATH];
    int code = 0;

    if (!note_begin(files, FILES_MAKE_FOLDER))
        return 0;
    if (files_resolve(folder_fd, path, 0, name) == 0)
        code = path_note(files, name, NULL, NULL, FILES_MAKE_FOLDER);
    note_end();
    return code;
}

int files_note_names(struct ft_files *files, int folder_fd, const char *path)
{
    char name[FT_UNDO_PATH];
    int code = 0;

    if (!note_begin(files, FILES_READ))
        return 0;
    if (files_names_of(folder_fd, path, name) == 0)
        code = path_note(files, name, NULL, NULL, FILES_READ);
    note_end();
    return code;
}

int files_note_opened(struct ft_files *files, int folder_fd, const char *path,
                      const struct stat *status, uint64_t time)
{
    const char *given = folder_fd == AT_FDCWD ? path : "";
    char name[FT_UNDO_PATH];
    int code = 0;

    if (!note_begin(files, FILES_READ))
        return 0;
    if (!is_stateless(status) && !is_repeated(files, status, given, FILES_READ) &&
        files_resolve(folder_fd, path, 1, name) == 0)
        code = path_note_at(files, name, status, folder_fd == AT_FDCWD ? path : NULL, FILES_READ,
                            time);
    note_end();
    return code;
}

int files_note_failed(struct ft_files *files, int folder_fd, const char *path)
{
    struct files_done_path *done = NULL;
    char name[FT_UNDO_PATH];
    uint64_t record = files->removable;
    int code = 0;

    if (!note_begin(files, FILES_OVERWRITE))
        return 0;
    if (files_resolve(folder_fd, path, 0, name) == 0)
        done = files_path_find(files, name);
    if (done != NULL && record != 0 && record == files->sequence) {
        files_record_name(name, sizeof name, files->interval, --files->sequence, ".undo");
        code = unlink(name) != 0 ? -errno : 0;
        done->change = done->before;
    }
    note_end();
    return code;
}

static int note_open(struct ft_files *files, int fd, enum files_change change)
{
    char link[32], path[FT_UNDO_PATH];
    struct stat status;
    ssize_t length;

    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0 ||
        is_repeated(files, &status, NULL, change))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return path_note(files, path, &status, NULL, change);
}

int files_note_open(struct ft_files *files, int fd, enum files_change change)
{
    int code;

    if (!note_begin(files, change))
        return 0;
    code = note_open(files, fd, change);
    note_end();
    return code;
}

off_t files_kept_size(struct ft_files *files, const struct stat *status)
{
    const struct files_done_inode *inode;
    off_t size = status->st_size;

    if (!note_begin(files, FILES_GROW))
        return size;
    inode = files_inode_find(files, status);
    if (inode != NULL && inode->change == FILES_GROW && inode->size < size)
        size = inode->size;
    note_end();
    return size;
}

int files_is_noted(struct ft_files *files, const struct stat *status)
{
    int noted;

    if (!note_begin(files, FILES_OVERWRITE))
        return 1;
    noted = is_repeated(files, status, NULL, FILES_OVERWRITE);
    note_end();
    return noted;
}
