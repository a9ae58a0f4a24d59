/* Idea: statements run in the order of the text, except that a loop around both may bring either
 * one first, and that the two branches of a condition exclude each other. A label may be jumped to
 * from anywhere, so nothing is said about functions that have one. */
#include "analysis/flow/extent.h"

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
