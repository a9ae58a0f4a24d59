/* Comparing what was seen with what is there, or with what undoing would put there. */
#include "files/undo_seen.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHUNK (1 << 20)

/* Is this the hash of the first `size` bytes of the regular file `name`? */
static int content_is(const char *name, int64_t size, uint64_t content)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *chunk = malloc(CHUNK);
    XXH3_state_t state;
    ssize_t got = 1;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    while (fd >= 0 && chunk != NULL && size > 0 && got > 0) {
        got = read(fd, chunk, size < CHUNK ? (size_t)size : CHUNK);
        if (got > 0) {
            XXH3_64bits_update(&state, chunk, (size_t)got);
            size -= got;
        }
    }
    if (fd >= 0)
        close(fd);
    free(chunk);
    return fd >= 0 && XXH3_64bits_digest(&state) == content;
}

/* The type (S_IFMT) that was seen; 0: nothing. */
static mode_t type_seen(const struct ft_undo_entry *entry)
{
    return entry->kind == FT_UNDO_MISSED ? 0 : entry->mode & S_IFMT;
}

static int is_found_now(const struct state *seen)
{
    const struct ft_undo_entry *entry = seen->entry;
    struct stat now;

    if (lstat(seen->path, &now) != 0)
        return type_seen(entry) == 0;
    if ((now.st_mode & S_IFMT) != type_seen(entry))
        return 0;
    if (!S_ISREG(now.st_mode))
        return 1;
    if (now.st_size != entry->size)
        return 0;
    if (entry->hashed)
        return content_is(seen->path, entry->size, entry->content);
    return now.st_mtim.tv_sec == entry->mtime_s && now.st_mtim.tv_nsec == entry->mtime_ns;
}

/* The type (S_IFMT) that undoing puts at the path; 0: nothing. */
static mode_t type_put(enum ft_undo_kind kind)
{
    static const mode_t type[] = {
        [FT_UNDO_COPY] = S_IFREG,   [FT_UNDO_SIZE] = S_IFREG, [FT_UNDO_LINK] = S_IFLNK,
        [FT_UNDO_FOLDER] = S_IFDIR, [FT_UNDO_FIFO] = S_IFIFO,
    };

    return type[kind];
}

/* Undoing takes the content from the earliest copy, or leaves what is in the file (undo.c). */
static int is_content_found(const struct state *seen, const struct state *first,
                            const struct state *copy)
{
    char name[FAILED];

    if (first->entry->hashed)
        return first->entry->content == seen->entry->content;
    if (copy != NULL)
        undo_data_name(copy->record, name);
    return content_is(copy ? name : seen->path, seen->entry->size, seen->entry->content);
}

int undo_is_found(const struct state *seen, const struct state *first, const struct state *copy)
{
    const struct ft_undo_entry *entry = seen->entry, *put;
    mode_t type;

    if (first == NULL)
        return is_found_now(seen);
    put = first->entry;
    type = type_put(put->kind);
    if (type != type_seen(entry))
        return 0;
    if (type != S_IFREG)
        return 1;
    if (put->size != entry->size)
        return 0;
    if (entry->hashed)
        return is_content_found(seen, first, copy);
    return put->mtime_s == entry->mtime_s && put->mtime_ns == entry->mtime_ns;
}
