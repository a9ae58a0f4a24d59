/* Idea: kinds form a chain, and what two values make together is mostly the worse of them. The
 * exceptions are the point: the number of a turn together with what came in that turn tells the
 * order (ORDER), and so do two different messages in one value. */
#include "analysis/flow/value.h"

enum { NOWHERE = 0xffff };

bool an_flow_depends(struct an_flow_value value)
{
    return value.kind > AN_FLOW_SLOT;
}

bool an_flow_same(const struct an_flow_value *a, const struct an_flow_value *b)
{
    return a->kind == b->kind && a->loop == b->loop && a->flags == b->flags && a->op == b->op &&
           a->targets == b->targets && a->index == b->index && a->iter == b->iter &&
           a->carried == b->carried;
}

static bool is_message(struct an_flow_value value)
{
    return value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;
}

static bool counts_turns(struct an_flow_value value, unsigned loop)
{
    return loop < AN_FLOW_NO_LOOP && value.iter >> loop & 1;
}

static struct an_flow_value worse(struct an_flow_value a, struct an_flow_value b)
{
    return b.kind > a.kind ? b : a;
}

static enum an_flow_kind kinds_combine(struct an_flow_value a, struct an_flow_value b)
{
    struct an_flow_value most = worse(a, b), least = b.kind > a.kind ? a : b;
    enum an_flow_kind kind = most.kind;

    if (kind >= AN_FLOW_OPAQUE || kind <= AN_FLOW_SLOT)
        return kind;
    if (kind == AN_FLOW_RANKING)
        return least.kind == AN_FLOW_RANKING ? AN_FLOW_OPAQUE : kind;
    if (least.kind == AN_FLOW_RANKING)
        return AN_FLOW_OPAQUE;
    if (kind == AN_FLOW_COUNTED)
        return least.kind > AN_FLOW_SLOT && (least.kind != kind || least.loop != most.loop)
                   ? AN_FLOW_ORDER
                   : kind;
    if (kind == AN_FLOW_INDEXED)
        return AN_FLOW_ORDER;
    if (is_message(most) && (counts_turns(least, most.loop) || counts_turns(most, most.loop)))
        return AN_FLOW_ORDER;
    if (is_message(most) && is_message(least) &&
        (most.loop != least.loop || most.index != least.index))
        return AN_FLOW_ORDER;
    return kind;
}

struct an_flow_value an_flow_combine(struct an_flow_value a, struct an_flow_value b)
{
    struct an_flow_value made = worse(a, b);

    made.kind = kinds_combine(a, b);
    made.iter = a.iter | b.iter;
    made.flags =
        ((a.flags | b.flags) &
         (AN_FLOW_FLOATING | AN_FLOW_LOSSY | AN_FLOW_CLOCKED | AN_FLOW_PERMUTED | AN_FLOW_TURNED |
          AN_FLOW_VALUED | AN_FLOW_ADDRESS | AN_FLOW_OFFSET | AN_FLOW_COUNTUP | AN_FLOW_APART |
          AN_FLOW_BROUGHT | AN_FLOW_SOME | AN_FLOW_KEYED));
    made.place = 0;
    made.carried = 0;
    if (!(made.why = worse(a, b).why))
        made.why = a.why ? a.why : b.why;
    made.number = 0;
    made.targets = 0;
    made.stamp = a.stamp == b.stamp ? a.stamp : a.stamp * 31 + b.stamp;
    return made;
}

struct an_flow_value an_flow_join(struct an_flow_value a, struct an_flow_value b)
{
    struct an_flow_value made = worse(a, b);

    if (a.kind == AN_FLOW_COUNTED && b.kind == AN_FLOW_COUNTED && a.op != b.op)
        made.kind = AN_FLOW_ORDER;
    else if (a.kind == AN_FLOW_COUNTED || b.kind == AN_FLOW_COUNTED) {
        struct an_flow_value other = a.kind == AN_FLOW_COUNTED ? b : a;
        if (other.kind == AN_FLOW_MESSAGE || other.kind == AN_FLOW_SOURCE)
            made.kind = AN_FLOW_ORDER;
    } else if (is_message(a) && is_message(b) && (a.loop != b.loop || a.index != b.index))
        made.kind = AN_FLOW_ORDER;
    made.iter = a.iter | b.iter;
    made.carried = a.carried | b.carried;
    made.flags = (a.flags | b.flags) & ~AN_FLOW_CONSTANT;
    if (a.flags & b.flags & AN_FLOW_CONSTANT && a.number == b.number)
        made.flags |= AN_FLOW_CONSTANT;
    if ((a.flags ^ b.flags) & AN_FLOW_PERMUTED && is_message(a) && is_message(b))
        made.kind = AN_FLOW_ORDER;
    made.stamp = a.stamp == b.stamp ? a.stamp : 0;
    made.place = a.place == b.place ? a.place : NOWHERE;
    return made;
}

struct an_flow_value an_flow_age(struct an_flow_value value, bool born)
{
    if (!is_message(value) || value.index)
        return value;
    if (value.flags & AN_FLOW_PERMUTED || born) {
        value.flags |= AN_FLOW_PERMUTED;
        value.stamp = 0;
        return value;
    }
    value.kind = AN_FLOW_ORDER;
    return value;
}

struct an_flow_value an_flow_leave(struct an_flow_value value, unsigned loop, bool fixed, bool born)
{
    value.iter &= ~((uint64_t)1 << loop);
    value.carried &= ~((uint64_t)1 << loop);
    if (value.kind < AN_FLOW_FLAG || value.kind > AN_FLOW_COUNTED || value.loop != loop)
        return value;
    if (is_message(value) && (value.flags & AN_FLOW_PERMUTED || born)) {
        value.flags |= AN_FLOW_PERMUTED;
        value.loop = AN_FLOW_NO_LOOP;
        value.stamp = 0;
    } else if (is_message(value) || !fixed) {
        value.kind = AN_FLOW_ORDER;
    } else if (value.kind == AN_FLOW_INDEXED && value.flags & AN_FLOW_KEYED) {
        value.kind = AN_FLOW_OPAQUE; /* the last of several, maybe */
    } else {
        value.kind = AN_FLOW_FREE;
        value.why = NULL;
        value.loop = 0;
        value.flags &= ~(AN_FLOW_LOSSY | AN_FLOW_PERMUTED);
    }
    return value;
}
