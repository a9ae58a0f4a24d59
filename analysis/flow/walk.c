/* Idea: statements change the state. A branch runs both ways from the same state; where the two
 * differ afterwards, the condition is part of the value. A loop's turns start from what any
 * earlier turn may have left: each cell that the loop writes varies with its turns, unless the
 * turn itself writes it before it reads it. A jump out of the middle of a block leaves its
 * condition on the rest of the block. */
#include "analysis/flow/latch.h"
#include "analysis/flow/walk.h"

#include <stdlib.h>
#include <string.h>

bool an_flow_step(struct an_flow *flow)
{
    if (++flow->steps > flow->budget)
        flow->exhausted = true;
    return !flow->exhausted;
}

void an_flow_control_push(struct an_flow *flow, const struct an_node *node,
                          struct an_flow_value value, bool of_loop, bool taken)
{
    if (flow->control_count == AN_FLOW_CONTROLS) {
        flow->exhausted = true;
        return;
    }
    flow->controls[flow->control_count++] =
        (struct an_flow_control){.node = node,
                                 .value = value,
                                 .context = flow->frame ? flow->frame->context : 0,
                                 .number = ++flow->pushed,
                                 .loop = flow->depth,
                                 .of_loop = of_loop,
                                 .taken = taken};
}

/* The combined value of all conditions around, without the conditions of loops whose end is
 * asked for. */
struct an_flow_value an_flow_control_of(const struct an_flow *flow, unsigned loop)
{
    struct an_flow_value made = {0};

    for (unsigned i = 0; i < flow->control_count; i++) {
        const struct an_flow_control *control = &flow->controls[i];
        if (control->of_loop && control->loop <= loop)
            continue;
        if (control->value.kind > made.kind)
            made = control->value;
    }
    return made;
}

void an_flow_exit_join(struct an_flow_value *worst, struct an_flow_value why)
{
    if (why.kind != AN_FLOW_FLAG && why.kind > worst->kind)
        *worst = why;
}

void an_flow_state_take(struct an_flow *flow, struct an_flow_state *into, bool *reached,
                        struct an_flow_value why, const struct an_flow_state *before)
{
    if (flow->dead)
        return;
    if (*reached)
        an_flow_state_join(flow, into, &flow->state, why, before);
    else
        *into = an_flow_state_copy(&flow->state);
    *reached = true;
}

/* if (a > b) b = a; and its like: a minimum or maximum. */
static bool extremum_run(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *test = an_plain(node->child), *body = node->child->next;
    const char *a, *b, *to, *from;

    if (body->kind == AN_BLOCK && an_children(body) == 1)
        body = body->child;
    if (node->child->next->next->kind != AN_EMPTY || test->kind != AN_BINARY ||
        test->op < AN_OP_LT || test->op > AN_OP_GE || body->kind != AN_ASSIGN ||
        body->op != AN_OP_NONE)
        return false;
    struct an_unit *unit = an_program_unit_of(flow->program, node);
    a = an_text(unit, an_plain(test->child));
    b = an_text(unit, an_plain(test->child->next));
    to = an_text(unit, an_plain(body->child));
    from = an_text(unit, an_plain(body->child->next));
    if (!((strcmp(a, to) == 0 && strcmp(b, from) == 0) ||
          (strcmp(b, to) == 0 && strcmp(a, from) == 0)))
        return false;
    bool less = test->op == AN_OP_LT || test->op == AN_OP_LE;
    int operation = AN_OPERATORS + (less == (strcmp(a, from) == 0) ? 0 : 1);
    struct an_flow_value value = an_flow_value_of(flow, body->child->next);
    an_flow_assign(flow, body, an_flow_address_of(flow, body->child), value, operation, true);
    return true;
}

/* A branch that leaves the loop once all has come is the loop's own end. */
static bool ends_loop(const struct an_flow *flow, const struct an_node *branch,
                      struct an_flow_value test)
{
    if (test.kind != AN_FLOW_COUNTED || (flow->polls && !an_flow_jumps_out(flow, branch)))
        return false;
    for (const struct an_node *n = branch; n; n = an_next(branch, n, false))
        if (n->kind == AN_CONTINUE)
            return false;
    return true;
}

/* The statements after an IF of which one branch has left the block stand under its condition. */
static void rest_push(struct an_flow *flow, const struct an_node *node, struct an_flow_value test,
                      bool taken)
{
    const struct an_node *gone = taken ? an_child(node, 2) : an_child(node, 1);
    bool turns = flow->seen && !flow->left && test.iter >> flow->site_loop & 1;
    bool jumps = false;

    for (const struct an_node *n = gone; n; n = an_next(gone, n, false))
        jumps |= n->kind == AN_RETURN || n->kind == AN_BREAK || n->kind == AN_CONTINUE ||
                 n->kind == AN_GOTO;
    if (!an_flow_depends(test) && !(jumps && (turns || (flow->polls && flow->loop))))
        return;
    an_flow_control_push(flow, node, test, ends_loop(flow, gone, test), taken);
    struct an_flow_control *control = &flow->controls[flow->control_count - 1];
    control->rest = !an_flow_depends(test);
    an_flow_tested_note(flow, control, node->child);
}

/* Whether a condition asks about a number no more than whether it is there, or is any at all. */
static bool asks_for_any(const struct an_node *node)
{
    node = an_plain(node);
    if (node->kind == AN_UNARY && node->op == AN_OP_NOT)
        return asks_for_any(node->child);
    if (node->kind != AN_BINARY || node->op < AN_OP_LT || node->op > AN_OP_LOGICAL_OR)
        return node->kind != AN_BINARY;
    const struct an_node *left = an_plain(node->child), *right = an_plain(node->child->next);
    if (node->op > AN_OP_NE)
        return asks_for_any(left) && asks_for_any(right);
    bool below_one =
        right->constant && right->value == 1 && (node->op == AN_OP_GE || node->op == AN_OP_LT);
    return below_one || (left->constant && left->value <= 0) ||
           (right->constant && right->value <= 0);
}

/* How many were complete at once says nothing that the whole would make up for, but whether any
 * were. */
static struct an_flow_value batch_ask(const struct an_flow *flow, const struct an_node *condition,
                                      struct an_flow_value test)
{
    if (flow->batches && !flow->left && test.kind == AN_FLOW_FLAG && !asks_for_any(condition))
        test.loop = AN_FLOW_NO_LOOP;
    return test;
}

static void if_run(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *then = node->child->next, *otherwise = then->next;
    unsigned controls = flow->control_count;

    if (flow->seen && extremum_run(flow, node))
        return;
    struct an_flow_value test = batch_ask(flow, node->child, an_flow_value_of(flow, node->child));
    struct an_flow_state before = an_flow_state_copy(&flow->state);
    an_flow_control_push(flow, node, test, false, true);
    an_flow_tested_note(flow, &flow->controls[flow->control_count - 1], node->child);
    an_flow_statement(flow, then);
    bool first_dead = flow->dead;
    struct an_flow_state first = flow->state;
    flow->state = an_flow_state_copy(&before);
    flow->dead = false;
    flow->control_count = controls;
    an_flow_control_push(flow, node, test, false, false);
    an_flow_tested_note(flow, &flow->controls[flow->control_count - 1], node->child);
    an_flow_statement(flow, otherwise);
    if (!first_dead && !flow->dead) {
        an_flow_state_join(flow, &first, &flow->state, test, &before);
        flow->control_count = controls;
    }
    if (!first_dead) {
        struct an_flow_state second = flow->state;
        flow->state = first;
        first = second;
        if (flow->dead) { /* what follows is under the condition */
            flow->control_count = controls;
            rest_push(flow, node, test, true);
        }
        flow->dead = false;
    } else {
        flow->control_count = controls;
        rest_push(flow, node, test, false);
    }
    an_flow_state_free(&first);
    an_flow_state_free(&before);
}

static void for_run(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *init = node->child, *condition = init->next, *step = condition->next;
    struct an_flow_parts parts = {condition, step->kind == AN_EMPTY ? NULL : step, step->next,
                                  false, false};

    an_flow_statement(flow, init);
    an_flow_loop_run(flow, node, &parts);
}

/* Joins the states that breaks left the switch with; the value and the conditions before them
 * say which break was met. */
static void breaks_take(struct an_flow *flow, struct an_flow_loop *loop, struct an_flow_state *left,
                        bool *any, struct an_flow_value test, const struct an_flow_state *top)
{
    if (!loop->out_reached)
        return;
    if (loop->end.kind > test.kind)
        test = loop->end;
    if (*any) {
        an_flow_state_join(flow, left, &loop->out, test, top);
        an_flow_state_free(&loop->out);
    } else {
        *left = loop->out;
    }
    *any = true;
    loop->out = (struct an_flow_state){NULL, 0};
    loop->out_reached = false;
}

/* Control comes here from `from`, too. */
static void state_enter(struct an_flow *flow, const struct an_flow_state *from,
                        struct an_flow_value test, const struct an_flow_state *top)
{
    if (flow->dead) {
        an_flow_state_free(&flow->state);
        flow->state = an_flow_state_copy(from);
    } else {
        an_flow_state_join(flow, &flow->state, from, test, top);
    }
    flow->dead = false;
}

/* A continue in the switch speaks of the loop around. */
static void continues_pass(struct an_flow *flow, struct an_flow_loop *loop,
                           struct an_flow_value test)
{
    struct an_flow_state kept = flow->state;
    bool dead = flow->dead;

    flow->state = loop->again;
    flow->dead = false;
    an_flow_exit_join(&flow->loop->again_why, loop->again_why);
    an_flow_exit_join(&flow->loop->again_why, test);
    an_flow_state_take(flow, &flow->loop->again, &flow->loop->again_reached, flow->loop->again_why,
                       flow->loop->turn);
    an_flow_state_free(&flow->state);
    flow->state = kept;
    flow->dead = dead;
}

/* A switch is a loop of one turn for its breaks; each label may be entered from the top. */
static void switch_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_marks written = {NULL, 0};
    struct an_flow_value test = an_flow_value_of(flow, node->child);
    struct an_flow_loop loop = {.node = node, .written = &written, .outer = flow->loop};
    struct an_flow_state top = an_flow_state_copy(&flow->state), left = {NULL, 0};
    const struct an_node *body = node->child->next;
    unsigned controls = flow->control_count;
    bool has_default = false, broken = false;

    flow->loop = &loop;
    flow->dead = true;
    an_flow_control_push(flow, node, test, false, true);
    loop.controls = flow->control_count;
    for (const struct an_node *child = body->kind == AN_BLOCK ? body->child : body; child;
         child = body->kind == AN_BLOCK ? child->next : NULL) {
        const struct an_node *statement = child;
        for (; statement->kind == AN_CASE || statement->kind == AN_DEFAULT;
             statement = statement->child) {
            has_default |= statement->kind == AN_DEFAULT;
            state_enter(flow, &top, test, &top);
            flow->control_count = loop.controls;
        }
        an_flow_statement(flow, statement);
        breaks_take(flow, &loop, &left, &broken, test, &top);
    }
    flow->control_count = controls;
    flow->loop = loop.outer;
    if (loop.again_reached && flow->loop)
        continues_pass(flow, &loop, test);
    if (!has_default)
        state_enter(flow, &top, test, &top);
    if (broken) {
        state_enter(flow, &left, test, &top);
        an_flow_state_free(&left);
    }
    an_flow_state_free(&top);
    free(written.words);
    free(loop.swept.words);
}

/* The function is left here, under these conditions. */
static void leave_take(struct an_flow *flow, struct an_flow_value why)
{
    struct an_flow_frame *frame = flow->frame;

    if (!flow->dead)
        an_flow_exit_join(&frame->left_why, why);
    if (frame->left_why.kind > why.kind)
        why = frame->left_why;
    an_flow_state_take(flow, &frame->left, &frame->left_reached, why, &frame->entry);
}

static void return_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_frame *frame = flow->frame;

    if (node->child && node->child->kind != AN_EMPTY) {
        struct an_flow_value value = an_flow_value_of(flow, node->child);
        struct an_flow_value control = an_flow_own_control(flow);
        unsigned targets = value.targets;
        unsigned short flags = value.flags;
        if (an_flow_depends(control)) {
            value = an_flow_combine(value, control);
            value.targets = targets;
            value.flags |= flags & AN_FLOW_FRESH;
        }
        an_flow_loops_leave(flow, frame->loop, &value);
        frame->result = frame->left_reached ? an_flow_either(flow, frame->result, value) : value;
    } else {
        an_flow_loops_leave(flow, frame->loop, NULL);
    }
    an_flow_goto_notes(flow, frame->loop);
    leave_take(flow, an_flow_own_control(flow));
    flow->dead = true;
}

void an_flow_label_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_frame *frame = flow->frame;
    struct an_flow_value nothing = {0};

    for (unsigned i = 0; i < frame->label_count; i++) {
        struct an_flow_label *label = &frame->labels[i];
        if (!label->reached || strcmp(label->name, node->name) != 0)
            continue;
        if (flow->dead) {
            an_flow_state_free(&flow->state);
            flow->state = an_flow_state_copy(&label->state);
        } else {
            an_flow_state_join(flow, &flow->state, &label->state, nothing, NULL);
        }
        flow->dead = false;
    }
    an_flow_statement(flow, node->child);
}

static void goto_run(struct an_flow *flow, const struct an_node *node)
{
    struct an_flow_frame *frame = flow->frame;
    unsigned i = 0;

    if (flow->dead)
        return;
    flow->jumped = true;
    for (struct an_flow_loop *loop = flow->loop; loop && loop != frame->loop; loop = loop->outer)
        if (loop->node->kind == AN_LABEL && node->name &&
            strcmp(loop->node->name, node->name) == 0) {
            an_flow_goto_notes(flow, loop->outer);
            an_flow_state_take(flow, &loop->again, &loop->again_reached, an_flow_own_control(flow),
                               NULL);
            flow->dead = true;
            return;
        }
    while (i < frame->label_count && node->name && strcmp(frame->labels[i].name, node->name) != 0)
        i++;
    if (!node->name || i == sizeof frame->labels / sizeof *frame->labels) {
        flow->exhausted = true;
        return;
    }
    struct an_flow_label *label = &frame->labels[i];
    if (i == frame->label_count) {
        label->name = node->name;
        frame->label_count++;
    }
    an_flow_goto_notes(flow, frame->loop);
    an_flow_state_take(flow, &label->state, &label->reached, an_flow_own_control(flow), NULL);
    flow->dead = true;
}

static void declare_run(struct an_flow *flow, const struct an_node *node)
{
    for (const struct an_node *variable = node->child; variable; variable = variable->next) {
        const struct an_node *start = variable->child;
        struct an_flow_value address = an_flow_variable(flow, variable), value = {0};
        if (variable->storage == AN_STATIC_LOCAL)
            continue;
        bool whole = variable->type &&
                     (variable->type->class == AN_ARRAY || variable->type->class == AN_RECORD ||
                      variable->type->class == AN_STATUS);
        if (start && start->kind != AN_EMPTY)
            value = an_flow_value_of(flow, start);
        if (variable->type && variable->type->class == AN_STATUS)
            value.targets = 0;
        if (whole || (start && start->kind != AN_EMPTY) || flow->depth)
            whole ? an_flow_store(flow, address, value, true)
                  : an_flow_assign(flow, variable, address, value, AN_OP_NONE, false);
    }
}

static bool is_jumped_back_to(const struct an_node *label)
{
    for (const struct an_node *sibling = label; sibling; sibling = sibling->next)
        for (const struct an_node *n = sibling; n; n = an_next(sibling, n, false))
            if (n->kind == AN_GOTO && n->name && strcmp(n->name, label->name) == 0)
                return true;
    return false;
}

static void block_run(struct an_flow *flow, const struct an_node *node)
{
    for (const struct an_node *child = node->child; child; child = child->next) {
        if (child->kind == AN_LABEL && is_jumped_back_to(child)) {
            an_flow_loop_run(flow, child, &(struct an_flow_parts){child, NULL, child, false, true});
            return;
        }
        an_flow_statement(flow, child);
    }
}

void an_flow_statement(struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *child = node->child;

    if (node->kind == AN_LABEL) {
        an_flow_label_run(flow, node);
        return;
    }
    if (flow->dead && node->kind == AN_BLOCK) {
        block_run(flow, node); /* a label may revive it */
        return;
    }
    if (flow->dead || !an_flow_step(flow))
        return;
    switch (node->kind) {
    case AN_BLOCK:
    case AN_PARALLEL:
        block_run(flow, node);
        return;
    case AN_DECLARE:
        declare_run(flow, node);
        return;
    case AN_IF:
        if_run(flow, node);
        return;
    case AN_FOR:
        for_run(flow, node);
        return;
    case AN_WHILE:
        an_flow_loop_run(flow, node,
                         &(struct an_flow_parts){child, NULL, child->next, false, false});
        return;
    case AN_DO:
        an_flow_loop_run(flow, node,
                         &(struct an_flow_parts){child->next, NULL, child, true, false});
        return;
    case AN_SWITCH:
        switch_run(flow, node);
        return;
    case AN_CASE:
    case AN_DEFAULT:
        an_flow_statement(flow, child);
        return;
    case AN_GOTO:
        goto_run(flow, node);
        return;
    case AN_BREAK:
        if (flow->loop) {
            an_flow_jump_note(flow);
            an_flow_state_take(flow, &flow->loop->out, &flow->loop->out_reached,
                               (struct an_flow_value){0}, NULL);
        }
        flow->dead = true;
        return;
    case AN_CONTINUE:
        if (flow->loop)
            an_flow_continue_take(flow);
        flow->dead = true;
        return;
    case AN_RETURN:
        return_run(flow, node);
        return;
    case AN_EMPTY:
        return;
    case AN_STATEMENTS:
        block_run(flow, node);
        return;
    case AN_ASM:
        an_flow_assembly(flow, node);
        return;
    default:
        an_flow_value_of(flow, node);
    }
}

void an_flow_function(struct an_flow *flow, const struct an_node *function)
{
    struct an_flow_frame *frame = flow->frame;
    struct an_flow_value nothing = {0};

    frame->entry = an_flow_state_copy(&flow->state);
    an_flow_statement(flow, an_body(function));
    leave_take(flow, nothing);
    an_flow_state_free(&frame->entry);
    an_flow_state_free(&flow->state);
    flow->state = frame->left_reached ? frame->left : (struct an_flow_state){NULL, 0};
    flow->dead = !frame->left_reached;
    flow->control_count = frame->controls;
    for (unsigned i = 0; i < frame->label_count; i++)
        an_flow_state_free(&frame->labels[i].state);
}
