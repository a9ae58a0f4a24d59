/* Idea: a latch is a variable that the loop only ever sets to one number, after which a condition
 * does not hold any more. Statements under that condition, where the latch is set, run at most
 * once; they run at least once if the loop is only ever left under the same other conditions:
 *
 *     while (!ended) {                       ended is set: under the first condition, too
 *         if (reports > 0) take();
 *         if (reports > 0) continue;
 *         if (!reported) { send(); reported = true; }
 *         if (found()) ended = true;
 *     }
 *
 * Each write is noted with its way: the conditions under which it happens. */
#include "analysis/flow/latch.h"

#include <string.h>

enum { SETS, STEPS, CHANGES };

struct key {
    const struct an_node *node; /* NULL: like no other */
    uint64_t context;
    bool taken;
    bool fixed; /* holds in all turns, or in none */
};

struct an_flow_way {
    unsigned count, loop_count;
    const struct an_node **loops;
    struct key keys[];
};

struct an_flow_write {
    unsigned cell; /* 0: a jump out of `left` */
    unsigned kind;
    int64_t number;
    uint64_t context;
    const struct an_node *left;
    const struct an_flow_way *way;
    struct an_flow_write *next;
};

static bool is_fixed(const struct an_flow *flow, struct an_flow_value value)
{
    return !an_flow_depends(value) && !(value.iter >> flow->site_loop & 1) &&
           !(value.flags & AN_FLOW_BROUGHT);
}

const struct an_flow_way *an_flow_way_here(struct an_flow *flow)
{
    unsigned loops = 0;
    struct an_flow_way *way =
        an_flow_alloc(flow, sizeof *way + flow->control_count * sizeof *way->keys);

    way->count = flow->control_count;
    for (unsigned i = 0; i < way->count; i++) {
        const struct an_flow_control *control = &flow->controls[i];
        way->keys[i] = (struct key){control->node, control->context, control->taken,
                                    is_fixed(flow, control->value)};
        if (control->node->kind == AN_SWITCH)
            way->keys[i].node = NULL;
    }
    for (const struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        loops++;
    way->loops = an_flow_alloc(flow, (loops + 1) * sizeof *way->loops);
    for (const struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        way->loops[way->loop_count++] = loop->node;
    return way;
}

static bool key_same(const struct key *a, const struct key *b)
{
    return a->node && a->node == b->node && a->context == b->context && a->taken == b->taken;
}

bool an_flow_ways_exclude(const struct an_flow_way *a, const struct an_flow_way *b)
{
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->keys[i].node && a->keys[i].node == b->keys[k].node && a->keys[i].fixed &&
                b->keys[k].fixed && a->keys[i].context == b->keys[k].context &&
                a->keys[i].taken != b->keys[k].taken)
                return true;
    return false;
}

/* ---- What conditions ask for ---- */

static bool is_simple(const struct an_node *node)
{
    node = an_plain(node);
    if (node->kind == AN_MEMBER)
        return is_simple(node->child);
    if (node->kind == AN_UNARY)
        return node->op == AN_OP_DEREF && is_simple(node->child);
    return node->kind == AN_REFERENCE && node->storage != AN_FUNCTION_NAME;
}

static bool is_order(int op)
{
    return op >= AN_OP_LT && op <= AN_OP_NE;
}

/* The variable in `variable`, `variable < 3` and such; NULL for other conditions. */
static const struct an_node *variable_of(const struct an_node *leaf)
{
    leaf = an_plain(leaf);
    if (leaf->kind == AN_BINARY && is_order((int)leaf->op)) {
        const struct an_node *left = an_plain(leaf->child), *right = an_plain(leaf->child->next);
        if (left->constant == right->constant)
            return NULL;
        leaf = left->constant ? right : left;
    }
    return is_simple(leaf) ? an_plain(leaf) : NULL;
}

static void leaf_note(struct an_flow *flow, struct an_flow_control *control,
                      const struct an_node *leaf, bool want)
{
    const struct an_node *variable = variable_of(leaf);
    const unsigned most = sizeof control->tested / sizeof *control->tested;

    control->described = false;
    if (!variable || control->tested_count == most)
        return;
    struct an_flow_value address = an_flow_address_of(flow, variable);
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    if (set->count != 1 || address.iter || an_flow_depends(address) ||
        address.flags & AN_FLOW_OFFSET)
        return;
    control->described = true;
    control->tested[control->tested_count++] =
        (struct an_flow_tested){set->cells[0], an_plain(leaf), want};
}

static void condition_note(struct an_flow *flow, struct an_flow_control *control,
                           const struct an_node *node, bool want)
{
    node = an_plain(node);
    if (node->kind == AN_UNARY && node->op == AN_OP_NOT) {
        condition_note(flow, control, node->child, !want);
    } else if (node->kind == AN_BINARY &&
               node->op == (want ? AN_OP_LOGICAL_AND : AN_OP_LOGICAL_OR)) {
        condition_note(flow, control, node->child, want);
        bool described = control->described;
        condition_note(flow, control, node->child->next, want);
        control->described &= described;
    } else {
        leaf_note(flow, control, node, want);
    }
}

void an_flow_tested_note(struct an_flow *flow, struct an_flow_control *control,
                         const struct an_node *condition)
{
    long steps = flow->steps; /* asking costs the run nothing */

    if (flow->polls && flow->seen && flow->loop && !flow->dead)
        condition_note(flow, control, condition, control->taken);
    flow->steps = steps;
}

static bool compare(int op, int64_t a, int64_t b)
{
    switch (op) {
    case AN_OP_LT:
        return a < b;
    case AN_OP_LE:
        return a <= b;
    case AN_OP_GT:
        return a > b;
    case AN_OP_GE:
        return a >= b;
    case AN_OP_EQ:
        return a == b;
    default:
        return a != b;
    }
}

/* Whether what a control asks for is lost once the variable is `number`. */
static bool is_closed_by(const struct an_flow_tested *tested, int64_t number)
{
    const struct an_node *leaf = tested->leaf;
    bool holds = number != 0;

    if (leaf->kind == AN_BINARY && is_order((int)leaf->op)) {
        const struct an_node *left = an_plain(leaf->child), *right = an_plain(leaf->child->next);
        holds = left->constant ? compare((int)leaf->op, left->value, number)
                               : compare((int)leaf->op, number, right->value);
    }
    return holds != tested->want;
}

/* ---- Writes ---- */

static struct an_flow_write **bucket_of(struct an_flow *flow, unsigned cell)
{
    return &flow->writes[cell % (sizeof flow->writes / sizeof *flow->writes)];
}

static bool is_known(const struct an_flow *flow, const struct an_flow_write *write,
                     const struct an_flow_write *made)
{
    const struct an_flow_control *top =
        flow->control_count ? &flow->controls[flow->control_count - 1] : NULL;
    const struct an_flow_way *way = write->way;
    const struct key *last = way->count ? &way->keys[way->count - 1] : NULL;

    return write->cell == made->cell && write->kind == made->kind &&
           write->number == made->number && write->context == made->context &&
           write->left == made->left && way->count == flow->control_count &&
           way->loops[0] == (flow->loop ? flow->loop->node : NULL) &&
           (!last || (last->node == top->node && last->taken == top->taken));
}

static void note(struct an_flow *flow, struct an_flow_write made)
{
    struct an_flow_write **bucket = bucket_of(flow, made.cell), *write;

    if (!flow->polls || !flow->seen || !flow->loop)
        return;
    made.context = flow->frame ? flow->frame->context : 0;
    for (write = *bucket; write; write = write->next)
        if (is_known(flow, write, &made))
            break;
    if (!write) {
        write = an_flow_alloc(flow, sizeof *write);
        *write = made;
        write->way = an_flow_way_here(flow);
        write->next = *bucket;
        *bucket = write;
        return;
    }
    struct an_flow_way *way = (struct an_flow_way *)(uintptr_t)write->way;
    for (unsigned i = 0; i < way->count; i++)
        way->keys[i].fixed &= is_fixed(flow, flow->controls[i].value);
}

void an_flow_write_note(struct an_flow *flow, unsigned cell, struct an_flow_value value)
{
    struct an_flow_write made = {.cell = cell, .kind = CHANGES};

    if (flow->step) {
        made.kind = STEPS;
        made.number = flow->step;
    } else if (value.flags & AN_FLOW_CONSTANT) {
        made.kind = SETS;
        made.number = value.number;
    }
    note(flow, made);
}

void an_flow_exit_note(struct an_flow *flow, const struct an_node *loop)
{
    note(flow, (struct an_flow_write){.left = loop});
}

static bool is_inside(const struct an_flow_write *write, const struct an_node *loop)
{
    for (unsigned i = 0; i < write->way->loop_count; i++)
        if (write->way->loops[i] == loop)
            return true;
    return false;
}

/* The next write to a cell inside of the loop that brings messages, or jump out of it. */
static const struct an_flow_write *write_next(struct an_flow *flow, unsigned cell,
                                              const struct an_flow_write *write)
{
    for (write = write ? write->next : *bucket_of(flow, cell); write; write = write->next)
        if (write->cell == cell &&
            (cell ? is_inside(write, flow->around) : write->left == flow->around))
            return write;
    return NULL;
}

/* ---- Once ---- */

struct once {
    const struct an_flow_way *here;
    unsigned inside; /* the first condition of the loop's turns */
    unsigned guard;  /* the condition that a latch closes; here->count: the loop is left instead */
    bool alone;      /* that is all that this condition asks for */
    unsigned length; /* of the way to where the latch is set */
};

/* Whether `way` leads to a place that is passed whenever `here` is. */
static bool is_passed(const struct once *once, const struct an_flow_way *way)
{
    if (way->count > once->here->count)
        return false;
    for (unsigned i = 0; i < once->here->count; i++)
        if (i < way->count ? !key_same(&way->keys[i], &once->here->keys[i])
                           : !once->here->keys[i].fixed)
            return false;
    return true;
}

/* Whether the loop is left by `way` only after what happens here has happened, or where it never
 * does. */
static bool is_after(const struct once *once, const struct an_flow_way *way)
{
    if (an_flow_ways_exclude(way, once->here))
        return true;
    for (unsigned i = once->inside; i < once->length; i++) {
        bool there = (i == once->guard && once->alone) || once->here->keys[i].fixed;
        for (unsigned k = 0; k < way->count && !there; k++)
            there = key_same(&way->keys[k], &once->here->keys[i]);
        if (!there)
            return false;
    }
    return true;
}

/* Whether all ends of the loop are known, and all are after what happens here. */
static bool ends_are_after(struct an_flow *flow, const struct once *once,
                           const struct an_flow_control *own)
{
    for (const struct an_flow_write *out = NULL; (out = write_next(flow, 0, out));)
        if (!is_after(once, out->way))
            return false;
    for (unsigned i = 0; own && i < own->tested_count; i++)
        for (const struct an_flow_write *write = NULL;
             (write = write_next(flow, own->tested[i].cell, write));)
            if (write->kind != SETS ||
                (is_closed_by(&own->tested[i], write->number) && !is_after(once, write->way)))
                return false;
    return true;
}

/* Whether the loops between the guard and this place have the same turns each time. */
static bool inner_loops_are_fixed(struct an_flow *flow, unsigned guard)
{
    unsigned outer = guard < flow->control_count ? flow->controls[guard].loop : flow->site_loop;
    unsigned fixed = 0;

    for (unsigned i = 0; i < flow->control_count; i++) {
        const struct an_flow_control *control = &flow->controls[i];
        if (!control->of_loop || control->loop <= outer || !is_fixed(flow, control->value))
            continue;
        for (const struct an_flow_write *out = *bucket_of(flow, 0); out; out = out->next)
            if (out->left == control->node)
                return false;
        fixed++;
    }
    return fixed == flow->depth - outer;
}

static bool is_latch(struct an_flow *flow, struct once *once, const struct an_flow_tested *tested,
                     const struct an_flow_control *own)
{
    bool set = false;

    for (const struct an_flow_write *write = NULL;
         (write = write_next(flow, tested->cell, write));) {
        if (write->kind != SETS || !is_closed_by(tested, write->number))
            return false;
        if (is_passed(once, write->way)) {
            set = true;
            once->length = write->way->count;
        } else if (!an_flow_ways_exclude(write->way, once->here)) {
            return false;
        }
    }
    return set && ends_are_after(flow, once, own);
}

/* Whether the loop is left where this happens. */
static bool leaves(struct an_flow *flow, struct once *once, const struct an_flow_control *own)
{
    for (const struct an_flow_write *out = NULL; (out = write_next(flow, 0, out));)
        if (is_passed(once, out->way)) {
            once->length = out->way->count;
            return ends_are_after(flow, once, own);
        }
    return false;
}

bool an_flow_happens_once(struct an_flow *flow, unsigned *inside)
{
    const struct an_flow_control *own = NULL;
    const struct an_node *loop = flow->around;
    struct once once = {.guard = flow->control_count};
    bool forever;

    if (!flow->polls || !flow->seen || flow->left || flow->jumped || !loop || loop->kind == AN_DO)
        return false;
    while (once.inside < flow->control_count && flow->controls[once.inside].loop < flow->site_loop)
        once.inside++;
    for (unsigned i = once.inside; i < flow->control_count && !own; i++)
        if (flow->controls[i].node == loop && flow->controls[i].of_loop)
            own = &flow->controls[i];
    forever = !own && (loop->kind == AN_FOR || loop->kind == AN_WHILE);
    if (own ? !own->described : !forever)
        return false;
    once.here = an_flow_way_here(flow);
    *inside = once.inside;
    if (leaves(flow, &once, own) && inner_loops_are_fixed(flow, once.guard))
        return true;
    for (once.guard = once.inside; once.guard < flow->control_count; once.guard++) {
        const struct an_flow_control *guard = &flow->controls[once.guard];
        once.alone = guard->described && guard->tested_count == 1;
        for (unsigned i = 0; i < guard->tested_count; i++)
            if (is_latch(flow, &once, &guard->tested[i], own) &&
                inner_loops_are_fixed(flow, once.guard))
                return true;
    }
    return false;
}

void an_flow_counts_events(struct an_flow *flow, struct an_flow_value address,
                           struct an_flow_value *control)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    struct an_flow_value event = {0};

    if (!flow->polls || set->count != 1)
        return;
    for (const struct an_flow_write *write = NULL;
         (write = write_next(flow, set->cells[0], write));)
        if (write->kind != STEPS || write->number != flow->step)
            return;
    for (unsigned i = 0; i < flow->control_count; i++) {
        const struct an_flow_control *around = &flow->controls[i];
        if ((around->of_loop && around->loop <= flow->site_loop) || is_fixed(flow, around->value))
            continue;
        if (around->value.kind == AN_FLOW_FLAG)
            event = around->value;
        else if (around->value.kind != AN_FLOW_COUNTED || !around->described ||
                 around->tested_count != 1 || around->tested[0].cell != set->cells[0])
            return;
    }
    if (an_flow_depends(event))
        *control = event;
}

bool an_flow_jumps_out(const struct an_flow *flow, const struct an_node *branch)
{
    bool own = !flow->around || an_function_of(flow->around) == an_function_of(branch);

    for (const struct an_node *n = branch; n;) {
        bool nested =
            n->kind == AN_FOR || n->kind == AN_WHILE || n->kind == AN_DO || n->kind == AN_SWITCH;
        if (n->kind == AN_BREAK || ((n->kind == AN_RETURN || n->kind == AN_GOTO) && own))
            return true;
        n = an_next(branch, n, nested);
    }
    return false;
}
