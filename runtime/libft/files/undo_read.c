/* Reading undo records: nothing is used that does not match its checksum. */
#include "files/undo_read.h"

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

struct dirent *undo_next(DIR *stream, int *code)
{
    struct dirent *item;

    errno = 0;
    item = readdir(stream);
    if (item == NULL && errno != 0)
        *code = -errno;
    return item;
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
    if (strspn(name, "0123456789abcdef") != 8 || strcmp(name + 8, FT_UNDO_READS) != 0)
        return -1;
    return (int64_t)strtoul(name, NULL, 16);
}

void undo_data_name(const struct record *record, char name[FAILED])
{
    snprintf(name, FAILED, "%.*s.data", (int)strlen(record->name) - 5, record->name);
}

/* The whole file, *length bytes, owned by the caller; NULL with errno. */
static char *file_read(const char *path, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
    struct stat status;
    char *buffer = NULL;
    ssize_t got = 1;

    if (fd < 0)
        return NULL;
    *length = 0;
    if (fstat(fd, &status) == 0)
        buffer = malloc((size_t)status.st_size + 1);
    while (buffer && got > 0 && *length < (size_t)status.st_size) {
        got = read(fd, buffer + *length, (size_t)status.st_size - *length);
        *length += got > 0 ? (size_t)got : 0;
    }
    saved = errno;
    close(fd);
    if (got < 0) {
        free(buffer);
        buffer = NULL;
    }
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

/* Reads a file of `folder`, *length bytes; keeps it in undo->file. */
static int file_add(struct undo *undo, const char *folder, const char *name, size_t *length)
{
    struct undo_file file = {.buffer = NULL};
    int code = undo_grow((void **)&undo->file, undo->files, &undo->file_room, sizeof *undo->file);

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

/* The records to be read of a rank: changes and reads since these intervals. */
struct span {
    int party, place; /* indices */
    int64_t changed, seen;
};

/* A .undo file: one record. */
static int change_read(struct undo *undo, const char *folder, const char *name, int64_t interval,
                       const struct span *span)
{
    struct record record = {
        .interval = (uint32_t)interval, .party = span->party, .place = span->place};
    size_t length;
    int code = file_add(undo, folder, name, &length);

    if (code == -ENOENT)
        return 0; /* a rank at work has removed it (files_note_failed) */
    if (code != 0)
        return code;
    record.name = undo->file[undo->files - 1].name;
    record.bytes = undo->file[undo->files - 1].buffer;
    if (length == 0 || record_length(record.bytes, length) != (int64_t)length)
        return undo_fail(undo, record.name, -EBADMSG);
    return undo_pile_add(&undo->changed, &record);
}

/* A .reads file: records, of which the last may not be whole. */
static int reads_read(struct undo *undo, const char *folder, const char *name, int64_t interval,
                      const struct span *span)
{
    struct record record = {
        .interval = (uint32_t)interval, .party = span->party, .place = span->place};
    size_t length;
    int64_t part = 0;
    int code = file_add(undo, folder, name, &length);

    if (code != 0)
        return code;
    record.name = undo->file[undo->files - 1].name;
    record.bytes = undo->file[undo->files - 1].buffer;
    while (code == 0 && (part = record_length(record.bytes, length)) > 0) {
        code = undo_pile_add(&undo->seen, &record);
        record.bytes += part;
        length -= (size_t)part;
    }
    return part < 0 ? undo_fail(undo, record.name, (int)part) : code;
}

static int folder_read(struct undo *undo, const char *folder, const struct span *span)
{
    DIR *stream = opendir(folder);
    struct dirent *item;
    int code = 0, listed = 0;

    if (stream == NULL)
        return undo_fail(undo, folder, -errno);
    while (code == 0 && (item = undo_next(stream, &listed)) != NULL) {
        int64_t changed = undo_interval(item->d_name, ".undo");
        int64_t seen = undo_reads_interval(item->d_name);

        if (changed >= span->changed)
            code = change_read(undo, folder, item->d_name, changed, span);
        else if (seen >= span->seen)
            code = reads_read(undo, folder, item->d_name, seen, span);
    }
    closedir(stream);
    return listed == 0 ? code : undo_fail(undo, folder, listed);
}

void undo_close(struct undo *undo)
{
    for (size_t i = 0; i < undo->files; i++) {
        free(undo->file[i].name);
        free(undo->file[i].buffer);
    }
    free(undo->file);
    undo_pile_free(&undo->changed);
    undo_pile_free(&undo->seen);
}

static int unpack(struct undo *undo, struct undo_pile *pile, int reads)
{
    const struct record *bad = NULL;
    int code = undo_pile_unpack(pile, reads, &bad);

    return code == 0 ? 0 : undo_fail(undo, bad->name, code);
}

int undo_read(struct undo *undo, const struct ft_undo_party *parties, int count,
              enum undo_extent extent)
{
    int code = 0;

    undo->failed[0] = 0;
    for (int i = 0; code == 0 && i < count; i++) {
        int64_t since = extent == UNDO_ALL ? 0 : (int64_t)parties[i].number + 1;

        for (int r = 0; code == 0 && r < parties[i].count; r++) {
            struct span span = {i, r, since, extent == UNDO_ALL ? 0 : INT64_MAX};

            code = folder_read(undo, parties[i].folders[r], &span);
        }
    }
    if (code == 0)
        code = unpack(undo, &undo->changed, 0);
    return code == 0 ? unpack(undo, &undo->seen, 1) : code;
}
