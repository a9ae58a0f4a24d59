/* Idea: region/rival.h has found who else may take the site's messages. A set that is not complete
 * gives values that the order of arrival decides, whatever is made of them. */
#include "analysis/flow/memory.h"

const struct an_rival *an_flow_rival(const struct an_flow *flow, const struct an_node *call)
{
    const struct an_rival *rival = flow->site ? flow->site->rivals : NULL;

    while (rival && rival->call != call)
        rival = rival->next;
    return rival;
}

struct an_flow_value an_flow_left_over(struct an_flow *flow, const struct an_node *call,
                                       struct an_flow_value content)
{
    const struct an_rival *rival = flow->seen ? an_flow_rival(flow, call) : NULL;

    if (!rival || !rival->ahead || content.kind >= AN_FLOW_ORDER)
        return content;
    content.kind = AN_FLOW_ORDER;
    content.why =
        an_flow_because(flow, call, "this takes what another receive has left", content.why);
    flow->dependent++;
    return content;
}

static const struct an_open *open_find(const struct an_flow *flow, const struct an_node *loop)
{
    const struct an_open *open = flow->site ? flow->site->open : NULL;

    while (open && open->loop && open->loop != loop)
        open = open->next;
    return open;
}

static bool has_rival_ahead(const struct an_flow *flow)
{
    for (const struct an_rival *rival = flow->site->rivals; rival; rival = rival->next)
        if (rival->ahead && !rival->together)
            return true;
    return false;
}

bool an_flow_is_open(const struct an_flow *flow, const struct an_node *loop)
{
    const struct an_open *open = open_find(flow, loop);

    return flow->site && ((open && (!open->nested || flow->polls)) || has_rival_ahead(flow));
}

const struct an_node *an_flow_taking_loop(const struct an_flow *flow, unsigned *depth)
{
    const struct an_flow_loop *loop = flow->loop;

    *depth = flow->depth;
    for (; loop; loop = loop->outer) {
        const struct an_open *open = open_find(flow, loop->node);
        if (loop->node->kind == AN_SWITCH)
            continue;
        if (!open || !open->nested || flow->polls || *depth <= 1)
            break;
        --*depth;
    }
    return loop ? loop->node : NULL;
}

uint64_t an_flow_taking_turns(const struct an_flow *flow)
{
    unsigned depth = flow->depth, first;
    const struct an_flow_loop *loop = flow->loop;
    bool drains = flow->polls;

    an_flow_taking_loop(flow, &first);
    for (; loop && drains; loop = loop->outer) {
        if (loop->node->kind == AN_SWITCH)
            continue;
        drains = *loop->drains && depth > 1;
        depth -= drains;
    }
    first = depth < first ? depth : first;
    return first ? ((uint64_t)2 << flow->depth) - ((uint64_t)1 << first) : 0;
}

void an_flow_turns_mix(struct an_flow *flow, uint64_t turns)
{
    for (unsigned i = 1; i < flow->state.count && turns & (turns - 1); i++) {
        struct an_flow_value value = *an_flow_held(&flow->state, i);
        if (!(value.iter & turns) || (value.iter & turns) == turns)
            continue;
        value.iter |= turns;
        an_flow_put(&flow->state, i, value);
    }
}

static bool stands_in(const struct an_node *root, const struct an_node *node)
{
    while (node && node != root)
        node = node->parent;
    return node != NULL;
}

static bool goes_on_taking(const struct an_flow *flow, const struct an_node *loop)
{
    const struct an_site *site = flow->site;
    bool inside = false;

    for (const struct an_rival *rival = site ? site->rivals : NULL; rival; rival = rival->next)
        inside |= rival->together && (stands_in(loop, rival->call) || stands_in(loop, site->node));
    return inside && !flow->posting;
}

void an_flow_taking_enter(struct an_flow *flow, const struct an_node *loop)
{
    if (!flow->seen || flow->left || flow->site_loop + 1 != flow->depth ||
        !goes_on_taking(flow, loop))
        return;
    for (unsigned i = 1; i < flow->state.count; i++) {
        struct an_flow_value value = *an_flow_held(&flow->state, i);
        if (value.kind < AN_FLOW_FLAG || value.kind > AN_FLOW_MESSAGE || value.index ||
            value.loop != flow->site_loop || value.flags & AN_FLOW_PERMUTED)
            continue;
        value.loop = (unsigned char)flow->depth;
        an_flow_put(&flow->state, i, value);
    }
    an_flow_turns_mix(flow, (uint64_t)3 << flow->site_loop);
    flow->site_loop = flow->depth;
    flow->around = loop;
}

bool an_flow_is_robbed(const struct an_flow *flow)
{
    const struct an_site *site = flow->posting ? flow->posting : flow->site;
    bool posts = site->mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT);

    if (site->robbed)
        return true;
    for (const struct an_open *open = posts ? site->open : NULL; open; open = open->next)
        if (!open->nested)
            return true;
    return posts && has_rival_ahead(flow);
}
