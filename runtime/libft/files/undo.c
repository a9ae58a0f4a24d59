/* Undoing what a job did to files after a checkpoint.
 *
 * Each record tells what a path was at a time t, and every change of a path is preceded by a record
 * of the rank that makes it. So, over all ranks, the earliest record of a path that follows
 * checkpoint k tells the path's state at k, whoever made it:
 *
 *     state(path, k) = state told by argmin over time of { records of path, interval > k }
 *
 * With parties that roll back to checkpoints of several moments each rank has a k of its own.
 * The earliest record may tell the size alone (the file only grew by then); then the bytes below
 * that size are still in the earliest copy, or in the file itself. All records and copies are
 * verified before the first file is touched; applying twice is the same as applying once;
 * records are removed last, newest first, so an interrupted undo can be repeated. */
#include "files/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/content.h"
#include "files/undo_read.h"

/* The earliest copy of the group's content, or NULL. */
static const struct state *group_copy(const struct undo *undo, size_t at, size_t end)
{
    for (; at < end; at++)
        if (undo->changed.state[at].entry->kind == FT_UNDO_COPY)
            return &undo->changed.state[at];
    return NULL;
}

/* Copies the .data file of `copy` to `out` (-1: only verifies it). */
static int data_copy(struct undo *undo, const struct state *copy, int out)
{
    struct files_content content;
    char name[FAILED];
    int fd, code;

    undo_data_name(copy->record, name);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return undo_fail(undo, name, -errno);
    code = files_content_copy(fd, out, &content);
    close(fd);
    if (code != 0)
        return undo_fail(undo, content.unwritten ? copy->path : name, code);
    if (content.size != copy->entry->size ||
        (copy->entry->hashed && copy->entry->content != content.hash))
        return undo_fail(undo, name, -EBADMSG);
    return 0;
}

/* Verifies all that will be used, before anything is changed. */
static int states_verify(struct undo *undo)
{
    for (size_t at = 0, end; at < undo->changed.states; at = end) {
        const struct state *first = &undo->changed.state[at], *copy;
        struct stat status;
        int code = 0;

        end = undo_group_end(&undo->changed, at);
        copy = group_copy(undo, at, end);
        if (first->entry->kind != FT_UNDO_COPY && first->entry->kind != FT_UNDO_SIZE)
            continue;
        if (copy != NULL)
            code = data_copy(undo, copy, -1);
        else if (lstat(first->path, &status) != 0)
            code = undo_fail(undo, first->path, -errno);
        if (code != 0)
            return code;
        if ((copy ? copy->entry->size : (int64_t)status.st_size) < first->entry->size)
            return undo_fail(undo, first->path, -ESTALE);
    }
    return 0;
}

/* Removes what is at the path unless it is of the wanted kind (an S_IFMT value; 0: removes all). */
static int path_clear(struct undo *undo, const char *path, mode_t wanted)
{
    struct stat status;
    int code;

    if (lstat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : undo_fail(undo, path, -errno);
    if (wanted != 0 && (status.st_mode & S_IFMT) == wanted)
        return 0;
    code = S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
    return code == 0 ? 0 : undo_fail(undo, path, -errno);
}

static int times_restore(const struct ft_undo_entry *entry, int fd)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                {.tv_sec = entry->mtime_s, .tv_nsec = entry->mtime_ns}};

    return futimens(fd, times);
}

/* Copies the first bytes of `path`, as many as the entry tells, to `out`. */
static int begin_copy(struct undo *undo, const char *path, const struct ft_undo_entry *entry,
                      int out)
{
    int in = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    off_t left = in < 0 ? 0 : entry->size;
    ssize_t part = 1;

    while (left > 0 && part > 0) {
        part = sendfile(out, in, NULL, (size_t)left);
        left -= part > 0 ? part : 0;
    }
    if (in < 0 || part < 0)
        part = -errno;
    if (in >= 0)
        close(in);
    return part < 0 ? undo_fail(undo, path, (int)part) : 0;
}

/* Gives an open file the content, from the copy if there is one, the size, mode and time. */
static int file_fill(struct undo *undo, const struct state *first, const struct state *copy, int fd)
{
    const struct ft_undo_entry *entry = first->entry;
    int code = copy != NULL ? data_copy(undo, copy, fd) : 0;

    if (code == 0 && (ftruncate(fd, entry->size) != 0 || fchmod(fd, entry->mode & 07777) != 0 ||
                      times_restore(entry, fd) != 0))
        code = undo_fail(undo, first->path, -errno);
    return code;
}

/* Does the file have names that it had not? They are to keep what it is now. */
static int has_more_names(const struct state *first, const struct state *copy)
{
    struct stat now;

    return first->entry->links == 1 && lstat(first->path, &now) == 0 && S_ISREG(now.st_mode) &&
           now.st_nlink > 1 && (copy != NULL || now.st_size != first->entry->size);
}

/* Puts a new file in the place of the one that is there. */
static int file_renew(struct undo *undo, const struct state *first, const struct state *copy)
{
    char name[FAILED + 16];
    int fd, code = 0;

    snprintf(name, sizeof name, "%.*s/.undo-XXXXXX", (int)(strrchr(first->path, '/') - first->path),
             first->path);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return undo_fail(undo, first->path, -errno);
    if (copy == NULL)
        code = begin_copy(undo, first->path, first->entry, fd);
    if (code == 0)
        code = file_fill(undo, first, copy, fd);
    close(fd);
    if (code == 0 && rename(name, first->path) != 0)
        code = undo_fail(undo, first->path, -errno);
    if (code != 0)
        unlink(name);
    return code;
}

/* Puts a regular file back, in place: all its names show it. */
static int file_restore(struct undo *undo, const struct state *first, const struct state *copy)
{
    int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (copy ? O_CREAT : 0);
    int fd, code = path_clear(undo, first->path, S_IFREG);

    if (code != 0)
        return code;
    if (has_more_names(first, copy))
        return file_renew(undo, first, copy);
    fd = open(first->path, flags, 0600);
    if (fd < 0 && errno == EACCES && chmod(first->path, 0600) == 0)
        fd = open(first->path, flags, 0600);
    if (fd < 0)
        return undo_fail(undo, first->path, -errno);
    code = file_fill(undo, first, copy, fd);
    close(fd);
    return code;
}

static int folder_restore(struct undo *undo, const struct state *first)
{
    int code = path_clear(undo, first->path, S_IFDIR);

    if (code == 0 && ((mkdir(first->path, 0700) != 0 && errno != EEXIST) ||
                      chmod(first->path, first->entry->mode & 07777) != 0))
        code = undo_fail(undo, first->path, -errno);
    return code;
}

/* Is the link or the FIFO there? A process that has it open keeps using it. */
static int is_special_there(const struct state *first)
{
    char target[FT_UNDO_PATH];
    struct stat now;
    ssize_t length;

    if (lstat(first->path, &now) != 0)
        return 0;
    if (first->entry->kind == FT_UNDO_FIFO)
        return S_ISFIFO(now.st_mode) && chmod(first->path, first->entry->mode & 07777) == 0;
    length = readlink(first->path, target, sizeof target);
    return length >= 0 && (size_t)length == strlen(first->target) &&
           memcmp(target, first->target, (size_t)length) == 0;
}

static int special_restore(struct undo *undo, const struct state *first)
{
    int code;

    if (is_special_there(first))
        return 0;
    code = path_clear(undo, first->path, 0);
    if (code != 0)
        return code;
    code = first->entry->kind == FT_UNDO_LINK ? symlink(first->target, first->path)
                                              : mkfifo(first->path, first->entry->mode & 07777);
    return code == 0 ? 0 : undo_fail(undo, first->path, -errno);
}

/* Is a link in the way of the path? There was none when it was on record: what is behind it is
 * another file. */
static int is_astray(const char *path)
{
    char folder[FAILED], *real;
    int astray;

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    real = realpath(folder[0] ? folder : "/", NULL);
    astray = real != NULL && strcmp(real, folder[0] ? folder : "/") != 0;
    free(real);
    return astray;
}

static int is_folder(const char *path)
{
    struct stat now;

    return lstat(path, &now) == 0 && S_ISDIR(now.st_mode);
}

/* Removes what was not there. A folder stays where it is not empty, or `each` wants it to. */
static int absent_restore(struct undo *undo, const struct state *first, ft_undo_each *each,
                          void *context)
{
    const struct record *record = first->record;
    const char *path = first->path;
    int kept = each != NULL && is_folder(path) &&
               each(context, path, record->party, record->place, FT_UNDO_GOES);
    int code = kept ? -ENOTEMPTY : path_clear(undo, path, 0);

    if (code != -ENOTEMPTY && code != -EEXIST)
        return code;
    if (each != NULL)
        each(context, path, record->party, record->place, FT_UNDO_STAYED);
    return 0;
}

/* Paths are sorted, so a folder stands before what is in it: going down the list removes the inner
 * first, going up makes the outer first. */
static int absent_apply(struct undo *undo, ft_undo_each *each, void *context)
{
    int code = 0;

    for (size_t i = undo->changed.states; code == 0 && i-- > 0;) {
        const struct state *state = &undo->changed.state[i];
        int is_first = i == 0 || strcmp(state[-1].path, state->path) != 0;

        if (is_first && state->entry->kind == FT_UNDO_ABSENT && !is_astray(state->path))
            code = absent_restore(undo, state, each, context);
    }
    return code;
}

static int present_apply(struct undo *undo)
{
    int code = 0;

    for (size_t at = 0, end; code == 0 && at < undo->changed.states; at = end) {
        const struct state *first = &undo->changed.state[at];

        end = undo_group_end(&undo->changed, at);
        if (first->entry->kind == FT_UNDO_FOLDER)
            code = folder_restore(undo, first);
        else if (first->entry->kind == FT_UNDO_COPY || first->entry->kind == FT_UNDO_SIZE)
            code = file_restore(undo, first, group_copy(undo, at, end));
        else if (first->entry->kind != FT_UNDO_ABSENT)
            code = special_restore(undo, first);
    }
    return code;
}

/* Removes the records, newest first. */
static int records_remove(struct undo *undo)
{
    char name[FAILED];

    for (size_t i = undo->changed.records; i-- > 0;) {
        undo_data_name(&undo->changed.record[i], name);
        if (unlink(undo->changed.record[i].name) != 0)
            return undo_fail(undo, undo->changed.record[i].name, -errno);
        unlink(name);
    }
    return 0;
}

/* Removes the .reads files of intervals from `from` on. 0 or -errno. */
static int reads_remove(const char *folder, int64_t from)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0;

    if (stream == NULL)
        return -errno;
    while ((item = undo_next(stream, &code)) != NULL)
        if (undo_reads_interval(item->d_name) >= from &&
            unlinkat(dirfd(stream), item->d_name, 0) != 0 && errno != ENOENT)
            code = -errno;
    closedir(stream);
    return code;
}

/* The ranks will read again what they have read since their checkpoints. */
static int reads_forget(struct undo *undo, const struct ft_undo_party *parties, int count)
{
    for (int i = 0; i < count; i++)
        for (int r = 0; r < parties[i].count; r++) {
            const char *folder = parties[i].folders[r];
            int code = reads_remove(folder, (int64_t)parties[i].number + 1);

            if (code != 0)
                return undo_fail(undo, folder, code);
        }
    return 0;
}

int ft_undo_apply(const struct ft_undo_party *parties, int count, char *failed, ft_undo_each *each,
                  void *context)
{
    struct undo undo = {.failed = failed};
    int code = undo_read(&undo, parties, count, UNDO_BACK);

    if (code == 0)
        code = states_verify(&undo);
    if (code == 0)
        code = absent_apply(&undo, each, context);
    if (code == 0)
        code = present_apply(&undo);
    if (code == 0)
        code = records_remove(&undo);
    if (code == 0)
        code = reads_forget(&undo, parties, count);
    undo_close(&undo);
    return code;
}

int ft_undo_drop(const char *folder, int number)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0;

    if (stream == NULL)
        return -errno;
    while ((item = undo_next(stream, &code)) != NULL) {
        int64_t interval = undo_interval(item->d_name, ".undo");

        if (interval < 0)
            interval = undo_interval(item->d_name, ".data");
        if (interval < 0)
            interval = undo_reads_interval(item->d_name);
        if (interval >= 0 && interval < (int64_t)number + 1 &&
            unlinkat(dirfd(stream), item->d_name, 0) != 0 && errno != ENOENT)
            code = -errno;
    }
    closedir(stream);
    return code;
}
