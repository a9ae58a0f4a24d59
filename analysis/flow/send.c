/* Idea: a send is judged by what its arguments and the conditions around it say. On each channel
 * (destination, tag) the sequence is fixed when the channel belongs to the message's source and the
 * rest is a function of that message; or when all that varies is whether the send happens, and
 * nothing else uses the channel in that loop. */
#include "analysis/flow/gate.h"
#include "analysis/flow/latch.h"
#include "analysis/flow/tag.h"

#include <string.h>

struct parts {
    struct an_flow_value peer, tag, count, content, control;
    struct an_flow_value number;        /* what decides how often: conditions of loops */
    const struct an_flow_control *gate; /* by a flag that is not counted down to one send */
    const struct an_flow_control *latch;
    bool turns;    /* a condition counts turns of the loop that brings messages */
    bool complete; /* a condition waits for all messages */
    bool waits;    /* the loop that polls ends when all have come */
    bool once;     /* it happens once in that loop, sooner or later */
    bool moved;    /* when that is depends on the site */
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

/* A condition that holds once in the loop that brings messages holds, whatever else is true. */
static unsigned once_read(struct an_flow *flow, struct parts *parts)
{
    unsigned inside = 0;
    struct an_flow_value said = an_flow_combine(parts->peer, parts->tag);

    said = an_flow_combine(said, an_flow_combine(parts->count, parts->content));
    if (an_flow_depends(said) || !an_flow_happens_once(flow, &inside))
        return flow->control_count;
    for (unsigned i = inside; i < flow->control_count; i++) {
        struct an_flow_value value = flow->controls[i].value;
        if (value.kind > AN_FLOW_COUNTED || value.flags & AN_FLOW_VALUED)
            return flow->control_count; /* it may wait for what never is */
        parts->moved |= an_flow_depends(value);
    }
    parts->once = true;
    return inside;
}

/* Whether a condition around a poll of a named message only says when it is asked: which message is
 * found does not depend on that. */
static bool decides_when(const struct an_flow *flow, const struct an_flow_control *control)
{
    return flow->site->wildcard == AN_WILD_FLAG && control->number <= flow->asked;
}

static void control_read(struct an_flow *flow, struct parts *parts)
{
    for (unsigned i = once_read(flow, parts); i-- > 0;) {
        const struct an_flow_control *control = &flow->controls[i];
        struct an_flow_value value = control->value;
        bool own = control->of_loop && value.loop == control->loop;
        if (an_flow_counts_turns(flow, control, flow->site_loop))
            parts->turns = true;
        if (!an_flow_depends(value))
            continue;
        if (own && value.kind == AN_FLOW_COUNTED) {
            parts->waits |= (flow->polls || flow->batches) && !parts->latch &&
                            !an_flow_is_gated_elsewhere(flow, i);
            continue;
        }
        if (value.kind == AN_FLOW_FLAG) {
            if (parts->latch || (control->of_loop && an_flow_is_gated_elsewhere(flow, i)))
                continue;
            bool takes =
                an_flow_takes(flow, control) && (an_flow_flag_is_set(control) || flow->left);
            if (takes && (!control->of_loop || control->node->kind == AN_WHILE))
                parts->latch = control;
            else if (!control->of_loop && an_flow_is_latched(flow, i))
                parts->latch = control;
            else if (!parts->gate)
                parts->gate = control;
            continue;
        }
        if (value.kind == AN_FLOW_COUNTED) {
            parts->complete |= !parts->latch || !decides_when(flow, control);
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
    bool varies = (parts->content.iter | parts->count.iter | parts->tag.iter) >> worst.loop;
    bool named = parts->peer.kind == AN_FLOW_SOURCE || parts->tag.kind == AN_FLOW_SOURCE;

    struct an_flow_value together = an_flow_combine(parts->peer, parts->tag);
    together = an_flow_combine(together, parts->count);
    together = an_flow_combine(together, parts->content);
    together = an_flow_combine(together, parts->control);
    (void)flow;
    if (parts->complete &&
        (rest || parts->peer.kind >= AN_FLOW_SOURCE || an_flow_depends(parts->tag)))
        say(send, AN_NON_DETERMINISTIC,
            "which message makes a send depends on how many have come before", worst);
    else if (together.kind == AN_FLOW_ORDER && !turns)
        say(send, AN_NON_DETERMINISTIC, "one send is made of what different messages say", worst);
    else if (named && turns)
        say(send, AN_NON_DETERMINISTIC,
            "the answer to the source of a message changes with each message that arrives", worst);
    else if (named)
        say(send, AN_CHANNEL_DETERMINISTIC,
            "the answer goes to the message's source and depends on that message only", worst);
    else if (parts->peer.kind == AN_FLOW_MESSAGE &&
             (rest || an_flow_depends(parts->tag) || turns || varies))
        say(send, AN_NON_DETERMINISTIC,
            "different messages may be answered to one destination, in the order of arrival",
            worst);
    else if (parts->peer.kind == AN_FLOW_MESSAGE) {
        say(send, AN_CHANNEL_DETERMINISTIC,
            "each message makes one send that is the same for all messages to that destination",
            worst);
        send->chosen = true;
    } else if (rest || an_flow_depends(parts->tag) || turns)
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

/* The remaining dependence: only when a send happens, or whether it does. */
static void time_judge(struct an_flow *flow, const struct parts *parts, struct an_flow_send *send)
{
    const struct an_flow_control *flagged = parts->latch ? parts->latch : parts->gate;

    if (flagged && parts->turns) {
        say(send, AN_NON_DETERMINISTIC, "how often a poll was asked steers what is sent",
            flagged->value);
        send->rule = "poll-steers-sends";
        return;
    }
    if (parts->waits && !parts->once && !flagged) {
        say(send, AN_UNKNOWN, "it would have to be known how often a send happens", parts->control);
        return;
    }
    if (flagged || parts->complete || parts->moved) {
        say(send, AN_CHANNEL_DETERMINISTIC,
            parts->moved ? "a send happens once, sooner or later"
            : flagged    ? "the answer of a poll lets one send happen, each time once"
                         : "a send happens when all messages have come",
            flagged ? flagged->value : parts->control);
        send->once = true;
        if (counts(parts->content, flow->site_loop) || counts(parts->count, flow->site_loop)) {
            send->verdict = AN_NON_DETERMINISTIC;
            send->text = "how often a poll was asked goes into a send";
        }
    }
}

/* Is the order of arrival in what is sent? Then the verdict is given. */
static bool order_judge(const struct parts *parts, struct an_flow_value worst,
                        struct an_flow_send *send)
{
    const char *text = NULL;

    if (worst.kind == AN_FLOW_ORDER)
        text = where_is(parts, AN_FLOW_ORDER);
    else if (parts->content.kind == AN_FLOW_COUNTED || parts->count.kind == AN_FLOW_COUNTED ||
             parts->peer.kind == AN_FLOW_COUNTED || parts->tag.kind == AN_FLOW_COUNTED)
        text = "an incomplete count or sum over the messages is sent";
    else if (worst.kind == AN_FLOW_INDEXED ||
             (worst.flags & AN_FLOW_PERMUTED && worst.kind >= AN_FLOW_SOURCE &&
              worst.kind <= AN_FLOW_MESSAGE))
        text = "an array in the order of arrival is sent";
    if (text)
        say(send, AN_NON_DETERMINISTIC, text, worst);
    return text != NULL;
}

static void parts_judge(struct an_flow *flow, const struct parts *parts, struct an_flow_send *send)
{
    struct an_flow_value worst = worst_of(parts);

    if (order_judge(parts, worst, send))
        return;
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
    if ((flow->polls || flow->batches) && !parts->once && parts->complete) {
        say(send, AN_UNKNOWN, "it would have to be known how often a send happens", worst);
        return;
    }
    if (an_flow_depends(worst)) {
        message_judge(flow, parts, worst, send);
        return;
    }
    time_judge(flow, parts, send);
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

/* Whether a buffer is, or may be, MPI_IN_PLACE, which has no name in the argument of a macro:
 * MPICH's is the address -1. */
static bool may_be_in_place(const struct an_node *buffer, struct an_flow_value value)
{
    for (const struct an_node *n = buffer; n; n = an_next(buffer, n, false))
        if ((n->name && strcmp(n->name, "MPI_IN_PLACE") == 0) || (n->constant && n->value == -1))
            return true;
    return buffer && !value.targets && !an_plain(buffer)->constant;
}

/* The data sent: with MPI_IN_PLACE it lies in the receive buffer. */
static struct an_flow_value content_of(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    const struct an_node *count = node_of(flow, mpi, what->send.count);
    struct an_flow_value buffer = value_at(flow, mpi, what->send.buffer);
    buffer = an_flow_around(flow, buffer, node_of(flow, mpi, what->send.buffer), count);
    if (an_flow_bottom_find(flow, mpi, &what->send, &buffer))
        count = NULL;
    struct an_flow_value content =
        an_flow_content(flow, buffer, count && count->constant ? count->value : -1);

    if (what->role != AN_COLLECTIVE || what->receive.buffer < 0 ||
        !may_be_in_place(node_of(flow, mpi, what->send.buffer), buffer))
        return content;
    struct an_flow_value place = value_at(flow, mpi, what->receive.buffer);
    return an_flow_either(flow, content, an_flow_content(flow, place, -1));
}

/* `value`, or what a handle depends on that goes into the same send. */
static struct an_flow_value with_handle(struct an_flow *flow, const struct an_mpi *mpi, int number,
                                        struct an_flow_value value)
{
    struct an_flow_value handle = value_at(flow, mpi, number);

    if (handle.targets) /* an array of datatypes */
        handle = an_flow_content(flow, handle, -1);
    return an_flow_depends(handle) ? an_flow_combine(value, handle) : value;
}

/* Notes which channel a send uses. A started request uses the channel of the call that made it;
 * of that only numbers are the same as they were then. */
static void channel_note(struct an_flow *flow, const struct an_mpi *mpi, struct an_flow_send *send)
{
    bool starts = mpi->what->role == AN_START;
    const struct an_node *made = NULL;
    bool sends = !starts || an_flow_lasting_sends(flow, mpi, &made);
    struct an_mpi by = *mpi;

    if (made)
        an_call_is_mpi(flow->program, made, &by);
    send->tag = node_of(flow, &by, by.what->send.tag);
    send->peer = node_of(flow, &by, by.what->send.peer);
    send->tagged = sends && (by.what->send.tag >= 0 || (starts && !made));
    send->untagged = sends && by.what->send.tag < 0;
    if (!starts)
        send->comm = node_of(flow, mpi, mpi->what->comm);
    else if (send->tag && !an_plain(send->tag)->constant)
        send->tag = NULL;
    if (starts && send->peer && !an_plain(send->peer)->constant)
        send->peer = NULL;
}

void an_flow_send(struct an_flow *flow, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    struct parts parts = {.gate = NULL};

    parts.peer = value_at(flow, mpi, what->send.peer);
    parts.tag = value_at(flow, mpi, what->send.tag);
    parts.count = value_at(flow, mpi, what->send.count);
    if (parts.count.targets) /* an array of counts */
        parts.count = an_flow_content(flow, parts.count, -1);
    parts.peer = with_handle(flow, mpi, what->comm, parts.peer);
    parts.count = with_handle(flow, mpi, what->send.datatype, parts.count);
    parts.count = with_handle(flow, mpi, what->operation, parts.count);
    parts.content = content_of(flow, mpi);
    if (what->role == AN_START)
        parts.content = an_flow_lasting_content(flow, mpi);
    if (what->flags & AN_SETS_UP)
        parts.content = an_flow_given(flow, mpi);
    parts.peer.targets = parts.tag.targets = 0;
    control_read(flow, &parts);
    struct an_flow_send *send = send_find(flow, mpi->call);
    channel_note(flow, mpi, send);
    send->loop = flow->depth;
    send->way = flow->polls ? an_flow_way_here(flow) : NULL;
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

/* Whether it is one call, or two runs of it of which each round has only one. */
static bool is_same(const struct an_flow_send *a, const struct an_flow_send *b)
{
    return a->call == b->call && (!a->way || !b->way || an_flow_ways_exclude(a->way, b->way));
}

/* Whether two sends may be of one kind, and their tags the same. */
static bool may_share(struct an_flow *flow, const struct an_flow_send *a,
                      const struct an_flow_send *b)
{
    if (a->untagged && b->untagged)
        return true;
    return a->tagged && b->tagged &&
           !(a->tag && b->tag && an_flow_tags_differ(flow->program, a->tag, b->tag));
}

/* Whether there is no message for which both sends go to one destination. */
static bool never_meet(struct an_flow *flow, const struct an_flow_send *send,
                       const struct an_flow_send *other)
{
    if (peers_differ(send, other))
        return true;
    return !send->chosen && (other->once || other->verdict == AN_DETERMINISTIC) &&
           an_flow_texts_differ(flow->program, send->peer, other->peer);
}

/* Whether what a message does to the one send shows in its order with the other. */
static bool may_cross(struct an_flow *flow, const struct an_flow_send *send,
                      const struct an_flow_send *other)
{
    return other != send && !other->after && other->within && !is_same(send, other) &&
           other->loop >= flow->site_loop && !never_meet(flow, send, other) &&
           may_share(flow, send, other) &&
           !an_flow_texts_differ(flow->program, send->comm, other->comm);
}

/* Sends that happen or not, or now or later, or whose destination a message selects, need a channel
 * of their own. */
void an_flow_sends_compare(struct an_flow *flow)
{
    for (struct an_flow_send *send = flow->sends; send; send = send->next) {
        if (!(send->once || send->chosen) || send->after)
            continue;
        for (struct an_flow_send *other = flow->sends; other; other = other->next) {
            if (!may_cross(flow, send, other))
                continue;
            say(send, AN_NON_DETERMINISTIC,
                send->chosen ? "a message selects which of two sends a destination gets"
                             : "two sends that may use one channel change places with time",
                send->what);
            break;
        }
    }
}
