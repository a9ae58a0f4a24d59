/* clusters: a number, the word "node", or a file.
 *
 * Invariant of a list that is accepted: each rank from 0 to size - 1 is in exactly one cluster, and
 * no cluster is empty. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options/clusters.h"

struct reader { /* of a file */
    const char *name;
    int line; /* from 1 */
    int size; /* ranks */
    int32_t *of;
    int count; /* clusters so far */
    char *why;
    size_t room;
};

static int fail(const struct reader *reader, const char *what, long rank)
{
    int used = snprintf(reader->why, reader->room, "--clusters: %s, line %d: ", reader->name,
                        reader->line);

    if (used > 0 && (size_t)used < reader->room)
        snprintf(reader->why + used, reader->room - (size_t)used, what, rank);
    return -EINVAL;
}

/* Reports a fault of the file, not of one of its lines. */
static int fail_whole(const struct reader *reader, const char *what)
{
    snprintf(reader->why, reader->room, "--clusters: %s: %s", reader->name, what);
    return -EINVAL;
}

static int add_rank(struct reader *reader, long rank)
{
    if (rank >= reader->size)
        return fail(reader, "there is no rank %ld", rank);
    if (reader->of[rank] >= 0)
        return fail(reader, "rank %ld is named twice", rank);
    reader->of[rank] = reader->count;
    return 0;
}

/* "R" or "R-S" at *text, which is moved behind it. */
static int read_range(struct reader *reader, char **text)
{
    char *end = *text;
    long first = strtol(*text, &end, 10), last = first;
    int code;

    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    if (*end && !isspace((unsigned char)*end) && *end != ',')
        return fail(reader, "ranks and ranges like 0-3 are expected", 0);
    if (last < first)
        return fail(reader, "the range that begins with %ld ends before it", first);
    *text = end;
    for (long rank = first; rank <= last; rank++)
        if ((code = add_rank(reader, rank)))
            return code; /* the greatest number has no next one */
    return 0;
}

static int read_line(struct reader *reader, char *text)
{
    int ranks = 0, code;

    text[strcspn(text, "#")] = 0;
    for (;;) {
        text += strspn(text, " \t\r\n,");
        if (!*text)
            break;
        if (!isdigit((unsigned char)*text))
            return fail(reader, "ranks and ranges like 0-3 are expected", 0);
        if ((code = read_range(reader, &text)))
            return code;
        ranks++;
    }
    reader->count += ranks > 0;
    return 0;
}

static int read_lines(struct reader *reader, FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    int code = 0;

    for (int i = 0; i < reader->size; i++)
        reader->of[i] = -1;
    errno = 0;
    while (!code && (length = getline(&text, &room, file)) > 0) {
        reader->line++;
        code = strlen(text) == (size_t)length ? read_line(reader, text)
                                              : fail(reader, "there is a byte 0 in it", 0);
    }
    int error = errno;
    free(text);
    if (!code && (ferror(file) || reader->line == 0))
        code = fail_whole(reader, ferror(file) ? strerror(error) : "the file is empty");
    for (int i = 0; !code && i < reader->size; i++) {
        if (reader->of[i] < 0)
            code = fail(reader, "the file ends, and rank %ld is in no cluster", i);
    }
    return code ? code : reader->count;
}

static int read_file(const char *name, int size, int32_t *of, char *why, size_t room)
{
    struct reader reader = {.name = name, .size = size, .of = of, .why = why, .room = room};
    FILE *file = fopen(name, "re");

    if (!file) {
        snprintf(why, room,
                 "--clusters: '%s' is neither a number, nor the word node, nor a file that can be "
                 "read (%s)",
                 name, strerror(errno));
        return -EINVAL;
    }
    int count = read_lines(&reader, file);
    fclose(file);
    return count;
}

int ft_clusters_read(const char *word, int size, int32_t *of, char *why, size_t room)
{
    const char *number = strcmp(word, "node") ? word : "1";
    char *end;
    long count = strtol(number, &end, 10);

    if (size > FT_CLUSTERS_RANKS) {
        snprintf(why, room, "--protocol spbc: at most %d ranks, not %d", FT_CLUSTERS_RANKS, size);
        return -EINVAL;
    }
    if (end == number || *end)
        return read_file(word, size, of, why, room);
    if (count < 1 || count > size) {
        snprintf(why, room, "--clusters: %ld clusters cannot be made of %d ranks", count, size);
        return -EINVAL;
    }
    for (int64_t i = 0; i < size; i++)
        of[i] = (int32_t)(i * count / size);
    return (int)count;
}
