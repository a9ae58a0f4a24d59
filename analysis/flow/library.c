/* Idea: allocation and sorting are known by their names, which every project gives them; the C
 * library's copies by theirs. A body that can be seen may speak against a name. */
#include "analysis/flow/flow.h"

#include <ctype.h>
#include <string.h>

enum { SORTS_DEEP = 4 };

bool an_flow_name_has(const char *name, const char *word)
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

static bool is_copy(const char *name)
{
    return an_flow_name_has(name, "memcpy") || an_flow_name_has(name, "memmove") ||
           strcmp(name, "strcpy") == 0 || strcmp(name, "strncpy") == 0 ||
           an_flow_name_has(name, "tmemcpy");
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
        targets = an_flow_get(&flow->state, from->cells[0])->targets;
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
        bool passes = n->kind == AN_CALL && (!n->system || an_flow_name_has(n->name, "sort") ||
                                             (n->name && is_copy(n->name)));
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
        if (n->system ? an_flow_name_has(n->name, "sort") : !targets.complete)
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

    if (!an_flow_name_has(call->name, "sort"))
        return false;
    for (unsigned i = 0; i < targets.count; i++)
        if (!call->system && !(rearranges(flow, targets.functions[i]) &&
                               compares_all(flow, targets.functions[i], false, 0)))
            return false;
    return true;
}

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
        made = an_flow_targets_run(flow, call, an_call_targets(flow->program, call), values, count,
                                   nothing);
    if (!made.targets)
        return an_flow_block(flow, call, call->type);
    if (!is_kept(flow, made))
        made.flags |= AN_FLOW_FRESH;
    return made;
}

/* Functions of the C library, and those that are known by name. */
bool an_flow_library(struct an_flow *flow, const struct an_node *call,
                     const struct an_flow_value *values, unsigned count,
                     struct an_flow_value *result)
{
    const char *name = call->name;
    bool pointer = call->type && call->type->class == AN_POINTER;

    if (!name)
        return false;
    if (pointer && an_flow_name_has(name, "realloc") && count && values[0].targets) {
        if (does_more(flow, call)) /* for what it does besides */
            an_flow_targets_run(flow, call, an_call_targets(flow->program, call), values, count,
                                *result);
        *result = values[0];
        result->flags |= AN_FLOW_FRESH;
        result->kind = AN_FLOW_FREE;
        return true;
    }
    if (pointer && an_flow_name_has(name, "alloc")) {
        *result = allocate(flow, call, values, count);
        if (may_keep(flow, call))
            an_flow_leak(flow, *result);
        return true;
    }
    if (an_flow_name_has(name, "free") && !call->noreturn && !does_more(flow, call) &&
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
