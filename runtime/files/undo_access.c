/* The lists of accesses of ranks that go back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "files/undo_read.h"

struct reader {
    struct undo undo; /* of which `failed` is used alone */
    int party, place;
    ft_undo_access_each *each;
    void *context;
    char *last; /* the list before, of the same folder; owned */
    size_t length;
};

/* Is the access whole, and what was written? length: of what is there. 1, 0: it is cut off, or
 * -EBADMSG. The bytes are aligned. */
static int access_check(char *bytes, size_t length)
{
    struct ft_undo_access *access = (struct ft_undo_access *)bytes;
    uint64_t checksum, found;

    if (length < sizeof *access)
        return 0;
    if (access->bytes < sizeof *access + 8 || access->bytes > sizeof *access + FT_UNDO_PATH ||
        access->bytes % 8 != 0)
        return -EBADMSG;
    if (access->bytes > length)
        return 0;
    if (bytes[access->bytes - 1] != 0 || access->path[0] != '/')
        return -EBADMSG;
    checksum = access->checksum;
    access->checksum = 0;
    found = XXH3_64bits(bytes, access->bytes);
    access->checksum = checksum;
    return found == checksum ? 1 : -EBADMSG;
}

static int list_tell(const struct reader *reader, char *bytes, size_t length)
{
    int code = 1;

    for (size_t at = 0; at < length && code > 0;
         at += ((struct ft_undo_access *)(bytes + at))->bytes) {
        code = access_check(bytes + at, length - at);
        if (code > 0 && reader->each(reader->context, reader->party, reader->place,
                                     (struct ft_undo_access *)(bytes + at)) != 0)
            return -ENOMEM;
    }
    return code < 0 ? code : 0;
}

/* Did the interval before get this list, and then the rank was killed before it had taken it away
 * (put.c)? */
static int is_merged(const struct reader *reader, const char *bytes, size_t length)
{
    return length > 0 && length <= reader->length &&
           memcmp(reader->last + reader->length - length, bytes, length) == 0;
}

static void keep_last(struct reader *reader, char *bytes, size_t length)
{
    free(reader->last);
    reader->last = bytes;
    reader->length = length;
}

static int list_read(struct reader *reader, int folder, int64_t interval)
{
    char name[FT_UNDO_NAME], *bytes;
    struct stat status;
    int fd, code;

    snprintf(name, sizeof name, "%08x%s", (unsigned)interval, FT_UNDO_ACCESSES);
    fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    bytes = fstat(fd, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (bytes == NULL || read(fd, bytes, (size_t)status.st_size) != status.st_size) {
        code = bytes == NULL ? -ENOMEM : -EIO;
        free(bytes);
        close(fd);
        return code;
    }
    close(fd);
    code = is_merged(reader, bytes, (size_t)status.st_size)
               ? 0
               : list_tell(reader, bytes, (size_t)status.st_size);
    keep_last(reader, bytes, (size_t)status.st_size);
    return code;
}

/* Finds the first interval from `from` on that has a list, -1: there is none. 0 or -errno. */
static int next_interval(DIR *stream, int64_t from, int64_t *next)
{
    struct dirent *item;
    int code = 0;

    *next = -1;
    rewinddir(stream);
    while ((item = undo_next(stream, &code)) != NULL) {
        int64_t interval = undo_list_interval(item->d_name, FT_UNDO_ACCESSES);

        if (interval >= from && (*next < 0 || interval < *next))
            *next = interval;
    }
    return code;
}

static int folder_read(struct reader *reader, const char *folder, int64_t from)
{
    DIR *stream = opendir(folder);
    int code = stream ? 0 : -errno;

    while (code == 0 && (code = next_interval(stream, from, &from)) == 0 && from >= 0)
        code = list_read(reader, dirfd(stream), from++);
    if (stream != NULL)
        closedir(stream);
    keep_last(reader, NULL, 0);
    return code == 0 ? 0 : undo_fail(&reader->undo, folder, code);
}

int ft_undo_accesses(const struct ft_undo_party *parties, int count, char *failed,
                     ft_undo_access_each *each, void *context)
{
    struct reader reader = {.undo.failed = failed, .each = each, .context = context};
    int code = 0;

    for (reader.party = 0; code == 0 && reader.party < count; reader.party++) {
        const struct ft_undo_party *party = &parties[reader.party];

        for (reader.place = 0; code == 0 && reader.place < party->count; reader.place++)
            code = folder_read(&reader, party->folders[reader.place], (int64_t)party->number + 1);
    }
    return code;
}
