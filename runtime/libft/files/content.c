/* Copying a file with its holes: a file of one large array with little in it, or of several parts
 * that ranks write far from each other, has no room for its zeros (content.h). */
#include "files/content.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHUNK (1 << 18)

struct copy {
    int in, out;
    char *chunk;
    XXH3_state_t state;
    struct files_content *content;
};

/* The bytes that stand in the file at this place, `got` of them. */
static int chunk_put(struct copy *copy, off_t at, size_t got)
{
    ssize_t part;

    XXH3_64bits_update(&copy->state, copy->chunk, got);
    for (size_t done = 0; copy->out >= 0 && done < got; done += (size_t)part) {
        part = pwrite(copy->out, copy->chunk + done, got - done, at + (off_t)done);
        if (part < 0) {
            copy->content->unwritten = 1;
            return -errno;
        }
    }
    return 0;
}

/* From `at` to `end`, or the end of the file; *at moves on. 0 or -errno. */
static int data_copy(struct copy *copy, off_t *at, off_t end)
{
    while (*at < end) {
        size_t room = end - *at < CHUNK ? (size_t)(end - *at) : CHUNK;
        ssize_t got = pread(copy->in, copy->chunk, room, *at);
        int code = got < 0 ? -errno : chunk_put(copy, *at, (size_t)got);

        if (got <= 0 || code != 0)
            return code;
        *at += got;
    }
    return 0;
}

static void hole_hash(struct copy *copy, off_t bytes)
{
    static const char zeros[1 << 16];

    for (; bytes > 0; bytes -= (off_t)sizeof zeros)
        XXH3_64bits_update(&copy->state, zeros,
                           bytes < (off_t)sizeof zeros ? (size_t)bytes : sizeof zeros);
}

/* Where data begins behind `at`, and ends. 0: there is none. File systems without holes: all. */
static int data_find(int in, off_t at, off_t *begin, off_t *end)
{
    off_t most = (off_t)1 << 62;

    *begin = lseek(in, at, SEEK_DATA);
    if (*begin < 0 && errno == ENXIO)
        return 0;
    *end = *begin < 0 ? most : lseek(in, *begin, SEEK_HOLE);
    *begin = *begin < 0 ? at : *begin;
    *end = *end < 0 ? most : *end;
    return 1;
}

/* Up to *size, which was the file's at first: others may write behind it meanwhile. Where it has
 * become shorter, that is the size. */
static int extents_copy(struct copy *copy, off_t *size)
{
    off_t at = 0, begin, end;
    int code = 0;

    while (code == 0 && at < *size && data_find(copy->in, at, &begin, &end) && begin < *size) {
        end = end < *size ? end : *size;
        hole_hash(copy, begin - at);
        at = begin;
        code = data_copy(copy, &at, end);
        if (code == 0 && at < end)
            *size = at;
    }
    hole_hash(copy, *size - at);
    return code;
}

static int out_cut(struct copy *copy, off_t size)
{
    if (copy->out < 0 || ftruncate(copy->out, size) == 0)
        return 0;
    copy->content->unwritten = 1;
    return -errno;
}

int files_content_copy(int in, int out, struct files_content *content)
{
    struct copy copy = {.in = in, .out = out, .chunk = malloc(CHUNK), .content = content};
    off_t size = lseek(in, 0, SEEK_END);
    int code = copy.chunk == NULL ? -ENOMEM : size < 0 ? -errno : 0;

    *content = (struct files_content){.unwritten = 0};
    XXH3_INITSTATE(&copy.state);
    XXH3_64bits_reset(&copy.state);
    if (code == 0)
        code = out_cut(&copy, 0);
    if (code == 0)
        code = extents_copy(&copy, &size);
    if (code == 0)
        code = out_cut(&copy, size);
    free(copy.chunk);
    content->size = size;
    content->hash = XXH3_64bits_digest(&copy.state);
    return code;
}
