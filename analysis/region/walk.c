/* Idea: a point's successors follow from its node's kind, or from the kind of the parent and the
 * node's number in it; no graph is built.
 *
 * Every child of a node is reached through its parent, so that a walk sees each call and each
 * assignment behind its operands. */
#include "analysis/region/walk.h"

#include <string.h>

struct step {
    an_visit *visit;
    void *context;
};

static void go(const struct step *step, const struct an_node *node, bool behind)
{
    if (node)
        step->visit(step->context, (struct an_point){node, behind});
}

bool an_is_loop(const struct an_node *node)
{
    return node->kind == AN_FOR || node->kind == AN_WHILE || node->kind == AN_DO;
}

const struct an_node *an_loop_body(const struct an_node *loop)
{
    return an_child(loop, loop->kind == AN_FOR ? 3 : loop->kind == AN_WHILE ? 1 : 0);
}

const struct an_node *an_loop_condition(const struct an_node *loop)
{
    return an_child(loop, loop->kind == AN_WHILE ? 0 : 1);
}

bool an_is_inside(const struct an_node *root, const struct an_node *node)
{
    while (node && node != root)
        node = node->parent;
    return node != NULL;
}

bool an_is_name(const struct an_node *node, const char *symbol)
{
    node = an_plain(node);
    return node && node->kind == AN_REFERENCE && node->symbol && strcmp(node->symbol, symbol) == 0;
}

static const struct an_node *label_find(const struct an_node *function, const char *name)
{
    if (!name)
        return NULL;
    for (const struct an_node *node = function; node; node = an_next(function, node, false))
        if (node->kind == AN_LABEL && strcmp(node->name, name) == 0)
            return node;
    return NULL;
}

const struct an_node *an_jump_target(const struct an_node *jump)
{
    if (jump->kind == AN_GOTO)
        return label_find(an_function_of(jump), jump->name);
    const struct an_node *node = jump->parent;
    while (node && !an_is_loop(node) && !(jump->kind == AN_BREAK && node->kind == AN_SWITCH))
        node = node->parent;
    return node;
}

/* Where the next turn of a loop begins. */
static void turn_again(const struct step *step, const struct an_node *loop)
{
    go(step, loop->kind == AN_FOR ? an_child(loop, 2) : an_loop_condition(loop), false);
}

static void jump(const struct step *step, const struct an_node *node)
{
    const struct an_node *target = an_jump_target(node);
    if (!target && node->kind == AN_GOTO) { /* computed: any label */
        const struct an_node *function = an_function_of(node);
        for (target = function; target; target = an_next(function, target, false))
            if (target->kind == AN_LABEL)
                go(step, target, false);
    } else if (target && node->kind == AN_CONTINUE) {
        turn_again(step, target);
    } else {
        go(step, target, node->kind == AN_BREAK);
    }
}

static void enter(const struct step *step, const struct an_node *node)
{
    if (node->kind == AN_GOTO || node->kind == AN_BREAK || node->kind == AN_CONTINUE)
        jump(step, node);
    else if (node->child)
        go(step, node->child, false);
    else
        go(step, node, true);
}

static bool may_be(const struct an_node *condition, bool outcome)
{
    if (condition->kind == AN_EMPTY)
        return outcome;
    return !condition->constant || (condition->value != 0) == outcome;
}

static void leave_for(const struct step *step, const struct an_node *loop, unsigned number)
{
    const struct an_node *condition = an_child(loop, 1);
    if (number == 0 || number == 2) {
        go(step, condition, false);
    } else if (number == 3) {
        go(step, an_child(loop, 2), false);
    } else {
        if (may_be(condition, true))
            go(step, an_child(loop, 3), false);
        if (may_be(condition, false))
            go(step, loop, true);
    }
}

static void leave_while(const struct step *step, const struct an_node *loop,
                        const struct an_node *child)
{
    const struct an_node *condition = an_loop_condition(loop);
    if (child != condition) {
        go(step, condition, false);
        return;
    }
    if (may_be(condition, true))
        go(step, an_loop_body(loop), false);
    if (may_be(condition, false))
        go(step, loop, true);
}

static void leave_switch(const struct step *step, const struct an_node *node, unsigned number)
{
    if (number) {
        go(step, node, true);
        return;
    }
    const struct an_node *body = an_child(node, 1);
    bool otherwise = false;
    for (const struct an_node *n = body; n; n = an_next(body, n, n->kind == AN_SWITCH)) {
        otherwise |= n->kind == AN_DEFAULT;
        if (n->kind == AN_CASE || n->kind == AN_DEFAULT)
            go(step, n, false);
    }
    if (!otherwise)
        go(step, node, true);
}

/* Behind the condition of an if or a ?:. */
static void leave_condition(const struct step *step, const struct an_node *node)
{
    const struct an_node *condition = node->child;
    if (may_be(condition, true))
        go(step, an_child(node, 1), false);
    if (may_be(condition, false))
        go(step, an_child(node, 2), false);
}

static bool is_logical(const struct an_node *node)
{
    return node->kind == AN_BINARY &&
           (node->op == AN_OP_LOGICAL_AND || node->op == AN_OP_LOGICAL_OR);
}

static void leave_sequence(const struct step *step, const struct an_node *node)
{
    if (is_logical(node->parent) && node->next)
        go(step, node->parent, true);
    go(step, node->next ? node->next : node->parent, !node->next);
}

static unsigned number_of(const struct an_node *node)
{
    unsigned number = 0;
    for (const struct an_node *child = node->parent->child; child != node; child = child->next)
        number++;
    return number;
}

static bool leave(const struct step *step, const struct an_node *node)
{
    const struct an_node *parent = node->parent;
    if (!parent || parent->kind == AN_FUNCTION || parent->kind == AN_RETURN)
        return true;
    if (node->kind == AN_CALL && node->noreturn)
        return false;
    if (parent->kind == AN_FOR)
        leave_for(step, parent, number_of(node));
    else if (parent->kind == AN_WHILE || parent->kind == AN_DO)
        leave_while(step, parent, node);
    else if (parent->kind == AN_SWITCH)
        leave_switch(step, parent, number_of(node));
    else if ((parent->kind == AN_IF || parent->kind == AN_CHOOSE) && node == parent->child)
        leave_condition(step, parent);
    else if (parent->kind == AN_IF || parent->kind == AN_CHOOSE)
        go(step, parent, true);
    else
        leave_sequence(step, node);
    return false;
}

bool an_walk_step(struct an_point at, an_visit *visit, void *context)
{
    struct step step = {visit, context};
    if (at.behind)
        return leave(&step, at.node);
    enter(&step, at.node);
    return false;
}
