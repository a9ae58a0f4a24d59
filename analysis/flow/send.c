/* Idea: a send is judged by what its arguments and the conditions around it say. On each channel
 * (destination, tag) the sequence is fixed when the channel belongs to the message's source and the
 * rest is a function of that message; or when all that varies is whether the send happens, and
 * nothing else uses the channel in that loop. */
#include "analysis/flow/flow.h"
#include "analysis/flow/tag.h"

#include <string.h>

struct parts {
    struct an_flow_value peer, tag, count, content, control;
    struct an_flow_value number;        /* what decides how often: conditions of loops */
    const struct an_flow_control *gate; /* by a flag that is not counted down to one send */
    const struct an_flow_control *latch;
    bool turns;    /* a condition counts turns of the loop that brings messages */
    bool complete; /* a condition waits for all messages */
};

const struct an_flow_why *an_flow_because(struct an_flow *flow, const struct an_node *node,
                                          const char *text, const struct an_flow_why *before)
{
    struct an_flow_why *why;

    if (before && before->node == node)
        return before;
    if (before && before->length > 30)
        return before;
    why = an_flow_alloc(flow, sizeof *why);
    *why = (struct an_flow_why){node, text, before, before ? before->length + 1 : 1};
    return why;
}

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

static const struct an_node *branch_of(const struct an_flow_control *control)
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

static bool jumps_out(const struct an_node *branch)
{
    for (const struct an_node *n = branch; n;) {
        bool nested =
            n->kind == AN_FOR || n->kind == AN_WHILE || n->kind == AN_DO || n->kind == AN_SWITCH;
        if (n->kind == AN_BREAK || n->kind == AN_RETURN || n->kind == AN_GOTO)
            return true;
        n = an_next(branch, n, nested);
    }
    return false;
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

static bool flag_is_set(const struct an_flow_control *control)
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

    if (branch->kind != AN_IF || control->taken || branch_of(control)->kind != AN_EMPTY ||
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
    return an_node_effects(flow->program, branch).receives;
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
static bool is_latched(struct an_flow *flow, unsigned gate)
{
    const struct an_flow_control *control = &flow->controls[gate];
    const struct an_node *branch = branch_of(control);
    const struct an_node *argument =
        flow->site->mpi.what->flag >= 0
            ? an_mpi_argument(flow->program, &flow->site->mpi, (unsigned)flow->site->mpi.what->flag)
            : NULL;
    const char *flag = root_symbol(argument);

    if (jumps_out(branch))
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
static bool is_gated_elsewhere(struct an_flow *flow, unsigned from)
{
    for (unsigned i = from + 1; i < flow->control_count; i++) {
        const struct an_node *condition = condition_of(flow->controls[i].node);
        const struct an_node *inside = flow->frame ? flow->frame->function : NULL;
        const struct an_node *function = an_function_of(flow->controls[i].node);
        if (!condition || !function)
            continue;
        (void)inside;
        if (!flow->controls[i].taken)
            continue;
        for (const struct an_node *n = condition; n; n = an_next(condition, n, false))
            if (n->kind == AN_REFERENCE && n->symbol &&
                an_flow_is_flag(flow, function, n->symbol, flow->site))
                return true;
    }
    return false;
}

static void control_read(struct an_flow *flow, struct parts *parts)
{
    for (unsigned i = flow->control_count; i-- > 0;) {
        const struct an_flow_control *control = &flow->controls[i];
        struct an_flow_value value = control->value;
        bool own = control->of_loop && value.loop == control->loop;
        if (!control->of_loop && flow->seen && !an_flow_depends(value) &&
            value.iter >> flow->site_loop & 1 && !an_flow_asks_elsewhere(flow, control))
            parts->turns = true;
        if (!an_flow_depends(value) || (own && value.kind == AN_FLOW_COUNTED))
            continue;
        if (value.kind == AN_FLOW_FLAG) {
            if (parts->latch || (control->of_loop && is_gated_elsewhere(flow, i)))
                continue;
            bool takes = (consumes(flow, branch_of(control)) || takes_later(flow, control)) &&
                         (flag_is_set(control) || flow->left);
            if (takes && (!control->of_loop || control->node->kind == AN_WHILE))
                parts->latch = control;
            else if (!control->of_loop && is_latched(flow, i))
                parts->latch = control;
            else if (!parts->gate)
                parts->gate = control;
            continue;
        }
        if (value.kind == AN_FLOW_COUNTED) {
            parts->complete = true;
            continue;
        }
        if (own && value.kind <= AN_FLOW_MESSAGE)
            value.kind = AN_FLOW_OPAQUE;
        if (value.kind > parts->control.kind)
            parts->control = value;
    }
}

static struct an_flow_value worst_of(const struct parts *parts)
{
    struct an_flow_value worst = parts->peer;
    const struct an_flow_value *all[] = {&parts->tag, &parts->count, &parts->content,
                                         &parts->control};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->kind > worst.kind)
            worst = *all[i];
    return worst;
}

static void say(struct an_flow_send *send, enum an_verdict verdict, const char *text,
                struct an_flow_value what)
{
    send->verdict = verdict;
    send->text = text;
    send->what = what;
}

static const char *where_is(const struct parts *parts, unsigned char kind)
{
    if (parts->peer.kind == kind)
        return "the destination of a send depends on the order of arrival";
    if (parts->tag.kind == kind)
        return "the tag of a send depends on the order of arrival";
    if (parts->count.kind == kind)
        return "the size of a send depends on the order of arrival";
    if (parts->content.kind == kind)
        return parts->content.flags & AN_FLOW_FLOATING
                   ? "a floating-point sum in the order of arrival is sent"
                   : "what is sent depends on the order of arrival";
    return "whether a send happens depends on the order of arrival";
}

static bool counts(struct an_flow_value value, unsigned loop)
{
    return loop < AN_FLOW_NO_LOOP && value.iter >> loop & 1;
}

/* The message-wise cases: nothing is worse than a function of one message. */
static void message_judge(struct an_flow *flow, const struct parts *parts,
                          struct an_flow_value worst, struct an_flow_send *send)
{
    bool rest = an_flow_depends(parts->count) || an_flow_depends(parts->content);
    bool turns = parts->turns || counts(parts->content, worst.loop) ||
                 counts(parts->count, worst.loop) || counts(parts->tag, worst.loop);
    bool named = parts->peer.kind == AN_FLOW_SOURCE || parts->tag.kind == AN_FLOW_SOURCE;

    struct an_flow_value together = an_flow_combine(parts->peer, parts->tag);
    together = an_flow_combine(together, parts->count);
    together = an_flow_combine(together, parts->content);
    together = an_flow_combine(together, parts->control);
    (void)flow;
    if (together.kind == AN_FLOW_ORDER && !turns)
        say(send, AN_NON_DETERMINISTIC, "one send is made of what different messages say", worst);
    else if (named && turns)
        say(send, AN_NON_DETERMINISTIC,
            "what the source of a message is sent changes with each message that arrives", worst);
    else if (named)
        say(send, AN_CHANNEL_DETERMINISTIC,
            "the answer goes to the message's source and depends on that message only", worst);
    else if (parts->peer.kind == AN_FLOW_MESSAGE && (rest || an_flow_depends(parts->tag) || turns))
        say(send, AN_NON_DETERMINISTIC,
            "different messages may be answered to one destination, in the order of arrival",
            worst);
    else if (parts->peer.kind == AN_FLOW_MESSAGE)
        say(send, AN_CHANNEL_DETERMINISTIC,
            "each message makes one send that is the same for all messages to that destination",
            worst);
    else if (rest || an_flow_depends(parts->tag) || turns)
        say(send, AN_NON_DETERMINISTIC,
            "messages are passed on to one destination in the order of arrival", worst);
    else {
        say(send, AN_CHANNEL_DETERMINISTIC, "a message decides whether there is a send", worst);
        send->once = true;
    }
}

/* Without a site: what clocks do to a send. */
static void noise_judge(const struct parts *parts, bool collective, struct an_flow_send *send)
{
    struct parts steering = *parts;
    struct an_flow_value nothing = {0};

    steering.content = nothing;
    struct an_flow_value worst = worst_of(&steering);
    if (worst.flags & AN_FLOW_CLOCKED && an_flow_depends(worst)) {
        say(send, AN_NON_DETERMINISTIC, "a clock or random number steers this send", worst);
        send->rule = "clock-steers-sends";
    } else if (parts->content.flags & AN_FLOW_CLOCKED && an_flow_depends(parts->content) &&
               !collective) {
        say(send, AN_NON_DETERMINISTIC, "a clock, random number or address is sent",
            parts->content);
        send->rule = "payload-noise";
    }
}

static void parts_judge(struct an_flow *flow, const struct parts *parts, struct an_flow_send *send)
{
    struct an_flow_value worst = worst_of(parts);
    const struct an_flow_control *flagged = parts->latch ? parts->latch : parts->gate;

    if (worst.kind == AN_FLOW_ORDER) {
        say(send, AN_NON_DETERMINISTIC, where_is(parts, AN_FLOW_ORDER), worst);
        return;
    }
    if (parts->content.kind == AN_FLOW_COUNTED || parts->count.kind == AN_FLOW_COUNTED ||
        parts->peer.kind == AN_FLOW_COUNTED || parts->tag.kind == AN_FLOW_COUNTED) {
        say(send, AN_NON_DETERMINISTIC, "an incomplete count or sum over the messages is sent",
            worst);
        return;
    }
    if (worst.kind == AN_FLOW_INDEXED ||
        (worst.flags & AN_FLOW_PERMUTED && worst.kind >= AN_FLOW_SOURCE &&
         worst.kind <= AN_FLOW_MESSAGE)) {
        say(send, AN_NON_DETERMINISTIC, "an array in the order of arrival is sent", worst);
        return;
    }
    if (worst.kind == AN_FLOW_OPAQUE || worst.kind == AN_FLOW_RANKING) {
        say(send, AN_UNKNOWN, where_is(parts, worst.kind), worst);
        return;
    }
    if (parts->gate && !parts->latch) {
        say(send, AN_NON_DETERMINISTIC, "the answer of a poll steers what is sent when",
            parts->gate->value);
        send->rule = "poll-steers-sends";
        return;
    }
    if (worst.kind == AN_FLOW_FLAG) {
        say(send, AN_NON_DETERMINISTIC, "the answer of a poll goes into a send", worst);
        send->rule = "poll-steers-sends";
        return;
    }
    if (an_flow_depends(worst)) {
        message_judge(flow, parts, worst, send);
        return;
    }
    if (flagged && parts->turns) {
        say(send, AN_NON_DETERMINISTIC, "how often a poll was asked steers what is sent",
            flagged->value);
        send->rule = "poll-steers-sends";
        return;
    }
    if (flagged || parts->complete) {
        say(send, AN_CHANNEL_DETERMINISTIC,
            flagged ? "the answer of a poll lets one send happen, each time once"
                    : "a send happens when all messages have come",
            flagged ? flagged->value : parts->control);
        send->once = true;
        if (counts(parts->content, flow->site_loop) || counts(parts->count, flow->site_loop)) {
            send->verdict = AN_NON_DETERMINISTIC;
            send->text = "how often a poll was asked goes into a send";
        }
    }
}

static struct an_flow_send *send_find(struct an_flow *flow, const struct an_node *call)
{
    uint64_t context = flow->frame ? flow->frame->context : 0;
    struct an_flow_send *send;

    for (send = flow->sends; send; send = send->next)
        if (send->call == call && send->context == context)
            break;
    if (!send) {
        send = an_flow_alloc(flow, sizeof *send);
        send->call = call;
        send->context = context;
        send->next = flow->sends;
        flow->sends = send;
    }
    struct an_flow_send *next = send->next;
    *send = (struct an_flow_send){.call = call, .context = context, .next = next};
    return send;
}

static const struct an_node *node_of(struct an_flow *flow, const struct an_mpi *mpi, int number)
{
    return number < 0 ? NULL : an_mpi_argument(flow->program, mpi, (unsigned)number);
}

static struct an_flow_value value_at(struct an_flow *flow, const struct an_mpi *mpi, int number)
{
    const struct an_node *node = node_of(flow, mpi, number);
    struct an_flow_value nothing = {0};
    return node ? an_flow_value_of(flow, node) : nothing;
}

void an_flow_send(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    struct parts parts = {.gate = NULL};
    const struct an_node *count = node_of(flow, mpi, what->send.count);

    parts.peer = value_at(flow, mpi, what->send.peer);
    parts.tag = value_at(flow, mpi, what->send.tag);
    parts.count = value_at(flow, mpi, what->send.count);
    if (parts.count.targets) /* an array of counts */
        parts.count = an_flow_content(flow, parts.count, -1);
    struct an_flow_value buffer = value_at(flow, mpi, what->send.buffer);
    parts.content = an_flow_content(flow, buffer, count && count->constant ? count->value : -1);
    if (what->role == AN_START) {
        parts.content = value_at(flow, mpi, what->request);
        parts.content.targets = 0;
    }
    parts.peer.targets = parts.tag.targets = 0;
    control_read(flow, &parts);
    struct an_flow_send *send = send_find(flow, mpi->call);
    send->tag = node_of(flow, mpi, what->send.tag);
    send->peer = node_of(flow, mpi, what->send.peer);
    send->comm = node_of(flow, mpi, what->comm);
    send->loop = flow->depth;
    send->after = flow->left || flow->batch;
    send->within = !flow->around;
    for (const struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        send->within |= loop->node == flow->around;
    if (parts.peer.flags & AN_FLOW_CONSTANT && parts.peer.number == -1)
        return;
    if (flow->site)
        parts_judge(flow, &parts, send);
    else
        noise_judge(&parts, what->role == AN_COLLECTIVE, send);
}

static bool peers_differ(const struct an_flow_send *a, const struct an_flow_send *b)
{
    return a->peer && b->peer && a->peer->constant && b->peer->constant &&
           a->peer->value != b->peer->value;
}

/* Sends that happen or not, or now or later, need a channel of their own. */
void an_flow_sends_compare(struct an_flow *flow)
{
    for (struct an_flow_send *send = flow->sends; send; send = send->next) {
        if (!send->once || send->after)
            continue;
        for (struct an_flow_send *other = flow->sends; other; other = other->next) {
            if (other == send || other->after || !other->within || other->call == send->call ||
                other->loop < flow->site_loop || peers_differ(send, other) ||
                ((other->once || other->verdict == AN_DETERMINISTIC) &&
                 an_flow_texts_differ(flow->program, send->peer, other->peer)))
                continue;
            if (!send->tag != !other->tag ||
                (send->tag && an_flow_tags_differ(flow->program, send->tag, other->tag)))
                continue;
            if (an_flow_texts_differ(flow->program, send->comm, other->comm))
                continue;
            say(send, AN_NON_DETERMINISTIC,
                "two sends that may use one channel change places with time", send->what);
            break;
        }
    }
}
