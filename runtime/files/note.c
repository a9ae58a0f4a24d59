/* Records and accesses of one path (note.h).
 *
 * A record's time is read after the state and the copy were read: then the earliest record of a
 * path, over all ranks, was read before anybody changed it (undo.c). */
#include "files/note.h"

#include <string.h>

#include "files/access.h"
#include "files/claim.h"
#include "files/put.h"

/* Is the access in the list already? */
static int is_known(const struct done *done, enum files_change access, const struct found *now)
{
    return access < NAMED && done->moment == files_present() &&
           done->changes >= (access > FILES_READ) && !files_is_news(done, now);
}

/* Is nothing to be written before such an access? access: NOTHING, or the change. */
static int suffices(const struct done *done, enum files_change change, enum files_change access,
                    const struct found *now)
{
    return files_allows(done, change) &&
           (access == NOTHING || !files_is_listed() || is_known(done, access, now));
}

static void done_add(struct done *done, enum files_change change, enum files_change access,
                     const struct found *now)
{
    if (change > done->change)
        done->change = change;
    if (access == NOTHING)
        return;
    done->changes = access > FILES_READ ||
                    (done->moment == files_present() && done->changes && now->kind != NONE);
    done->moment = access >= NAMED ? 0 : files_present(); /* what comes next is another file */
    done->found = *now;
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

/* Was the file accessed by this name last? Another name is another path. */
static int is_given(const struct files_done_inode *inode, const char *path)
{
    return path == NULL || !files_is_listed() ||
           (inode->given != NULL && strcmp(inode->given, path) == 0);
}

/* A system call for a change of the name alone: nothing else is judged by it, and what is made and
 * renamed costs several anyway. */
static uint64_t seen_of(const struct files_done_path *path, const struct stat *status,
                        enum ft_access_change change)
{
    if (change == FT_ACCESS_NAME)
        return files_folder_time(path->path);
    return files_is_names(path->path) && status != NULL ? files_time_of(status) : 0;
}

/* Adds the access to the list. Looks are not counted: how many there are depends on how far others
 * are, and that may be otherwise when the rank goes back without them. */
static int path_list(struct ft_files *files, struct files_done_path *path,
                     const struct stat *status, enum files_change access)
{
    enum ft_access_change listed = access >= NAMED       ? FT_ACCESS_NAME
                                   : access > FILES_READ ? FT_ACCESS_CONTENT
                                                         : FT_ACCESS_READ;
    int code;

    if (listed != FT_ACCESS_READ)
        files_accesses_tell(files, FT_ACCESSING_LISTED);
    code = files_access_write(files, path->path,
                              &(struct ft_undo_access){.moment = files_present(),
                                                       .look = path->last.look,
                                                       .change = listed,
                                                       .needs = path->last.needs,
                                                       .found = listed == FT_ACCESS_READ
                                                                    ? FT_NEEDS_NOTHING
                                                                    : files_found_by(status),
                                                       .seen = seen_of(path, status, listed)});
    if (code != 0 || listed == FT_ACCESS_READ ||
        (listed == FT_ACCESS_CONTENT && path->last.counted))
        return code;
    path->last.counted |= listed == FT_ACCESS_CONTENT;
    files_change_count(files);
    return 0;
}

/* What must be written before a path is accessed so. status: NULL when nothing is there. */
static int path_write(struct ft_files *files, struct files_done_path *path,
                      const struct stat *status, enum files_change change, enum files_change access)
{
    const struct found now = files_found_of(status, files_is_names(path->path));
    int code = 0;

    if (!files_allows(&path->done, change))
        code = change == FILES_READ ? files_record_seen(files, path->path, status)
                                    : files_record_write(files, path->path, status, change);
    if (code == 0 && access != NOTHING && files_is_listed() && !is_known(&path->done, access, &now))
        code = path_list(files, path, status, access);
    return code;
}

int files_path_note(struct ft_files *files, const char *name, const struct stat *status,
                    const char *given, enum files_change change, enum files_change access)
{
    const struct found now = files_found_of(status, files_is_names(name));
    struct files_done_inode *inode;
    uint64_t sequence = files->sequence;
    struct files_done_path *path;
    struct last before;
    int code;

    if (files_is_kernels(name))
        return 0;
    path = files_path_make(files, name);
    before = path->last;
    if (access != NOTHING)
        files_path_look(path, access);
    if (access == FILES_READ)
        path->last.needs = files_found_by(status);
    path->last.before = path->done.change;
    code = path_write(files, path, status, change, access);
    if (code != 0) {
        path->last = before;
        return code;
    }
    path->last.record = status == NULL && files->sequence > sequence ? sequence + 1 : 0;
    done_add(&path->done, status || change == FILES_READ ? change : FILES_OVERWRITE, access, &now);
    if (status == NULL || !S_ISREG(status->st_mode))
        return 0;
    inode = files_inode_make(files, status, path);
    given_set(inode, given);
    done_add(&inode->done, path->done.change, access, &now);
    return 0;
}

int files_is_repeated(const struct ft_files *files, const struct stat *status, const char *given,
                      enum files_change change, enum files_change access)
{
    const struct found now = files_found_of(status, 0);
    struct files_done_inode *inode = files_inode_find(files, status);

    if (inode == NULL || !is_given(inode, given) || !suffices(&inode->done, change, access, &now))
        return 0;
    if (access != NOTHING)
        files_path_look(inode->path, access);
    return 1;
}
