/* Idea: sorting by a key takes the order of arrival out of what is sorted. Elements whose keys are
 * equal may keep it in their other fields; not so when the key is the message's source, since
 * messages of one source do not overtake each other. Then what hangs on the elements, a block of
 * memory for each, has its place by the source, too. */
#include "analysis/flow/extent.h"

#include <string.h>

/* Whether a pointer leads to the cell, or to the array that it is an element of. */
static bool is_among(const struct an_flow *flow, struct an_flow_value pointer, unsigned number)
{
    const struct an_flow_set *set = an_flow_targets(flow, pointer.targets);
    struct an_flow_cell cell = *an_flow_cell(flow, number);

    for (unsigned i = 0; i < set->count; i++) {
        const struct an_flow_cell *base = an_flow_cell(flow, set->cells[i]);
        if (base->object == cell.object && (!base->field || base->field == cell.field))
            return true;
    }
    return false;
}

/* The function behind the one before, or the first, that the call gets by its name. */
static const struct an_node *comparison_next(struct an_flow *flow, const struct an_node *call,
                                             const struct an_node *after)
{
    for (const struct an_node *f = an_program_next(flow->program, after); f;
         f = an_program_next(flow->program, f))
        for (unsigned i = 0; i < an_arguments(call); i++) {
            const struct an_node *argument = an_plain(an_argument(call, i));
            if (argument->kind == AN_REFERENCE && argument->storage == AN_FUNCTION_NAME &&
                f->symbol && argument->symbol && strcmp(f->symbol, argument->symbol) == 0)
                return f;
        }
    return NULL;
}

static bool is_of_library(const struct an_node *call)
{
    return call->system && (strncmp(call->name, "qsort", 5) == 0 || strstr(call->name, "gesort") ||
                            strcmp(call->name, "heapsort") == 0);
}

/* The element type of an array that is sorted, or NULL. */
static const struct an_type *element_of(const struct an_node *call)
{
    const struct an_node *array = an_argument(call, 0);
    const struct an_type *type = array ? an_plain(array)->type : NULL;
    bool known = type && (type->class == AN_POINTER || type->class == AN_ARRAY);

    return known && type->below && type->below->class != AN_VOID ? type->below : NULL;
}

/* Whether a function that the call gets compares that field of what it sorts; between elements
 * whose keys are equal, the order of arrival may remain in the other fields. Without fields all is
 * key. Without a function it is a sort of the program's own. */
static bool is_compared(struct an_flow *flow, const struct an_node *call, const char *field)
{
    bool compares = false, given = false;

    for (const struct an_node *f = comparison_next(flow, call, NULL); f;
         f = comparison_next(flow, call, f)) {
        given = true;
        if (!an_flow_orders_all(flow, f, element_of(call)))
            return false;
        for (const struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false)) {
            compares |= n->kind == AN_MEMBER;
            if (n->kind == AN_MEMBER && n->symbol && field && strcmp(n->symbol, field) == 0)
                return true;
        }
    }
    return !compares && (given || !is_of_library(call));
}

static bool is_comparison(const struct an_node *node)
{
    return node->kind == AN_BINARY && node->op >= AN_OP_LT && node->op <= AN_OP_NE;
}

static const struct an_node *variable_of(const struct an_node *member)
{
    for (const struct an_node *n = member; n; n = an_next(member, n, false))
        if (n->kind == AN_REFERENCE)
            return n;
    return NULL;
}

/* a->key - b->key, a->key < b->key and such, or a difference of such comparisons. */
static bool compares_keys(const struct an_node *binary)
{
    const struct an_node *left = an_plain(binary->child), *right = an_plain(binary->child->next);

    if (!is_comparison(binary) && binary->op != AN_OP_SUB)
        return false;
    if (binary->op == AN_OP_SUB && is_comparison(left) && is_comparison(right))
        return true;
    if (left->kind != AN_MEMBER || right->kind != AN_MEMBER || !left->symbol || !right->symbol ||
        strcmp(left->symbol, right->symbol) != 0)
        return false;
    const struct an_node *one = variable_of(left), *two = variable_of(right);
    return one && two && one->symbol && two->symbol && strcmp(one->symbol, two->symbol) != 0;
}

static bool stands_below(const struct an_node *node, enum an_kind kind)
{
    for (node = node->parent; node && node->kind != AN_FUNCTION; node = node->parent)
        if (node->kind == kind)
            return true;
    return false;
}

/* Whether a node of a comparison leaves it a function of how two keys compare, no more. */
static bool keeps_key(const struct an_node *node, const char *key)
{
    switch (node->kind) {
    case AN_BLOCK:
    case AN_DECLARE:
    case AN_VARIABLE:
    case AN_RETURN:
    case AN_IF:
    case AN_CHOOSE:
    case AN_EMPTY:
    case AN_CAST:
        return true;
    case AN_UNARY:
    case AN_INDEX:
    case AN_REFERENCE:
        return stands_below(node, AN_MEMBER) || stands_below(node, AN_DECLARE) ||
               (node->kind == AN_UNARY && an_plain(node->child)->constant);
    case AN_NUMBER:
        return node->parent->kind != AN_BINARY;
    case AN_MEMBER:
        return node->symbol && strcmp(node->symbol, key) == 0 && !stands_below(node, AN_DECLARE);
    case AN_BINARY:
        return compares_keys(node);
    default:
        return false;
    }
}

/* The one field that decides a comparison alone and tells all its values apart, or NULL. */
static const char *key_find(struct an_flow *flow, const struct an_node *call)
{
    const struct an_node *function = comparison_next(flow, call, NULL);
    const char *key = NULL;
    bool orders = false;

    if (!function || comparison_next(flow, call, function))
        return NULL;
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        if (n->kind == AN_MEMBER && !key)
            key = n->symbol;
        orders |= n->kind == AN_BINARY && n->op != AN_OP_EQ && n->op != AN_OP_NE;
    }
    for (const struct an_node *n = an_body(function); n && key;
         n = an_next(an_body(function), n, false))
        if (!keeps_key(n, key))
            return NULL;
    return orders ? key : NULL;
}

static bool is_permuted(struct an_flow_value value)
{
    return value.flags & AN_FLOW_PERMUTED && value.kind >= AN_FLOW_SOURCE &&
           value.kind <= AN_FLOW_MESSAGE;
}

/* Whether `array` is sorted by its messages' sources, once all of them are in it, each with all
 * that it says in one element. */
static bool is_by_source(struct an_flow *flow, const struct an_node *call,
                         struct an_flow_value array)
{
    const char *key = key_find(flow, call);
    bool found = false;

    if (!key)
        return false;
    for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++) {
        struct an_flow_value held = *an_flow_held(&flow->state, k);
        const char *field = an_flow_cell(flow, k)->field;
        if (!is_among(flow, array, k))
            continue;
        if (held.flags & AN_FLOW_APART)
            return false;
        if (!field || strcmp(field, key) != 0)
            continue;
        if (!is_permuted(held) || held.kind != AN_FLOW_SOURCE || held.flags & AN_FLOW_LOSSY ||
            held.loop != AN_FLOW_NO_LOOP)
            return false;
        found = true;
    }
    return found;
}

/* The value of an array that was in the order of arrival and is sorted now. */
static struct an_flow_value sorted_make(struct an_flow *flow, const struct an_node *call,
                                        const char *field, struct an_flow_value value)
{
    if (!is_compared(flow, call, field)) {
        value.kind = AN_FLOW_OPAQUE;
        return value;
    }
    if (value.loop == AN_FLOW_NO_LOOP)
        return (struct an_flow_value){.flags = AN_FLOW_WRITTEN | AN_FLOW_SORTED};
    value.kind = AN_FLOW_COUNTED; /* what has come so far */
    value.op = AN_OPERATORS + 70;
    value.flags = AN_FLOW_WRITTEN;
    return value;
}

static bool points_to(const struct an_flow *flow, struct an_flow_value pointer, unsigned object)
{
    const struct an_flow_set *set = an_flow_targets(flow, pointer.targets);
    for (unsigned i = 0; i < set->count; i++)
        if (an_flow_cell(flow, set->cells[i])->object == object)
            return true;
    return false;
}

/* Whether the elements of `array` hold the only pointers to blocks that were allocated for them. */
static bool hangs_on(const struct an_flow *flow, struct an_flow_value array, unsigned object)
{
    bool held = false;

    if (!an_flow_object(flow, object)->born || an_flow_object(flow, object)->outside)
        return false;
    for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++) {
        if (!points_to(flow, *an_flow_held(&flow->state, k), object))
            continue;
        if (!is_among(flow, array, k) || !(an_flow_held(&flow->state, k)->flags & AN_FLOW_PLACED))
            return false;
        held = true;
    }
    return held;
}

static void source_sort(struct an_flow *flow, struct an_flow_value array)
{
    for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++) {
        struct an_flow_value held = *an_flow_held(&flow->state, k);
        if (is_permuted(held) && held.loop == AN_FLOW_NO_LOOP &&
            (is_among(flow, array, k) || hangs_on(flow, array, an_flow_cell(flow, k)->object)))
            an_flow_put(&flow->state, k,
                        (struct an_flow_value){.flags = AN_FLOW_WRITTEN | AN_FLOW_SORTED,
                                               .targets = held.targets});
    }
}

/* Whether a function that the call gets reads a variable from outside of it that depends on the
 * site.
 */
static bool compares_by_site(struct an_flow *flow, const struct an_node *call)
{
    for (const struct an_node *f = comparison_next(flow, call, NULL); f;
         f = comparison_next(flow, call, f))
        for (const struct an_node *n = an_body(f); n; n = an_next(an_body(f), n, false))
            if (n->kind == AN_REFERENCE &&
                (n->storage == AN_GLOBAL || n->storage == AN_STATIC_LOCAL) &&
                an_flow_depends(an_flow_content(flow, an_flow_variable(flow, n), -1)))
                return true;
    return false;
}

/* A sort by keys that depend on the site moves elements to places that depend on it, too. */
static void sorted_blur(struct an_flow *flow, const struct an_node *call,
                        const struct an_flow_value *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++) {
            struct an_flow_value held = *an_flow_held(&flow->state, k);
            if (!is_among(flow, values[i], k) || !(held.flags & AN_FLOW_WRITTEN) ||
                held.kind >= AN_FLOW_OPAQUE)
                continue;
            held.kind = AN_FLOW_OPAQUE;
            held.flags &= ~AN_FLOW_CONSTANT;
            held.why =
                an_flow_because(flow, call, "is sorted by what depends on it here", held.why);
            an_flow_put(&flow->state, k, held);
        }
    if (!count || !values[0].targets)
        return;
    struct an_flow_value moved = an_flow_content(flow, values[0], -1); /* an initialiser's, too */
    moved.kind = AN_FLOW_OPAQUE;
    moved.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    moved.why = an_flow_because(flow, call, "is sorted by what depends on it here", moved.why);
    an_flow_store(flow, values[0], moved, true);
}

/* Sorted by nobody knows how much: what is where may depend on the order. */
static void doubt(struct an_flow *flow, const struct an_flow_value *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++)
            if (is_among(flow, values[i], k) && is_permuted(*an_flow_held(&flow->state, k)))
                an_flow_at(&flow->state, k)->kind = AN_FLOW_OPAQUE;
}

void an_flow_sort(struct an_flow *flow, const struct an_node *call,
                  const struct an_flow_value *values, unsigned count)
{
    bool sorted = false;

    if (compares_by_site(flow, call)) {
        sorted_blur(flow, call, values, count);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++)
            sorted |= is_among(flow, values[i], k) && is_permuted(*an_flow_held(&flow->state, k));
    enum an_flow_extent extent = sorted ? an_flow_extent_of(flow, call) : AN_FLOW_ALL;
    if (extent == AN_FLOW_UNRELATED)
        doubt(flow, values, count);
    if (extent != AN_FLOW_ALL)
        return;
    if (count && is_by_source(flow, call, values[0]))
        source_sort(flow, values[0]);
    for (unsigned i = 0; i < count && sorted; i++)
        for (unsigned k = 1; k < flow->state.count && k < an_flow_cells(flow); k++) {
            struct an_flow_value held = *an_flow_held(&flow->state, k);
            if (!is_among(flow, values[i], k))
                continue;
            if (is_permuted(held))
                held = sorted_make(flow, call, an_flow_cell(flow, k)->field, held);
            else if (held.kind == AN_FLOW_FREE && !held.targets && held.iter == 0 &&
                     held.flags & AN_FLOW_WRITTEN && !(held.flags & AN_FLOW_SORTED))
                held.kind = AN_FLOW_RANKING;
            an_flow_put(&flow->state, k, held);
        }
}
