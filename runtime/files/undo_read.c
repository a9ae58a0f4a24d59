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

int64_t undo_reads_interval(const char *name)
{
    if (strspn(name, "0123456789abcdef") != 8 || strcmp(name + 8, ".reads") != 0)
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
    if (fstat(fd, &status) == 0)
        buffer = malloc((size_t)status.st_size + 1);
    while (buffer && *length < (size_t)status.st_size &&
           (got = read(fd, buffer + *length, (size_t)status.st_size - *length)) > 0)
        *length += (size_t)got;
    saved = errno;
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

/* The entry at `at` is whole, of a kind that may stand there, and its strings end where they
 * should. */
static int entry_is_valid(const struct ft_undo_entry *entry, const char *at, const char *end,
                          int is_read)
{
    const char *path = at + sizeof *entry;
    int lowest = is_read ? FT_UNDO_SEEN : FT_UNDO_ABSENT;
    int highest = is_read ? FT_UNDO_MISSED : FT_UNDO_FIFO;

    return (int)entry->kind >= lowest && (int)entry->kind <= highest && entry->size >= 0 &&
           entry->path >= 2 && entry->path <= FT_UNDO_PATH && entry->target <= FT_UNDO_PATH &&
           ft_undo_entry_bytes(entry->path, entry->target) <= (size_t)(end - at) &&
           path[0] == '/' && strnlen(path, entry->path) == entry->path - 1 &&
           (entry->kind != FT_UNDO_LINK ||
            (entry->target >= 2 &&
             strnlen(path + entry->path, entry->target) == entry->target - 1));
}

/* Adds the entries of a record to the states. */
static int record_unpack(struct undo_pile *pile, const struct record *record, int is_read)
{
    struct ft_undo_head head;
    const char *at = record->bytes + sizeof head, *end;

    memcpy(&head, record->bytes, sizeof head);
    end = at + head.bytes;
    for (uint32_t i = 0; i < head.entries; i++) {
        const struct ft_undo_entry *entry = (const struct ft_undo_entry *)at;
        int code;

        if ((size_t)(end - at) < sizeof *entry || !entry_is_valid(entry, at, end, is_read))
            return -EBADMSG;
        code = grow((void **)&pile->state, pile->states, &pile->state_room, sizeof *pile->state);
        if (code != 0)
            return code;
        pile->state[pile->states++] =
            (struct state){entry, at + sizeof *entry, at + sizeof *entry + entry->path, record};
        at += ft_undo_entry_bytes(entry->path, entry->target);
    }
    return at == end ? 0 : -EBADMSG;
}

/* Reads a file of `folder`, *length bytes; keeps it in undo->file. */
static int file_add(struct undo *undo, const char *folder, const char *name, size_t *length)
{
    struct undo_file file = {.buffer = NULL};
    int code = grow((void **)&undo->file, undo->files, &undo->file_room, sizeof *undo->file);

    if (code != 0)
        return code;
    if (asprintf(&file.name, "%s/%s", folder, name) < 0)
        return -ENOMEM;
    file.buffer = file_read(file.name, length);
    code = file.buffer ? 0 : -errno;
    undo->file[undo->files++] = file;
    return code == 0 ? 0 : undo_fail(undo, file.name, code);
}

/* The length of the record that begins a buffer of `room` bytes; 0: it is not whole; or -EBADMSG.
 */
static int64_t record_length(const char *buffer, size_t room)
{
    struct ft_undo_head head;
    size_t length;

    if (room < sizeof head)
        return 0;
    memcpy(&head, buffer, sizeof head);
    length = sizeof head + head.bytes;
    if (head.magic != FT_UNDO_MAGIC || head.version != FT_UNDO_VERSION || head.bytes % 8 != 0 ||
        head.bytes > FT_UNDO_BYTES_MAX)
        return -EBADMSG;
    if (length > room)
        return 0;
    return head.checksum == record_checksum(buffer, length) ? (int64_t)length : -EBADMSG;
}

static int record_add(struct undo_pile *pile, const struct record *record)
{
    struct ft_undo_head head;
    int code =
        grow((void **)&pile->record, pile->records, &pile->record_room, sizeof *pile->record);

    if (code != 0)
        return code;
    memcpy(&head, record->bytes, sizeof head);
    pile->record[pile->records] = *record;
    pile->record[pile->records].time = head.time;
    pile->record[pile->records++].boot = head.boot;
    return 0;
}

/* A .undo file: one record. */
static int change_read(struct undo *undo, const char *folder, const char *name, int64_t interval,
                       int party)
{
    struct record record = {.interval = (uint32_t)interval, .party = party};
    size_t length;
    int code = file_add(undo, folder, name, &length);

    if (code != 0)
        return code;
    record.name = undo->file[undo->files - 1].name;
    record.bytes = undo->file[undo->files - 1].buffer;
    if (length == 0 || record_length(record.bytes, length) != (int64_t)length)
        return undo_fail(undo, record.name, -EBADMSG);
    return record_add(&undo->changed, &record);
}

/* A .reads file: records, of which the last may not be whole. */
static int reads_read(struct undo *undo, const char *folder, const char *name, int64_t interval,
                      int party)
{
    struct record record = {.interval = (uint32_t)interval, .party = party};
    size_t length;
    int64_t part = 0;
    int code = file_add(undo, folder, name, &length);

    if (code != 0)
        return code;
    record.name = undo->file[undo->files - 1].name;
    record.bytes = undo->file[undo->files - 1].buffer;
    while (code == 0 && (part = record_length(record.bytes, length)) > 0) {
        code = record_add(&undo->seen, &record);
        record.bytes += part;
        length -= (size_t)part;
    }
    return part < 0 ? undo_fail(undo, record.name, (int)part) : code;
}

/* What is to be read of a party: changes and reads since these intervals. */
struct span {
    int party; /* an index */
    int64_t changed, seen;
};

static struct span span_of(const struct ft_undo_party *parties, int index, enum undo_extent extent)
{
    int64_t since = (int64_t)parties[index].number + 1;
    int reads = extent == UNDO_ALL && parties[index].number != FT_UNDO_STAYS;

    return (struct span){index, extent == UNDO_ALL ? 0 : since, reads ? since : INT64_MAX};
}

static int folder_read(struct undo *undo, const char *folder, const struct span *span)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0;

    if (stream == NULL)
        return undo_fail(undo, folder, -errno);
    while (code == 0 && (item = readdir(stream)) != NULL) {
        int64_t changed = undo_interval(item->d_name, ".undo");
        int64_t seen = undo_reads_interval(item->d_name);

        if (changed >= span->changed)
            code = change_read(undo, folder, item->d_name, changed, span->party);
        else if (seen >= span->seen)
            code = reads_read(undo, folder, item->d_name, seen, span->party);
    }
    closedir(stream);
    return code;
}

int undo_precedes(const struct record *a, const struct record *b)
{
    return a->boot != b->boot ? a->interval < b->interval : a->time < b->time;
}

static int compare_records(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    return undo_precedes(x, y) ? -1 : undo_precedes(y, x);
}

static int compare_states(const void *a, const void *b)
{
    const struct state *x = a, *y = b;
    int order = strcmp(x->path, y->path);

    return order ? order : compare_records(x->record, y->record);
}

/* Entries refer to records by address, so they are unpacked when the array no longer moves. */
static int pile_sort(struct undo *undo, struct undo_pile *pile)
{
    if (pile->records > 0)
        qsort(pile->record, pile->records, sizeof *pile->record, compare_records);
    for (size_t i = 0; i < pile->records; i++) {
        int code = record_unpack(pile, &pile->record[i], pile == &undo->seen);

        if (code != 0)
            return undo_fail(undo, pile->record[i].name, code);
    }
    if (pile->states > 0)
        qsort(pile->state, pile->states, sizeof *pile->state, compare_states);
    return 0;
}

size_t undo_group_end(const struct undo_pile *pile, size_t at)
{
    size_t end = at + 1;

    while (end < pile->states && strcmp(pile->state[end].path, pile->state[at].path) == 0)
        end++;
    return end;
}

void undo_close(struct undo *undo)
{
    for (size_t i = 0; i < undo->files; i++) {
        free(undo->file[i].name);
        free(undo->file[i].buffer);
    }
    free(undo->file);
    free(undo->changed.record);
    free(undo->changed.state);
    free(undo->seen.record);
    free(undo->seen.state);
}

int undo_read(struct undo *undo, const struct ft_undo_party *parties, int count,
              enum undo_extent extent)
{
    int code = 0;

    undo->failed[0] = 0;
    for (int i = 0; code == 0 && i < count; i++) {
        struct span span = span_of(parties, i, extent);

        for (int r = 0; code == 0 && r < parties[i].count; r++)
            code = folder_read(undo, parties[i].folders[r], &span);
    }
    if (code == 0)
        code = pile_sort(undo, &undo->changed);
    return code == 0 ? pile_sort(undo, &undo->seen) : code;
}
