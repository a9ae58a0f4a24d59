#include "analysis/program/snippets.h"

#include "analysis/source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NAMES = 16 };

static struct an_unit *unit_of(const char *text, const char *name)
{
    static const char *const flags[] = {"-I" FT_MPI_FOLDER, "-include", "mpi.h", NULL};
    struct an_unit *unit = an_source_read(name, text, strlen(text), flags);

    if (unit->problem)
        fail_msg("%s\n%s", text, unit->problem);
    return unit;
}

struct an_program *snippets_join_as(bool whole, const char *const *texts, const char *const *names)
{
    struct an_program *program = an_program_create();

    for (unsigned i = 0; texts[i]; i++)
        an_program_add(program, unit_of(texts[i], names[i]));
    an_program_join(program, whole);
    return program;
}

struct an_program *snippets_join(bool whole, const char *const *texts)
{
    static const char *const names[] = {"a.c", "b.c", "c.c", "d.c"};
    return snippets_join_as(whole, texts, names);
}

struct an_program *snippet_join(bool whole, const char *text)
{
    return snippets_join(whole, (const char *const[]){text, NULL});
}

struct an_node *snippet_function(const struct an_program *program, const char *name)
{
    for (struct an_node *f = an_program_next(program, NULL); f; f = an_program_next(program, f))
        if (strcmp(f->name, name) == 0)
            return f;
    fail_msg("no function %s", name);
    return NULL;
}

struct an_node *snippet_call(const struct an_program *program, const char *function,
                             unsigned number)
{
    struct an_node *f = snippet_function(program, function);

    for (struct an_node *n = f; n; n = an_next(f, n, false))
        if (n->kind == AN_CALL && number-- == 0)
            return n;
    fail_msg("%s has not so many calls", function);
    return NULL;
}

static int compare(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

const char *snippet_targets(const struct an_program *program, const struct an_node *call)
{
    static char text[512];
    struct an_targets targets = an_call_targets(program, call);
    const char *names[NAMES];
    size_t used = 0;

    assert_in_range(targets.count, 0, NAMES);
    for (unsigned i = 0; i < targets.count; i++)
        names[i] = targets.functions[i]->name;
    qsort(names, targets.count, sizeof *names, compare);
    text[0] = '\0';
    for (unsigned i = 0; i < targets.count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", names[i]);
    if (!targets.complete)
        snprintf(text + used, sizeof text - used, "%s...", used ? " " : "");
    return text;
}
