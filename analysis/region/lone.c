/* Idea: a condition that compares the rank with one value is true on one rank; so is what all
 * callers only call under such a condition. */
#include "analysis/region/lone.h"
#include "analysis/region/match.h"
#include "analysis/region/role.h"

static bool is_rank(struct an_judgement *judgement, const struct an_node *node)
{
    const struct an_role_of role = {.judgement = judgement};
    return an_role_is_rank(&role, node);
}

/* Does the condition hold (or not hold, for !`outcome`) on one rank only? */
static bool names_one_rank(struct an_judgement *judgement, const struct an_node *condition,
                           bool outcome)
{
    condition = an_plain(condition);
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT)
        return names_one_rank(judgement, condition->child, !outcome);
    if (condition->kind == AN_REFERENCE)
        return !outcome && is_rank(judgement, condition);
    if (condition->kind != AN_BINARY)
        return false;
    const struct an_node *left = condition->child, *right = an_child(condition, 1);
    if (condition->op == AN_OP_LOGICAL_AND && outcome)
        return names_one_rank(judgement, left, true) || names_one_rank(judgement, right, true);
    if (condition->op == AN_OP_GT && right->constant && right->value == 0)
        return !outcome && is_rank(judgement, left);
    bool equal = condition->op == (outcome ? AN_OP_EQ : AN_OP_NE);
    return equal && is_rank(judgement, left) != is_rank(judgement, right);
}

const struct an_node *an_lone_branch(struct an_judgement *judgement, const struct an_node *node)
{
    for (; node->parent; node = node->parent) {
        const struct an_node *parent = node->parent;
        if (parent->kind == AN_IF && node != parent->child &&
            names_one_rank(judgement, parent->child, node == parent->child->next))
            return node;
    }
    return NULL;
}

const struct an_node *an_lone_rank(struct an_judgement *judgement, const struct an_node *node)
{
    const struct an_node *branch = an_lone_branch(judgement, node);
    const struct an_node *condition = branch ? an_plain(branch->parent->child) : NULL;
    if (!condition || condition->kind != AN_BINARY ||
        (condition->op != AN_OP_EQ && condition->op != AN_OP_NE))
        return NULL;
    const struct an_node *left = condition->child, *right = an_child(condition, 1);
    return is_rank(judgement, left) ? right : left;
}

bool an_is_lone(struct an_judgement *judgement, const struct an_node *function, unsigned levels)
{
    struct an_callers callers = an_local_callers(judgement, function);
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_node *caller = an_function_of(callers.calls[i]);
        if (!an_lone_branch(judgement, callers.calls[i]) &&
            !(levels && caller != function && an_is_lone(judgement, caller, levels - 1)))
            return false;
    }
    return callers.count > 0;
}
