/* Idea: a comparison takes the order of arrival out of what is sorted only if no two different
 * elements are equal to it. So it must compare what stands in both elements as it stands there: a
 * half, a remainder, an absolute value, a key from elsewhere, or a difference of floating-point
 * numbers that is cut to a whole one all find equal what is not. */
#include "analysis/flow/extent.h"

#include <string.h>

enum { DEEPEST = 3 };

/* How much a number of a type tells, in bits; 0: nobody knows. */
static unsigned width_of(const struct an_type *type)
{
    static const struct {
        const char *name;
        unsigned bits;
    } widths[] = {{"char", 8},           {"signed char", 8},
                  {"unsigned char", 8},  {"_Bool", 1},
                  {"short", 16},         {"unsigned short", 16},
                  {"int", 32},           {"unsigned int", 32},
                  {"float", 24},         {"long", 64},
                  {"unsigned long", 64}, {"long long", 64},
                  {"double", 53},        {"unsigned long long", 64}};
    const char *name = type ? type->name : "";

    while (strncmp(name, "const ", 6) == 0 || strncmp(name, "volatile ", 9) == 0)
        name = strchr(name, ' ') + 1;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(name, widths[i].name) == 0)
            return widths[i].bits;
    return 0;
}

static bool is_narrower(const struct an_type *type, const struct an_type *than)
{
    return width_of(type) && width_of(type) < width_of(than);
}

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

/* Is `node` the result of a comparison of two elements, or a local that holds it? */
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

/* Whether a variable or a cast keeps a part of what it gets. */
static bool cuts(const struct an_node *node)
{
    const struct an_node *from = node->child ? an_plain(node->child) : NULL;
    bool makes = node->kind == AN_CAST || (node->kind == AN_VARIABLE && node->child);

    if (!makes || !from || from->kind == AN_EMPTY || !from->type)
        return false;
    bool whole = from->type->class == AN_FLOATING && node->type->class == AN_INTEGER;
    return whole || (!is_result(from) && is_narrower(node->type, from->type));
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
    if (cuts(node))
        return false;
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

/* Whether a node reads less than a whole element through a pointer to it. */
static bool reads_part(const struct an_node *node, const struct an_type *element)
{
    const struct an_node *bytes;

    if (node->kind == AN_CALL && node->name && strcmp(node->name, "memcmp") == 0) {
        bytes = an_argument(node, 2);
        return bytes && bytes->constant && 8 * bytes->value < (int64_t)width_of(element);
    }
    if (node->kind != AN_UNARY || node->op != AN_OP_DEREF)
        return false;
    return is_narrower(node->type, element) ||
           (element->class == AN_RECORD && width_of(node->type));
}

bool an_flow_orders_all(struct an_flow *flow, const struct an_node *comparison,
                        const struct an_type *element)
{
    const struct an_node *body = an_body(comparison);
    bool fields = false, part = false;

    for (const struct an_node *n = body; n; n = an_next(body, n, false)) {
        fields |= n->kind == AN_MEMBER;
        part |= element && reads_part(n, element);
    }
    return (!part || fields) && body_orders(flow, comparison, 0);
}
