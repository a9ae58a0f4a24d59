/* Idea: a loop that steps through an array is taken to reach all of it: how long the array is, and
 * how far the loop goes, are mostly numbers that only a run knows. Where both stand in the source
 * it is seen that some elements are left out. */
#include "analysis/flow/extent.h"

#include <stdlib.h>
#include <string.h>

/* The elements from..to-1, each `step`-th of them. */
struct range {
    int64_t from, to, step;
};

/* The length of an array by its type; 0: not known. */
static int64_t length_of(const struct an_node *array)
{
    const struct an_type *type = an_plain(array)->type;
    const char *length = type && type->class == AN_ARRAY ? strchr(type->name, '[') : NULL;
    return length ? strtoll(length + 1, NULL, 10) : 0;
}

static bool is_variable(const struct an_node *node, const char *symbol)
{
    node = an_plain(node);
    return node->kind == AN_REFERENCE && node->symbol && strcmp(node->symbol, symbol) == 0;
}

/* The number that the variable of a loop begins with, or 0. */
static int64_t start_of(const struct an_node *init, const char *symbol)
{
    const struct an_node *value = NULL;

    if (init->kind == AN_ASSIGN && init->op == AN_OP_NONE && is_variable(init->child, symbol))
        value = an_plain(init->child->next);
    for (const struct an_node *n = init->kind == AN_DECLARE ? init->child : NULL; n; n = n->next)
        if (n->symbol && strcmp(n->symbol, symbol) == 0 && n->child)
            value = an_plain(n->child);
    return value && value->constant ? value->value : 0;
}

/* By how much it is counted up in each turn; 0: not at all, or nobody knows. */
static int64_t step_of(const struct an_node *step, const char *symbol)
{
    if (step->kind == AN_UNARY && (step->op == AN_OP_PRE_INC || step->op == AN_OP_POST_INC) &&
        is_variable(step->child, symbol))
        return 1;
    if (step->kind == AN_ASSIGN && step->op == AN_OP_ADD && is_variable(step->child, symbol) &&
        an_plain(step->child->next)->constant)
        return an_plain(step->child->next)->value;
    return 0;
}

/* The numbers that a variable takes in a loop that ends at a number, at most. */
static bool range_find(const struct an_node *loop, const char *symbol, struct range *range)
{
    bool counts = loop->kind == AN_FOR;
    const struct an_node *test = an_plain(an_child(loop, counts ? 1 : 0));

    if (test->kind != AN_BINARY || !is_variable(test->child, symbol) ||
        !an_plain(test->child->next)->constant ||
        (test->op != AN_OP_LT && test->op != AN_OP_LE && test->op != AN_OP_NE))
        return false;
    range->to = an_plain(test->child->next)->value + (test->op == AN_OP_LE);
    range->from = counts ? start_of(loop->child, symbol) : 0;
    range->step = counts ? step_of(an_child(loop, 2), symbol) : 1;
    return range->step > 0;
}

/* Whether the elements that a loop leaves out are stored to beside: a[i] = 0; a[i + 1] = 0. */
static bool is_unrolled(const struct an_node *loop, const struct an_node *array, int64_t step)
{
    int64_t count = 0;

    for (const struct an_node *n = loop; n; n = an_next(loop, n, false))
        count += n->kind == AN_INDEX && n->child->symbol && array->symbol &&
                 strcmp(n->child->symbol, array->symbol) == 0;
    return count >= step;
}

bool an_flow_leaves_out(const struct an_node *element)
{
    const struct an_node *array = element->child, *base = an_plain(array->next);
    int64_t length = length_of(array), more = 0;
    struct range range;

    if (base->kind == AN_BINARY && (base->op == AN_OP_ADD || base->op == AN_OP_SUB) &&
        an_plain(base->child->next)->constant) {
        more = an_plain(base->child->next)->value * (base->op == AN_OP_ADD ? 1 : -1);
        base = an_plain(base->child);
    }
    if (base->kind == AN_UNARY && (base->op == AN_OP_POST_INC || base->op == AN_OP_PRE_INC)) {
        more = base->op == AN_OP_PRE_INC;
        base = an_plain(base->child);
    }
    if (length <= 0 || base->kind != AN_REFERENCE || !base->symbol)
        return false;
    for (const struct an_node *loop = element->parent; loop; loop = loop->parent)
        if ((loop->kind == AN_FOR || loop->kind == AN_WHILE) &&
            range_find(loop, base->symbol, &range))
            return range.from + more > 0 || range.to + more < length ||
                   (range.step > 1 && !is_unrolled(loop, array, range.step));
    return false;
}
