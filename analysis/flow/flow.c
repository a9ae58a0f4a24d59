/* Idea: one run per site and root. Functions that lead to the site are marked first, so that the
 * run up to the site enters nothing else. */
#include "analysis/flow/flow.h"

#include <stdlib.h>
#include <string.h>

static void callers_mark(struct an_flow *flow, const struct an_node *function)
{
    unsigned room = flow->judgement->functions + 1, head = 0, tail = 0;
    const struct an_node **queue = an_flow_alloc(flow, room * sizeof *queue);

    ((struct an_node *)(uintptr_t)function)->mark = flow->mark;
    queue[tail++] = function;
    while (head < tail) {
        struct an_callers callers = an_function_callers(flow->program, queue[head++]);
        for (unsigned i = 0; i < callers.count; i++) {
            struct an_node *caller = an_function_of(callers.calls[i]);
            if (!caller || caller->mark == flow->mark)
                continue;
            if (tail == room) {
                flow->exhausted = true;
                return;
            }
            caller->mark = flow->mark;
            queue[tail++] = caller;
        }
    }
}

/* Effect: marks the objects that `value` points to, and puts the new ones into the queue. */
static unsigned pointed_mark(struct an_flow *flow, struct an_flow_value value,
                             struct an_flow_marks *found, unsigned *queue, unsigned tail)
{
    const struct an_flow_set *set = an_flow_targets(flow, value.targets);
    bool lost = set->count >= AN_FLOW_PLACES; /* maybe to more than that */

    for (unsigned i = 0; i < (lost ? an_flow_cells(flow) : set->count); i++) {
        unsigned object = an_flow_cell(flow, lost ? i : set->cells[i])->object;
        if (!an_flow_marks_have(found, object))
            queue[tail++] = object;
        an_flow_marks_add(found, object);
    }
    return tail;
}

void an_flow_leak(struct an_flow *flow, struct an_flow_value value)
{
    if (value.targets)
        flow->leaked.targets = an_flow_either(flow, flow->leaked, value).targets;
}

/* The objects that the callers of the root can reach: what outlives it anyway, what it returns, and
 * what these point to. A block that only its locals lead to is gone for everybody. */
static void reachable_find(struct an_flow *flow, struct an_flow_marks *found)
{
    unsigned count = an_flow_cells(flow), head = 0, tail = 0;
    unsigned *queue = an_flow_alloc(flow, (count + 1) * sizeof *queue);

    tail = pointed_mark(flow, flow->frame->result, found, queue, tail);
    tail = pointed_mark(flow, flow->leaked, found, queue, tail);
    for (unsigned i = 1; i < count; i++) {
        unsigned object = an_flow_cell(flow, i)->object;
        if (an_flow_object(flow, object)->outside && !an_flow_marks_have(found, object)) {
            an_flow_marks_add(found, object);
            queue[tail++] = object;
        }
    }
    while (head < tail)
        for (unsigned i = an_flow_object(flow, queue[head++])->cells; i;
             i = an_flow_cell(flow, i)->sibling)
            if (i < flow->state.count)
                tail = pointed_mark(flow, *an_flow_held(&flow->state, i), found, queue, tail);
}

/* Dependence that outlives the root function. */
static void escapes_find(struct an_flow *flow)
{
    struct an_flow_marks reachable = {NULL, 0};
    bool kept = an_flow_depends(flow->frame->result);

    reachable_find(flow, &reachable);
    for (unsigned i = 1; i < flow->state.count && i < an_flow_cells(flow); i++) {
        struct an_flow_value value = *an_flow_held(&flow->state, i);
        if (!an_flow_depends(value) ||
            !an_flow_marks_have(&reachable, an_flow_cell(flow, i)->object))
            continue;
        kept = true;
        flow->sorted |= value.kind == AN_FLOW_RANKING;
        if (value.kind == AN_FLOW_RANKING ||
            (value.kind == AN_FLOW_FLAG && value.loop != AN_FLOW_NO_LOOP))
            continue;
        if (value.kind == AN_FLOW_SOURCE && value.flags & AN_FLOW_PERMUTED)
            flow->escape_sources = true;
        if (value.kind > flow->escape.kind)
            flow->escape = value;
    }
    if (an_flow_depends(flow->frame->result) && flow->frame->result.kind > flow->escape.kind)
        flow->escape = flow->frame->result;
    flow->closed = flow->spun && !kept && flow->site->wildcard == AN_WILD_FLAG;
    free(reachable.words);
}

static void root_bind(struct an_flow *flow, const struct an_node *root)
{
    for (const struct an_node *child = root->child; child && child->kind == AN_PARAMETER;
         child = child->next) {
        struct an_flow_value address = an_flow_variable(flow, child), value = {0};
        an_flow_store(flow, address, value, false);
    }
}

struct an_flow *an_flow_run(struct an_judgement *judgement, const struct an_site *site,
                            const struct an_site *posting, const struct an_node *root,
                            unsigned choice, long budget)
{
    static unsigned marks = 0x40000000;
    struct an_flow *flow = calloc(1, sizeof *flow);
    struct an_flow_frame frame = {.function = root, .context = 1};

    if (!flow)
        abort();
    flow->judgement = judgement;
    flow->program = judgement->program;
    flow->site = site;
    flow->posting = posting;
    flow->root = root;
    flow->budget = budget;
    flow->mark = ++marks;
    flow->choice = choice;
    an_flow_memory_create(flow);
    if (site) {
        flow->polls = site->wildcard & AN_WILD_FLAG;
        flow->batches = site->mpi.what->indices >= 0;
        flow->request_sends = an_flow_completes_sends(flow->program, site);
        callers_mark(flow, an_function_of(site->node));
    }
    flow->seen = !site;
    flow->frame = &frame;
    flow->frames = 1;
    root_bind(flow, root);
    an_flow_function(flow, root);
    an_flow_sends_compare(flow);
    escapes_find(flow);
    flow->frame = NULL;
    return flow;
}

void an_flow_destroy(struct an_flow *flow)
{
    if (!flow)
        return;
    an_flow_state_free(&flow->state);
    for (unsigned i = 0; i < sizeof flow->known / sizeof *flow->known; i++)
        for (struct an_flow_known *known = flow->known[i]; known; known = known->next)
            free(known->written.words);
    an_flow_memory_destroy(flow);
    free(flow);
}
