/* Idea: region/rival.h has found who else may take the site's messages. A set that is not complete
 * gives values that the order of arrival decides, whatever is made of them. */
#include "analysis/flow/flow.h"

const struct an_rival *an_flow_rival(const struct an_flow *flow, const struct an_node *call)
{
    const struct an_rival *rival = flow->site ? flow->site->rivals : NULL;

    while (rival && rival->call != call)
        rival = rival->next;
    return rival;
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
