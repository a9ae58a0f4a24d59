/* Idea: the program owns its units and an empty unit of its own, in whose memory everything lies
 * that joining makes; growing arrays are freed with it. */
#include "analysis/program/inside.h"
#include "analysis/program/wild.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void an_list_add(struct an_list *list, void *item)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->items = realloc(list->items, list->room * sizeof *list->items);
        if (!list->items) {
            fputs("ftcc: out of memory\n", stderr);
            exit(1);
        }
    }
    list->items[list->count++] = item;
}

void an_list_free(struct an_list *list)
{
    free(list->items);
    *list = (struct an_list){NULL, 0, 0};
}

struct an_program *an_program_create(void)
{
    struct an_unit *memory = an_unit_create("");
    struct an_program *program = an_unit_alloc(memory, sizeof *program);

    program->memory = memory;
    return program;
}

static void symbols_free(struct an_symbol **symbols)
{
    HASH_CLEAR(hh, *symbols);
}

void an_program_destroy(struct an_program *program)
{
    if (!program)
        return;
    for (unsigned i = 0; i < program->units.count; i++)
        an_unit_destroy(program->units.items[i]);
    symbols_free(&program->external);
    symbols_free(&program->internal);
    an_stored_destroy(program->stored);
    an_changes_destroy(program->changes);
    an_list_free(&program->units);
    an_list_free(&program->functions);
    an_list_free(&program->stores);
    an_list_free(&program->flows);
    an_list_free(&program->names);
    an_list_free(&program->numbers);
    an_list_free(&program->lists);
    free(program->roots);
    free(program->bonds);
    free(program->by_node);
    an_unit_destroy(program->memory);
}

static bool lists_are_equal(const struct an_node *one, const struct an_node *other)
{
    for (; one && other; one = one->next, other = other->next)
        if (!an_tree_equal(one, other))
            return false;
    return !one && !other;
}

/* A file may be compiled twice, with macros of other values: those are two units. */
static bool is_the_same(const struct an_unit *one, const struct an_unit *other)
{
    return one->digest == other->digest && strcmp(one->path, other->path) == 0 &&
           strcmp(one->folder, other->folder) == 0 &&
           lists_are_equal(one->functions, other->functions) &&
           lists_are_equal(one->variables, other->variables);
}

void an_program_add(struct an_program *program, struct an_unit *unit)
{
    for (unsigned i = 0; i < program->units.count; i++)
        if (is_the_same(program->units.items[i], unit)) {
            an_unit_destroy(unit);
            return;
        }
    an_list_add(&program->units, unit);
}

void an_program_join(struct an_program *program, bool whole)
{
    program->whole = whole;
    an_program_scan(program);
    an_program_bind(program);
    an_program_point(program);
    an_program_callers(program);
    an_program_forward(program);
    program->joined = true;
    an_program_affect(program);
}

bool an_program_is_whole(const struct an_program *program)
{
    return program->whole;
}

unsigned an_program_units(const struct an_program *program)
{
    return program->units.count;
}

struct an_unit *an_program_unit(const struct an_program *program, unsigned number)
{
    return program->units.items[number];
}

static const struct an_root *root_of(const struct an_program *program, const struct an_node *node)
{
    while (node->parent)
        node = node->parent;
    unsigned low = 0, high = program->roots_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (program->roots[middle].node == node)
            return &program->roots[middle];
        if (program->roots[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct an_unit *an_program_unit_of(const struct an_program *program, const struct an_node *node)
{
    const struct an_root *root = root_of(program, node);
    return root ? root->unit : NULL;
}

struct an_function *an_program_function(const struct an_program *program,
                                        const struct an_node *function)
{
    const struct an_root *root = root_of(program, function);
    return root ? root->function : NULL;
}

struct an_node *an_program_main(const struct an_program *program)
{
    for (unsigned i = 0; i < program->functions.count; i++) {
        const struct an_function *function = program->functions.items[i];
        if (!function->node->internal && function->node->name &&
            strcmp(function->node->name, "main") == 0)
            return function->node;
    }
    return NULL;
}

struct an_node *an_program_next(const struct an_program *program, const struct an_node *function)
{
    unsigned i = 0;

    if (function) {
        const struct an_function *known = an_program_function(program, function);
        i = known->place_in_order + 1;
    }
    if (i >= program->functions.count)
        return NULL;
    return ((struct an_function *)program->functions.items[i])->node;
}

struct an_targets an_call_targets(const struct an_program *program, const struct an_node *call)
{
    const struct an_bond *bond = an_program_bond(program, call);

    if (!bond)
        return (struct an_targets){NULL, 0, false};
    return (struct an_targets){bond->targets, bond->count, bond->complete};
}

struct an_callers an_function_callers(const struct an_program *program,
                                      const struct an_node *function)
{
    const struct an_function *known = an_program_function(program, function);

    if (!known)
        return (struct an_callers){NULL, 0, false};
    return (struct an_callers){known->callers, known->callers_count, known->callers_complete};
}

bool an_function_jumps(const struct an_program *program, const struct an_node *function)
{
    const struct an_function *known = an_program_function(program, function);
    return known && known->jumps;
}
