/* Idea: one walk over every tree, because a program has millions of nodes; all later steps work on
 * the lists that it makes. A function of a header that several units hold alike is walked once.
 *
 * Invariant: program->functions holds each function once, program->roots every top-level node. */
#include "analysis/program/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    struct an_program *program;
    struct an_unit *unit;
    struct an_symbol *headers; /* internal functions of headers, by text */
};

int an_type_leads_to_function(const struct an_type *type)
{
    int depth = 0;

    for (; type; type = type->below, depth++) {
        if (type->class == AN_FUNCTION_TYPE)
            return depth;
        if (type->class != AN_POINTER && type->class != AN_ARRAY)
            return -1;
    }
    return -1;
}

const struct an_type *an_type_stored(const struct an_node *place)
{
    const struct an_node *inner = an_plain(place);

    while (inner->kind == AN_UNARY && inner->child && an_type_leads_to_function(inner->type) < 0)
        inner = an_plain(inner->child);
    return an_type_leads_to_function(place->type) >= 0 ? place->type : inner->type;
}

static bool text_equal(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

/* A unit numbers its local variables, so that the same one has another symbol elsewhere. */
static bool is_local(const struct an_node *node)
{
    return node->kind == AN_PARAMETER || node->storage == AN_LOCAL_VARIABLE ||
           node->storage == AN_STATIC_LOCAL || node->storage == AN_PARAMETER_VARIABLE;
}

/* Types that a macro of another value makes of `T x` differ. */
static bool type_equal(const struct an_type *one, const struct an_type *other)
{
    if (one == other || !one || !other)
        return one == other;
    if (one->class != other->class || !text_equal(one->name, other->name))
        return false;
    return one->layout && other->layout ? one->layout->size == other->layout->size
                                        : one->layout == other->layout;
}

static bool node_equal(const struct an_node *one, const struct an_node *other)
{
    return one->kind == other->kind && one->op == other->op && one->constant == other->constant &&
           one->value == other->value && one->place.line == other->place.line &&
           one->place.column == other->place.column && text_equal(one->name, other->name) &&
           one->storage == other->storage && type_equal(one->type, other->type) &&
           (is_local(one) || text_equal(one->symbol, other->symbol));
}

bool an_tree_equal(const struct an_node *one, const struct an_node *other)
{
    const struct an_node *a = one, *b = other;

    if (!text_equal(one->place.file, other->place.file))
        return false;
    for (; a && b; a = an_next(one, a, false), b = an_next(other, b, false))
        if (!node_equal(a, b))
            return false;
    return !a && !b;
}

static struct an_symbol *symbol_find(struct an_symbol *table, const char *text)
{
    struct an_symbol *symbol;
    HASH_FIND_STR(table, text, symbol);
    return symbol;
}

static struct an_symbol *symbol_add(struct an_program *program, struct an_symbol **table,
                                    const char *text)
{
    struct an_symbol *symbol = symbol_find(*table, text);

    if (!symbol) {
        symbol = an_unit_alloc(program->memory, sizeof *symbol);
        symbol->text = text;
        HASH_ADD_KEYPTR(hh, *table, text, strlen(text), symbol);
    }
    return symbol;
}

static struct an_symbol *symbol_add_internal(struct an_program *program, const char *text)
{
    struct an_symbol *symbol;

    HASH_FIND_PTR(program->internal, &text, symbol);
    if (!symbol) {
        symbol = an_unit_alloc(program->memory, sizeof *symbol);
        symbol->text = text;
        HASH_ADD_PTR(program->internal, text, symbol);
    }
    return symbol;
}

static unsigned parameters_count(const struct an_node *function)
{
    unsigned count = 0;
    for (const struct an_node *child = function->child; child; child = child->next)
        count += child->kind == AN_PARAMETER;
    return count;
}

static struct an_function *function_create(struct scan *scan, struct an_node *node)
{
    struct an_program *program = scan->program;
    struct an_function *function = an_unit_alloc(program->memory, sizeof *function);

    function->node = node;
    function->unit = scan->unit;
    function->parameters = parameters_count(node);
    function->place_in_order = program->functions.count;
    an_list_add(&program->functions, function);
    return function;
}

/* Whether the same code means the same in both units: each has static variables of its own. */
static bool statics_are_one(const struct an_program *program, const struct an_node *one,
                            const struct an_node *other)
{
    const struct an_node *a = one, *b = other;

    for (; a && b; a = an_next(one, a, false), b = an_next(other, b, false)) {
        if (a->kind != AN_REFERENCE || !a->internal || a->constant || a->symbol == one->symbol)
            continue;
        const struct an_function *first = an_program_named(program, a->symbol, true);
        if (a->storage != AN_FUNCTION_NAME || !first ||
            first != an_program_named(program, b->symbol, true))
            return false;
    }
    return true;
}

/* Chains `node` to the functions of one symbol unless one of them is the same code. */
static struct an_function *function_among(struct scan *scan, struct an_symbol *symbol,
                                          struct an_node *node, bool *is_new)
{
    struct an_function *last = NULL;

    for (struct an_function *f = symbol->function; f; last = f, f = f->same)
        if (an_tree_equal(f->node, node) && statics_are_one(scan->program, f->node, node))
            return *is_new = false, f;
    struct an_function *function = function_create(scan, node);
    *(last ? &last->same : &symbol->function) = function;
    return *is_new = true, function;
}

static struct an_function *internal_function(struct scan *scan, struct an_node *node, bool *is_new)
{
    struct an_function *function;

    if (text_equal(node->place.file, scan->unit->path)) {
        function = function_create(scan, node);
        *is_new = true;
    } else {
        struct an_symbol *known = symbol_add(scan->program, &scan->headers, node->symbol);
        function = function_among(scan, known, node, is_new);
    }
    symbol_add_internal(scan->program, node->symbol)->function = function;
    return function;
}

static void root_add(struct scan *scan, const struct an_node *node, struct an_function *function)
{
    scan->program->roots[scan->program->roots_count++] =
        (struct an_root){node, scan->unit, function};
}

static void bond_add(struct an_program *program, struct an_node *node, struct an_function *function)
{
    if (program->bonds_count == program->bonds_room) {
        program->bonds_room = program->bonds_room ? 2 * program->bonds_room : 1024;
        program->bonds = realloc(program->bonds, program->bonds_room * sizeof *program->bonds);
        if (!program->bonds) {
            fputs("ftcc: out of memory\n", stderr);
            exit(1);
        }
    }
    program->bonds[program->bonds_count++] = (struct an_bond){.node = node, .from = function};
    function->bonds_count++;
}

/* Is it an integer, or does it point to or consist of integers? Ranks and tags are such. */
static bool holds_integers(const struct an_type *type)
{
    while (type && (type->class == AN_POINTER || type->class == AN_ARRAY))
        type = type->below;
    return type && type->class == AN_INTEGER;
}

/* A plain variable of its function: wild.c follows it along the function's paths. */
static bool is_followed(const struct an_node *target)
{
    target = an_plain(target);
    return (target->kind == AN_REFERENCE || target->kind == AN_VARIABLE) &&
           target->type->class == AN_INTEGER && target->storage != AN_GLOBAL &&
           target->storage != AN_STATIC_LOCAL;
}

static void note_store(struct an_program *program, struct an_node *node)
{
    const struct an_node *target = node->kind == AN_VARIABLE ? node : node->child;

    if (target && target->type && holds_integers(target->type) && !is_followed(target))
        an_list_add(&program->stores, node);
}

/* The address that an array or pointer is goes on: to another pointer, or to a function. Both may
 * write what it points to. */
static void note_pointer(struct an_program *program, struct an_node *node)
{
    const struct an_node *up = node->parent;
    bool is_place = up && (up->kind == AN_INDEX || up->kind == AN_ASSIGN) && up->child == node;

    if (!node->type || node->type->class == AN_INTEGER || !holds_integers(node->type))
        return;
    if (up && up->kind == AN_UNARY && up->op == AN_OP_DEREF)
        is_place = true;
    if (!is_place || up->type->class != AN_INTEGER)
        an_list_add(&program->stores, node);
}

static void note_flow(struct an_program *program, struct an_node *node)
{
    const struct an_node *value = node->kind == AN_ASSIGN ? an_child(node, 1) : node->child;

    const struct an_type *type = node->kind == AN_ASSIGN ? an_type_stored(node->child) : node->type;

    if (value && value->type &&
        (an_type_leads_to_function(an_plain(value)->type) >= 0 ||
         (type && an_type_leads_to_function(type) >= 0)))
        an_list_add(&program->flows, node);
}

/* A function's name that is not just called: its address goes somewhere. */
static void note_name(struct an_program *program, struct an_node *node)
{
    const struct an_node *parent = node->parent;

    if (node->storage == AN_FUNCTION_NAME &&
        !(parent && parent->kind == AN_CALL && parent->child == node))
        an_list_add(&program->names, node);
}

/* Constants of system headers that are negative, or become so by a minus: few. Enumerators and
 * constant variables may stand for them. */
static void note_number(struct an_program *program, struct an_node *node)
{
    const struct an_node *up = node->parent;
    bool is_negative = node->value < 0 || (up && up->kind == AN_UNARY && up->op == AN_OP_MINUS);

    if (node->constant && is_negative && (node->system || (node->name && node->symbol)))
        an_list_add(&program->numbers, node);
}

static void note(struct an_program *program, struct an_node *node, struct an_function *function)
{
    switch (node->kind) {
    case AN_CALL:
        if (function)
            bond_add(program, node, function);
        break;
    case AN_VARIABLE:
    case AN_ASSIGN:
        note_store(program, node);
        note_flow(program, node);
        break;
    case AN_RETURN:
        note_flow(program, node);
        break;
    case AN_UNARY:
        if (node->op == AN_OP_ADDRESS || node->op >= AN_OP_PRE_INC)
            note_store(program, node);
        break;
    case AN_LIST:
        an_list_add(&program->lists, node);
        break;
    case AN_REFERENCE:
        note_name(program, node);
        note_number(program, node);
        note_pointer(program, node);
        break;
    case AN_MEMBER:
        note_pointer(program, node);
        break;
    case AN_NUMBER:
        note_number(program, node);
        break;
    default:
        break;
    }
}

static void walk(struct an_program *program, struct an_node *root, struct an_function *function)
{
    for (struct an_node *node = root; node; node = an_next(root, node, false))
        note(program, node, function);
}

static void scan_function(struct scan *scan, struct an_node *node)
{
    bool is_new = true;
    struct an_function *function;

    if (!node->symbol)
        function = function_create(scan, node);
    else if (node->internal)
        function = internal_function(scan, node, &is_new);
    else
        function = function_among(
            scan, symbol_add(scan->program, &scan->program->external, node->symbol), node, &is_new);
    root_add(scan, node, function);
    if (is_new)
        walk(scan->program, node, function);
}

static void scan_variable(struct scan *scan, struct an_node *node)
{
    root_add(scan, node, NULL);
    if (node->symbol && node->internal)
        symbol_add_internal(scan->program, node->symbol)->variable = true;
    else if (node->symbol)
        symbol_add(scan->program, &scan->program->external, node->symbol)->variable = true;
    walk(scan->program, node, NULL);
}

static int compare_roots(const void *one, const void *other)
{
    const struct an_node *a = ((const struct an_root *)one)->node;
    const struct an_node *b = ((const struct an_root *)other)->node;
    return (a > b) - (a < b);
}

static unsigned roots_of(const struct an_unit *unit)
{
    unsigned count = 0;
    for (const struct an_node *node = unit->functions; node; node = node->next)
        count++;
    for (const struct an_node *node = unit->variables; node; node = node->next)
        count++;
    return count;
}

static void roots_make_room(struct an_program *program)
{
    unsigned count = 1;

    for (unsigned i = 0; i < program->units.count; i++)
        count += roots_of(program->units.items[i]);
    program->roots = calloc(count, sizeof *program->roots);
    if (!program->roots) {
        fputs("ftcc: out of memory\n", stderr);
        exit(1);
    }
}

/* The array of bonds no longer moves: each function gets its part of it. */
static void bonds_share_out(struct an_program *program)
{
    struct an_bond *at = program->bonds;

    for (unsigned i = 0; i < program->functions.count; i++) {
        struct an_function *function = program->functions.items[i];
        function->bonds = at;
        if (function->bonds_count)
            at += function->bonds_count;
    }
}

void an_program_scan(struct an_program *program)
{
    struct scan scan = {program, NULL, NULL};

    roots_make_room(program);
    for (unsigned i = 0; i < program->units.count; i++) {
        scan.unit = program->units.items[i];
        for (struct an_node *node = scan.unit->functions; node; node = node->next)
            scan_function(&scan, node);
        for (struct an_node *node = scan.unit->variables; node; node = node->next)
            scan_variable(&scan, node);
    }
    HASH_CLEAR(hh, scan.headers);
    qsort(program->roots, program->roots_count, sizeof *program->roots, compare_roots);
    bonds_share_out(program);
}
