/* levels: see levels.h. */
#include "options/levels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char shape[] = "partner, or rs:K+M with K and M from 1 and at most 32 nodes, perhaps "
                            "with ,shared:N behind it";

/* A number from 1 to `most` up to the character `end`. NULL: it is none. */
static const char *read_count(const char *text, char end, int most, int *out)
{
    char *rest;
    long value = strtol(text, &rest, 10);

    if (*text < '1' || *text > '9' || value < 1 || value > most || *rest != end)
        return NULL;
    *out = (int)value;
    return rest;
}

/* "rs:K+M". 0 or -EINVAL. */
static int read_code(const char *word, struct ft_levels *out)
{
    const char *plus = read_count(word, '+', FT_LEVELS_NODES, &out->data);
    int parity;

    if (!plus || !read_count(plus + 1, 0, FT_LEVELS_NODES, &parity) ||
        out->data + parity > FT_LEVELS_NODES)
        return -EINVAL;
    out->pieces = out->data + parity - 1;
    return 0;
}

static int read_word(const char *word, struct ft_levels *out)
{
    if (!strncmp(word, "shared:", 7) && out->data && !out->every)
        return read_count(word + 7, 0, 1000000, &out->every) ? 0 : -EINVAL;
    if (out->data)
        return -EINVAL;
    if (!strncmp(word, "rs:", 3))
        return read_code(word + 3, out);
    if (strcmp(word, "partner") != 0)
        return -EINVAL;
    out->data = out->pieces = 1;
    return 0;
}

int ft_levels_read(const char *text, struct ft_levels *out, char *why, size_t size)
{
    char *copy = strdup(text), *rest = copy, *word;
    int code = copy ? 0 : -ENOMEM;

    *out = (struct ft_levels){0};
    while (!code && (word = strsep(&rest, ",")))
        code = read_word(word, out);
    free(copy);
    if (code)
        snprintf(why, size, "--levels: '%s' is not %s", text, shape);
    return code;
}

const char *ft_levels_name(const struct ft_levels *levels, int near)
{
    static char name[32];

    if (!near)
        return "store";
    if (levels->data == 1 && levels->pieces == 1)
        return "partner";
    snprintf(name, sizeof(name), "rs:%d+%d", levels->data, levels->pieces + 1 - levels->data);
    return name;
}

int ft_levels_check(const char *local, const char *levels, int restart, char *why, size_t size)
{
    struct ft_levels read;

    if (levels && !local)
        snprintf(why, size, "--levels needs --local FOLDER, a folder of each node");
    else if (local && restart)
        snprintf(why, size, "--restart keeps the levels of the first start: leave --local out");
    else if (local && *local != '/')
        snprintf(why, size, "--local: '%s' does not begin at the root", local);
    else if (!levels || !ft_levels_read(levels, &read, why, size))
        return 0;
    return -EINVAL;
}
