/* Reading undo records: nothing is used that does not match its checksum. */
#include "files/undo_read.h"

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

int undo_fail(struct undo *undo, const char *path, int code)
{
    snprintf(undo->failed, FAILED, "%s", path);
    return code;
}

int64_t undo_interval(const char *name, const char *ending)
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
static int record_read(struct undo *undo, const char *folder, const char *name, uint32_t interval,
                       int party)
{
    struct record record = {.interval = interval, .party = party};
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
        return undo_fail(undo, record.name, -errno);
    if (length < sizeof head)
        return undo_fail(undo, record.name, -EBADMSG);
    memcpy(&head, record.buffer, sizeof head);
    if (head.magic != FT_UNDO_MAGIC || head.version != FT_UNDO_VERSION ||
        head.bytes != length - sizeof head ||
        head.checksum != record_checksum(record.buffer, length))
        return undo_fail(undo, record.name, -EBADMSG);
    undo->record[undo->records - 1].time = head.time;
    undo->record[undo->records - 1].boot = head.boot;
    return 0;
}

static int folder_read(struct undo *undo, const char *folder, int64_t from, int party)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0;

    if (stream == NULL)
        return undo_fail(undo, folder, -errno);
    while (code == 0 && (item = readdir(stream)) != NULL) {
        int64_t interval = undo_interval(item->d_name, ".undo");

        if (interval >= from)
            code = record_read(undo, folder, item->d_name, (uint32_t)interval, party);
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
            return undo_fail(undo, record->name, code);
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

size_t undo_group_end(const struct undo *undo, size_t at)
{
    size_t end = at + 1;

    while (end < undo->states && strcmp(undo->state[end].path, undo->state[at].path) == 0)
        end++;
    return end;
}

void undo_close(struct undo *undo)
{
    for (size_t i = 0; i < undo->records; i++) {
        free(undo->record[i].name);
        free(undo->record[i].buffer);
    }
    free(undo->record);
    free(undo->state);
}

static int party_read(struct undo *undo, const struct ft_undo_party *party, int index,
                      int everything)
{
    int64_t from = everything ? 0 : (int64_t)party->number + 1;
    int code = 0;

    for (int i = 0; code == 0 && i < party->count; i++)
        code = folder_read(undo, party->folders[i], from, index);
    return code;
}

int undo_read(struct undo *undo, const struct ft_undo_party *parties, int count, int everything)
{
    int code = 0;

    undo->failed[0] = 0;
    for (int i = 0; code == 0 && i < count; i++)
        code = party_read(undo, &parties[i], i, everything);
    if (code == 0 && undo->records > 0) {
        qsort(undo->record, undo->records, sizeof *undo->record, compare_records);
        code = records_unpack(undo);
    }
    if (code == 0 && undo->states > 0)
        qsort(undo->state, undo->states, sizeof *undo->state, compare_states);
    return code;
}
