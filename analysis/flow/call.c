/* Idea: a call runs the bodies of what it may enter, in the place of the call, as far as it can
 * matter. Allocation and sorting are known by their names, which every project gives them; the C
 * library's copies by theirs. What cannot be seen makes its results opaque. */
#include "analysis/flow/flow.h"

#include <ctype.h>
#include <string.h>

enum { REACHED = 300, ARGUMENTS = 24, SORTS_DEEP = 4 };

static bool name_has(const char *name, const char *word)
{
    size_t length = strlen(word);

    for (; name && *name; name++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)name[i]) == word[i])
            i++;
        if (i == length)
            return true;
    }
    return false;
}

/* Whether something dependent can be reached from a pointer. */
static bool reaches_dependent(struct an_flow *flow, struct an_flow_value value)
{
    unsigned queue[REACHED], head = 0, tail = 0;
    const struct an_flow_set *set = an_flow_targets(flow, value.targets);

    if (an_flow_depends(value))
        return true;
    for (unsigned i = 0; i < set->count && tail < REACHED; i++)
        queue[tail++] = an_flow_cell(flow, set->cells[i])->object;
    while (head < tail) {
        unsigned object = queue[head++];
        for (unsigned i = an_flow_object(flow, object)->cells; i;
             i = an_flow_cell(flow, i)->sibling) {
            if (i >= flow->state.count)
                continue;
            struct an_flow_value held = flow->state.values[i];
            if (an_flow_depends(held))
                return true;
            const struct an_flow_set *next = an_flow_targets(flow, held.targets);
            for (unsigned k = 0; k < next->count && tail < REACHED; k++) {
                unsigned other = an_flow_cell(flow, next->cells[k])->object, q = 0;
                while (q < tail && queue[q] != other)
                    q++;
                if (q == tail)
                    queue[tail++] = other;
            }
        }
    }
    return tail == REACHED;
}

static bool outside_depends(struct an_flow *flow)
{
    for (unsigned i = 1; i < flow->state.count && i < an_flow_cells(flow); i++)
        if (an_flow_depends(flow->state.values[i]) &&
            an_flow_object(flow, an_flow_cell(flow, i)->object)->outside)
            return true;
    return false;
}

static bool controlled(const struct an_flow *flow)
{
    for (unsigned i = 0; i < flow->control_count; i++)
        if (an_flow_depends(flow->controls[i].value))
            return true;
    return false;
}

static bool is_copy(const char *name)
{
    return name_has(name, "memcpy") || name_has(name, "memmove") || strcmp(name, "strcpy") == 0 ||
           strcmp(name, "strncpy") == 0 || name_has(name, "tmemcpy");
}

/* The number of the parameter that an address or place begins with, or -1. */
static int parameter_of(const struct an_node *function, const struct an_node *place)
{
    int number = 0;

    for (place = an_plain(place); place && place->kind != AN_REFERENCE; place = an_plain(place))
        if (!(place = place->child))
            return -1;
    for (const struct an_node *p = place ? function->child : NULL; p && p->kind == AN_PARAMETER;
         p = p->next, number++)
        if (p->symbol && place->symbol && strcmp(p->symbol, place->symbol) == 0)
            return number;
    return -1;
}

/* Whether what a function does speaks against a copy from its second parameter to its first. */
static bool speaks_against_copy(const struct an_node *function)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        bool steps = n->kind == AN_UNARY && n->op >= AN_OP_PRE_INC;
        if (n->kind == AN_CALL && n->name && is_copy(n->name) && an_arguments(n) >= 3 &&
            (parameter_of(function, an_argument(n, 0)) > 0 ||
             parameter_of(function, an_argument(n, 1)) == 0))
            return true;
        if (n->kind != AN_ASSIGN && !steps)
            continue;
        const struct an_node *place = an_plain(n->child);
        bool named = place->kind == AN_REFERENCE;
        if (named ? place->storage == AN_GLOBAL || place->storage == AN_STATIC_LOCAL
                  : parameter_of(function, place) > 0)
            return true;
    }
    return false;
}

/* Whether a call copies: by its name, if what can be seen of it does not speak against that. */
static bool copies(struct an_flow *flow, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(flow->program, call);

    for (unsigned i = 0; i < targets.count; i++)
        if (!call->system && speaks_against_copy(targets.functions[i]))
            return false;
    return is_copy(call->name);
}

static void copy_run(struct an_flow *flow, const struct an_flow_value *values)
{
    struct an_flow_value content = an_flow_content(flow, values[0 + 1], -1);
    unsigned targets = 0;
    const struct an_flow_set *from = an_flow_targets(flow, values[1].targets);

    if (from->count == 1)
        targets = an_flow_at(&flow->state, from->cells[0])->targets;
    content.targets = targets;
    if (an_flow_depends(values[2]) && values[2].kind > content.kind) {
        content = an_flow_combine(content, values[2]);
        content.targets = targets;
    }
    an_flow_leak(flow, an_flow_content(flow, values[1], -1));
    an_flow_store(flow, values[0], content,
                  !values[0].iter && !an_flow_depends(values[0]) &&
                      !(values[0].flags & AN_FLOW_OFFSET));
}

static bool may_send(struct an_flow *flow, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(flow->program, call);
    bool sends = false;

    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_effects *effects = an_function_effects(flow->program, targets.functions[i]);
        sends |= effects->sends || effects->collective;
    }
    return sends;
}

/* Whether a function that is called like an allocation may keep the block somewhere, too. */
static bool may_keep(const struct an_flow *flow, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(flow->program, call);

    for (unsigned i = 0; i < targets.count; i++)
        for (const struct an_node *n = targets.functions[i]; n;
             n = an_next(targets.functions[i], n, false)) {
            if (n->kind == AN_CALL && !n->system && !n->noreturn)
                return true;
            if (n->kind == AN_ASSIGN &&
                (n->child->kind != AN_REFERENCE || n->child->storage != AN_LOCAL_VARIABLE))
                return true;
        }
    return !targets.complete;
}

/* A field of a pool that the function is handed: the pool's own books. */
static bool is_of_pool(const struct an_node *place)
{
    bool field = false;

    for (; place->kind == AN_MEMBER || place->kind == AN_INDEX; place = an_plain(place->child))
        field |= place->kind == AN_MEMBER;
    return field && place->kind == AN_REFERENCE && place->storage == AN_PARAMETER_VARIABLE;
}

static bool is_elsewhere(const struct an_node *place)
{
    if (is_of_pool(place))
        return false;
    return place->kind == AN_INDEX || place->kind == AN_UNARY || place->kind == AN_MEMBER ||
           (place->kind == AN_REFERENCE && place->storage != AN_LOCAL_VARIABLE &&
            place->storage != AN_PARAMETER_VARIABLE);
}

/* Whether a body that can be seen stores anything that outlives it, besides what the function's
 * name says. */
static bool does_more(struct an_flow *flow, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(flow->program, call);

    for (unsigned i = 0; i < targets.count; i++)
        for (const struct an_node *n = targets.functions[i]; n;
             n = an_next(targets.functions[i], n, false)) {
            bool steps = n->kind == AN_UNARY && n->op >= AN_OP_PRE_INC;
            if ((n->kind == AN_ASSIGN || steps) && is_elsewhere(an_plain(n->child)))
                return true;
        }
    return false;
}

/* Whether a function stores into memory, or has somebody do so, and sends nothing. */
static bool rearranges(struct an_flow *flow, const struct an_node *function)
{
    if (an_function_effects(flow->program, function)->sends)
        return false;
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        bool elsewhere = n->kind == AN_ASSIGN && n->op == AN_OP_NONE &&
                         (n->child->kind == AN_INDEX || n->child->kind == AN_UNARY ||
                          n->child->kind == AN_MEMBER);
        bool passes = n->kind == AN_CALL &&
                      (!n->system || name_has(n->name, "sort") || (n->name && is_copy(n->name)));
        if (elsewhere || passes)
            return true;
    }
    return false;
}

static bool is_loaded(const struct an_node *side)
{
    for (const struct an_node *n = side; n; n = an_next(side, n, false))
        if (n->kind == AN_INDEX || n->kind == AN_MEMBER || n->kind == AN_CALL ||
            (n->kind == AN_UNARY && n->op == AN_OP_DEREF))
            return true;
    return false;
}

static bool is_looped(const struct an_node *node)
{
    for (; node && node->kind != AN_FUNCTION; node = node->parent)
        if (node->kind == AN_FOR || node->kind == AN_WHILE || node->kind == AN_DO)
            return true;
    return false;
}

/* Whether a function compares elements again and again, or has somebody do so. */
static bool compares_all(struct an_flow *flow, const struct an_node *function, bool looped,
                         unsigned depth)
{
    const struct an_node *body = an_body(function);

    for (const struct an_node *n = body; n; n = an_next(body, n, false)) {
        bool again = looped || is_looped(n);
        bool order = n->kind == AN_BINARY && n->op >= AN_OP_LT && n->op <= AN_OP_GE;
        if (again && order && (is_loaded(n->child) || is_loaded(n->child->next)))
            return true;
        if (n->kind != AN_CALL)
            continue;
        struct an_targets targets = an_call_targets(flow->program, n);
        if (n->system ? name_has(n->name, "sort") : !targets.complete)
            return true;
        for (unsigned i = 0; i < targets.count && depth < SORTS_DEEP; i++)
            if (targets.functions[i] == function ||
                compares_all(flow, targets.functions[i], again, depth + 1))
                return true;
    }
    return false;
}

/* Whether a call sorts: by its name, if what can be seen of it does not speak against that. */
static bool is_sort(struct an_flow *flow, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(flow->program, call);

    if (!name_has(call->name, "sort"))
        return false;
    for (unsigned i = 0; i < targets.count; i++)
        if (!call->system && !(rearranges(flow, targets.functions[i]) &&
                               compares_all(flow, targets.functions[i], false, 0)))
            return false;
    return true;
}

static struct an_flow_value targets_run(struct an_flow *flow, const struct an_node *call,
                                        struct an_targets targets,
                                        const struct an_flow_value *values, unsigned count,
                                        struct an_flow_value callee);

/* Whether a pointer may lead to what has a name, or to what was there before. */
static bool is_kept(const struct an_flow *flow, struct an_flow_value pointer)
{
    const struct an_flow_set *set = an_flow_targets(flow, pointer.targets);

    for (unsigned i = 0; i < set->count; i++) {
        const struct an_flow_object *object =
            an_flow_object(flow, an_flow_cell(flow, set->cells[i])->object);
        if (object->name || object->outside)
            return true;
    }
    return an_flow_depends(pointer);
}

/* A new block of memory, with what the function puts there; one out of a pool is as good as new. */
static struct an_flow_value allocate(struct an_flow *flow, const struct an_node *call,
                                     const struct an_flow_value *values, unsigned count)
{
    struct an_flow_value nothing = {0}, made = nothing;

    if (does_more(flow, call))
        made =
            targets_run(flow, call, an_call_targets(flow->program, call), values, count, nothing);
    if (!made.targets)
        return an_flow_block(flow, call, call->type);
    if (!is_kept(flow, made))
        made.flags |= AN_FLOW_FRESH;
    return made;
}

/* Functions of the C library, and those that are known by name. */
static bool library_run(struct an_flow *flow, const struct an_node *call,
                        const struct an_flow_value *values, unsigned count,
                        struct an_flow_value *result)
{
    const char *name = call->name;
    bool pointer = call->type && call->type->class == AN_POINTER;

    if (!name)
        return false;
    if (pointer && name_has(name, "realloc") && count && values[0].targets) {
        if (does_more(flow, call)) /* for what it does besides */
            targets_run(flow, call, an_call_targets(flow->program, call), values, count, *result);
        *result = values[0];
        result->flags |= AN_FLOW_FRESH;
        result->kind = AN_FLOW_FREE;
        return true;
    }
    if (pointer && name_has(name, "alloc")) {
        *result = allocate(flow, call, values, count);
        if (may_keep(flow, call))
            an_flow_leak(flow, *result);
        return true;
    }
    if (name_has(name, "free") && !call->noreturn && !does_more(flow, call) &&
        !may_send(flow, call))
        return true;
    if (is_sort(flow, call)) {
        an_flow_sort(flow, call, values, count);
        return true;
    }
    if (count >= 3 && copies(flow, call)) {
        copy_run(flow, values);
        *result = values[0];
        return true;
    }
    if (!call->system)
        return false;
    an_flow_system(flow, call, values, count, result);
    return true;
}

bool an_flow_leads(struct an_flow *flow, const struct an_node *node)
{
    for (const struct an_node *n = node; n; n = an_next(node, n, false)) {
        if (flow->site && n == flow->site->node)
            return true;
        if (n->kind != AN_CALL)
            continue;
        struct an_targets targets = an_call_targets(flow->program, n);
        for (unsigned i = 0; i < targets.count; i++)
            if (targets.functions[i]->mark == flow->mark)
                return true;
    }
    return false;
}

static bool is_running(const struct an_flow *flow, const struct an_node *function)
{
    for (const struct an_flow_frame *frame = flow->frame; frame; frame = frame->caller)
        if (frame->function == function)
            return true;
    return false;
}

static bool is_place(const struct an_node *expression)
{
    expression = an_plain(expression);
    return expression->kind == AN_REFERENCE || expression->kind == AN_MEMBER ||
           expression->kind == AN_INDEX || expression->kind == AN_UNARY;
}

static void parameters_bind(struct an_flow *flow, const struct an_node *function,
                            const struct an_node *call, const struct an_flow_value *values,
                            unsigned count)
{
    unsigned i = 0;

    for (const struct an_node *child = function->child; child && child->kind == AN_PARAMETER;
         child = child->next, i++) {
        struct an_flow_value value = {0};
        const struct an_node *argument = an_argument(call, i);
        if (i < count)
            value = values[i];
        if (argument && argument->type && argument->type->class == AN_RECORD && i < count) {
            if (!is_place(argument)) {
                an_flow_store(flow, an_flow_variable(flow, child), value, true);
                continue;
            }
            struct an_flow_value from = an_flow_address_of(flow, argument);
            an_flow_record_copy(flow, an_flow_variable(flow, child), from);
            continue;
        }
        an_flow_store(flow, an_flow_variable(flow, child), value, false);
    }
}

/* What `...` stands for: any of the pointers, or of all else. */
static struct an_flow_value rest_of(struct an_flow *flow, const struct an_node *function,
                                    const struct an_flow_value *values, unsigned count,
                                    bool pointers)
{
    struct an_flow_value rest = {0};
    bool any = false;

    for (unsigned i = an_children(function) - 1; function->variadic && i < count; i++) {
        if ((values[i].targets != 0) != pointers)
            continue;
        rest = any ? an_flow_either(flow, rest, values[i]) : values[i];
        any = true;
    }
    rest.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    return rest;
}

/* Runs one body with the arguments' values, and gives what it returns. */
static struct an_flow_value body_run(struct an_flow *flow, const struct an_node *function,
                                     const struct an_node *call, const struct an_flow_value *values,
                                     unsigned count)
{
    struct an_flow_frame frame = {.function = function,
                                  .call = call,
                                  .controls = flow->control_count,
                                  .loop = flow->loop,
                                  .numbers = rest_of(flow, function, values, count, false),
                                  .pointers = rest_of(flow, function, values, count, true),
                                  .caller = flow->frame};

    frame.context =
        ((flow->frame ? flow->frame->context : 0) ^ (uintptr_t)call) * 0x9e3779b97f4a7c15u;
    flow->frame = &frame;
    flow->frames++;
    parameters_bind(flow, function, call, values, count);
    an_flow_function(flow, function);
    flow->frames--;
    flow->frame = frame.caller;
    return frame.result;
}

/* What nobody can see: results are opaque when anything dependent goes in. */
static struct an_flow_value unseen_run(struct an_flow *flow, const struct an_node *call,
                                       const struct an_flow_value *values, unsigned count)
{
    struct an_flow_value made = {.flags = AN_FLOW_BROUGHT};
    bool depends = controlled(flow);

    for (unsigned i = 0; i < count; i++) {
        struct an_flow_value content = values[i];
        an_flow_leak(flow, values[i]);
        bool reached = reaches_dependent(flow, values[i]);
        if (reached && !an_flow_depends(content))
            content = an_flow_content(flow, values[i], -1);
        depends |= reached;
        made.why = made.why ? made.why : content.why;
        made.iter |= values[i].iter;
    }
    if (flow->seen && !flow->left) /* it may count how often it is called */
        made.iter |= (uint64_t)1 << flow->site_loop;
    if (!flow->seen || !depends)
        return made;
    if (!flow->hidden)
        flow->hidden = call;
    made.kind = AN_FLOW_OPAQUE;
    made.why = an_flow_because(flow, call, "goes into a function that is not here", made.why);
    for (unsigned i = 0; i < count; i++)
        if (values[i].targets)
            an_flow_store(flow, values[i], made, false);
    return made;
}

/* Whether what depends on nothing yet does so behind the loop: on how often the site was asked. */
static bool counts_turns(const struct an_flow *flow)
{
    return flow->polls && !flow->left && flow->depth >= flow->site_loop && flow->site_loop > 0;
}

static bool is_worth_running(struct an_flow *flow, const struct an_node *function,
                             const struct an_flow_value *values, unsigned count)
{
    const struct an_effects *effects = an_function_effects(flow->program, function);
    bool speaks = effects->sends || effects->collective || effects->hidden || effects->receives;

    if (function->mark == flow->mark)
        return true;
    if (!flow->seen)
        return flow->frames < 3;
    if (speaks || counts_turns(flow) || outside_depends(flow) || controlled(flow))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (reaches_dependent(flow, values[i]))
            return true;
    return flow->frames < 6;
}

/* One of several targets, always the same one: the pointer does not change on the path. */
static bool is_split(struct an_flow *flow, const struct an_node *call, unsigned count,
                     struct an_flow_value callee)
{
    if (count < 2 || an_flow_depends(callee) || callee.iter || call->symbol)
        return false;
    if (!flow->split) {
        flow->split = call;
        flow->split_count = count;
    }
    return flow->split == call;
}

/* One of the bodies that a call may enter, if it can be run, and is worth it. */
static struct an_flow_value target_run(struct an_flow *flow, const struct an_node *function,
                                       const struct an_node *call,
                                       const struct an_flow_value *values, unsigned count)
{
    struct an_flow_value nothing = {0};
    bool fits = !is_running(flow, function) && flow->frames + 1 < AN_FLOW_CALLS;

    if (fits && is_worth_running(flow, function, values, count))
        return body_run(flow, function, call, values, count);
    if (!fits && flow->seen)
        return unseen_run(flow, call, values, count);
    for (unsigned i = 0; i < count; i++)
        an_flow_leak(flow, values[i]);
    return nothing;
}

static struct an_flow_value targets_run(struct an_flow *flow, const struct an_node *call,
                                        struct an_targets targets,
                                        const struct an_flow_value *values, unsigned count,
                                        struct an_flow_value callee)
{
    struct an_flow_value made = {0}, nothing = {0};
    struct an_flow_state before = an_flow_state_copy(&flow->state), after = {NULL, 0};
    bool any = false, split = is_split(flow, call, targets.count, callee);
    unsigned controls = flow->control_count;

    if (targets.count > 1 && an_flow_depends(callee)) {
        an_flow_control_push(flow, call, callee, false, true);
    } else if (targets.count > 1 && flow->polls) {
        an_flow_control_push(flow, call, nothing, false, true);
        flow->controls[flow->control_count - 1].rest = true;
    }

    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_node *function = targets.functions[i];
        if (split && i != flow->choice)
            continue;
        an_flow_state_free(&flow->state);
        flow->state = an_flow_state_copy(&before);
        flow->dead = false;
        struct an_flow_value one = target_run(flow, function, call, values, count);
        if (flow->dead)
            continue;
        made = any ? an_flow_either(flow, made, one) : one;
        if (any)
            an_flow_state_join(flow, &after, &flow->state, callee, &before);
        else
            after = an_flow_state_copy(&flow->state);
        any = true;
    }
    flow->control_count = controls;
    an_flow_state_free(&before);
    an_flow_state_free(&flow->state);
    flow->state = after;
    flow->dead = !any;
    if (targets.count > 1 && an_flow_depends(callee)) {
        unsigned pointed = made.targets;
        made = an_flow_combine(made, callee);
        made.targets = pointed;
    }
    return made;
}

struct an_flow_value an_flow_call(struct an_flow *flow, const struct an_node *call)
{
    struct an_flow_value values[ARGUMENTS], result = {0}, callee = {0};
    unsigned count = 0;

    if (!flow->site && an_flow_clock(flow, call, &result))
        return result;
    if (an_flow_mpi(flow, call)) {
        result.flags = AN_FLOW_BROUGHT;
        flow->dead |= call->noreturn;
        return result;
    }
    for (const struct an_node *argument = call->child ? call->child->next : NULL;
         argument && count < ARGUMENTS; argument = argument->next)
        values[count++] = an_flow_value_of(flow, argument);
    if (flow->dead || flow->exhausted)
        return result;
    if (flow->seen && call->name && name_has(call->name, "longjmp"))
        flow->leap = call;
    if (call->noreturn) {
        flow->dead = true;
        return result;
    }
    if (!call->symbol && call->child)
        callee = an_flow_value_of(flow, call->child);
    if (library_run(flow, call, values, count, &result))
        return result;
    struct an_targets targets = an_call_targets(flow->program, call);
    if (targets.count)
        result = targets_run(flow, call, targets, values, count, callee);
    if (targets.complete && !targets.count && call->name) { /* a library that only computes */
        an_flow_system(flow, call, values, count, &result);
        return result;
    }
    if (!targets.complete || (!call->symbol && !targets.count)) {
        struct an_flow_value unseen = unseen_run(flow, call, values, count);
        result = targets.count ? an_flow_either(flow, result, unseen) : unseen;
    }
    if (call->type && call->type->class == AN_POINTER && !result.targets && !flow->dead) {
        struct an_flow_value nowhere = {0};
        result = an_flow_pointee(flow, result, nowhere, call, call->type);
    }
    return result;
}
