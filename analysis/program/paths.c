/* Idea: one recursive function per statement. Loops are walked until their entry state no longer
 * grows; with n bits that is at most n times. Labels keep the states that gotos brought, and the
 * whole is walked again until they no longer grow, too.
 *
 * Invariant: states only grow from one walk of a node to the next, so that walking ends. */
#include "analysis/program/paths.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 64 };

/* The code around the node that is walked. */
struct frame {
    unsigned breaks, continues; /* states that were brought there */
    unsigned dispatch;          /* of a switch: the state at its labels */
    bool is_loop;
    bool has_default;
    struct frame *outer;
};

struct an_jumps {
    struct frame *frame;
    struct {
        const char *name;
        unsigned state;
    } labels[MOST_LABELS];
    unsigned count;
    unsigned anywhere; /* brought by computed gotos, and by more labels than there is room for */
    bool grown;
};

static unsigned walk(struct an_paths *paths, const struct an_node *node, unsigned state);

static unsigned *label_of(struct an_jumps *jumps, const char *name)
{
    if (!name)
        return &jumps->anywhere;
    for (unsigned i = 0; i < jumps->count; i++)
        if (strcmp(jumps->labels[i].name, name) == 0)
            return &jumps->labels[i].state;
    if (jumps->count == MOST_LABELS)
        return &jumps->anywhere;
    jumps->labels[jumps->count].name = name;
    jumps->labels[jumps->count].state = 0;
    return &jumps->labels[jumps->count++].state;
}

static unsigned decide(struct an_paths *paths, const struct an_node *condition)
{
    if (!condition || condition->kind == AN_EMPTY)
        return AN_MAY_HOLD;
    if (an_plain(condition)->constant)
        return an_plain(condition)->value ? AN_MAY_HOLD : AN_MAY_FAIL;
    return paths->decide ? paths->decide(paths, condition) : AN_MAY_HOLD | AN_MAY_FAIL;
}

static unsigned if_true(struct an_paths *paths, const struct an_node *condition, unsigned state)
{
    return decide(paths, condition) & AN_MAY_HOLD ? state : 0;
}

static unsigned if_false(struct an_paths *paths, const struct an_node *condition, unsigned state)
{
    return decide(paths, condition) & AN_MAY_FAIL ? state : 0;
}

static unsigned walk_choice(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    const struct an_node *condition = node->child, *then = condition->next;
    const struct an_node *otherwise = then ? then->next : NULL;

    state = walk(paths, condition, state);
    unsigned yes = walk(paths, then, if_true(paths, condition, state));
    return yes | walk(paths, otherwise, if_false(paths, condition, state));
}

/* A loop: `test_first` is false for do. */
static unsigned walk_loop(struct an_paths *paths, const struct an_node *condition,
                          const struct an_node *step, const struct an_node *body, unsigned state,
                          bool test_first)
{
    struct frame frame = {.is_loop = true, .outer = paths->jumps->frame};
    unsigned entry = state, before, leaves;

    paths->jumps->frame = &frame;
    do {
        before = entry;
        unsigned tested = test_first ? walk(paths, condition, entry) : entry;
        leaves = test_first ? if_false(paths, condition, tested) : 0;
        unsigned end = walk(paths, body, test_first ? if_true(paths, condition, tested) : tested);
        end = walk(paths, step, end | frame.continues);
        if (!test_first) {
            end = walk(paths, condition, end);
            leaves = if_false(paths, condition, end);
            end = if_true(paths, condition, end);
        }
        entry |= end;
    } while (entry != before);
    paths->jumps->frame = frame.outer;
    return leaves | frame.breaks;
}

static unsigned walk_for(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    const struct an_node *condition = node->child->next, *step = condition->next;

    state = walk(paths, node->child, state);
    return walk_loop(paths, condition, step, step->next, state, true);
}

static unsigned walk_switch(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    struct frame frame = {.outer = paths->jumps->frame};

    frame.dispatch = walk(paths, node->child, state);
    paths->jumps->frame = &frame;
    unsigned end = walk(paths, node->child->next, 0);
    paths->jumps->frame = frame.outer;
    return end | frame.breaks | (frame.has_default ? 0 : frame.dispatch);
}

static unsigned walk_case(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    struct frame *frame = paths->jumps->frame;

    while (frame && frame->is_loop)
        frame = frame->outer;
    if (frame) {
        state |= frame->dispatch;
        frame->has_default |= node->kind == AN_DEFAULT;
    }
    return walk(paths, node->child, state);
}

static unsigned walk_label(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    state |= *label_of(paths->jumps, node->name) | paths->jumps->anywhere;
    return walk(paths, node->child, state);
}

static unsigned walk_goto(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    unsigned *label = label_of(paths->jumps, node->name);

    paths->jumps->grown |= (*label | state) != *label;
    *label |= state;
    return 0;
}

static unsigned walk_break(struct an_paths *paths, unsigned state)
{
    struct frame *frame = paths->jumps->frame;
    *(frame ? &frame->breaks : &paths->leaves) |= state;
    return 0;
}

static unsigned walk_continue(struct an_paths *paths, unsigned state)
{
    struct frame *frame = paths->jumps->frame;

    while (frame && !frame->is_loop)
        frame = frame->outer;
    *(frame ? &frame->continues : &paths->leaves) |= state;
    return 0;
}

static unsigned walk_children(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    for (const struct an_node *child = node->child; child; child = child->next)
        state = walk(paths, child, state);
    return state;
}

static unsigned walk_expression(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    if (node->kind == AN_CHOOSE) {
        state = walk_choice(paths, node, state);
    } else if (node->kind == AN_BINARY &&
               (node->op == AN_OP_LOGICAL_AND || node->op == AN_OP_LOGICAL_OR)) {
        bool is_and = node->op == AN_OP_LOGICAL_AND;
        state = walk(paths, node->child, state);
        unsigned more =
            is_and ? if_true(paths, node->child, state) : if_false(paths, node->child, state);
        unsigned enough =
            is_and ? if_false(paths, node->child, state) : if_true(paths, node->child, state);
        state = enough | walk(paths, node->child->next, more);
    } else {
        state = walk_children(paths, node, state);
    }
    if (state == 0)
        return 0;
    state = paths->step(paths, node, state);
    return node->kind == AN_CALL && node->noreturn ? 0 : state;
}

/* Unreached code is walked all the same: a label or case in it may be reached. */
static unsigned walk(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    if (!node)
        return state;
    switch (node->kind) {
    case AN_IF:
        return walk_choice(paths, node, state);
    case AN_FOR:
        return walk_for(paths, node, state);
    case AN_WHILE:
        return walk_loop(paths, node->child, NULL, node->child->next, state, true);
    case AN_DO:
        return walk_loop(paths, node->child->next, NULL, node->child, state, false);
    case AN_SWITCH:
        return walk_switch(paths, node, state);
    case AN_CASE:
    case AN_DEFAULT:
        return walk_case(paths, node, state);
    case AN_LABEL:
        return walk_label(paths, node, state);
    case AN_GOTO:
        return walk_goto(paths, node, state);
    case AN_BREAK:
        return walk_break(paths, state);
    case AN_CONTINUE:
        return walk_continue(paths, state);
    case AN_RETURN:
        paths->leaves |= walk_children(paths, node, state);
        return 0;
    case AN_EMPTY:
        return state;
    case AN_FUNCTION:
    case AN_BLOCK:
    case AN_DECLARE:
    case AN_PARALLEL:
        return walk_children(paths, node, state);
    default:
        return walk_expression(paths, node, state);
    }
}

static bool has_label(const struct an_node *node, const char *name)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false))
        if (n->kind == AN_LABEL && n->name && strcmp(n->name, name) == 0)
            return true;
    return false;
}

unsigned an_paths_walk(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    struct an_jumps jumps = {.frame = NULL};
    struct an_jumps *outer = paths->jumps;
    unsigned end;

    paths->jumps = &jumps;
    do {
        jumps.grown = false;
        end = walk(paths, node, state);
    } while (jumps.grown);
    for (unsigned i = 0; i < jumps.count; i++)
        if (!has_label(node, jumps.labels[i].name))
            paths->leaves |= jumps.labels[i].state;
    paths->leaves |= jumps.anywhere;
    paths->jumps = outer;
    return end;
}
