/* Idea: a loop's turns start from what any earlier turn may have left. Each cell that the loop
 * writes varies with its turns, unless the turn itself writes it before it reads it; arrays are
 * carried over without that. How the loop ends says what its accumulations are worth behind it. */
#include "analysis/flow/latch.h"
#include "analysis/flow/tag.h"
#include "analysis/flow/walk.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 24, CHEAP = 8 };

static bool is_clean(const struct an_flow *flow)
{
    return !flow->dependent;
}

static bool is_born(const struct an_flow *flow, unsigned cell, unsigned loop)
{
    unsigned born = an_flow_object(flow, an_flow_cell(flow, cell)->object)->born;
    return born && born >= loop;
}

static bool is_pointer(const struct an_flow *flow, unsigned number)
{
    const struct an_flow_cell *cell = an_flow_cell(flow, number);
    const struct an_flow_object *object = an_flow_object(flow, cell->object);

    return !cell->field && object->name && object->type && object->type->class == AN_POINTER;
}

/* After the first turn only what it wrote is known: all of that varies with the turns. */
static void head_mark(struct an_flow *flow, struct an_flow_state *head,
                      const struct an_flow_loop *loop, unsigned depth)
{
    const struct an_flow_marks *written = loop->written;

    for (unsigned i = an_flow_marks_next(written, 1);
         i < 64 * written->count && i < an_flow_cells(flow);
         i = an_flow_marks_next(written, i + 1)) {
        struct an_flow_value *value = an_flow_at(head, i);
        value->carried |= (uint64_t)1 << depth;
        if (an_flow_is_array(flow, i) ||
            (!(value->flags & AN_FLOW_OFFSET) && (value->targets || is_pointer(flow, i))))
            continue;
        value->iter |= (uint64_t)1 << depth;
        value->stamp = (unsigned)((uintptr_t)loop->node >> 4) * 2246822519u + i;
        value->flags &= ~AN_FLOW_CONSTANT;
    }
}

/* The value of a cell at the head of the next turn, from the value that this turn left in it. */
static struct an_flow_value head_value(const struct an_flow *flow, const struct an_flow_loop *loop,
                                       unsigned depth, unsigned cell, struct an_flow_value value)
{
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;

    if (message && value.index && value.loop == depth) {
        value.index = 0;
        value = an_flow_age(value, is_born(flow, cell, depth));
    }
    if (message && !value.index && value.flags & AN_FLOW_PERMUTED && value.loop == depth)
        value.stamp = 0;
    if (!an_flow_marks_have(loop->written, cell) ||
        (message && value.loop == depth && !(value.flags & AN_FLOW_PERMUTED)))
        return value;
    value.carried |= (uint64_t)1 << depth;
    if (an_flow_is_array(flow, cell) ||
        (!(value.flags & AN_FLOW_OFFSET) && (value.targets || is_pointer(flow, cell))))
        return value;
    value.iter |= (uint64_t)1 << depth;
    if (!(value.flags & AN_FLOW_PERMUTED))
        value.stamp = (unsigned)((uintptr_t)loop->node >> 4) * 2246822519u + cell;
    value.flags &= ~AN_FLOW_CONSTANT;
    return value;
}

/* The state at the head of the next turn: what the first had, or what this one left. */
static void head_make(struct an_flow *flow, struct an_flow_state *head, struct an_flow_loop *loop,
                      unsigned depth)
{
    struct an_flow_value nothing = {0};

    if (flow->dead)
        return;
    for (unsigned i = an_flow_next(&flow->state, 0, depth, loop->written); i < flow->state.count;
         i = an_flow_next(&flow->state, i + 1, depth, loop->written))
        an_flow_put(&flow->state, i,
                    head_value(flow, loop, depth, i, *an_flow_held(&flow->state, i)));
    an_flow_state_join(flow, head, &flow->state, nothing, NULL);
    for (unsigned i = an_flow_next(&flow->state, 0, depth, loop->written);
         i < head->count && i < flow->state.count;
         i = an_flow_next(&flow->state, i + 1, depth, loop->written)) {
        struct an_flow_value end = *an_flow_held(&flow->state, i), value = *an_flow_held(head, i);
        bool message = end.kind == AN_FLOW_SOURCE || end.kind == AN_FLOW_MESSAGE;
        if (an_flow_marks_have(loop->written, i))
            value.stamp = end.stamp;
        if (message && end.loop == depth && !end.index && !(end.flags & AN_FLOW_PERMUTED))
            value.iter &= ~((uint64_t)1 << depth); /* what the turn before received */
        an_flow_put(head, i, value);
    }
}

/* How a loop ends, for what it leaves behind. */
struct ending {
    struct an_flow_value end;
    unsigned depth;
    bool own;      /* by what its own messages say */
    bool fixed;    /* only once all has come */
    bool spins;    /* when the site's flag says so */
    bool asks;     /* the number of its turns depends on how often was asked */
    bool batches;  /* the site has said how many were complete, in each turn */
    bool too_soon; /* maybe before a poll has found everything */
    bool open;     /* while messages of the same kind may still come, for another receive */
};

static bool ends_by_other_flag(struct an_flow *flow, const struct an_node *loop)
{
    const struct an_node *condition = loop->child, *function = an_function_of(loop);

    if (loop->kind == AN_FOR || loop->kind == AN_DO)
        condition = loop->child->next;
    for (const struct an_node *n = condition; n; n = an_next(condition, n, false))
        if (n->kind == AN_REFERENCE && n->symbol &&
            an_flow_is_flag(flow, function, n->symbol, flow->site))
            return true;
    return false;
}

static struct ending ending_make(struct an_flow *flow, const struct an_flow_loop *loop,
                                 unsigned depth, struct an_flow_value end)
{
    struct ending ending = {.end = end, .depth = depth};
    bool polls = flow->site && flow->site->wildcard & AN_WILD_FLAG;
    bool other = polls && ends_by_other_flag(flow, loop->node);

    ending.own = an_flow_depends(end) && end.loop == depth && end.kind <= AN_FLOW_COUNTED;
    ending.spins = ending.own && end.kind == AN_FLOW_FLAG;
    ending.open = !ending.spins && an_flow_is_open(flow, loop->node);
    ending.fixed = !an_flow_depends(end) || (ending.own && end.kind == AN_FLOW_COUNTED) ||
                   (!ending.own && end.kind <= AN_FLOW_MESSAGE);
    bool site = flow->seen && depth == flow->site_loop;
    ending.asks = (polls || flow->batches) && (ending.own || (other && site));
    ending.batches = flow->batches;
    ending.too_soon = (polls || flow->batches) && !an_flow_depends(end) && !other && site;
    return ending;
}

static bool is_controlled(const struct an_flow *flow)
{
    for (unsigned i = 0; i < flow->control_count; i++)
        if (an_flow_depends(flow->controls[i].value))
            return true;
    return false;
}

/* A message has ended the loop: how many turns that took, and what they counted, the order of
 * arrival says, or, of a search in what has come, where the element is that was looked for. */
static bool is_cut(const struct ending *ending, struct an_flow_value value)
{
    bool message = ending->end.kind == AN_FLOW_SOURCE || ending->end.kind == AN_FLOW_MESSAGE;
    return ending->own && message && value.kind == AN_FLOW_FREE && value.iter >> ending->depth & 1;
}

/* The value after the loop of one cell, or of a returned value. */
static struct an_flow_value value_leave(const struct ending *ending, struct an_flow_value value,
                                        bool born)
{
    bool own =
        value.loop == ending->depth && value.kind >= AN_FLOW_FLAG && value.kind <= AN_FLOW_COUNTED;
    bool waits = ending->end.kind == AN_FLOW_FLAG && !ending->own;

    if (ending->open && own && value.kind >= AN_FLOW_SOURCE) {
        value.kind = AN_FLOW_ORDER;
        value.flags &= ~AN_FLOW_PERMUTED;
    } else if (ending->asks && value.kind == AN_FLOW_FREE && value.flags & AN_FLOW_TURNED &&
               value.iter >> ending->depth & 1) {
        value.kind = AN_FLOW_FLAG;
        value.loop = AN_FLOW_NO_LOOP; /* no loop's end makes up for it */
        value.why = ending->end.why;
    } else if (is_cut(ending, value)) {
        value.kind = !ending->end.index                   ? AN_FLOW_ORDER
                     : ending->end.kind == AN_FLOW_SOURCE ? AN_FLOW_RANKING
                                                          : AN_FLOW_OPAQUE;
        value.why = ending->end.why;
    } else if (own && ending->spins && value.kind == AN_FLOW_FLAG) {
        value = (struct an_flow_value){.flags = AN_FLOW_WRITTEN};
    } else if (own && value.index && ending->end.index == value.index &&
               (ending->end.kind == AN_FLOW_SOURCE || ending->end.kind == AN_FLOW_MESSAGE)) {
        /* what a search by a key has found in an array in the order of arrival */
        value.kind = ending->end.kind == AN_FLOW_SOURCE ? AN_FLOW_FREE : AN_FLOW_OPAQUE;
        value.index = 0;
    } else if (own && value.kind == AN_FLOW_FLAG && !waits && !ending->spins &&
               (ending->batches || ending->too_soon)) {
        value.loop = AN_FLOW_NO_LOOP; /* what the last answer was, time says */
    } else if (own && (ending->spins || waits)) {
        value.loop = ending->spins ? (unsigned char)(ending->depth - 1) : ending->end.loop;
    } else if (own && ending->too_soon && value.kind >= AN_FLOW_INDEXED) {
        bool latch = value.kind == AN_FLOW_COUNTED && value.op > AN_OPERATORS + 1;
        value.kind = latch ? AN_FLOW_FLAG : AN_FLOW_ORDER;
        value.loop = (unsigned char)(ending->depth - 1);
    }
    return an_flow_leave(value, ending->depth, ending->fixed, born);
}

/* Applies the loop's end to the values that it leaves. */
static void loop_leave(struct an_flow *flow, struct an_flow_loop *loop, unsigned depth,
                       struct an_flow_value end)
{
    struct ending ending = ending_make(flow, loop, depth, end);
    bool tells = !ending.own && an_flow_depends(end); /* what the loop wrote gets that */
    const struct an_flow_marks *marks = tells ? loop->written : NULL;

    for (unsigned i = an_flow_next(&flow->state, 0, depth, marks); i < flow->state.count;
         i = an_flow_next(&flow->state, i + 1, depth, marks)) {
        struct an_flow_value value =
            value_leave(&ending, *an_flow_held(&flow->state, i), is_born(flow, i, depth));
        if (tells && an_flow_marks_have(loop->written, i) && !an_flow_depends(value) &&
            !an_flow_marks_have(&loop->swept, i) && !(value.flags & AN_FLOW_FRESH)) {
            unsigned targets = value.targets, stamp = value.stamp;
            unsigned flags = value.flags & AN_FLOW_WRITTEN;
            value = an_flow_combine(value, end);
            value.targets = targets;
            value.flags |= flags;
            value.stamp = stamp;
        }
        an_flow_put(&flow->state, i, value);
    }
    if (flow->seen && flow->site_loop == depth) {
        if (ending.spins) {
            *loop->drains = flow->spun = true;
            flow->site_loop = depth - 1;
            flow->around = loop->outer ? loop->outer->node : NULL;
        } else {
            flow->left = true;
        }
    }
}

/* Cells that the loop sweeps over hold what its turns gave them, not what was there before. */
static void swept_take(struct an_flow *flow, struct an_flow_loop *loop,
                       const struct an_flow_state *end)
{
    for (unsigned i = an_flow_marks_next(&loop->swept, 1);
         i < 64 * loop->swept.count && i < flow->state.count && i < end->count;
         i = an_flow_marks_next(&loop->swept, i + 1))
        an_flow_put(&flow->state, i, *an_flow_held(end, i));
}

static void end_note(struct an_flow *flow, struct an_flow_loop *loop, struct an_flow_value value)
{
    (void)flow;
    if (value.kind > loop->end.kind)
        loop->end = value;
}

void an_flow_jump_note(struct an_flow *flow)
{
    struct an_flow_loop *loop = flow->loop;
    an_flow_exit_note(flow, loop->node);
    for (unsigned i = loop->controls; i < flow->control_count; i++)
        if (!flow->controls[i].of_loop || flow->controls[i].loop > flow->depth)
            end_note(flow, loop, flow->controls[i].value);
}

void an_flow_continue_take(struct an_flow *flow)
{
    struct an_flow_loop *loop = flow->loop;
    struct an_flow_value why = an_flow_control_of(flow, flow->depth);

    an_flow_exit_join(&loop->again_why, why);
    an_flow_state_take(flow, &loop->again, &loop->again_reached, loop->again_why, loop->turn);
}

/* Runs the statements that a goto back repeats: the label's statement and all that follow; the
 * end leaves the loop. */
static void label_turn_run(struct an_flow *flow, const struct an_node *label)
{
    struct an_flow_value nothing = {0};

    an_flow_label_run(flow, label);
    for (const struct an_node *child = label->next; child; child = child->next)
        an_flow_statement(flow, child);
    an_flow_state_take(flow, &flow->loop->out, &flow->loop->out_reached, nothing, NULL);
    flow->dead = true;
}

/* One turn: from the head's state to the state behind the step. */
static void turn_run(struct an_flow *flow, struct an_flow_loop *loop,
                     const struct an_flow_parts *parts, struct an_flow_state *past)
{
    struct an_flow_value test = {0};
    unsigned controls = flow->control_count;

    if (!parts->siblings && !parts->body_first && parts->condition->kind != AN_EMPTY) {
        test = an_flow_value_of(flow, parts->condition);
        an_flow_state_free(past);
        *past = an_flow_state_copy(&flow->state);
        end_note(flow, loop, test);
        an_flow_control_push(flow, loop->node, test, true, true);
        an_flow_tested_note(flow, &flow->controls[flow->control_count - 1], parts->condition);
    }
    loop->controls = flow->control_count;
    if (parts->siblings)
        label_turn_run(flow, parts->body);
    else
        an_flow_statement(flow, parts->body);
    if (loop->again_reached) {
        if (flow->dead) {
            an_flow_state_free(&flow->state);
            flow->state = loop->again;
        } else {
            an_flow_state_join(flow, &flow->state, &loop->again, loop->again_why, loop->turn);
            an_flow_state_free(&loop->again);
        }
        loop->again = (struct an_flow_state){NULL, 0};
        loop->again_reached = flow->dead = false;
    }
    flow->control_count = controls;
    if (!flow->dead && parts->step)
        an_flow_value_of(flow, parts->step);
    if (!flow->dead && parts->body_first) {
        test = an_flow_value_of(flow, parts->condition);
        an_flow_state_free(past);
        *past = an_flow_state_copy(&flow->state);
        end_note(flow, loop, test);
    }
}

static bool loop_leads(struct an_flow *flow, const struct an_node *node,
                       const struct an_flow_parts *parts)
{
    if (an_flow_leads(flow, node))
        return true;
    for (const struct an_node *sibling = node->next; parts->siblings && sibling;
         sibling = sibling->next)
        if (an_flow_leads(flow, sibling))
            return true;
    return false;
}

static struct an_flow_known *known_find(struct an_flow *flow, const struct an_node *node)
{
    uint64_t context = flow->frame->context;
    unsigned slot = (unsigned)(((uintptr_t)node >> 5) ^ context) & 255;
    struct an_flow_known *known = flow->known[slot];

    while (known && (known->node != node || known->context != context))
        known = known->next;
    if (!known) {
        known = an_flow_alloc(flow, sizeof *known);
        *known =
            (struct an_flow_known){.node = node, .context = context, .next = flow->known[slot]};
        flow->known[slot] = known;
    }
    return known;
}

/* Variables that the loop's text assigns, so that not even its first turn takes them for constant.
 */
static void assigned_mark(struct an_flow *flow, const struct an_node *loop,
                          struct an_flow_marks *marks)
{
    for (const struct an_node *n = loop; n; n = an_next(loop, n, false)) {
        bool steps = n->kind == AN_UNARY && n->op >= AN_OP_PRE_INC;
        if ((n->kind != AN_ASSIGN && !steps) || n->child->kind != AN_REFERENCE)
            continue;
        const struct an_flow_set *set =
            an_flow_targets(flow, an_flow_variable(flow, n->child).targets);
        for (unsigned i = 0; i < set->count; i++)
            an_flow_marks_add(marks, set->cells[i]);
    }
}

/* The state in which a turn begins becomes that of `head`, as if none had run. */
static void turn_begin(struct an_flow *flow, struct an_flow_loop *loop,
                       const struct an_flow_state *head)
{
    an_flow_state_free(&flow->state);
    flow->state = an_flow_state_copy(head);
    flow->dead = false;
    if (loop->out_reached)
        an_flow_state_free(&loop->out);
    loop->out_reached = false;
    memset(&loop->end, 0, sizeof loop->end);
    memset(&loop->again_why, 0, sizeof loop->again_why);
    loop->turn = head;
}

/* Joins the end of a turn into `head`. Answers whether that changed nothing. */
static bool head_join(struct an_flow *flow, struct an_flow_state *head, struct an_flow_loop *loop,
                      unsigned depth, bool mark)
{
    struct an_flow_state before = an_flow_state_copy(head);
    struct an_flow_state end = an_flow_state_copy(&flow->state);
    bool was_dead = flow->dead;

    if (mark)
        head_mark(flow, head, loop, depth);
    else
        head_make(flow, head, loop, depth);
    bool same = an_flow_state_same(&before, head);
    an_flow_state_free(&before);
    an_flow_state_free(&flow->state);
    flow->state = end;
    flow->dead = was_dead;
    return same;
}

/* Whether a turn has made no pointer lead to where it did not before. */
static bool is_settled(const struct an_flow *flow, const struct an_flow_state *head)
{
    for (unsigned i = an_flow_next_apart(&flow->state, head, 0);
         i < flow->state.count && !flow->dead; i = an_flow_next_apart(&flow->state, head, i + 1)) {
        unsigned targets = an_flow_held(&flow->state, i)->targets;
        if (targets && targets != an_flow_held(head, i)->targets)
            return false;
    }
    return true;
}

/* The state after the loop: what the condition let pass (`past`), what the last turn swept, and
 * what left by break. If the loop was run `once`, `past` has no effect of its turn. */
static void loop_end(struct an_flow *flow, struct an_flow_loop *loop, struct an_flow_state past,
                     bool forever, bool once)
{
    struct an_flow_state end = flow->state;
    struct an_flow_value nothing = {0};
    bool end_dead = flow->dead;

    flow->state = past;
    flow->dead = !past.pages || forever;
    if (!flow->dead && !end_dead)
        swept_take(flow, loop, &end);
    if (!flow->dead && !end_dead && once)
        an_flow_state_join(flow, &flow->state, &end, nothing, NULL);
    an_flow_state_free(&end);
    if (!loop->out_reached)
        return;
    if (flow->dead) {
        an_flow_state_free(&flow->state);
        flow->state = loop->out;
    } else {
        an_flow_state_join(flow, &flow->state, &loop->out, nothing, NULL);
        an_flow_state_free(&loop->out);
    }
    flow->dead = false;
}

void an_flow_loop_run(struct an_flow *flow, const struct an_node *node,
                      const struct an_flow_parts *parts)
{
    struct an_flow_known *known = known_find(flow, node);
    struct an_flow_loop loop = {
        .node = node, .written = &known->written, .drains = &known->drains, .outer = flow->loop};
    unsigned first = known->written.count ? 1 : 0;
    struct an_flow_state past = {NULL, 0}, head;
    bool clean = is_clean(flow) && !loop_leads(flow, node, parts);
    bool forever = parts->siblings || parts->condition->kind == AN_EMPTY ||
                   (parts->condition->constant && parts->condition->value);
    bool once = false, settled = false;
    long steps = 0;

    if (flow->depth + 1 >= AN_FLOW_LOOPS) {
        flow->exhausted = true;
        return;
    }
    unsigned depth = ++flow->depth;
    flow->loop = &loop;
    an_flow_taking_enter(flow, node);
    head = an_flow_state_copy(&flow->state);
    bool leads = loop_leads(flow, node, parts);
    unsigned touched = flow->touched;
    if (!first)
        assigned_mark(flow, parts->siblings ? node->parent : node, &known->written);
    head_mark(flow, &head, &loop, depth);
    for (unsigned round = first; round < ROUNDS && !settled; round++) {
        turn_begin(flow, &loop, &head);
        turn_run(flow, &loop, parts, &past);
        once = clean || (!leads && touched == flow->touched && !is_controlled(flow));
        settled = once && is_settled(flow, &head);
        if (settled)
            break;
        if (round == first)
            steps = flow->steps;
        bool same = head_join(flow, &head, &loop, depth, round == 0);
        settled = (same && round > first) || flow->exhausted;
    }
    flow->exhausted |= !settled;
    if (once && steps) /* for pointers alone: their turns are the same, more or less */
        flow->steps = steps + (flow->steps - steps) / CHEAP;
    an_flow_state_free(&head);
    loop_end(flow, &loop, past, forever, once);
    flow->loop = loop.outer;
    loop_leave(flow, &loop, depth, loop.end);
    --flow->depth;
    free(loop.swept.words);
}

struct an_flow_value an_flow_own_control(const struct an_flow *flow)
{
    struct an_flow_value made = {0};
    for (unsigned i = flow->frame->controls; i < flow->control_count; i++)
        if (flow->controls[i].value.kind > made.kind)
            made = flow->controls[i].value;
    return made;
}

/* The conditions under which loops up to `outer` are left. */
void an_flow_goto_notes(struct an_flow *flow, const struct an_flow_loop *outer)
{
    for (struct an_flow_loop *loop = flow->loop; loop && loop != outer; loop = loop->outer) {
        an_flow_exit_note(flow, loop->node);
        for (unsigned k = loop->controls; k < flow->control_count; k++)
            if (!flow->controls[k].of_loop)
                end_note(flow, loop, flow->controls[k].value);
    }
}

/* Leaves the loops up to `outer` from inside, with the conditions of this place. */
void an_flow_loops_leave(struct an_flow *flow, const struct an_flow_loop *outer,
                         struct an_flow_value *result)
{
    unsigned depth = flow->depth, site_loop = flow->site_loop;
    bool left = flow->left;

    for (struct an_flow_loop *loop = flow->loop; loop && loop != outer; loop = loop->outer) {
        struct an_flow_value end = {0};
        if (loop->node->kind == AN_SWITCH)
            continue;
        for (unsigned k = loop->controls; k < flow->control_count; k++)
            if (flow->controls[k].value.kind > end.kind)
                end = flow->controls[k].value;
        if (result) {
            struct ending ending = ending_make(flow, loop, depth, end);
            *result = value_leave(&ending, *result, false);
        }
        loop_leave(flow, loop, depth--, end);
    }
    flow->site_loop = site_loop;
    flow->left = left;
}
