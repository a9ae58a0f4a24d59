#include "options/configfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

struct words {
    char **list;
    int count;
};

static int word_add(struct words *words, const char *word)
{
    char **more = realloc(words->list, ((size_t)words->count + 2) * sizeof(*more));
    char *copy = strdup(word);

    if (!more || !copy)
        return -ENOMEM;
    words->list = more;
    more[words->count++] = copy;
    more[words->count] = NULL;
    return 0;
}

static int line_add(struct words *words, const char *line, int first)
{
    wordexp_t parts;
    int code = 0;

    if (wordexp(line, &parts, WRDE_NOCMD))
        return -EINVAL;
    if (parts.we_wordc && !first)
        code = word_add(words, ":");
    for (size_t i = 0; i < parts.we_wordc && !code; i++)
        code = word_add(words, parts.we_wordv[i]);
    wordfree(&parts);
    return code;
}

/* Takes the line end, and a \ before it. 1: the line goes on. */
static int line_end(char *line)
{
    size_t length = strcspn(line, "\n");
    int more = length > 0 && line[length - 1] == '\\';

    line[length - (size_t)more] = 0;
    return more;
}

static int file_add(struct words *words, FILE *file)
{
    char *line = NULL, *whole = strdup("");
    size_t room = 0;
    int code = whole ? 0 : -ENOMEM, begin = words->count;

    while (!code && getline(&line, &room, file) > 0) {
        int more = line_end(line);
        char *joined;

        if (asprintf(&joined, "%s %s", whole, line) < 0) {
            code = -ENOMEM;
            break;
        }
        free(whole);
        whole = joined;
        if (more)
            continue;
        if (whole[strspn(whole, " \t")] != '#')
            code = line_add(words, whole, words->count == begin);
        *whole = 0;
    }
    free(whole);
    free(line);
    return code;
}

static int is_option(const char *word)
{
    return !strcmp(word, "-configfile") || !strcmp(word, "--configfile");
}

int ft_configfile_expand(int *argc, char ***argv, const char **name)
{
    struct words words = {NULL, 0};
    int at = 1, code = 0;
    FILE *file;

    while (at < *argc && !is_option((*argv)[at]))
        at++;
    if (at + 1 >= *argc)
        return 0;
    *name = (*argv)[at + 1];
    if (at + 2 != *argc)
        return -EINVAL;
    if (!(file = fopen(*name, "re")))
        return -errno;
    for (int i = 0; i < at && !code; i++)
        code = word_add(&words, (*argv)[i]);
    if (!code)
        code = file_add(&words, file);
    fclose(file);
    if (code)
        return code;
    *argc = words.count;
    *argv = words.list;
    return 0;
}
