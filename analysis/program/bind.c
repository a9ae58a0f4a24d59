/* Idea: a call that names a function enters every definition of that name, its own unit's first. A
 * name that no unit defines is MPI's, a quiet library's, or foreign. */
#include "analysis/program/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct an_function *an_program_named(const struct an_program *program, const char *symbol,
                                     bool internal)
{
    struct an_symbol *found;

    if (!symbol)
        return NULL;
    if (internal)
        HASH_FIND_PTR(program->internal, &symbol, found);
    else
        HASH_FIND_STR(program->external, symbol, found);
    return found ? found->function : NULL;
}

struct an_bond *an_program_bond(const struct an_program *program, const struct an_node *call)
{
    unsigned low = 0, high = program->bonds_count;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        struct an_bond *bond = program->by_node[middle];
        if (bond->node == call)
            return bond;
        if (bond->node < call)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The function in the unit of the call, if it has one: two programs of one folder may both have a
 * "helper", and each means its own. */
static struct an_function *nearest(struct an_function *function, const struct an_unit *unit)
{
    for (struct an_function *f = function; f; f = f->same)
        if (f->unit == unit)
            return f;
    return NULL;
}

static void set_targets(struct an_program *program, struct an_bond *bond, struct an_function *first,
                        bool alone)
{
    unsigned count = 0;

    for (struct an_function *f = first; f; f = alone ? NULL : f->same)
        count++;
    bond->targets = an_unit_alloc(program->memory, (count + !count) * sizeof *bond->targets);
    for (struct an_function *f = first; f; f = alone ? NULL : f->same)
        bond->targets[bond->count++] = f->node;
}

static void bind_named(struct an_program *program, struct an_bond *bond,
                       const struct an_node *callee)
{
    const char *name = callee->name ? callee->name : "";
    struct an_function *first = an_program_named(program, callee->symbol, callee->internal);
    struct an_function *here = nearest(first, bond->from->unit);

    bond->complete = true;
    if (!first || callee->system)
        bond->mpi = an_call_find(name);
    if (bond->mpi)
        return;
    bond->direct = here ? here : first;
    if (first)
        set_targets(program, bond, bond->direct, here != NULL);
    else if (an_is_quiet(name, callee->system, program->whole))
        bond->quiet = true;
    else
        bond->foreign = true;
    bond->complete = !bond->foreign;
    if (bond->quiet && strstr(name, "setjmp"))
        bond->from->jumps = true;
}

static void bind_one(struct an_program *program, struct an_bond *bond)
{
    const struct an_node *callee = bond->node->child;

    if (callee && callee->kind == AN_REFERENCE && callee->storage == AN_FUNCTION_NAME)
        bind_named(program, bond, callee);
    else
        bond->indirect = true;
}

static void name_bind(struct an_program *program, const struct an_node *name)
{
    struct an_function *f = an_program_named(program, name->symbol, name->internal);
    for (; f; f = f->same)
        f->taken = true;
}

static int compare_bonds(const void *one, const void *other)
{
    const struct an_node *a = (*(struct an_bond *const *)one)->node;
    const struct an_node *b = (*(struct an_bond *const *)other)->node;
    return (a > b) - (a < b);
}

static void index_bonds(struct an_program *program)
{
    program->by_node = calloc(program->bonds_count + 1, sizeof *program->by_node);
    if (!program->by_node) {
        fputs("ftcc: out of memory\n", stderr);
        exit(1);
    }
    for (unsigned i = 0; i < program->bonds_count; i++)
        program->by_node[i] = &program->bonds[i];
    qsort(program->by_node, program->bonds_count, sizeof *program->by_node, compare_bonds);
}

void an_program_bind(struct an_program *program)
{
    index_bonds(program);
    for (unsigned i = 0; i < program->bonds_count; i++)
        bind_one(program, &program->bonds[i]);
    for (unsigned i = 0; i < program->names.count; i++)
        name_bind(program, program->names.items[i]);
}

static void callers_count(struct an_program *program)
{
    for (unsigned i = 0; i < program->bonds_count; i++) {
        const struct an_bond *bond = &program->bonds[i];
        for (unsigned t = 0; !bond->quiet && !bond->foreign && !bond->mpi && t < bond->count; t++)
            an_program_function(program, bond->targets[t])->callers_count++;
    }
}

static void callers_fill(struct an_program *program, struct an_bond *bond)
{
    for (unsigned t = 0; t < bond->count; t++) {
        struct an_function *function = an_program_function(program, bond->targets[t]);
        function->callers[function->callers_count++] = bond->node;
    }
}

/* Does a call enter what is not here? That may be any function by another name: an alias, one that
 * dlsym finds, one that a library calls. */
static bool leaves_program(const struct an_program *program)
{
    for (unsigned i = 0; i < program->bonds_count; i++)
        if (!program->bonds[i].complete)
            return true;
    return false;
}

/* If other code may call it, a function without visible callers is assumed to have unseen ones. */
static bool callers_are_complete(const struct an_program *program,
                                 const struct an_function *function, bool leaves)
{
    bool is_main = function->node->name && strcmp(function->node->name, "main") == 0;

    if (function->called_back || (leaves && !function->callers_count && !is_main))
        return false;
    if (function->node->internal || program->whole)
        return true;
    return is_main;
}

/* A call of the C library that calls back is no caller: its arguments are not the function's. */
void an_program_callers(struct an_program *program)
{
    bool leaves = leaves_program(program);

    callers_count(program);
    for (unsigned i = 0; i < program->functions.count; i++) {
        struct an_function *f = program->functions.items[i];
        f->callers_complete = callers_are_complete(program, f, leaves);
        f->callers = an_unit_alloc(program->memory, (f->callers_count + 1) * sizeof *f->callers);
        f->callers_count = 0;
    }
    for (unsigned i = 0; i < program->bonds_count; i++)
        if (!program->bonds[i].quiet && !program->bonds[i].foreign && !program->bonds[i].mpi)
            callers_fill(program, &program->bonds[i]);
}
