/* Behind an access: what libc has found there, or done, may not be what was listed before, because
 * another rank has done something in between. */
#include "files/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/access.h"
#include "files/put.h"
#include "files/resolve.h"

/* The rank was to make the path, but another one was quicker: it has changed nothing there, and so
 * it need not go back with that one. What it has found is on record instead. */
static int record_drop(const struct ft_files *files, struct files_done_path *path,
                       const struct stat *status)
{
    char name[FT_WIRE_PATH + FT_UNDO_NAME];
    int code;

    if (path->last.record == 0)
        return 0;
    files_record_name(name, sizeof name, files->interval, path->last.record - 1, ".undo");
    if (unlink(name) != 0)
        return -errno;
    path->last.record = 0;
    path->done.change = path->last.before;
    if (files_allows(&path->done, FILES_READ))
        return 0;
    path->done.change = FILES_READ;
    code = files_record_seen(files, path->path, status);
    return code == -ENOENT ? files_record_seen(files, path->path, NULL) : code; /* it is gone */
}

/* What libc has found instead, or has needed for what it did; status: of what is there now, or
 * NULL.
 */
static enum ft_access_needs needs_of(enum ft_access_needs tried, enum files_answer answer,
                                     const struct stat *status)
{
    enum ft_access_needs now = files_found_by(status);

    if (answer == FILES_NAMED)
        return now == FT_NEEDS_PRESENCE ? FT_NEEDS_ABSENCE : FT_NEEDS_PRESENCE;
    if (answer == FILES_KEPT) /* a removal; what was to be made, and came since, was no reason */
        return tried == FT_NEEDS_PRESENCE && now == FT_NEEDS_ABSENCE ? now : FT_NEEDS_NOTHING;
    return answer == FILES_THERE || answer == FILES_EXCLUDED ? FT_NEEDS_PRESENCE : FT_NEEDS_ABSENCE;
}

/* Has a call that was to make, remove or rename it done nothing? */
static int has_failed(enum files_answer answer)
{
    return answer == FILES_EXCLUDED || answer == FILES_KEPT;
}

/* What the last access of the path was, in place of what was told of it. */
static int late_write(const struct ft_files *files, const struct files_done_path *path)
{
    return files_access_write(
        files, path->path,
        &(struct ft_undo_access){.moment = files_present(),
                                 .look = path->last.look,
                                 .change = path->last.named ? FT_ACCESS_NAME : FT_ACCESS_READ,
                                 .needs = path->last.needs,
                                 .late = 1,
                                 .seen = path->last.named ? files_folder_time(path->path) : 0});
}

/* Libc has found otherwise than the look before: the access was behind what another rank did.
 * status: of what is there now, or NULL. */
static int access_move(struct ft_files *files, struct files_done_path *path,
                       enum files_answer answer, const struct stat *status)
{
    const struct found now = files_found_of(status, files_is_names(path->path));
    int code = has_failed(answer) ? record_drop(files, path, status) : 0, was_named;

    if (code != 0)
        return code;
    was_named = path->last.named;
    path->last.needs = needs_of(path->last.needs, answer, status);
    path->last.named = answer == FILES_NAMED;
    path->done.moment = path->last.named ? 0 : files_present();
    path->done.changes = path->last.named;
    path->done.found =
        answer == FILES_THERE || has_failed(answer) ? now : (struct found){.kind = NONE};
    code = late_write(files, path);
    if (was_named)
        files_change_uncount(files);
    else if (answer == FILES_NAMED)
        files_change_count(files);
    return code;
}

/* It has done what was listed. When, is listed, too: another rank may have done something to the
 * path in between. */
static int name_is_done(const struct ft_files *files, const struct files_done_path *path)
{
    int code = late_write(files, path);

    files_access_ends();
    return code;
}

static int is_otherwise(const struct files_done_path *path, enum files_answer answer)
{
    if (answer == FILES_KEPT) /* who has found it there may have failed for that, or not */
        return path->last.named || path->last.needs == FT_NEEDS_PRESENCE;
    if (answer == FILES_NAMED || answer == FILES_EXCLUDED)
        return path->last.named != (answer == FILES_NAMED);
    return answer != FILES_UNKNOWN && (answer == FILES_THERE) != (path->done.found.kind != NONE);
}

/* status: NULL when nothing is there. */
static int note_ends(struct ft_files *files, const struct stat *status, enum files_answer answer)
{
    struct files_done_inode *inode = status != NULL ? files_inode_find(files, status) : NULL;
    struct files_done_path *path = files_accessed();
    const struct found now = files_found_of(status, files_is_names(path->path));

    files_accessed_clear();
    if (is_otherwise(path, answer))
        return access_move(files, path, answer, status);
    if (path->last.named || !files_is_news(&path->done, &now))
        return 0;
    path->done.found = now;
    if (inode != NULL)
        inode->done.found = now;
    return files_access_write(
        files, path->path,
        &(struct ft_undo_access){.moment = files_present(),
                                 .look = files_path_look_next(path),
                                 .change = path->done.changes ? FT_ACCESS_CONTENT : FT_ACCESS_READ,
                                 .needs = path->done.changes ? FT_NEEDS_NOTHING
                                                             : files_found_by(status)});
}

int files_note_ends(struct ft_files *files, int folder_fd, const char *path, int follow,
                    enum files_answer answer)
{
    const struct files_done_path *accessed = files_accessed();
    struct stat status;
    int code, there;

    if (accessed == NULL || (answer == FILES_NOT_THERE && accessed->done.found.kind == NONE) ||
        !files_answer_begin(files))
        return 0;
    if (answer == FILES_NAMED && accessed->last.named) {
        code = name_is_done(files, accessed);
    } else {
        there = fstatat(folder_fd, path, &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
        code = note_ends(files, there ? &status : NULL, answer);
    }
    files_noting_end();
    return code;
}

static int name_ends(struct ft_files *files, const char *name, enum files_answer answer)
{
    struct files_done_path *path = files_path_find(files, name);
    struct stat status;

    if (path == NULL || path->last.moment != files_present())
        return 0;
    if (!is_otherwise(path, answer))
        return path->last.named ? name_is_done(files, path) : 0;
    return access_move(files, path, answer, lstat(name, &status) == 0 ? &status : NULL);
}

int files_note_named(struct ft_files *files, int folder_fd, const char *path,
                     enum files_answer answer)
{
    char resolved[FT_UNDO_PATH];
    int code = 0;

    if (!files_answer_begin(files))
        return 0;
    if (files_resolve(folder_fd, path, 0, resolved) == 0)
        code = name_ends(files, resolved, answer);
    files_noting_end();
    return code;
}

int files_note_open_ends(struct ft_files *files, int fd)
{
    struct stat status;
    int code;

    if (files_accessed() == NULL || !files_answer_begin(files))
        return 0;
    code = fstat(fd, &status) == 0 ? note_ends(files, &status, FILES_UNKNOWN) : 0;
    files_noting_end();
    return code;
}
