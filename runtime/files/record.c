/* Before an access: which path it is of, and what has to be on record of that.
 *
 * The first change of a path after a checkpoint is preceded by a record of what the path was.
 * Nothing is on record at a checkpoint.
 *
 * Where clusters go back alone, accesses are listed, too: of a path the first one between two MPI
 * calls, each that finds something else than the one before, and each that makes or removes it. So
 * a rank that looks again and again, until another one has done something, is known to have seen it
 * not before that; and who takes a lock in a file, to have held it while others looked in vain. */
#include "files/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "files/access.h"
#include "files/note.h"
#include "files/put.h"
#include "files/resolve.h"

#define TRIES 100 /* to copy a file that another rank takes away meanwhile */

static int is_changed(const struct ft_files *files, const char *path, enum files_change change)
{
    const struct files_done_path *done = files_path_find(files, path);

    return done != NULL && files_allows(&done->done, change);
}

static int note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
                enum files_change access, int follow)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int code, there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;

    if (there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    if (there && S_ISREG(status.st_mode) && follow &&
        files_is_repeated(files, &status, folder_fd == AT_FDCWD ? path : "", change, access))
        return 0;
    if (!there && follow)
        code = files_dereference(folder_fd, path, resolved);
    else
        code = files_resolve(folder_fd, path, there && follow, resolved);
    if (code != 0)
        return 0; /* the call itself will fail, and say why */
    if (there && S_ISREG(status.st_mode) && !follow && status.st_nlink > 1 &&
        change != FILES_READ && !is_changed(files, resolved, change))
        return -EMLINK; /* a copy would be put back where a hard link was */
    return files_path_note(files, resolved, there ? &status : NULL,
                           follow && folder_fd == AT_FDCWD ? path : NULL, change, access);
}

/* The call answers that it is there, although it has gone meanwhile. */
static int taken_note(const struct ft_files *files, const char *resolved)
{
    struct files_done_path *path = files_path_find(files, resolved);

    if (path == NULL)
        return 0;
    path->last.needs = FT_NEEDS_PRESENCE;
    return files_access_write(files, resolved,
                              &(struct ft_undo_access){.moment = files_present(),
                                                       .look = path->last.look,
                                                       .change = FT_ACCESS_READ,
                                                       .needs = FT_NEEDS_PRESENCE,
                                                       .late = 1});
}

/* A folder that the rank had made, and that stayed when it went back because others have put
 * something into it, is on record as what was not there: so it was when the rank made it first. */
static int note_make(struct ft_files *files, int folder_fd, const char *path,
                     enum files_place place)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int there, code;

    if (files_resolve(folder_fd, path, 0, resolved) != 0)
        return 0;
    there = lstat(resolved, &status) == 0;
    if (there && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    if (place == FILES_OURS || (!there && place == FILES_FREE))
        return files_path_note(files, resolved, NULL, NULL, FILES_OVERWRITE, MADE);
    if (!files_is_listed())
        return 0;
    code = files_path_note(files, resolved, there ? &status : NULL, NULL, FILES_READ, FILES_READ);
    return code == 0 && place == FILES_TAKEN && !there ? taken_note(files, resolved) : code;
}

static int note_open(struct ft_files *files, int fd, enum files_change change,
                     enum files_change access)
{
    char link[32], path[FT_UNDO_PATH];
    struct stat status;
    ssize_t length;

    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 0 ||
        files_is_repeated(files, &status, NULL, change, access))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return files_path_note(files, path, &status, NULL, change, access);
}

static int path_is_accessed(struct ft_files *files, int folder_fd, const char *path,
                            enum files_change change, enum files_change access, int follow)
{
    int code = -ENOENT;

    files_accessed_clear();
    if (path == NULL || !files_noting_begin(files, access))
        return 0;
    for (int tries = 0; code == -ENOENT && tries < TRIES; tries++)
        code = note(files, folder_fd, path, change, access, follow);
    files_noting_end();
    return code;
}

int files_note(struct ft_files *files, int folder_fd, const char *path, enum files_change change,
               int follow)
{
    return path_is_accessed(files, folder_fd, path, change,
                            change > FILES_READ && !follow ? GONE : change, follow);
}

int files_note_replaced(struct ft_files *files, int folder_fd, const char *path)
{
    return path_is_accessed(files, folder_fd, path, FILES_OVERWRITE, NAMED, 0);
}

int files_note_unused(struct ft_files *files, int folder_fd, const char *path)
{
    return path_is_accessed(files, folder_fd, path, FILES_OVERWRITE, NOTHING, 0);
}

int files_note_make(struct ft_files *files, int folder_fd, const char *path, enum files_place place)
{
    int code = -ENOENT;

    files_accessed_clear();
    if (path == NULL || !files_noting_begin(files, MADE))
        return 0;
    for (int tries = 0; code == -ENOENT && tries < TRIES; tries++)
        code = note_make(files, folder_fd, path, place);
    files_noting_end();
    return code;
}

static int open_note(struct ft_files *files, int fd, enum files_change change,
                     enum files_change access)
{
    int code;

    if (!files_noting_begin(files, access))
        return 0;
    code = note_open(files, fd, change, access);
    if (access > FILES_READ)
        files_change_count(files);
    files_noting_end();
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

int files_is_noted(struct ft_files *files, const struct stat *status)
{
    int noted;

    if (!files_noting_begin(files, FILES_OVERWRITE))
        return 1;
    noted = files_is_repeated(files, status, NULL, FILES_OVERWRITE, FILES_OVERWRITE);
    if (noted)
        files_change_count(files);
    files_noting_end();
    return noted;
}
