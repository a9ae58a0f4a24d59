/* Idea: the handle of a persistent request is a pointer to its buffers, so that copies of it, and
 * what decides which one it is, are followed as for any pointer. To start it is to send what is
 * there, or to store what comes through that pointer. A handle of which nothing is known is any. */
#include "analysis/flow/flow.h"

#include <string.h>

static void add(struct an_flow *flow, const struct an_flow_lasting *made)
{
    struct an_flow_lasting *one;

    for (one = flow->lasting; one; one = one->next)
        if (one->buffer.targets == made->buffer.targets && one->sends == made->sends &&
            one->call == made->call && one->own == made->own) {
            one->part |= made->part;
            one->content = an_flow_either(flow, one->content, made->content);
            return;
        }
    one = an_flow_alloc(flow, sizeof *one);
    *one = *made;
    one->next = flow->lasting;
    flow->lasting = one;
}

struct an_flow_value an_flow_lasting_make(struct an_flow *flow, const struct an_node *call,
                                          struct an_flow_value from, struct an_flow_value to,
                                          const struct an_flow_value *content)
{
    struct an_flow_lasting out = {.buffer = {.targets = from.targets}, .sends = true, .call = call};
    struct an_flow_lasting in = {.buffer = {.targets = to.targets}, .call = call};
    struct an_flow_value handle = {.targets = an_flow_either(flow, from, to).targets};

    in.part = to.iter || to.flags & AN_FLOW_OFFSET || from.targets == to.targets;
    if (from.targets)
        add(flow, &out);
    in.own = !content;
    if (content)
        in.content = *content;
    in.content.iter = 0;
    if (to.targets)
        add(flow, &in);
    handle.stamp = (unsigned)((uintptr_t)call >> 4) * 2654435761u + 5;
    return handle;
}

/* The handles that a call starts; what chooses them is in it, too. MPI_Pready and such get the
 * handle itself. */
static struct an_flow_value handle_of(struct an_flow *flow, const struct an_mpi *start)
{
    const struct an_call *what = start->what;
    const struct an_node *node = an_mpi_argument(flow->program, start, (unsigned)what->request);
    struct an_flow_value request = {0};

    if (node)
        request = an_flow_value_of(flow, node);
    if (strncmp(what->name, "Start", 5) != 0)
        return request;
    struct an_flow_value handle = an_flow_content(flow, request, what->requests < 0 ? 1 : -1);
    handle.stamp = handle.stamp * 31 + request.stamp; /* another element is another request */
    return handle;
}

static bool is_started(struct an_flow *flow, const struct an_flow_lasting *one,
                       struct an_flow_value handle)
{
    return !handle.targets || an_flow_targets_meet(flow, one->buffer.targets, handle.targets);
}

struct an_flow_value an_flow_lasting_content(struct an_flow *flow, const struct an_mpi *start)
{
    struct an_flow_value handle = handle_of(flow, start), made = {0};

    for (const struct an_flow_lasting *one = flow->lasting; one; one = one->next)
        if (one->sends && is_started(flow, one, handle))
            made = an_flow_either(flow, made, an_flow_content(flow, one->buffer, -1));
    return an_flow_combine(made, handle);
}

bool an_flow_lasting_sends(struct an_flow *flow, const struct an_mpi *start,
                           const struct an_node **call)
{
    struct an_flow_value handle = handle_of(flow, start);
    unsigned sends = 0, receives = 0;

    *call = NULL;
    for (const struct an_flow_lasting *one = flow->lasting; one && handle.targets;
         one = one->next) {
        if (!is_started(flow, one, handle))
            continue;
        sends += one->sends;
        receives += !one->sends;
        if (one->sends)
            *call = sends == 1 ? one->call : NULL;
    }
    return sends || !receives;
}

void an_flow_lasting_start(struct an_flow *flow, const struct an_mpi *start)
{
    struct an_flow_value handle = handle_of(flow, start);
    bool certain = an_flow_targets(flow, handle.targets)->count == 1 && !handle.iter;
    bool perhaps =
        an_flow_depends(handle) || an_flow_depends(an_flow_control_of(flow, flow->depth));

    for (const struct an_flow_lasting *one = flow->lasting; one; one = one->next) {
        struct an_flow_value address = handle, content = one->content;
        if (one->sends || one->own || !is_started(flow, one, handle))
            continue;
        address.targets = one->buffer.targets;
        content = an_flow_left_over(flow, one->call, content);
        if (!perhaps && !an_flow_depends(content))
            content.iter = (uint64_t)1 << flow->depth; /* the next message in each turn */
        content.stamp = (unsigned)((uintptr_t)start->call >> 4) * 2654435761u + handle.stamp;
        if (an_flow_depends(handle))
            an_flow_store(flow, address, content, false);
        else if (certain && one->buffer.targets == handle.targets && !one->part)
            an_flow_store(flow, one->buffer, content, true);
        else
            an_flow_mix(flow, address, content);
    }
}
