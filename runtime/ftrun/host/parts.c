#include "host/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/starter.h"

static char *const *colon_find(char *const *argv)
{
    while (*argv && strcmp(*argv, ":"))
        argv++;
    return *argv ? argv : NULL;
}

/* -n RANKS PROGRAM: the ranks, or -1. */
static int ranks_read(char *const *words)
{
    char *end;
    int option = words[0] && (!strcmp(words[0], "-n") || !strcmp(words[0], "-np"));
    long ranks = option && words[1] ? strtol(words[1], &end, 10) : 0;

    return ranks > 0 && ranks <= 65536 && !*end && words[2] && strcmp(words[2], ":") ? (int)ranks
                                                                                     : -1;
}

int ft_parts_ranks(char *const *argv, char *why, size_t size)
{
    int total = 0;

    while ((argv = colon_find(argv))) {
        int ranks = ranks_read(++argv);

        if (ranks < 0) {
            snprintf(why, size,
                     "behind ':' stands -n RANKS PROGRAM and its words; all other options come "
                     "before the "
                     "first program");
            return -1;
        }
        total += ranks;
    }
    return total;
}

static char **words_of(char *const *begin)
{
    char *const *end = colon_find(begin);
    size_t count = 0;

    while (begin + count != end && begin[count])
        count++;
    char **words = calloc(count + 1, sizeof(*words));
    for (size_t i = 0; words && i < count; i++)
        words[i] = begin[i];
    return words;
}

/* The program of a part, which is found as the first one was. */
static int part_find(const struct ft_program *program, struct ft_part *part, char *why, size_t size)
{
    struct ft_program one = {.cwd = program->cwd,
                             .path = ft_program_find(part->argv[0], program->cwd)};
    int code;

    if (!one.path) {
        snprintf(why, size, "%s: no such program", part->argv[0]);
        return -ENOEXEC;
    }
    code = ft_starter_take(&one, part->argv, why, size);
    part->path = one.path;
    part->starter = one.starter;
    return code;
}

int ft_parts_take(struct ft_program *program, int ranks, char *why, size_t size)
{
    char *const *argv = program->argv;
    int code = 0, others = ft_parts_ranks(argv, why, size);

    if (others <= 0)
        return 0;
    for (int i = 0; argv && !code; i++) {
        struct ft_part *more = realloc(program->parts, (size_t)(i + 1) * sizeof(*program->parts));

        if (!more) {
            snprintf(why, size, "no memory");
            return -ENOMEM;
        }
        program->parts = more;
        program->part_count = i + 1;
        more[i] = (struct ft_part){.ranks = i ? ranks_read(argv) : ranks - others,
                                   .argv = words_of(i ? argv + 2 : argv)};
        code = i ? part_find(program, &more[i], why, size) : 0;
        argv = colon_find(argv);
        argv += argv != NULL;
    }
    return code;
}

struct ft_part ft_parts_of(const struct ft_program *program, int rank)
{
    int first = 0;
    struct ft_part whole = {0, program->path, program->starter, program->argv};

    for (int i = 0; i < program->part_count; i++) {
        const struct ft_part *part = &program->parts[i];

        if (rank < first + part->ranks) {
            whole.argv = part->argv;
            return i ? *part : whole;
        }
        first += part->ranks;
    }
    return whole;
}

void ft_parts_free(struct ft_program *program)
{
    for (int i = 0; i < program->part_count; i++) {
        free(program->parts[i].path);
        free(program->parts[i].starter);
        free(program->parts[i].argv);
    }
    free(program->parts);
}
