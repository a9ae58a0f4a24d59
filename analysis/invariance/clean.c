/* Idea: a variable that a collective overwrites has two cells: one for what it holds behind the
 * collective, one for before. All paths of the function are followed to learn which of them each
 * mention of the variable means. Behind the function the variable holds what the collective gave,
 * if every way out passes it; so do other functions see it, if none is called before.
 *
 * Invariant: nobody else can change the variable: its address is not kept. */
#include "analysis/invariance/inside.h"

#include "analysis/program/paths.h"

#include <stdlib.h>
#include <string.h>

enum { CLEAN = 1, DIRTY = 2 };

struct clean {
    struct an_invariance *i;
    const struct an_node *function;
    const char *symbol;
    bool global;                  /* other functions see it */
    bool broken;                  /* another function may see it before the collective */
    const struct an_node **nodes; /* mentions before the collective */
    unsigned count, room;
};

bool an_is_dirty(const struct an_invariance *i, const struct an_node *node)
{
    struct an_dirty *found;
    HASH_FIND_PTR(i->dirty, &node, found);
    return found != NULL;
}

static bool is_name(const struct an_node *node, const char *symbol)
{
    return node && node->kind == AN_REFERENCE && node->symbol && strcmp(node->symbol, symbol) == 0;
}

/* The variable whose address the expression is, or NULL. */
static const struct an_node *addressed(const struct an_node *node)
{
    node = node ? an_plain(node) : NULL;
    if (!node || node->kind != AN_UNARY || node->op != AN_OP_ADDRESS)
        return NULL;
    node = an_plain(node->child);
    bool variable = node->kind == AN_REFERENCE && node->storage != AN_FUNCTION_NAME;
    return variable && node->symbol && node->type && node->type->class != AN_ARRAY &&
                   node->type->class != AN_RECORD
               ? node
               : NULL;
}

/* How many bytes a variable has; more than any message when that is not known. */
static int64_t size_of(const struct an_type *type)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } sizes[] = {{"char", 1},
                 {"signed char", 1},
                 {"unsigned char", 1},
                 {"_Bool", 1},
                 {"short", 2},
                 {"unsigned short", 2},
                 {"int", 4},
                 {"unsigned int", 4},
                 {"float", 4},
                 {"long", 8},
                 {"unsigned long", 8},
                 {"long long", 8},
                 {"unsigned long long", 8},
                 {"double", 8},
                 {"long double", 16}};
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++)
        if (strcmp(type->name, sizes[n].name) == 0)
            return sizes[n].bytes;
    return strncmp(type->name, "enum ", 5) == 0 ? 4 : INT64_MAX;
}

/* How many bytes the call writes at least; MPICH's own datatypes have their size in the handle. */
static int64_t bytes_of(const struct an_program *program, const struct an_mpi *mpi)
{
    int number = mpi->what->receive.count, type_number = mpi->what->receive.datatype;
    if (number < 0 || type_number < 0)
        return 0;
    const struct an_node *count = an_mpi_argument(program, mpi, (unsigned)number);
    const struct an_node *type = an_mpi_argument(program, mpi, (unsigned)type_number);
    count = count ? an_plain(count) : NULL;
    type = type ? an_plain(type) : NULL;
    if (!count || !type || (!count->constant && count->kind != AN_SIZEOF) || count->value <= 0 ||
        count->value > 16 || !type->constant || (type->value & 0xffff0000) != 0x4c000000)
        return 0;
    return count->value * (type->value >> 8 & 0xff);
}

/* The mention of the variable that the call overwrites with the same on all members, or NULL. */
static const struct an_node *cleaned_by(const struct an_program *program,
                                        const struct an_node *call)
{
    struct an_mpi mpi;
    if (call->kind != AN_CALL || !an_call_is_mpi(program, call, &mpi) ||
        (mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT)))
        return NULL;
    const struct an_node *name = addressed(an_mpi_given(program, &mpi));
    return name && bytes_of(program, &mpi) >= size_of(name->type) ? name : NULL;
}

/* ---- Addresses that are kept ---- */

static bool keeps_nothing(const struct an_program *program, const struct an_node *address)
{
    const struct an_node *call = address->parent;
    struct an_mpi mpi;
    while (call && call->kind == AN_CAST)
        call = call->parent;
    if (!call || call->kind != AN_CALL)
        return false;
    if (!an_call_is_mpi(program, call, &mpi))
        return call->system && !an_call_find(call->name ? call->name : "") &&
               !an_call_targets(program, call).count;
    return !(mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT)) &&
           mpi.what->role != AN_ONE_SIDED &&
           (mpi.what->role != AN_LOCAL || strncmp(mpi.what->name, "Comm_", 5) == 0);
}

static void addresses_look(struct an_invariance *i, const struct an_node *root)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false)) {
        if (n->kind != AN_UNARY || n->op != AN_OP_ADDRESS)
            continue;
        const struct an_node *name = an_plain(n->child);
        if (name->kind == AN_REFERENCE && name->symbol && !keeps_nothing(i->program, n))
            an_named(i, 'V', name->symbol)->escapes = true;
    }
}

/* ---- Paths ---- */

static void mention(struct clean *c, const struct an_node *node)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        c->nodes = realloc(c->nodes, c->room * sizeof *c->nodes);
        if (!c->nodes)
            abort();
    }
    c->nodes[c->count++] = node;
}

/* The mention of the variable whose address is the argument, when the call may write there. */
static const struct an_node *address_in(const struct clean *c, const struct an_node *call)
{
    for (const struct an_node *a = an_argument(call, 0); a; a = a->next)
        if (is_name(addressed(a), c->symbol))
            return addressed(a);
    return NULL;
}

static unsigned call_step(struct clean *c, const struct an_node *call, unsigned state)
{
    const struct an_program *program = c->i->program;
    if (is_name(cleaned_by(program, call), c->symbol))
        return CLEAN;
    const struct an_node *name = address_in(c, call);
    struct an_mpi mpi;
    if (name) {
        mention(c, name);
        return DIRTY;
    }
    if (c->global && (state & DIRTY) && !an_call_is_mpi(program, call, &mpi)) {
        struct an_targets targets = an_call_targets(program, call);
        c->broken |= targets.count || !targets.complete;
    }
    return state;
}

static bool is_overwritten_here(const struct clean *c, const struct an_node *name)
{
    const struct an_node *call = name->parent;
    while (call && call->kind != AN_CALL && an_is_expression(call))
        call = call->parent;
    return call && cleaned_by(c->i->program, call) == name;
}

static unsigned step(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    struct clean *c = paths->context;
    bool counts = node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC && node->op <= AN_OP_POST_DEC;
    if (node->kind == AN_CALL)
        return call_step(c, node, state);
    if ((node->kind == AN_ASSIGN || counts) && is_name(an_plain(node->child), c->symbol)) {
        mention(c, an_plain(node->child));
        return DIRTY;
    }
    if (node->kind == AN_VARIABLE && node->symbol && strcmp(node->symbol, c->symbol) == 0) {
        if (node->storage == AN_STATIC_LOCAL)
            return state;
        mention(c, node);
        return DIRTY;
    }
    if (is_name(node, c->symbol) && (state & DIRTY) && !is_overwritten_here(c, node))
        mention(c, node);
    return state;
}

static void mentions_keep(struct clean *c)
{
    struct an_invariance *i = c->i;
    struct an_named *named = an_named(i, 'V', c->symbol);
    if (!named->dirty) {
        named->dirty = an_cell_make(i);
        an_cell_flow(i, named->cell, named->dirty);
        an_cell_alias(i, named->cell, named->dirty);
    }
    for (unsigned n = 0; n < c->count; n++) {
        if (an_is_dirty(i, c->nodes[n]))
            continue;
        struct an_dirty *one = an_invariance_alloc(i, sizeof *one);
        one->node = c->nodes[n];
        HASH_ADD_PTR(i->dirty, node, one);
    }
}

static void variable_look(struct an_invariance *i, const struct an_node *function,
                          const struct an_node *name)
{
    struct clean c = {.i = i, .function = function, .symbol = name->symbol};
    c.global = name->storage != AN_LOCAL_VARIABLE && name->storage != AN_PARAMETER_VARIABLE;
    struct an_paths paths = {.step = step, .context = &c};
    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER; p = p->next)
        if (p->symbol && strcmp(p->symbol, c.symbol) == 0)
            mention(&c, p); /* the argument is there before the collective */
    unsigned end = an_paths_walk(&paths, an_body(function), c.global ? CLEAN : DIRTY);
    if (!c.global || (((end | paths.leaves) & DIRTY) == 0 && !c.broken))
        mentions_keep(&c);
    free(c.nodes);
}

static bool is_first(const struct an_invariance *i, const struct an_node *function,
                     const struct an_node *call, const struct an_node *name)
{
    for (const struct an_node *n = function; n && n != call; n = an_next(function, n, false))
        if (is_name(cleaned_by(i->program, n), name->symbol))
            return false;
    return true;
}

static void function_look(struct an_invariance *i, const struct an_node *function)
{
    if (an_function_jumps(i->program, function))
        return;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        const struct an_node *name = cleaned_by(i->program, n);
        if (name && !an_named(i, 'V', name->symbol)->escapes && is_first(i, function, n, name))
            variable_look(i, function, name);
    }
}

void an_clean_find(struct an_invariance *i)
{
    struct an_program *program = i->program;
    const struct an_node *f;
    for (f = an_program_next(program, NULL); f; f = an_program_next(program, f))
        addresses_look(i, f);
    for (unsigned n = 0; n < an_program_units(program); n++)
        for (const struct an_node *v = an_program_unit(program, n)->variables; v; v = v->next)
            addresses_look(i, v);
    for (f = an_program_next(program, NULL); f; f = an_program_next(program, f))
        function_look(i, f);
}
