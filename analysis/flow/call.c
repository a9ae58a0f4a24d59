/* Idea: a call runs the bodies of what it may enter, in the place of the call, as far as it can
 * matter. A callee that cannot be seen makes its results opaque. */
#include "analysis/flow/flow.h"

#include <string.h>

enum { REACHED = 300, ARGUMENTS = 24 };

/* Whether something dependent can be reached from a pointer. */
static bool reaches_dependent(struct an_flow *flow, struct an_flow_value value)
{
    unsigned queue[REACHED], head = 0, tail = 0;
    const struct an_flow_set *set = an_flow_targets(flow, value.targets);

    if (an_flow_depends(value))
        return true;
    for (unsigned i = 0; i < set->count && tail < REACHED; i++)
        queue[tail++] = an_flow_cell(flow, set->cells[i])->object;
    while (head < tail) {
        unsigned object = queue[head++];
        for (unsigned i = an_flow_object(flow, object)->cells; i;
             i = an_flow_cell(flow, i)->sibling) {
            if (i >= flow->state.count)
                continue;
            struct an_flow_value held = *an_flow_held(&flow->state, i);
            if (an_flow_depends(held))
                return true;
            const struct an_flow_set *next = an_flow_targets(flow, held.targets);
            for (unsigned k = 0; k < next->count && tail < REACHED; k++) {
                unsigned other = an_flow_cell(flow, next->cells[k])->object, q = 0;
                while (q < tail && queue[q] != other)
                    q++;
                if (q == tail)
                    queue[tail++] = other;
            }
        }
    }
    return tail == REACHED;
}

static bool outside_depends(struct an_flow *flow)
{
    for (unsigned i = an_flow_next_depending(&flow->state, 0);
         i < flow->state.count && i < an_flow_cells(flow);
         i = an_flow_next_depending(&flow->state, i + 1))
        if (an_flow_object(flow, an_flow_cell(flow, i)->object)->outside)
            return true;
    return false;
}

static bool controlled(const struct an_flow *flow)
{
    for (unsigned i = 0; i < flow->control_count; i++)
        if (an_flow_depends(flow->controls[i].value))
            return true;
    return false;
}

bool an_flow_leads(struct an_flow *flow, const struct an_node *node)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false)) {
        if (flow->site && n == flow->site->node)
            return true;
        if (n->kind != AN_CALL)
            continue;
        struct an_targets targets = an_call_targets(flow->program, n);
        for (unsigned i = 0; i < targets.count; i++)
            if (targets.functions[i]->mark == flow->mark)
                return true;
    }
    return false;
}

static bool is_running(const struct an_flow *flow, const struct an_node *function)
{
    for (const struct an_flow_frame *frame = flow->frame; frame; frame = frame->caller)
        if (frame->function == function)
            return true;
    return false;
}

static bool is_place(const struct an_node *expression)
{
    expression = an_plain(expression);
    return expression->kind == AN_REFERENCE || expression->kind == AN_MEMBER ||
           expression->kind == AN_INDEX || expression->kind == AN_UNARY;
}

static void parameters_bind(struct an_flow *flow, const struct an_node *function,
                            const struct an_node *call, const struct an_flow_value *values,
                            unsigned count)
{
    unsigned i = 0;

    for (const struct an_node *child = function->child; child && child->kind == AN_PARAMETER;
         child = child->next, i++) {
        struct an_flow_value value = {0};
        const struct an_node *argument = an_argument(call, i);
        if (i < count)
            value = values[i];
        if (argument && argument->type && argument->type->class == AN_RECORD && i < count) {
            if (!is_place(argument)) {
                an_flow_store(flow, an_flow_variable(flow, child), value, true);
                continue;
            }
            struct an_flow_value from = an_flow_address_of(flow, argument);
            an_flow_record_copy(flow, an_flow_variable(flow, child), from);
            continue;
        }
        an_flow_store(flow, an_flow_variable(flow, child), value, false);
    }
}

/* The value of the arguments that `...` stands for: any of the pointers, or all other values. */
static struct an_flow_value rest_of(struct an_flow *flow, const struct an_node *function,
                                    const struct an_flow_value *values, unsigned count,
                                    bool pointers)
{
    struct an_flow_value rest = {0};
    bool any = false;

    for (unsigned i = an_children(function) - 1; function->variadic && i < count; i++) {
        if ((values[i].targets != 0) != pointers)
            continue;
        rest = any ? an_flow_either(flow, rest, values[i]) : values[i];
        any = true;
    }
    rest.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    return rest;
}

/* Runs one body with the arguments' values, and gives what it returns. */
static struct an_flow_value body_run(struct an_flow *flow, const struct an_node *function,
                                     const struct an_node *call, const struct an_flow_value *values,
                                     unsigned count)
{
    struct an_flow_frame frame = {.function = function,
                                  .call = call,
                                  .controls = flow->control_count,
                                  .loop = flow->loop,
                                  .numbers = rest_of(flow, function, values, count, false),
                                  .pointers = rest_of(flow, function, values, count, true),
                                  .caller = flow->frame};

    frame.context =
        ((flow->frame ? flow->frame->context : 0) ^ (uintptr_t)call) * 0x9e3779b97f4a7c15u;
    flow->frame = &frame;
    flow->frames++;
    parameters_bind(flow, function, call, values, count);
    an_flow_function(flow, function);
    flow->frames--;
    flow->frame = frame.caller;
    return frame.result;
}

/* A call of an unseen function: its results are opaque when anything dependent goes in. */
static struct an_flow_value unseen_run(struct an_flow *flow, const struct an_node *call,
                                       const struct an_flow_value *values, unsigned count)
{
    struct an_flow_value made = {.flags = AN_FLOW_BROUGHT};
    bool depends = controlled(flow) || an_flow_depends(flow->handed);

    made.why = flow->handed.why;
    for (unsigned i = 0; i < count; i++) {
        struct an_flow_value content = values[i];
        an_flow_leak(flow, values[i]);
        an_flow_lend(flow, values[i]);
        bool reached = reaches_dependent(flow, values[i]);
        if (reached && !an_flow_depends(content))
            content = an_flow_content(flow, values[i], -1);
        depends |= reached;
        made.why = made.why ? made.why : content.why;
        made.iter |= values[i].iter;
    }
    if (!flow->seen || !depends) {
        if (flow->seen && !flow->left) /* it may count how often it is called */
            made.iter |= (uint64_t)1 << flow->site_loop;
        return made;
    }
    if (!flow->hidden)
        flow->hidden = call;
    made.kind = AN_FLOW_OPAQUE;
    made.why = an_flow_because(flow, call, "goes into a function that is not here", made.why);
    for (unsigned i = 0; i < count; i++)
        if (values[i].targets)
            an_flow_store(flow, values[i], made, false);
    return made;
}

/* Whether what depends on nothing yet does so after the loop: on how often the site was asked. */
static bool counts_turns(const struct an_flow *flow)
{
    return flow->polls && !flow->left && flow->depth >= flow->site_loop && flow->site_loop > 0;
}

static bool is_worth_running(struct an_flow *flow, const struct an_node *function,
                             const struct an_flow_value *values, unsigned count)
{
    const struct an_effects *effects = an_function_effects(flow->program, function);
    bool speaks = effects->sends || effects->collective || effects->hidden || effects->receives ||
                  effects->persists;

    if (function->mark == flow->mark)
        return true;
    if (!flow->seen)
        return flow->frames < 3 || effects->persists || effects->repoints;
    if (speaks || counts_turns(flow) || outside_depends(flow) || controlled(flow))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (reaches_dependent(flow, values[i]))
            return true;
    return flow->frames < 6 || effects->repoints;
}

/* One of several targets, always the same one: the pointer does not change on the path. */
static bool is_split(struct an_flow *flow, const struct an_node *call, unsigned count,
                     struct an_flow_value callee)
{
    if (count < 2 || an_flow_depends(callee) || callee.iter || call->symbol)
        return false;
    if (!flow->split) {
        flow->split = call;
        flow->split_count = count;
    }
    return flow->split == call && flow->choice != AN_FLOW_ANY;
}

/* One of the bodies that a call may enter, if it can be run, and is worth it. */
static struct an_flow_value target_run(struct an_flow *flow, const struct an_node *function,
                                       const struct an_node *call,
                                       const struct an_flow_value *values, unsigned count)
{
    struct an_flow_value nothing = {0};
    bool fits = !is_running(flow, function) && flow->frames + 1 < AN_FLOW_CALLS;

    if (fits && is_worth_running(flow, function, values, count))
        return body_run(flow, function, call, values, count);
    if (!fits && flow->seen) {
        flow->exhausted |= outside_depends(flow); /* the body may move it to other memory */
        return unseen_run(flow, call, values, count);
    }
    for (unsigned i = 0; i < count; i++)
        an_flow_leak(flow, values[i]);
    return nothing;
}

struct an_flow_value an_flow_targets_run(struct an_flow *flow, const struct an_node *call,
                                         struct an_targets targets,
                                         const struct an_flow_value *values, unsigned count,
                                         struct an_flow_value callee)
{
    struct an_flow_value made = {0}, nothing = {0};
    struct an_flow_state before = an_flow_state_copy(&flow->state), after = {NULL, 0};
    bool any = false, split = is_split(flow, call, targets.count, callee);
    unsigned controls = flow->control_count;

    if (targets.count > 1 && an_flow_depends(callee)) {
        an_flow_control_push(flow, call, callee, false, true);
    } else if (targets.count > 1 && flow->polls) {
        an_flow_control_push(flow, call, nothing, false, true);
        flow->controls[flow->control_count - 1].rest = true;
    }

    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_node *function = targets.functions[i];
        if (split && i != flow->choice)
            continue;
        an_flow_state_free(&flow->state);
        flow->state = an_flow_state_copy(&before);
        flow->dead = false;
        struct an_flow_value one = target_run(flow, function, call, values, count);
        if (flow->dead)
            continue;
        made = any ? an_flow_either(flow, made, one) : one;
        if (any)
            an_flow_state_join(flow, &after, &flow->state, callee, &before);
        else
            after = an_flow_state_copy(&flow->state);
        any = true;
    }
    flow->control_count = controls;
    an_flow_state_free(&before);
    an_flow_state_free(&flow->state);
    flow->state = after;
    flow->dead = !any;
    if (targets.count > 1 && an_flow_depends(callee)) {
        unsigned pointed = made.targets;
        made = an_flow_combine(made, callee);
        made.targets = pointed;
    }
    return made;
}

struct an_flow_value an_flow_call(struct an_flow *flow, const struct an_node *call)
{
    struct an_flow_value values[ARGUMENTS], result = {0}, callee = {0};
    unsigned count = 0;

    if (!flow->site && an_flow_clock(flow, call, &result))
        return result;
    if (an_flow_mpi(flow, call)) {
        result.flags = AN_FLOW_BROUGHT;
        flow->dead |= call->noreturn;
        return result;
    }
    for (const struct an_node *argument = call->child ? call->child->next : NULL; argument;
         argument = argument->next) {
        struct an_flow_value value = an_flow_value_of(flow, argument);
        if (count < ARGUMENTS)
            values[count++] = value;
        else if (an_flow_depends(value) || value.targets)
            flow->exhausted = true; /* the callee would not get it */
    }
    if (flow->dead || flow->exhausted)
        return result;
    if (flow->seen && call->name && an_flow_name_has(call->name, "longjmp"))
        flow->leap = call;
    if (call->noreturn) {
        flow->dead = true;
        return result;
    }
    if (!call->symbol && call->child)
        callee = an_flow_value_of(flow, call->child);
    an_flow_astray_call(flow, call, values, count);
    if (an_flow_library(flow, call, values, count, &result))
        return result;
    struct an_targets targets = an_call_targets(flow->program, call);
    if (targets.count)
        result = an_flow_targets_run(flow, call, targets, values, count, callee);
    if (targets.complete && !targets.count && call->name) { /* a library that only computes */
        an_flow_system(flow, call, values, count, &result);
        return result;
    }
    if (!targets.complete || (!call->symbol && !targets.count)) {
        struct an_flow_value unseen = unseen_run(flow, call, values, count);
        result = targets.count ? an_flow_either(flow, result, unseen) : unseen;
    }
    if (call->type && call->type->class == AN_POINTER && !result.targets && !flow->dead) {
        struct an_flow_value nowhere = {0};
        result = an_flow_pointee(flow, result, nowhere, call, call->type);
        if (!targets.complete)
            an_flow_make_foreign(flow, result);
    }
    return result;
}
