/* Undoing what a job did to files after a checkpoint.
 *
 * Each record tells what a path was at a time t, and every change of a path is preceded by a record
 * of the rank that makes it. So, over all ranks, the earliest record of a path that follows
 * checkpoint k tells the path's state at k, whoever made it:
 *
 *     state(path, k) = state told by argmin over time of { records of path, interval > k }
 *
 * The earliest record may tell the size alone (the file only grew by then); then the bytes below
 * that size are still in the earliest copy, or in the file itself. All records and copies are
 * verified before the first file is touched; applying twice is the same as applying once; records
 * are removed last, newest first, so an interrupted undo can be repeated. */
#include "files/undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/format.h"

#define CHUNK (1 << 20)

struct record {   /* one record file */
    char *name;   /* path of the .undo file */
    char *buffer; /* its bytes */
    uint32_t interval;
    uint64_t time, boot;
};

struct state { /* an entry of a record */
    const struct ft_undo_entry *entry;
    const char *path, *target;
    const struct record *record;
};

struct undo {
    struct record *record;
    size_t records, record_room;
    struct state *state;
    size_t states, state_room;
    char *failed; /* the caller's; FT_UNDO_PATH bytes are not promised: FAILED are */
};

#define FAILED 3072 /* FT_WIRE_PATH */

static int fail(struct undo *undo, const char *path, int code)
{
    snprintf(undo->failed, FAILED, "%s", path);
    return code;
}

/* Interval of a record file's name, or -1 when it is not one. */
static int64_t name_interval(const char *name, const char *ending)
{
    size_t length = strlen(name);

    if (length != 21 + strlen(ending) || strspn(name, "0123456789abcdef") != 8 || name[8] != '-' ||
        strspn(name + 9, "0123456789abcdef") != 12 || strcmp(name + 21, ending) != 0)
        return -1;
    return (int64_t)strtoul(name, NULL, 16);
}

/* The whole file, *length bytes, owned by the caller; NULL with errno. */
static char *file_read(const char *path, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
    struct stat status;
    char *buffer = NULL;
    ssize_t got;

    if (fd < 0)
        return NULL;
    *length = 0;
    if (fstat(fd, &status) == 0 && (uint64_t)status.st_size <= FT_UNDO_BYTES_MAX)
        buffer = malloc((size_t)status.st_size + 1);
    while (buffer && *length < (size_t)status.st_size &&
           (got = read(fd, buffer + *length, (size_t)status.st_size - *length)) > 0)
        *length += (size_t)got;
    saved = buffer ? errno : EBADMSG;
    close(fd);
    errno = saved;
    return buffer;
}

static uint64_t record_checksum(const char *buffer, size_t length)
{
    struct ft_undo_head head;
    XXH3_state_t state;

    memcpy(&head, buffer, sizeof head);
    head.checksum = 0;
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &head, sizeof head);
    XXH3_64bits_update(&state, buffer + sizeof head, length - sizeof head);
    return XXH3_64bits_digest(&state);
}

/* Grows *array when it is full. 0 or -ENOMEM. */
static int grow(void **array, size_t count, size_t *room, size_t bytes)
{
    size_t larger = *room ? 2 * *room : 64;
    void *bigger;

    if (count < *room)
        return 0;
    bigger = realloc(*array, larger * bytes);
    if (bigger == NULL)
        return -ENOMEM;
    *array = bigger;
    *room = larger;
    return 0;
}

/* The entry at `at` is whole and its strings end where they should. */
static int entry_is_valid(const struct ft_undo_entry *entry, const char *at, const char *end)
{
    const char *path = at + sizeof *entry;

    return entry->kind >= FT_UNDO_ABSENT && entry->kind <= FT_UNDO_FIFO && entry->size >= 0 &&
           entry->path >= 2 && entry->path <= FT_UNDO_PATH && entry->target <= FT_UNDO_PATH &&
           ft_undo_entry_bytes(entry->path, entry->target) <= (size_t)(end - at) &&
           path[0] == '/' && strnlen(path, entry->path) == entry->path - 1 &&
           (entry->kind != FT_UNDO_LINK ||
            (entry->target >= 2 &&
             strnlen(path + entry->path, entry->target) == entry->target - 1));
}

/* Adds the entries of a record to the states. */
static int record_unpack(struct undo *undo, const struct record *record, size_t length)
{
    struct ft_undo_head head;
    const char *at = record->buffer + sizeof head, *end = record->buffer + length;

    memcpy(&head, record->buffer, sizeof head);
    for (uint32_t i = 0; i < head.entries; i++) {
        const struct ft_undo_entry *entry = (const struct ft_undo_entry *)at;
        int code;

        if ((size_t)(end - at) < sizeof *entry || !entry_is_valid(entry, at, end))
            return -EBADMSG;
        code = grow((void **)&undo->state, undo->states, &undo->state_room, sizeof *undo->state);
        if (code != 0)
            return code;
        undo->state[undo->states++] =
            (struct state){entry, at + sizeof *entry, at + sizeof *entry + entry->path, record};
        at += ft_undo_entry_bytes(entry->path, entry->target);
    }
    return at == end ? 0 : -EBADMSG;
}

/* Reads and verifies one record file; keeps it in undo->record. */
static int record_read(struct undo *undo, const char *folder, const char *name, uint32_t interval)
{
    struct record record = {.interval = interval};
    struct ft_undo_head head;
    size_t length = 0;
    int code;

    code = grow((void **)&undo->record, undo->records, &undo->record_room, sizeof record);
    if (code != 0)
        return code;
    if (asprintf(&record.name, "%s/%s", folder, name) < 0)
        return -ENOMEM;
    record.buffer = file_read(record.name, &length);
    undo->record[undo->records++] = record;
    if (record.buffer == NULL)
        return fail(undo, record.name, -errno);
    if (length < sizeof head)
        return fail(undo, record.name, -EBADMSG);
    memcpy(&head, record.buffer, sizeof head);
    if (head.magic != FT_UNDO_MAGIC || head.version != FT_UNDO_VERSION ||
        head.bytes != length - sizeof head ||
        head.checksum != record_checksum(record.buffer, length))
        return fail(undo, record.name, -EBADMSG);
    undo->record[undo->records - 1].time = head.time;
    undo->record[undo->records - 1].boot = head.boot;
    return 0;
}

static int folder_read(struct undo *undo, const char *folder, int64_t from)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0;

    if (stream == NULL)
        return fail(undo, folder, -errno);
    while (code == 0 && (item = readdir(stream)) != NULL) {
        int64_t interval = name_interval(item->d_name, ".undo");

        if (interval >= from)
            code = record_read(undo, folder, item->d_name, (uint32_t)interval);
    }
    closedir(stream);
    return code;
}

/* Entries refer to records by address, so they are unpacked when the array no longer moves. */
static int records_unpack(struct undo *undo)
{
    for (size_t i = 0; i < undo->records; i++) {
        const struct record *record = &undo->record[i];
        struct ft_undo_head head;
        int code;

        memcpy(&head, record->buffer, sizeof head);
        code = record_unpack(undo, record, sizeof head + head.bytes);
        if (code != 0)
            return fail(undo, record->name, code);
    }
    return 0;
}

/* Within a boot the time decides: a rank that missed an abandoned checkpoint is an interval behind.
 */
static int records_in_time(const struct record *a, const struct record *b)
{
    if (a->boot != b->boot)
        return a->interval < b->interval ? -1 : 1;
    return a->time < b->time ? -1 : a->time > b->time;
}

static int compare_records(const void *a, const void *b)
{
    return records_in_time(a, b);
}

static int compare_states(const void *a, const void *b)
{
    const struct state *x = a, *y = b;
    int order = strcmp(x->path, y->path);

    return order ? order : records_in_time(x->record, y->record);
}

/* One past the last state of the path of state `at`. */
static size_t group_end(const struct undo *undo, size_t at)
{
    size_t end = at + 1;

    while (end < undo->states && strcmp(undo->state[end].path, undo->state[at].path) == 0)
        end++;
    return end;
}

/* The earliest copy of the group's content, or NULL. */
static const struct state *group_copy(const struct undo *undo, size_t at, size_t end)
{
    for (; at < end; at++)
        if (undo->state[at].entry->kind == FT_UNDO_COPY)
            return &undo->state[at];
    return NULL;
}

static void data_name(const struct record *record, char name[FAILED])
{
    snprintf(name, FAILED, "%.*s.data", (int)strlen(record->name) - 5, record->name);
}

/* Copies the .data file of `copy` to `out` (-1: only verifies it). */
static int data_copy(struct undo *undo, const struct state *copy, int out)
{
    char name[FAILED], *chunk = malloc(CHUNK);
    XXH3_state_t state;
    int64_t total = 0;
    ssize_t got = 0;
    int fd, code = 0;

    data_name(copy->record, name);
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || chunk == NULL)
        code = fail(undo, name, fd < 0 ? -errno : -ENOMEM);
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    while (code == 0 && (got = read(fd, chunk, CHUNK)) > 0) {
        XXH3_64bits_update(&state, chunk, (size_t)got);
        total += got;
        for (ssize_t done = 0, part; out >= 0 && code == 0 && done < got; done += part)
            if ((part = write(out, chunk + done, (size_t)(got - done))) < 0)
                code = fail(undo, copy->path, -errno);
    }
    if (code == 0 && got < 0)
        code = fail(undo, name, -errno);
    if (code == 0 && (total != copy->entry->size ||
                      (copy->entry->hashed && copy->entry->content != XXH3_64bits_digest(&state))))
        code = fail(undo, name, -EBADMSG);
    if (fd >= 0)
        close(fd);
    free(chunk);
    return code;
}

/* Verifies all that will be used, before anything is changed. */
static int states_verify(struct undo *undo)
{
    for (size_t at = 0, end; at < undo->states; at = end) {
        const struct state *first = &undo->state[at], *copy;
        struct stat status;
        int code = 0;

        end = group_end(undo, at);
        copy = group_copy(undo, at, end);
        if (first->entry->kind != FT_UNDO_COPY && first->entry->kind != FT_UNDO_SIZE)
            continue;
        if (copy != NULL)
            code = data_copy(undo, copy, -1);
        else if (lstat(first->path, &status) != 0)
            code = fail(undo, first->path, -errno);
        if (code != 0)
            return code;
        if ((copy ? copy->entry->size : (int64_t)status.st_size) < first->entry->size)
            return fail(undo, first->path, -ESTALE);
    }
    return 0;
}

/* Removes what is at the path unless it is of the wanted kind (an S_IFMT value; 0: removes all). */
static int path_clear(struct undo *undo, const char *path, mode_t wanted)
{
    struct stat status;
    int code;

    if (lstat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : fail(undo, path, -errno);
    if (wanted != 0 && (status.st_mode & S_IFMT) == wanted)
        return 0;
    code = S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
    return code == 0 ? 0 : fail(undo, path, -errno);
}

static int times_restore(const struct ft_undo_entry *entry, int fd)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                {.tv_sec = entry->mtime_s, .tv_nsec = entry->mtime_ns}};

    return futimens(fd, times);
}

/* Puts a regular file back: content from the copy, if there is one, then size, mode and time. */
static int file_restore(struct undo *undo, const struct state *first, const struct state *copy)
{
    const struct ft_undo_entry *entry = first->entry;
    int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | (copy ? O_CREAT : 0);
    int fd, code = path_clear(undo, first->path, S_IFREG);

    if (code != 0)
        return code;
    fd = open(first->path, flags, 0600);
    if (fd < 0 && errno == EACCES && chmod(first->path, 0600) == 0)
        fd = open(first->path, flags, 0600);
    if (fd < 0)
        return fail(undo, first->path, -errno);
    if (copy != NULL)
        code = data_copy(undo, copy, fd);
    if (code == 0 && (ftruncate(fd, entry->size) != 0 || fchmod(fd, entry->mode & 07777) != 0 ||
                      times_restore(entry, fd) != 0))
        code = fail(undo, first->path, -errno);
    close(fd);
    return code;
}

static int folder_restore(struct undo *undo, const struct state *first)
{
    int code = path_clear(undo, first->path, S_IFDIR);

    if (code == 0 && ((mkdir(first->path, 0700) != 0 && errno != EEXIST) ||
                      chmod(first->path, first->entry->mode & 07777) != 0))
        code = fail(undo, first->path, -errno);
    return code;
}

static int special_restore(struct undo *undo, const struct state *first)
{
    int code = path_clear(undo, first->path, 0);

    if (code != 0)
        return code;
    code = first->entry->kind == FT_UNDO_LINK ? symlink(first->target, first->path)
                                              : mkfifo(first->path, first->entry->mode & 07777);
    return code == 0 ? 0 : fail(undo, first->path, -errno);
}

/* Paths are sorted, so a folder stands before what is in it: going down the list removes the inner
 * first, going up makes the outer first. */
static int absent_apply(struct undo *undo)
{
    int code = 0;

    for (size_t i = undo->states; code == 0 && i-- > 0;) {
        int is_first = i == 0 || strcmp(undo->state[i - 1].path, undo->state[i].path) != 0;

        if (is_first && undo->state[i].entry->kind == FT_UNDO_ABSENT)
            code = path_clear(undo, undo->state[i].path, 0);
    }
    return code;
}

static int present_apply(struct undo *undo)
{
    int code = 0;

    for (size_t at = 0, end; code == 0 && at < undo->states; at = end) {
        const struct state *first = &undo->state[at];

        end = group_end(undo, at);
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

    for (size_t i = undo->records; i-- > 0;) {
        data_name(&undo->record[i], name);
        if (unlink(undo->record[i].name) != 0)
            return fail(undo, undo->record[i].name, -errno);
        unlink(name);
    }
    return 0;
}

static void undo_close(struct undo *undo)
{
    for (size_t i = 0; i < undo->records; i++) {
        free(undo->record[i].name);
        free(undo->record[i].buffer);
    }
    free(undo->record);
    free(undo->state);
}

int ft_undo_apply_all(const char *const *folders, int count, int number, char *failed)
{
    struct undo undo = {.failed = failed};
    int code = 0;

    failed[0] = 0;
    for (int i = 0; code == 0 && i < count; i++)
        code = folder_read(&undo, folders[i], (int64_t)number + 1);
    if (code == 0 && undo.records > 0) {
        qsort(undo.record, undo.records, sizeof *undo.record, compare_records);
        code = records_unpack(&undo);
    }
    if (code == 0 && undo.states > 0) {
        qsort(undo.state, undo.states, sizeof *undo.state, compare_states);
        code = states_verify(&undo);
    }
    if (code == 0)
        code = absent_apply(&undo);
    if (code == 0)
        code = present_apply(&undo);
    if (code == 0)
        code = records_remove(&undo);
    undo_close(&undo);
    return code;
}

int ft_undo_apply(const char *folder, int number, char *failed)
{
    return ft_undo_apply_all(&folder, 1, number, failed);
}

int ft_undo_drop(const char *folder, int number)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0;

    if (stream == NULL)
        return -errno;
    while ((item = readdir(stream)) != NULL) {
        int64_t interval = name_interval(item->d_name, ".undo");

        if (interval < 0)
            interval = name_interval(item->d_name, ".data");
        if (interval >= 0 && interval < (int64_t)number + 1 &&
            unlinkat(dirfd(stream), item->d_name, 0) != 0 && errno != ENOENT)
            code = -errno;
    }
    closedir(stream);
    return code;
}
