/* Idea: a call stores its arguments in the parameters of all that it may enter, and takes their
 * results. A function that only computes is not entered: its result depends on the arguments of
 * this call alone. A function that returns new memory gives other memory to each of its calls. */
#include "analysis/invariance/inside.h"

#include <string.h>

enum { NOT_ASKED, YES, NO, ASKING };

struct an_named *an_function_named(struct an_invariance *i, const struct an_node *function)
{
    struct an_named *named = an_named(i, 'R', function->symbol ? function->symbol : function->name);
    if (!named->context) {
        named->context = an_cell_make(i);
        named->dirty = an_cell_make(i);
    }
    return named;
}

/* ---- Functions that only compute ---- */

static bool call_is_pure(struct an_invariance *i, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(i->program, call);
    if (!targets.count)
        return call->name && an_library_is_pure(call->name);
    bool pure = targets.complete && !call->system;
    for (unsigned n = 0; n < targets.count && pure; n++)
        pure = an_function_is_pure(i, targets.functions[n]);
    return pure;
}

static bool is_own(const struct an_node *place)
{
    place = an_plain(place);
    while (place && place->kind == AN_INDEX && place->child->type &&
           place->child->type->class == AN_ARRAY)
        place = an_plain(place->child);
    return an_is_own_local(place);
}

static bool node_is_pure(struct an_invariance *i, const struct an_node *node)
{
    switch (node->kind) {
    case AN_ASSIGN:
        return is_own(node->child);
    case AN_UNARY:
        return node->op != AN_OP_ADDRESS &&
               (node->op < AN_OP_PRE_INC || node->op > AN_OP_POST_DEC || is_own(node->child));
    case AN_CALL:
        return call_is_pure(i, node);
    case AN_VARIABLE:
        return node->storage == AN_LOCAL_VARIABLE && !an_record_type(node->type, false);
    case AN_GOTO:
    case AN_ASM:
    case AN_PARALLEL:
    case AN_STATEMENTS:
    case AN_LIST:
    case AN_OTHER:
        return false;
    default:
        return true;
    }
}

bool an_function_is_pure(struct an_invariance *i, const struct an_node *function)
{
    struct an_named *named = an_function_named(i, function);
    if (named->pure)
        return named->pure == YES;
    named->pure = ASKING;
    bool pure = !function->variadic && !an_record_type(function->type, true) &&
                function != an_program_main(i->program);
    const struct an_node *body = an_body(function);
    for (const struct an_node *n = body; n && pure; n = an_next(body, n, false))
        pure = node_is_pure(i, n);
    named->pure = pure ? YES : NO;
    return pure;
}

/* ---- Functions that return new memory ---- */

static bool call_allocates(struct an_invariance *i, const struct an_node *node)
{
    node = an_plain(node);
    if (!node || node->kind != AN_CALL)
        return node && node->constant && node->value == 0;
    struct an_targets targets = an_call_targets(i->program, node);
    if (!targets.count)
        return node->name && an_library_allocates(node->name);
    return targets.complete && targets.count == 1 && an_function_allocates(i, targets.functions[0]);
}

/* Is the mention of the variable that holds the new memory one that does not keep it? */
static bool keeps_nothing(struct an_invariance *i, const struct an_node *name)
{
    const struct an_node *n = name, *parent = n->parent;
    for (; parent->kind == AN_CAST; parent = n->parent)
        n = parent;
    if (parent->kind == AN_ASSIGN)
        return n == parent->child && parent->op == AN_OP_NONE &&
               call_allocates(i, an_child(parent, 1)) && !an_is_expression(parent->parent);
    if (parent->kind == AN_CALL)
        return parent->name && strstr(parent->name, "memset") != NULL &&
               an_argument(parent, 1)->constant && n == an_argument(parent, 0);
    if (parent->kind == AN_BINARY)
        return parent->op == AN_OP_EQ || parent->op == AN_OP_NE;
    return parent->kind == AN_RETURN || parent->kind == AN_IF ||
           (parent->kind == AN_UNARY && parent->op == AN_OP_NOT);
}

static bool variable_is_new(struct an_invariance *i, const struct an_node *function,
                            const struct an_node *name)
{
    if (name->kind != AN_REFERENCE || name->storage != AN_LOCAL_VARIABLE || !name->symbol)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (!n->symbol || strcmp(n->symbol, name->symbol) != 0)
            continue;
        if (n->kind == AN_VARIABLE && n->child && n->child->kind != AN_EMPTY &&
            !call_allocates(i, n->child))
            return false;
        if (n->kind == AN_REFERENCE && !keeps_nothing(i, n))
            return false;
    }
    return true;
}

bool an_function_allocates(struct an_invariance *i, const struct an_node *function)
{
    struct an_named *named = an_function_named(i, function);
    if (named->allocates)
        return named->allocates == YES;
    named->allocates = ASKING;
    bool all = true, any = false;
    for (const struct an_node *n = function; n && all; n = an_next(function, n, false)) {
        if (n->kind != AN_RETURN || !n->child)
            continue;
        const struct an_node *value = an_plain(n->child);
        any = true;
        all = call_allocates(i, value) || variable_is_new(i, function, value);
    }
    named->allocates = all && any ? YES : NO;
    return all && any;
}

/* ---- Parameters that lead nowhere ---- */

/* Does the function only compare the pointer, and give it back to the C library? */
static bool leads_nowhere(struct an_invariance *i, const struct an_node *name)
{
    const struct an_node *n = name, *parent = n->parent;
    for (; parent->kind == AN_CAST; parent = n->parent)
        n = parent;
    if (parent->kind == AN_CALL)
        return parent->system && n != parent->child && parent->name &&
               !an_call_targets(i->program, parent).count && strcmp(parent->name, "free") == 0;
    return (parent->kind == AN_BINARY && (parent->op == AN_OP_EQ || parent->op == AN_OP_NE)) ||
           parent->kind == AN_IF || (parent->kind == AN_UNARY && parent->op == AN_OP_NOT);
}

static bool is_kept(struct an_invariance *i, const struct an_node *function,
                    const struct an_node *parameter)
{
    struct an_named *named = an_named(i, 'V', parameter->symbol ? parameter->symbol : "");
    if (named->kept)
        return named->kept == YES;
    named->kept = NO;
    for (const struct an_node *n = an_body(function); n && named->kept == NO;
         n = an_next(an_body(function), n, false))
        if (n->kind == AN_REFERENCE && n->symbol && parameter->symbol &&
            strcmp(n->symbol, parameter->symbol) == 0 && !leads_nowhere(i, n))
            named->kept = YES;
    return named->kept == YES;
}

/* ---- Calls ---- */

void an_foreign_gets(struct an_invariance *i, const struct an_type *type,
                     struct an_place_cell *value)
{
    if (!value || !an_points(type))
        return;
    struct an_place_cell *memory = an_cell_pointee(i, value);
    const struct an_type *record = an_record_type(type, true);
    an_cell_hold(i, memory, record);
    an_cell_unite(i, i->foreign, memory);
    if (type->class == AN_RECORD && record)
        an_cell_alias(i, an_record_of(i, record)->out, i->foreign);
}

struct call {
    struct an_flow *w;
    const struct an_node *node;
    struct an_place_cell *pc;
    struct an_place_cell **values; /* of the arguments */
    unsigned count;
    struct an_place_cell *result;
};

static void parameter_flow(struct call *c, const struct an_node *parameter, unsigned number,
                           bool pure)
{
    struct an_invariance *i = c->w->i;
    struct an_place_cell *cell = an_variable_cell(i, parameter);
    const struct an_type *record = an_record_type(parameter->type, false);
    struct an_place_cell *value = number < c->count ? c->values[number] : NULL;
    if (number >= c->count)
        an_cell_mark(i, cell, AN_DIFFERS);
    if (an_points(parameter->type) && is_kept(i, parameter->parent, parameter))
        an_cell_alias(i, value, cell);
    if (pure) {
        an_cell_flow(i, value, c->result);
        return;
    }
    struct an_place_cell *all[] = {value, c->pc, c->w->context};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        an_cell_flow(i, all[n], cell);
        if (record)
            an_cell_flow(i, all[n], an_record_of(i, record)->in);
    }
}

static void function_enter(struct call *c, const struct an_node *function)
{
    struct an_invariance *i = c->w->i;
    struct an_named *named = an_function_named(i, function);
    bool pure = an_function_is_pure(i, function);
    unsigned number = 0;
    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER; p = p->next)
        parameter_flow(c, p, number++, pure);
    for (const struct an_node *a = an_argument(c->node, number); a; a = a->next)
        an_foreign_gets(i, a->type, c->values[number++]);
    an_cell_flow(i, named->cell, c->result);
    if (pure)
        an_cell_flow(i, c->w->context, c->result);
    if (an_points(c->node->type) && !an_function_allocates(i, function))
        an_cell_alias(i, named->cell, c->result);
    an_cell_flow(i, c->pc, named->context);
    an_cell_flow(i, c->w->context, named->context);
}

static void foreign_enter(struct call *c)
{
    unsigned number = 0;
    for (const struct an_node *a = an_argument(c->node, 0); a; a = a->next)
        an_foreign_gets(c->w->i, a->type, c->values[number++]);
    an_cell_mark(c->w->i, c->result, AN_DIFFERS);
    if (an_points(c->node->type))
        an_cell_alias(c->w->i, c->result, c->w->i->foreign);
}

static bool is_mpi(struct an_invariance *i, const struct an_node *call, struct an_mpi *mpi)
{
    if (an_call_is_mpi(i->program, call, mpi))
        return true;
    *mpi = (struct an_mpi){call->name ? an_call_find(call->name) : NULL, call, call, false};
    return mpi->what != NULL;
}

struct an_place_cell *an_call_flow(struct an_flow *w, const struct an_node *call,
                                   struct an_place_cell *pc)
{
    struct an_invariance *i = w->i;
    struct an_mpi mpi;
    if (is_mpi(i, call, &mpi))
        return an_mpi_flow(w, &mpi, pc);
    struct call c = {w, call, pc, NULL, an_arguments(call), an_cell_make(i)};
    struct an_place_cell *callee =
        call->name || !call->child ? NULL : an_value_of(w, call->child, pc);
    c.pc = an_cell_join(i, pc, callee);
    c.values = an_invariance_alloc(i, (c.count + 1) * sizeof *c.values);
    unsigned number = 0;
    for (const struct an_node *a = an_argument(call, 0); a; a = a->next)
        c.values[number++] = an_value_of(w, a, pc);
    an_cell_flow(i, callee, c.result);
    i->at = call;
    struct an_targets targets = an_call_targets(i->program, call);
    if (call->name && (call->system || !targets.count) &&
        an_library_flow(w, call, c.values, c.count, pc, &c.result))
        return c.result;
    for (unsigned n = 0; n < targets.count; n++)
        function_enter(&c, targets.functions[n]);
    if (!targets.complete || !targets.count || call->system)
        foreign_enter(&c);
    return c.result;
}
