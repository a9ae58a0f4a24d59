/* Words are gathered in a buffer that the caller has, because a clone may not allocate. */
#include "stream/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void flush(struct ft_words *words)
{
    const char *at = (const char *)words->word, *end = (const char *)(words->word + words->used);

    while (words->code == 0 && at < end) {
        ssize_t done = write(words->fd, at, (size_t)(end - at));

        if (done > 0)
            at += done;
        else if (errno != EINTR)
            words->code = -errno;
    }
    words->used = 0;
}

void ft_words_begin(struct ft_words *words, int fd, uint64_t magic, uint64_t count)
{
    words->fd = fd;
    words->code = 0;
    words->used = 0;
    ft_words_put(words, magic);
    ft_words_put(words, count);
}

void ft_words_put(void *to, uint64_t word)
{
    struct ft_words *words = to;

    if (words->used == FT_WORDS_BUFFER)
        flush(words);
    words->word[words->used++] = word;
}

int ft_words_end(struct ft_words *words)
{
    flush(words);
    return words->code;
}

int ft_words_read(int fd, uint64_t magic, uint64_t **out, size_t *count)
{
    struct stat status;
    uint64_t *words;
    size_t bytes;
    int code = 0;

    if (fstat(fd, &status) != 0)
        return -errno;
    bytes = (size_t)status.st_size;
    words = malloc(bytes + 16);
    if (!words)
        return -ENOMEM;
    if (pread(fd, words, bytes, 0) != (ssize_t)bytes)
        code = -EIO;
    else if (bytes < 16 || bytes % 8 != 0 || words[0] != magic || words[1] != bytes / 8 - 2)
        code = -EBADMSG;
    if (code != 0) {
        free(words);
        return code;
    }
    *count = words[1];
    memmove(words, words + 2, *count * sizeof *words);
    *out = words;
    return 0;
}
