/* Idea: a gate is a condition that asks for the flag of a poll. It lets one send through for each
 * message if its branch takes the message that was found, or if nobody asks again. */
#include "analysis/flow/gate.h"
#include "analysis/flow/latch.h"
#include "analysis/flow/tag.h"

#include <string.h>

static bool mentions(const struct an_node *node, const char *symbol)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false))
        if (n->symbol && symbol && strcmp(n->symbol, symbol) == 0)
            return true;
    return false;
}

static const char *root_symbol(const struct an_node *node)
{
    for (node = node ? an_plain(node) : NULL; node; node = an_plain(node->child)) {
        if (node->kind == AN_REFERENCE || node->kind == AN_MEMBER)
            return node->symbol;
        if (node->kind != AN_UNARY && node->kind != AN_INDEX)
            return NULL;
        if (!node->child)
            return NULL;
    }
    return NULL;
}

const struct an_node *an_flow_branch_of(const struct an_flow_control *control)
{
    const struct an_node *node = control->node;

    switch (node->kind) {
    case AN_IF:
        return control->taken ? an_child(node, 1) : an_child(node, 2);
    case AN_WHILE:
        return an_child(node, 1);
    case AN_DO:
        return an_child(node, 0);
    case AN_FOR:
        return an_child(node, 3);
    case AN_SWITCH:
        return an_child(node, 1);
    default:
        return node;
    }
}

static const struct an_node *condition_of(const struct an_node *node)
{
    switch (node->kind) {
    case AN_FOR:
    case AN_DO:
        return an_child(node, 1);
    default:
        return an_child(node, 0);
    }
}

/* Whether a condition that asks for a flag holds when the flag is set. */
static bool is_positive(const struct an_node *condition)
{
    condition = an_plain(condition);
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT)
        return !is_positive(condition->child);
    if (condition->kind == AN_BINARY && (condition->op == AN_OP_EQ || condition->op == AN_OP_NE)) {
        const struct an_node *right = an_plain(condition->child->next);
        bool zero = right->constant && right->value == 0;
        return is_positive(condition->child) == ((condition->op == AN_OP_NE) == zero);
    }
    return true;
}

bool an_flow_flag_is_set(const struct an_flow_control *control)
{
    const struct an_node *condition = condition_of(control->node);
    return condition && is_positive(condition) == control->taken;
}

/* Whether an IF without an ELSE has left its block when the site's poll found nothing, and the rest
 * of the block, which is its other branch, receives what was found. */
static bool takes_later(struct an_flow *flow, const struct an_flow_control *control)
{
    const struct an_node *branch = control->node, *function = an_function_of(branch);
    const struct an_mpi *poll = &flow->site->mpi;

    if (branch->kind != AN_IF || control->taken || an_flow_branch_of(control)->kind != AN_EMPTY ||
        branch->parent->kind != AN_BLOCK || poll->what->role != AN_POLL ||
        function != an_function_of(flow->site->node))
        return false;
    const struct an_node *tag =
        an_mpi_argument(flow->program, poll, (unsigned)poll->what->receive.tag);
    for (const struct an_node *rest = branch->next; rest; rest = rest->next) {
        struct an_mpi mpi;
        if (rest->kind == AN_CALL && an_call_is_mpi(flow->program, rest, &mpi) &&
            mpi.what->role == AN_RECEIVE && mpi.what->receive.tag >= 0 &&
            !an_flow_texts_differ(
                flow->program, tag,
                an_mpi_argument(flow->program, &mpi, (unsigned)mpi.what->receive.tag)))
            return true;
    }
    return false;
}

/* Whether the branch takes the message that was found, or posts the receive again. */
static bool consumes(struct an_flow *flow, const struct an_node *branch)
{
    return an_node_effects(flow->program, branch).takes;
}

static bool assigns(const struct an_node *branch, const struct an_node *condition)
{
    for (const struct an_node *n = branch; n; n = an_next(branch, n, false))
        if (n->kind == AN_ASSIGN && n->op == AN_OP_NONE && an_plain(n->child->next)->constant) {
            const char *symbol = root_symbol(n->child);
            if (symbol && mentions(condition, symbol))
                return true;
        }
    return false;
}

/* Whether a branch under the site's flag is taken once: the loop ends with it, the branch jumps
 * out, or what asks is guarded by the flag itself or by what the branch sets. */
bool an_flow_is_latched(struct an_flow *flow, unsigned gate)
{
    const struct an_flow_control *control = &flow->controls[gate];
    const struct an_node *branch = an_flow_branch_of(control);
    const struct an_node *argument =
        flow->site->mpi.what->flag >= 0
            ? an_mpi_argument(flow->program, &flow->site->mpi, (unsigned)flow->site->mpi.what->flag)
            : NULL;
    const char *flag = root_symbol(argument);

    if (an_flow_jumps_out(flow, branch))
        return true;
    for (unsigned i = 0; i < gate; i++) {
        const struct an_node *condition = condition_of(flow->controls[i].node);
        if (!condition)
            continue;
        if (flow->controls[i].loop < flow->site_loop && flow->controls[i].of_loop)
            continue;
        if ((flag && mentions(condition, flag)) || assigns(branch, condition))
            return true;
    }
    return false;
}

/* Whether a condition is about the flag of another poll. */
bool an_flow_asks_elsewhere(const struct an_flow *flow, const struct an_flow_control *control)
{
    const struct an_node *condition = condition_of(control->node);
    const struct an_node *function = an_function_of(control->node);

    for (const struct an_node *n = condition; n; n = an_next(condition, n, false))
        if (n->kind == AN_REFERENCE && n->symbol &&
            an_flow_is_flag(flow, function, n->symbol, flow->site))
            return true;
    return false;
}

/* Whether a condition asks for what another poll has set: its sends are that poll's business. */
bool an_flow_is_gated_elsewhere(struct an_flow *flow, unsigned from)
{
    for (unsigned i = from + 1; i < flow->control_count; i++) {
        const struct an_node *condition = condition_of(flow->controls[i].node);
        const struct an_node *function = an_function_of(flow->controls[i].node);
        if (!condition || !function)
            continue;
        if (!an_flow_flag_is_set(&flow->controls[i]))
            continue;
        for (const struct an_node *n = condition; n; n = an_next(condition, n, false))
            if (n->kind == AN_REFERENCE && n->symbol &&
                an_flow_is_flag(flow, function, n->symbol, flow->site))
                return true;
    }
    return false;
}

bool an_flow_ends_turns(const struct an_flow *flow, const struct an_flow_control *control)
{
    return control->rest && control->node->kind == AN_IF &&
           an_flow_jumps_out(flow, an_child(control->node, control->taken ? 2 : 1));
}

bool an_flow_counts_turns(const struct an_flow *flow, const struct an_flow_control *control,
                          unsigned loop)
{
    return !control->of_loop && !an_flow_ends_turns(flow, control) && flow->seen &&
           !an_flow_depends(control->value) && control->value.iter >> loop & 1 &&
           !an_flow_asks_elsewhere(flow, control);
}

/* Whether the site itself stands under the same condition: who has no message has none to add. */
static bool guards_site(const struct an_flow *flow, const struct an_node *condition)
{
    const struct an_node *site = flow->site->node;

    for (const struct an_node *n = site; condition && n->parent; n = n->parent) {
        struct an_unit *unit = an_program_unit_of(flow->program, n);
        if (n->parent->kind == AN_IF && n != n->parent->child &&
            strcmp(an_text(unit, n->parent->child),
                   an_text(an_program_unit_of(flow->program, condition), condition)) == 0)
            return true;
    }
    return false;
}

/* Does the condition ask how many messages have come so far? */
static bool counts_messages(const struct an_flow *flow, const struct an_flow_control *control,
                            unsigned loop)
{
    struct an_flow_value value = control->value;

    return value.kind == AN_FLOW_COUNTED && value.op == AN_OP_ADD && value.loop == loop &&
           !(value.flags & AN_FLOW_VALUED) && !control->of_loop &&
           !an_flow_ends_turns(flow, control);
}

bool an_flow_picks_turns(const struct an_flow *flow, unsigned loop)
{
    for (unsigned i = 0; flow->site && loop < AN_FLOW_NO_LOOP && i < flow->control_count; i++) {
        const struct an_flow_control *control = &flow->controls[i];
        if (control->number > flow->asked && control->loop >= loop &&
            (an_flow_counts_turns(flow, control, loop) || counts_messages(flow, control, loop)) &&
            !guards_site(flow, condition_of(control->node)))
            return true;
    }
    return false;
}

bool an_flow_takes(struct an_flow *flow, const struct an_flow_control *control)
{
    return consumes(flow, an_flow_branch_of(control)) || takes_later(flow, control);
}
