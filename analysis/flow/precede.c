/* Idea: statements run in the order of the text, except that a loop around both may bring either
 * one first, and that the two branches of a condition exclude each other. A label may be jumped to
 * from anywhere, so nothing is said about functions that have one. */
#include "analysis/flow/extent.h"

#include <string.h>

static bool is_loop(const struct an_node *node)
{
    return node->kind == AN_FOR || node->kind == AN_WHILE || node->kind == AN_DO;
}

bool an_flow_holds(const struct an_node *outer, const struct an_node *node)
{
    while (node && node != outer)
        node = node->parent;
    return node == outer;
}

static const struct an_node *child_towards(const struct an_node *outer, const struct an_node *node)
{
    while (node != outer && node->parent != outer)
        node = node->parent;
    return node;
}

static bool has_label(const struct an_node *function)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_LABEL)
            return true;
    return false;
}

bool an_flow_may_precede(const struct an_node *node, const struct an_node *use,
                         const struct an_node *scope)
{
    const struct an_node *both = use;

    while (both && !an_flow_holds(both, node))
        both = both->parent;
    if (!both || both == node || both == use || has_label(an_function_of(use)))
        return true;
    for (const struct an_node *around = both; around; around = around->parent) {
        if (scope && an_flow_holds(around, scope))
            break;
        if (is_loop(around))
            return true;
    }
    const struct an_node *first = child_towards(both, node), *second = child_towards(both, use);
    bool branches = both->kind == AN_IF || both->kind == AN_CHOOSE;
    if (branches && first != both->child && second != both->child)
        return false;
    while (first && first != second)
        first = first->next;
    return first == second;
}

/* ---- What a variable stands for ---- */

static bool is_step(const struct an_node *node)
{
    return node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC;
}

/* Whether anything but its first value is ever given to the variable, in its own function. */
static bool is_changed(const struct an_node *function, const char *symbol)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if ((n->kind == AN_ASSIGN || is_step(n) ||
             (n->kind == AN_UNARY && n->op == AN_OP_ADDRESS)) &&
            an_plain(n->child)->symbol && strcmp(an_plain(n->child)->symbol, symbol) == 0)
            return true;
    return false;
}

static const struct an_node *variable_find(const struct an_node *function, const char *symbol)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, symbol) == 0)
            return n;
    return NULL;
}

/* The argument for a parameter that nobody changes, on the path followed, or NULL. */
static const struct an_node *argument_find(struct an_flow *flow, const struct an_node *parameter)
{
    const struct an_node *function = an_function_of(parameter);
    unsigned number = 0;

    for (const struct an_flow_frame *frame = flow->frame; frame; frame = frame->caller) {
        if (frame->function != function || !frame->call || is_changed(function, parameter->symbol))
            continue;
        for (const struct an_node *child = function->child; child; child = child->next, number++)
            if (child->kind == AN_PARAMETER && child->symbol &&
                strcmp(child->symbol, parameter->symbol) == 0)
                return an_argument(frame->call, number);
        return NULL;
    }
    return NULL;
}

const struct an_node *an_flow_meaning(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *function = an_function_of(node);

    if (node->kind != AN_REFERENCE || !node->symbol || !function)
        return NULL;
    if (node->storage == AN_PARAMETER_VARIABLE)
        return argument_find(flow, node);
    if (node->storage != AN_LOCAL_VARIABLE || is_changed(function, node->symbol))
        return NULL;
    const struct an_node *variable = variable_find(function, node->symbol);
    const struct an_node *first = variable ? variable->child : NULL;
    return first && first->kind != AN_EMPTY && an_plain(first)->kind != AN_CALL ? first : NULL;
}
