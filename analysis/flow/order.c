/* Idea: a comparison takes the order of arrival out of what is sorted only if no two different
 * elements are equal to it. So it must compare what stands in both elements as it stands there: a
 * half, a remainder, an absolute value, a key from elsewhere, or a difference of floating-point
 * numbers that is cut to a whole one all find equal what is not. */
#include "analysis/flow/extent.h"

#include <string.h>

enum { DEEPEST = 3 };

static bool is_order(const struct an_node *node)
{
    return node->kind == AN_BINARY && node->op >= AN_OP_LT && node->op <= AN_OP_NE;
}

static bool is_difference(const struct an_node *node)
{
    return node->kind == AN_BINARY && node->op == AN_OP_SUB;
}

static const struct an_node *variable_in(const struct an_node *node)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false))
        if (n->kind == AN_REFERENCE && n->storage != AN_FUNCTION_NAME)
            return n;
    return NULL;
}

static bool is_compared(const struct an_node *node)
{
    return node->kind == AN_CALL || is_order(node) || is_difference(node);
}

/* What a comparison of two elements gave, or a local that has that. */
static bool is_result(const struct an_node *node)
{
    const struct an_node *function = an_function_of(node);

    node = an_plain(node);
    if (is_compared(node))
        return true;
    for (const struct an_node *n = function; n && node->symbol; n = an_next(function, n, false))
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, node->symbol) == 0)
            return is_compared(an_plain(n->child));
    return false;
}

/* Whether the sides of an operator name two elements, or one the result of a comparison. */
static bool has_two_sides(const struct an_node *binary)
{
    const struct an_node *left = binary->child, *right = left->next;
    const struct an_node *one = variable_in(left), *two = variable_in(right);

    if (is_result(left) || is_result(right) || (!one && !two))
        return true;
    return one && two && one->symbol && two->symbol && strcmp(one->symbol, two->symbol) != 0;
}

static bool body_orders(struct an_flow *flow, const struct an_node *function, unsigned depth);

static bool call_orders(struct an_flow *flow, const struct an_node *call, unsigned depth)
{
    static const char *const whole[] = {"strcmp", "strcoll", "memcmp", "__builtin_strcmp"};
    struct an_targets targets = an_call_targets(flow->program, call);

    for (size_t i = 0; call->name && i < sizeof whole / sizeof *whole; i++)
        if (strcmp(call->name, whole[i]) == 0)
            return true;
    if (!targets.complete || targets.count != 1 || depth >= DEEPEST)
        return false;
    return body_orders(flow, targets.functions[0], depth + 1);
}

/* Whether a node of a comparison leaves what is different different. */
static bool keeps_apart(struct an_flow *flow, const struct an_node *node, unsigned depth)
{
    switch (node->kind) {
    case AN_BLOCK:
    case AN_DECLARE:
    case AN_VARIABLE:
    case AN_RETURN:
    case AN_IF:
    case AN_CHOOSE:
    case AN_EMPTY:
    case AN_CAST:
    case AN_NUMBER:
    case AN_MEMBER:
        return true;
    case AN_REFERENCE:
        return node->storage != AN_GLOBAL && node->storage != AN_STATIC_LOCAL;
    case AN_UNARY:
        return node->op == AN_OP_DEREF || node->op == AN_OP_MINUS || node->op == AN_OP_NOT ||
               node->op == AN_OP_ADDRESS;
    case AN_BINARY:
        if (node->op == AN_OP_LOGICAL_AND || node->op == AN_OP_LOGICAL_OR)
            return true;
        if (is_difference(node) && node->type->class == AN_FLOATING)
            return false;
        return (is_order(node) || is_difference(node)) && has_two_sides(node);
    case AN_CALL:
        return call_orders(flow, node, depth);
    default:
        return false;
    }
}

static bool body_orders(struct an_flow *flow, const struct an_node *function, unsigned depth)
{
    const struct an_node *body = an_body(function);
    bool any = false;

    for (const struct an_node *n = body; n; n = an_next(body, n, n->kind == AN_CALL)) {
        if (!keeps_apart(flow, n, depth))
            return false;
        any |= is_compared(n);
    }
    return any;
}

bool an_flow_orders_all(struct an_flow *flow, const struct an_node *comparison)
{
    return body_orders(flow, comparison, 0);
}
