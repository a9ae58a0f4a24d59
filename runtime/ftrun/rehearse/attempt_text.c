/* attempt_text: the lines that each rank has printed. The attempt was run with -l, so each line
 * begins with its rank: lines of several ranks may come in any order, those of one rank may not. */
#include "rehearse/attempt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 120, /* bytes of a line in a sentence */
    TAIL = 4096  /* bytes of what is shown of stderr */
};

struct line {
    char *text; /* a byte 0 may be inside of it; one is behind it */
    size_t length;
};

struct lines { /* of one rank and stream */
    struct line *line;
    size_t count, room;
};

struct ft_text {
    int size;            /* ranks */
    struct lines *lines; /* [2 * size] stdout and stderr of each */
    char *first, *said;  /* the first and the last line of ftrun's own */
    int full;            /* one of these says that there is no space */
    const struct ft_ignore *ignore;
};

static int append(struct lines *lines, const char *text, size_t length)
{
    if (lines->count == lines->room) {
        size_t room = 2 * lines->room + 64;
        struct line *more = realloc(lines->line, room * sizeof(*more));

        if (!more)
            return -ENOMEM;
        lines->line = more;
        lines->room = room;
    }
    char *copy = malloc(length + 1);
    if (!copy)
        return -ENOMEM;
    memcpy(copy, text, length);
    copy[length] = 0;
    lines->line[lines->count++] = (struct line){copy, length};
    return 0;
}

int ft_text_is_offer(const char *line)
{
    return !strncmp(line, "ftrun: to continue: ", 20);
}

/* Is the line about a fault or a death that was ordered? It is no reason for anything. */
static int is_expected(const char *line)
{
    double seconds;
    int used = 0;

    return !strncmp(line, "FaultID: ", 9) ||
           (sscanf(line, "%lf s  rank %n", &seconds, &used) == 1 && used);
}

static int take_said(struct ft_text *text, const char *line)
{
    if (is_expected(line))
        return 0;
    free(text->said);
    text->said = strdup(line);
    if (!text->first)
        text->first = strdup(line);
    text->full |= strstr(line, strerror(ENOSPC)) || strstr(line, strerror(EDQUOT));
    return text->said && text->first ? 0 : -ENOMEM;
}

/* A line without a rank goes on with the one before, which was very long; on stderr it is nobody's.
 */
static int take_line(struct ft_text *text, int stream, const char *line, size_t length, int *rank)
{
    int used = 0, found = -1;

    if (sscanf(line, "[%d]%n", &found, &used) == 1 && used && line[used] == ' ' && found >= 0 &&
        found < text->size) {
        *rank = found;
        return append(&text->lines[2 * found + stream], line + used + 1, length - (size_t)used - 1);
    }
    if (ft_text_is_offer(line))
        return 0;
    if (!strncmp(line, "ftrun: ", 7))
        return take_said(text, line + 7);
    return stream == 0 && *rank >= 0 ? append(&text->lines[2 * *rank], line, length) : 0;
}

static int read_stream(struct ft_text *text, const char *path, int stream)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    size_t matches = 0;
    int code = file ? 0 : -errno, rank = -1;

    for (errno = 0; !code && (length = getline(&line, &room, file)) > 0; errno = 0) {
        if (line[length - 1] == '\n')
            line[--length] = 0;
        length = (ssize_t)ft_ignore_apply(text->ignore, line, (size_t)length, &matches);
        code = take_line(text, stream, line, (size_t)length, &rank);
    }
    if (!code)
        code = -errno;
    free(line);
    if (file)
        fclose(file);
    return code;
}

int ft_text_read(const struct ft_attempts *attempts, struct ft_text **out)
{
    struct ft_text *text = calloc(1, sizeof(*text));
    char path[FT_STORE_PATH];
    int code = -ENOMEM;

    if (text) {
        text->size = attempts->options->size;
        text->ignore = &attempts->options->ignore;
        text->lines = calloc(2 * (size_t)text->size, sizeof(*text->lines));
    }
    if (text && text->lines) {
        ft_attempt_file(attempts, "out", path);
        code = read_stream(text, path, 0);
        ft_attempt_file(attempts, "err", path);
        if (!code)
            code = read_stream(text, path, 1);
    }
    if (code) {
        ft_text_destroy(text);
        return code;
    }
    *out = text;
    return 0;
}

void ft_text_destroy(struct ft_text *text)
{
    if (!text)
        return;
    for (int i = 0; text->lines && i < 2 * text->size; i++) {
        for (size_t k = 0; k < text->lines[i].count; k++)
            free(text->lines[i].line[k].text);
        free(text->lines[i].line);
    }
    free(text->lines);
    free(text->first);
    free(text->said);
    free(text);
}

char *ft_text_stderr(const struct ft_attempts *attempts)
{
    char path[FT_STORE_PATH], *line = NULL, *text = NULL;
    size_t room = 0, size;
    FILE *out = open_memstream(&text, &size);

    ft_attempt_file(attempts, "err", path);
    FILE *file = fopen(path, "re");
    while (file && out && getline(&line, &room, file) > 0) {
        if (!ft_text_is_offer(line))
            fputs(line, out);
    }
    free(line);
    if (file)
        fclose(file);
    if (!out || fclose(out))
        return NULL;
    if (size > TAIL) {
        char *begin = text + size - TAIL, *newline = strchr(begin, '\n');

        begin = newline && newline[1] ? newline + 1 : begin;
        memmove(text, begin, strlen(begin) + 1);
    }
    return text;
}

static int is_same(const struct line *one, const struct line *other)
{
    return one->length == other->length && !memcmp(one->text, other->text, one->length);
}

/* The lines as far as they can be shown; a byte 0 ends what can. */
static char *describe(const struct lines *expected, const struct lines *found, size_t at, int rank,
                      const char *stream)
{
    const struct line *one = &found->line[at], *other = &expected->line[at];
    char *sentence = NULL;
    int length =
        strcmp(one->text, other->text)
            ? asprintf(&sentence, "rank %d, line %zu of %s: \"%.*s\" instead of \"%.*s\"", rank,
                       at + 1, stream, SHOWN, one->text, SHOWN, other->text)
            : asprintf(&sentence, "rank %d, line %zu of %s: it is another one behind a byte 0",
                       rank, at + 1, stream);

    return length < 0 ? NULL : sentence;
}

static char *difference(const struct lines *expected, const struct lines *found, int rank,
                        const char *stream)
{
    size_t common = expected->count < found->count ? expected->count : found->count, i = 0;
    char *sentence = NULL;
    int length = 0;

    while (i < common && is_same(&expected->line[i], &found->line[i]))
        i++;
    if (i < common)
        return describe(expected, found, i, rank, stream);
    if (expected->count != found->count)
        length = asprintf(&sentence, "rank %d printed %zu lines on %s instead of %zu", rank,
                          found->count, stream, expected->count);
    return length < 0 ? NULL : sentence;
}

char *ft_text_difference(const struct ft_text *expected, const struct ft_text *found)
{
    char *sentence = NULL;

    for (int i = 0; i < 2 * expected->size && !sentence; i++)
        sentence =
            difference(&expected->lines[i], &found->lines[i], i / 2, i % 2 ? "stderr" : "stdout");
    return sentence;
}

const char *ft_text_said(const struct ft_text *text)
{
    return text->said ? text->said : "";
}

const char *ft_text_said_first(const struct ft_text *text)
{
    return text->first ? text->first : "";
}

int ft_text_is_full(const struct ft_text *text)
{
    return text->full;
}
