/* Idea: a statement stands under the conditions around it, and under those of all jumps that may
 * leave it out: behind `if (c) return;` everything stands under c, too. A loop that is left by a
 * break stands under the break's condition, because that decides on its turns. A goto backwards
 * counts for the whole function. */
#include "analysis/invariance/inside.h"

#include <string.h>

static struct an_place_cell *under(struct an_flow *w, struct an_place_cell *pc,
                                   struct an_place_cell *more)
{
    struct an_place_cell *both = an_cell_make(w->i);
    an_cell_flow(w->i, pc, both);
    an_cell_flow(w->i, more, both);
    return both;
}

static struct an_place_cell *if_flow(struct an_flow *w, const struct an_node *node,
                                     struct an_place_cell *pc)
{
    struct an_place_cell *inside = under(w, pc, an_value_of(w, node->child, pc));
    struct an_place_cell *yes = an_statement_flow(w, an_child(node, 1), inside);
    struct an_place_cell *no = an_statement_flow(w, an_child(node, 2), inside);
    return yes == inside && no == inside ? pc : under(w, yes, no);
}

static struct an_place_cell *loop_flow(struct an_flow *w, const struct an_node *node,
                                       struct an_place_cell *pc)
{
    bool counts = node->kind == AN_FOR;
    const struct an_node *condition = an_child(node, node->kind == AN_WHILE ? 0 : 1);
    const struct an_node *body = an_child(node, counts ? 3 : node->kind == AN_WHILE ? 1 : 0);
    unsigned jumps = w->jumps;
    if (counts)
        an_statement_flow(w, node->child, pc);
    struct an_place_cell *turn = under(w, pc, NULL), *end;
    w->jumps = 0;
    an_cell_flow(w->i, an_value_of(w, condition, turn), turn);
    end = an_statement_flow(w, body, turn);
    if (counts)
        an_value_of(w, an_child(node, 2), turn);
    bool out = w->jumps & AN_JUMP_OUT;
    if (out || (w->jumps & AN_JUMP_BREAK))
        an_cell_flow(w->i, end, turn);
    w->jumps = jumps | (out ? AN_JUMP_OUT : 0);
    return out ? under(w, pc, end) : pc;
}

static struct an_place_cell *switch_flow(struct an_flow *w, const struct an_node *node,
                                         struct an_place_cell *pc)
{
    unsigned jumps = w->jumps;
    struct an_place_cell *inside = under(w, pc, an_value_of(w, node->child, pc)), *end;
    w->jumps = 0;
    end = an_statement_flow(w, an_child(node, 1), inside);
    bool leaves = w->jumps & (AN_JUMP_OUT | AN_JUMP_CONTINUE);
    w->jumps = jumps | (w->jumps & (AN_JUMP_OUT | AN_JUMP_CONTINUE));
    return leaves ? end : pc;
}

static bool is_backwards(const struct an_node *jump)
{
    const struct an_node *function = an_function_of(jump);
    for (const struct an_node *n = function; n && jump->name; n = an_next(function, n, false))
        if (n->kind == AN_LABEL && strcmp(n->name, jump->name) == 0)
            return n->place.offset < jump->place.offset;
    return true;
}

static struct an_place_cell *return_flow(struct an_flow *w, const struct an_node *node,
                                         struct an_place_cell *pc)
{
    const struct an_node *value = node->child;
    struct an_place_cell *result = an_function_named(w->i, w->function)->cell;
    an_cell_flow(w->i, pc, result);
    if (!value || value->kind == AN_EMPTY)
        return under(w, pc, NULL);
    struct an_place_cell *cell = an_value_of(w, value, pc);
    const struct an_type *record = an_record_type(value->type, false);
    an_cell_flow(w->i, cell, result);
    if (an_points(value->type))
        an_cell_alias(w->i, cell, result);
    if (record) {
        an_cell_flow(w->i, cell, an_record_of(w->i, record)->in);
        an_cell_flow(w->i, pc, an_record_of(w->i, record)->in);
    }
    return under(w, pc, NULL);
}

static struct an_place_cell *jump_flow(struct an_flow *w, const struct an_node *node,
                                       struct an_place_cell *pc)
{
    w->jumps |= node->kind == AN_BREAK      ? AN_JUMP_BREAK
                : node->kind == AN_CONTINUE ? AN_JUMP_CONTINUE
                                            : AN_JUMP_OUT;
    if (node->kind == AN_RETURN)
        return return_flow(w, node, pc);
    if (node->kind == AN_GOTO && is_backwards(node))
        an_cell_flow(w->i, pc, w->body);
    return under(w, pc, NULL);
}

/* Several threads, or machine code: what is written there may differ. */
static struct an_place_cell *block_flow(struct an_flow *w, const struct an_node *node,
                                        struct an_place_cell *pc)
{
    struct an_place_cell *inside = pc;
    if (node->kind == AN_PARALLEL || node->kind == AN_ASM) {
        inside = under(w, pc, NULL);
        an_cell_mark(w->i, inside, AN_DIFFERS);
    }
    for (const struct an_node *child = node->child; child; child = child->next) {
        if (node->kind == AN_ASM && an_is_expression(child) && !child->constant)
            an_store(w, an_plain(child), inside, inside);
        else
            inside = an_statement_flow(w, child, inside);
    }
    return node->kind == AN_PARALLEL || node->kind == AN_ASM ? pc : inside;
}

struct an_place_cell *an_statement_flow(struct an_flow *w, const struct an_node *node,
                                        struct an_place_cell *pc)
{
    w->i->at = node;
    switch (node->kind) {
    case AN_EMPTY:
        return pc;
    case AN_DECLARE:
        for (const struct an_node *child = node->child; child; child = child->next)
            if (child->kind == AN_VARIABLE)
                an_initialise(w, child, pc);
        return pc;
    case AN_VARIABLE:
        an_initialise(w, node, pc);
        return pc;
    case AN_IF:
        return if_flow(w, node, pc);
    case AN_FOR:
    case AN_WHILE:
    case AN_DO:
        return loop_flow(w, node, pc);
    case AN_SWITCH:
        return switch_flow(w, node, pc);
    case AN_RETURN:
    case AN_BREAK:
    case AN_CONTINUE:
    case AN_GOTO:
        return jump_flow(w, node, pc);
    case AN_BLOCK:
    case AN_CASE:
    case AN_DEFAULT:
    case AN_LABEL:
    case AN_PARALLEL:
    case AN_ASM:
        return block_flow(w, node, pc);
    default:
        an_value_of(w, node, pc);
        return pc;
    }
}

struct an_flow an_flow_of(struct an_invariance *i, const struct an_node *function)
{
    struct an_flow w = {.i = i, .function = function};
    if (!function)
        return w;
    struct an_named *named = an_function_named(i, function);
    if (function != an_program_main(i->program) && !an_function_is_pure(i, function))
        w.context = named->context;
    w.body = named->dirty; /* made together with the context */
    return w;
}

/* Code that is not here calls the function, with anything. */
static void call_from_outside(struct an_invariance *i, const struct an_node *function)
{
    an_cell_mark(i, an_function_named(i, function)->context, AN_DIFFERS);
    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER; p = p->next) {
        struct an_place_cell *cell = an_variable_cell(i, p);
        const struct an_type *record = an_record_type(p->type, false);
        an_cell_mark(i, cell, AN_DIFFERS);
        if (an_points(p->type))
            an_cell_alias(i, cell, i->foreign);
        if (record)
            an_cell_mark(i, an_record_of(i, record)->in, AN_DIFFERS);
    }
}

void an_function_flow(struct an_invariance *i, const struct an_node *function)
{
    struct an_flow w = an_flow_of(i, function);
    if (function != an_program_main(i->program) &&
        !an_function_callers(i->program, function).complete)
        call_from_outside(i, function);
    if (an_function_jumps(i->program, function))
        an_cell_mark(i, w.body, AN_DIFFERS);
    an_statement_flow(&w, an_body(function), w.body);
}
