/* Idea: assignments that accumulate are told apart from those that replace: order is lost in the
 * first, and seen in the second. */
#include "analysis/flow/gate.h"
#include "analysis/flow/latch.h"

#include <string.h>

static bool commutes(int operation)
{
    return operation == AN_OP_ADD || operation == AN_OP_SUB || operation == AN_OP_AND ||
           operation == AN_OP_OR || operation == AN_OP_XOR || operation == AN_OP_MUL ||
           operation >= AN_OPERATORS;
}

/* The same variable, member or element, by its look. */
static bool looks_same(const struct an_node *a, const struct an_node *b)
{
    a = an_plain(a);
    b = an_plain(b);
    if (!a || !b || a->kind != b->kind || a->op != b->op)
        return false;
    if (a->kind == AN_CALL || a->kind == AN_ASSIGN)
        return false;
    if (a->kind == AN_NUMBER)
        return a->constant && b->constant && a->value == b->value;
    if ((a->symbol || b->symbol) && (!a->symbol || !b->symbol || strcmp(a->symbol, b->symbol) != 0))
        return false;
    const struct an_node *x = a->child, *y = b->child;
    for (; x && y; x = x->next, y = y->next)
        if (!looks_same(x, y))
            return false;
    return !x && !y;
}

/* Whether a function gives one of its two parameters, by comparing them. */
static bool chooses(const struct an_node *function)
{
    unsigned comparisons = 0;

    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        bool compares = n->kind == AN_BINARY && n->op >= AN_OP_LT && n->op <= AN_OP_GE;
        bool parameter = n->kind == AN_REFERENCE && n->storage == AN_PARAMETER_VARIABLE;
        bool plain = n->kind == AN_BLOCK || n->kind == AN_RETURN || n->kind == AN_IF ||
                     n->kind == AN_CHOOSE || n->kind == AN_EMPTY;
        if (!compares && !parameter && !plain)
            return false;
        comparisons += compares;
    }
    return comparisons == 1;
}

/* Whether what can be seen of a function does not speak against a minimum or maximum. */
static bool may_choose(const struct an_program *program, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(program, call);

    for (unsigned i = 0; i < targets.count; i++)
        if (!chooses(targets.functions[i]))
            return false;
    return true;
}

int an_flow_accumulation(const struct an_program *program, const struct an_node *assign,
                         const struct an_node **operand)
{
    const struct an_node *target = assign->child, *value = an_plain(target->next);

    if (value->kind == AN_BINARY) {
        const struct an_node *left = value->child, *right = left->next;
        *operand = right;
        if (looks_same(left, target))
            return value->op;
        *operand = left;
        if (looks_same(right, target) && value->op != AN_OP_SUB && commutes(value->op))
            return value->op;
    }
    if (value->kind == AN_CHOOSE) {
        const struct an_node *test = an_plain(value->child), *one = value->child->next;
        const struct an_node *two = one->next;
        bool first = looks_same(one, target);
        if (test->kind == AN_BINARY && (first || looks_same(two, target))) {
            const struct an_node *other = *operand = first ? two : one;
            bool less = test->op == AN_OP_LT || test->op == AN_OP_LE;
            bool more = test->op == AN_OP_GT || test->op == AN_OP_GE;
            bool ordered = looks_same(test->child, target) && looks_same(test->child->next, other);
            bool turned = looks_same(test->child->next, target) && looks_same(test->child, other);
            if ((less || more) && (ordered || turned))
                return AN_OPERATORS + ((less == ordered) == first ? 0 : 1);
        }
    }
    if (value->kind == AN_CALL && value->name && an_arguments(value) == 2 &&
        may_choose(program, value)) {
        size_t length = strlen(value->name);
        const char *end = length >= 3 ? value->name + length - 3 : "";
        bool least = strcmp(value->name, "fmin") == 0 || strcmp(end, "min") == 0;
        bool most = strcmp(value->name, "fmax") == 0 || strcmp(end, "max") == 0;
        for (unsigned i = 0; i < 2 && (least || most); i++)
            if (looks_same(an_argument(value, i), target)) {
                *operand = an_argument(value, 1 - i);
                return AN_OPERATORS + (least ? 0 : 1);
            }
    }
    *operand = target->next;
    return AN_OP_NONE;
}

/* `old op= value`, where something of it depends on a message. */
static struct an_flow_value accumulate(struct an_flow *flow, const struct an_node *node,
                                       struct an_flow_value old, struct an_flow_value value,
                                       struct an_flow_value by, int operation, bool floating)
{
    int class = operation == AN_OP_SUB ? AN_OP_ADD : operation;
    unsigned loop = by.loop;
    bool carried = old.iter >> loop & 1 || old.carried >> loop & 1 || old.kind == AN_FLOW_COUNTED;
    struct an_flow_value made = an_flow_combine(old, by);

    if (!carried) {
        struct an_flow_value sum = an_flow_combine(old, value);
        if (operation == AN_OP_ADD)
            sum.flags |= AN_FLOW_COUNTUP;
        return sum;
    }
    if (by.kind > AN_FLOW_COUNTED || old.kind > AN_FLOW_COUNTED)
        return made;
    if (by.index && floating && operation < AN_OPERATORS) {
        made.kind = AN_FLOW_ORDER;
    } else if (floating && operation < AN_OPERATORS && an_flow_depends(value)) {
        made.kind = AN_FLOW_ORDER;
        made.flags |= AN_FLOW_FLOATING;
        made.why = an_flow_because(flow, node, "floating-point numbers are added up as they arrive",
                                   by.why);
        flow->floating = made;
    } else if (commutes(operation) &&
               (old.kind < AN_FLOW_FLAG ||
                (old.kind == AN_FLOW_COUNTED && old.op == class && old.loop == loop)) &&
               by.kind != AN_FLOW_COUNTED) {
        made.kind = AN_FLOW_COUNTED;
        made.op = (unsigned short)class;
        if (value.kind >= AN_FLOW_SOURCE && operation < AN_OPERATORS)
            made.flags |= AN_FLOW_VALUED;
        made.loop = (unsigned char)loop;
        made.flags |= AN_FLOW_SUMMED;
        made.flags &= ~AN_FLOW_LOSSY;
        made.index = 0;
        made.why = an_flow_because(flow, node, "counts or accumulates over the messages", by.why);
    } else {
        made.kind = AN_FLOW_ORDER;
        made.why = an_flow_because(flow, node, "changes with each message", by.why);
    }
    return made;
}

/* Whether an accumulation that is not complete yet is changed in another way than by its own
 * operation, so that what has come before is treated otherwise than what comes later. */
static bool disturbs(struct an_flow_value old, int operation)
{
    int class = operation == AN_OP_SUB ? AN_OP_ADD : operation;
    return old.kind == AN_FLOW_COUNTED && old.op != class;
}

/* Whether some condition decides if this is done in a turn. */
static bool is_conditional(const struct an_flow *flow)
{
    for (unsigned i = flow->control_count; i-- > 0;) {
        if (flow->controls[i].rest)
            continue;
        if (flow->controls[i].of_loop && flow->controls[i].loop <= flow->site_loop)
            return false;
        if (flow->controls[i].of_loop && an_flow_asks_elsewhere(flow, &flow->controls[i]))
            return true;
        if (!flow->controls[i].of_loop)
            return flow->controls[i].loop >= flow->site_loop;
    }
    return false;
}

/* Whether a number that is stored in each turn comes from what earlier turns left. */
static bool is_turned(const struct an_flow *flow, struct an_flow_value value)
{
    return !an_flow_depends(value) && !value.targets && !(value.flags & AN_FLOW_BROUGHT) &&
           value.iter >> flow->site_loop & 1 && !is_conditional(flow);
}

/* An accumulation that gets some messages only, by the turns in which they came. */
static struct an_flow_value picked(struct an_flow *flow, const struct an_node *node,
                                   struct an_flow_value made, struct an_flow_value address)
{
    bool place = made.loop < AN_FLOW_NO_LOOP && address.iter >> made.loop & 1;

    if (made.kind == AN_FLOW_COUNTED && (place || an_flow_picks_turns(flow, made.loop))) {
        made.kind = AN_FLOW_ORDER;
        made.why = an_flow_because(flow, node, "takes the messages of some turns", made.why);
    }
    return made;
}

/* `a[f(message)] op= value`: the places together are one accumulation. */
static void operate_chosen(struct an_flow *flow, const struct an_node *node,
                           struct an_flow_value address, struct an_flow_value value,
                           struct an_flow_value by, int operation, bool floating)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    struct an_flow_value held = {0};
    bool own = address.kind == AN_FLOW_SOURCE && floating;
    for (unsigned i = 0; i < set->count; i++)
        held = an_flow_either(flow, held, *an_flow_get(&flow->state, set->cells[i]));
    struct an_flow_value made =
        accumulate(flow, node, held, value, by, operation, floating && !own);
    made = picked(flow, node, made, address);
    made.targets = held.targets;
    address.kind = AN_FLOW_FREE;
    address.loop = 0;
    address.iter &= ~((uint64_t)1 << by.loop);
    for (unsigned i = 0; i < set->count; i++)
        made = an_flow_either(flow, made, *an_flow_get(&flow->state, set->cells[i]));
    an_flow_store(flow, address, made, false);
}

/* Whether what is done here counts batches, not what is in them. */
static bool counts_batches(const struct an_flow *flow, struct an_flow_value control)
{
    if (!flow->batches || flow->left || control.kind != AN_FLOW_FLAG)
        return false;
    for (unsigned i = 0; i < flow->control_count; i++)
        if (flow->controls[i].of_loop && flow->controls[i].loop > flow->site_loop &&
            flow->controls[i].value.kind == AN_FLOW_FLAG)
            return false;
    return true;
}

/* `old op= value` at `address`. */
static void operate(struct an_flow *flow, const struct an_node *node, struct an_flow_value address,
                    struct an_flow_value value, int operation, bool floating)
{
    struct an_flow_value old = an_flow_load(flow, address, NULL);
    struct an_flow_value control = an_flow_control_of(flow, flow->site_loop);
    struct an_flow_value by = value, made;
    bool chosen = address.kind == AN_FLOW_SOURCE || address.kind == AN_FLOW_MESSAGE;
    if (control.kind == AN_FLOW_COUNTED && flow->step)
        an_flow_counts_events(flow, address, &control);
    if (control.kind > by.kind)
        by = control;
    if (address.kind > by.kind)
        by = address;
    if (!an_flow_depends(by)) {
        made = an_flow_combine(old, value);
        if (disturbs(old, operation)) {
            made.kind = AN_FLOW_ORDER;
            made.why = an_flow_because(flow, node, "changes with each message", old.why);
        }
        if (!is_conditional(flow))
            made.flags |= AN_FLOW_TURNED;
        if (flow->seen && !flow->left && old.carried >> flow->site_loop & 1)
            made.iter |= (uint64_t)1 << flow->site_loop;
        else if (operation == AN_OP_ADD)
            made.flags |= AN_FLOW_COUNTUP;
        made.carried = 0;
        made.targets = old.targets ? old.targets : value.targets;
        made.stamp = (unsigned)((uintptr_t)node >> 4) * 2654435761u + 1;
        an_flow_store(flow, address, made, false);
        return;
    }
    if (chosen) {
        operate_chosen(flow, node, address, value, by, operation, floating);
        return;
    }
    made = accumulate(flow, node, old, value, by, operation, floating);
    if (counts_batches(flow, control) && !an_flow_depends(value)) {
        made.kind = AN_FLOW_ORDER;
        made.why = an_flow_because(flow, node, "counts messages that came at once as one", by.why);
    }
    if (by.kind > AN_FLOW_FLAG)
        made = picked(flow, node, made, address);
    made.targets = old.targets ? old.targets : value.targets;
    made.stamp = (unsigned)((uintptr_t)node >> 4) * 2654435761u + 1;
    an_flow_store(flow, address, made, false);
}

/* Whether the number of a turn is kept when a count has come so far. */
static bool is_dated(const struct an_flow *flow, struct an_flow_value value)
{
    if (!flow->seen || flow->left || value.kind != AN_FLOW_FREE || value.targets ||
        value.flags & (AN_FLOW_BROUGHT | AN_FLOW_CONSTANT))
        return false;
    for (unsigned i = 0; i < flow->control_count; i++) {
        const struct an_flow_control *control = &flow->controls[i];
        struct an_flow_value count = control->value;
        if (count.kind == AN_FLOW_COUNTED && !control->of_loop && count.loop < AN_FLOW_NO_LOOP &&
            value.iter >> count.loop & 1 && !an_flow_jumps_out(flow, an_flow_branch_of(control)))
            return true;
    }
    return false;
}

/* Whether a place gets what some incomplete accumulation is while it is one itself: then it goes on
 * from a function of what has come, whatever variables that has come through. */
static bool goes_on(struct an_flow *flow, struct an_flow_value address, struct an_flow_value value)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);

    for (unsigned i = 0; value.kind == AN_FLOW_COUNTED && i < set->count; i++) {
        struct an_flow_value held = *an_flow_get(&flow->state, set->cells[i]);
        if (held.kind == AN_FLOW_COUNTED && held.flags & AN_FLOW_SUMMED && held.loop == value.loop)
            return true;
    }
    return false;
}

/* Whether a place that accumulates begins anew in some turns, and so has the messages behind them.
 */
static bool begins_in_turns(struct an_flow *flow, struct an_flow_value address,
                            struct an_flow_value value)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);

    for (unsigned i = 0; value.kind != AN_FLOW_COUNTED && i < set->count; i++) {
        struct an_flow_value held = *an_flow_get(&flow->state, set->cells[i]);
        if (held.kind == AN_FLOW_COUNTED && held.flags & AN_FLOW_SUMMED &&
            an_flow_picks_turns(flow, held.loop))
            return true;
    }
    return false;
}

void an_flow_assign(struct an_flow *flow, const struct an_node *node, struct an_flow_value address,
                    struct an_flow_value value, int operation, bool floating)
{
    if (operation == AN_OP_NONE) {
        value = picked(flow, node, value, (struct an_flow_value){0});
        if (goes_on(flow, address, value) || begins_in_turns(flow, address, value) ||
            is_dated(flow, value)) {
            value.kind = AN_FLOW_ORDER;
            value.why = an_flow_because(flow, node, "changes with each message", value.why);
        }
        value.flags &= ~(unsigned)AN_FLOW_SUMMED;
        if (!value.stamp || !(value.flags & (AN_FLOW_CONSTANT | AN_FLOW_FRESH)))
            value.stamp = (unsigned)((uintptr_t)node >> 4) * 2654435761u + 1;
        if (is_turned(flow, value))
            value.flags |= AN_FLOW_TURNED;
        an_flow_store(flow, address, value, false);
        return;
    }
    if (value.flags & AN_FLOW_CONSTANT && (operation == AN_OP_ADD || operation == AN_OP_SUB) &&
        !floating && !address.iter && !an_flow_depends(address))
        flow->step = operation == AN_OP_ADD ? value.number : -value.number;
    operate(flow, node, address, value, operation, floating);
    flow->step = 0;
}
