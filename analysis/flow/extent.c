/* Idea: a sort takes the order of arrival out of an array only if it takes all that was put there.
 * The count that it gets is compared with the places of the array that are written: with the
 * counter that is their subscript, with the bound of the loop whose variable it is, and with the
 * length of the array itself. Counts and subscripts are a constant plus one expression; parameters
 * are what the calls on the path followed give them. */
#include "analysis/flow/extent.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 16 };

struct sum {
    const struct an_node *base; /* or NULL */
    int64_t constant;
};

struct sorting {
    struct an_flow *flow;
    const struct an_node *call;
    const struct an_node *array; /* REFERENCE or MEMBER */
    int64_t start;               /* of its first element that is sorted */
    struct sum end;              /* behind the last one */
};

static bool is_named(const struct an_node *node, const char *symbol)
{
    return (node->kind == AN_REFERENCE || node->kind == AN_MEMBER) && node->symbol && symbol &&
           strcmp(node->symbol, symbol) == 0;
}

static bool is_step(const struct an_node *node)
{
    return node->kind == AN_UNARY && node->op >= AN_OP_PRE_INC;
}

/* sizeof a / sizeof a[0]; 0 for anything else. */
static int64_t length_of(const struct an_node *node)
{
    if (node->kind != AN_BINARY || node->op != AN_OP_DIV)
        return 0;
    const struct an_node *whole = an_plain(node->child), *part = an_plain(node->child->next);
    bool sizes = whole->kind == AN_SIZEOF && part->kind == AN_SIZEOF;
    return sizes && part->value > 0 ? whole->value / part->value : 0;
}

static struct sum sum_of(struct an_flow *flow, const struct an_node *node)
{
    struct sum sum = {NULL, 0};

    for (unsigned step = 0; node && step < STEPS; step++) {
        sum.base = node = an_plain(node);
        int64_t length = length_of(node);
        if (node->constant || length) {
            sum.constant += node->constant ? node->value : length;
            sum.base = NULL;
            break;
        }
        if (is_step(node)) {
            sum.constant += node->op == AN_OP_PRE_INC ? 1 : node->op == AN_OP_POST_INC ? 0 : -1;
            node = node->child;
            continue;
        }
        bool sums = node->kind == AN_BINARY && (node->op == AN_OP_ADD || node->op == AN_OP_SUB);
        const struct an_node *left = sums ? an_plain(node->child) : NULL;
        const struct an_node *right = sums ? an_plain(node->child->next) : NULL;
        if (sums && right->constant) {
            sum.constant += node->op == AN_OP_ADD ? right->value : -right->value;
            node = left;
        } else if (sums && left->constant && node->op == AN_OP_ADD) {
            sum.constant += left->value;
            node = right;
        } else {
            node = an_flow_meaning(flow, node);
        }
    }
    return sum;
}

/* The same expression; a field of records that different functions name is that field. */
static bool is_same(const struct an_node *a, const struct an_node *b)
{
    a = a ? an_plain(a) : NULL;
    b = b ? an_plain(b) : NULL;
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->op != b->op || a->kind == AN_CALL || a->kind == AN_ASSIGN ||
        is_step(a) || a->constant != b->constant || (a->constant && a->value != b->value))
        return false;
    if (a->kind == AN_SIZEOF)
        return a->value && a->value == b->value;
    if (!a->symbol != !b->symbol || (a->symbol && strcmp(a->symbol, b->symbol) != 0))
        return false;
    if (a->kind == AN_MEMBER && an_function_of(a) != an_function_of(b))
        return true;
    const struct an_node *x = a->child, *y = b->child;
    for (; x && y && is_same(x, y); x = x->next)
        y = y->next;
    return !x && !y;
}

/* Compares two sums: whether `end` reaches as far as `other`, or that is not known. */
static enum an_flow_extent reach_compare(struct sum end, struct sum other)
{
    if (is_same(end.base, other.base))
        return end.constant >= other.constant ? AN_FLOW_ALL : AN_FLOW_PART;
    return end.base ? AN_FLOW_UNRELATED : AN_FLOW_PART;
}

/* ---- Counters ---- */

static bool is_zero(const struct an_node *node)
{
    node = an_plain(node);
    return node->constant && node->value == 0;
}

/* Whether `node` changes a counter in another way than by counting on, or begins again with it
 * behind the store, so that it does not tell how much was stored. */
static bool spoils(const struct sorting *sorting, const struct an_node *node,
                   const struct an_node *store)
{
    if (is_step(node))
        return node->op == AN_OP_PRE_DEC || node->op == AN_OP_POST_DEC;
    if (node->kind == AN_UNARY)
        return true; /* its address is taken */
    if (node->op == AN_OP_ADD)
        return false;
    const struct an_node *value = an_plain(node->child->next);
    if (node->op != AN_OP_NONE)
        return true;
    if (value->kind == AN_BINARY && value->op == AN_OP_ADD && is_same(value->child, node->child))
        return false;
    if (!is_zero(value))
        return true;
    bool here = an_function_of(node) == an_function_of(store) &&
                an_function_of(node) == an_function_of(sorting->call);
    return here && node->place.offset > store->place.offset &&
           node->place.offset < sorting->call->place.offset;
}

static bool is_counter_in(const struct sorting *sorting, const struct an_node *function,
                          const struct an_node *counter, const struct an_node *store)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        bool writes =
            n->kind == AN_ASSIGN || is_step(n) || (n->kind == AN_UNARY && n->op == AN_OP_ADDRESS);
        if (writes && is_named(an_plain(n->child), counter->symbol) && spoils(sorting, n, store))
            return false;
    }
    return true;
}

static bool is_local(const struct an_node *node)
{
    return node->kind == AN_REFERENCE && node->storage != AN_GLOBAL;
}

static bool is_counter(const struct sorting *sorting, const struct an_node *counter,
                       const struct an_node *store)
{
    struct an_program *program = sorting->flow->program;

    if (counter->kind != AN_REFERENCE && counter->kind != AN_MEMBER)
        return false;
    if (is_local(counter))
        return is_counter_in(sorting, an_function_of(counter), counter, store);
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        if (!is_counter_in(sorting, f, counter, store))
            return false;
    return true;
}

/* ---- Loops ---- */

static unsigned steps_count(const struct an_node *loop, const char *symbol)
{
    unsigned count = 0;
    for (const struct an_node *n = loop; n; n = an_next(loop, n, false))
        count += (is_step(n) || n->kind == AN_ASSIGN) && is_named(an_plain(n->child), symbol);
    return count;
}

/* Whether something in a sum is assigned between a loop and the sort. */
static bool is_moved(const struct sorting *sorting, const struct an_node *loop,
                     const struct an_node *bound)
{
    const struct an_node *function = an_function_of(loop);

    for (const struct an_node *part = bound; part; part = an_next(bound, part, false))
        for (const struct an_node *n = function; n && part->symbol; n = an_next(function, n, false))
            if ((n->kind == AN_ASSIGN || is_step(n)) && n->place.offset > loop->place.offset &&
                n->place.offset < sorting->call->place.offset &&
                is_named(an_plain(n->child), part->symbol))
                return true;
    return false;
}

/* The subscript is a loop's variable, which ends at a bound. */
static enum an_flow_extent loop_compare(const struct sorting *sorting, struct sum index,
                                        const struct an_node *store)
{
    for (const struct an_node *loop = store->parent; loop; loop = loop->parent) {
        if (loop->kind != AN_FOR && loop->kind != AN_WHILE)
            continue;
        const struct an_node *test = an_plain(an_child(loop, loop->kind == AN_FOR ? 1 : 0));
        if (test->kind != AN_BINARY || (test->op != AN_OP_LT && test->op != AN_OP_LE) ||
            !is_same(test->child, index.base) || !index.base->symbol)
            continue;
        bool init = loop->kind == AN_FOR && loop->child->kind == AN_ASSIGN;
        if (steps_count(loop, index.base->symbol) != (init ? 2 : 1) ||
            is_moved(sorting, loop, test->child->next))
            return AN_FLOW_UNRELATED;
        struct sum bound = sum_of(sorting->flow, test->child->next);
        bound.constant += index.constant + (test->op == AN_OP_LE);
        return reach_compare(sorting->end, bound);
    }
    return AN_FLOW_UNRELATED;
}

static enum an_flow_extent store_compare(const struct sorting *sorting,
                                         const struct an_node *subscript,
                                         const struct an_node *store)
{
    struct sum index = sum_of(sorting->flow, subscript);

    if (!index.base)
        return sorting->end.base || sorting->end.constant > index.constant ? AN_FLOW_ALL
                                                                           : AN_FLOW_PART;
    if (is_same(index.base, sorting->end.base) && is_counter(sorting, index.base, store))
        return sorting->end.constant >= index.constant ? AN_FLOW_ALL : AN_FLOW_PART;
    return loop_compare(sorting, index, store);
}

/* ---- Stores ---- */

/* Whether what is at `place` may be written there with what a message says. */
static bool is_stored(const struct sorting *sorting, const struct an_node *place)
{
    const struct an_node *parent = place->parent;

    while (
        (parent->kind == AN_MEMBER && !parent->arrow) || parent->kind == AN_CAST ||
        (parent->kind == AN_UNARY && (parent->op == AN_OP_ADDRESS || parent->op == AN_OP_DEREF))) {
        place = parent;
        parent = parent->parent;
    }
    if (parent->kind == AN_VARIABLE) /* a pointer to the element, for what follows */
        return place->type->class == AN_POINTER;
    if (parent->kind == AN_ASSIGN && parent->child == place)
        return !an_plain(place->next)->constant;
    if (parent->kind == AN_ASSIGN)
        return place->type->class == AN_POINTER;
    if (parent->kind != AN_CALL || parent->child == place)
        return false;
    struct an_mpi mpi;
    if (!an_call_is_mpi(sorting->flow->program, parent, &mpi))
        return place->type->class == AN_POINTER || place->type->class == AN_ARRAY;
    return mpi.what->receive.buffer >= 0 &&
           an_mpi_argument(sorting->flow->program, &mpi, (unsigned)mpi.what->receive.buffer) ==
               place;
}

/* The subscript at which the array is written here, or NULL. */
static const struct an_node *subscript_of(const struct sorting *sorting,
                                          const struct an_node *array)
{
    const struct an_node *parent = array->parent;
    const struct an_node *place = parent;

    if (!parent || parent->child != array)
        return NULL;
    bool index = parent->kind == AN_INDEX;
    bool sum = parent->kind == AN_BINARY && parent->op == AN_OP_ADD;
    return (index || sum) && is_stored(sorting, place) ? array->next : NULL;
}

static void stores_compare(const struct sorting *sorting, const struct an_node *function,
                           enum an_flow_extent *worst, bool *any)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (!is_named(n, sorting->array->symbol) || an_flow_holds(sorting->call, n))
            continue;
        const struct an_node *subscript = subscript_of(sorting, n);
        if (!subscript)
            continue;
        enum an_flow_extent extent = store_compare(sorting, subscript, n);
        *worst = extent > *worst ? extent : *worst;
        *any = true;
    }
}

/* ---- The array itself ---- */

static bool is_product_of(const struct sorting *sorting, const struct an_node *node)
{
    node = an_plain(node);
    if (node->kind == AN_BINARY && node->op == AN_OP_MUL)
        return is_product_of(sorting, node->child) || is_product_of(sorting, node->child->next);
    return node->kind != AN_SIZEOF &&
           reach_compare(sorting->end, sum_of(sorting->flow, node)) == AN_FLOW_ALL;
}

/* Whether the one allocation of a local array has as many elements as are sorted. */
static bool is_allocated_so(const struct sorting *sorting)
{
    const char *symbol = sorting->array->symbol;
    const struct an_node *function = an_function_of(sorting->array), *value = NULL;
    unsigned count = 0;

    if (!is_local(sorting->array))
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        bool declared = n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, symbol) == 0;
        bool assigned = n->kind == AN_ASSIGN && is_named(n->child, symbol);
        if ((!declared && !assigned) || (declared && n->child->kind == AN_EMPTY))
            continue;
        value = an_plain(declared ? n->child : n->child->next);
        count++;
    }
    if (count != 1 || value->kind != AN_CALL || !value->name || !strstr(value->name, "alloc"))
        return false;
    for (unsigned i = 0; i < an_arguments(value); i++)
        if (is_product_of(sorting, an_argument(value, i)))
            return true;
    return false;
}

/* Whether an array that is declared with a length is sorted up to that. */
static bool is_declared_so(const struct sorting *sorting)
{
    const struct an_type *type = sorting->array->type;
    const char *length = type && type->class == AN_ARRAY ? strchr(type->name, '[') : NULL;
    char *end;

    if (!length)
        return false;
    long long number = strtoll(length + 1, &end, 10);
    return *end == ']' && number > 0 && !sorting->end.base && sorting->end.constant >= number;
}

static enum an_flow_extent array_compare(const struct sorting *sorting)
{
    enum an_flow_extent worst = AN_FLOW_ALL;
    struct an_program *program = sorting->flow->program;
    bool any = false;

    if (sorting->start == 0 && (is_declared_so(sorting) || is_allocated_so(sorting)))
        return AN_FLOW_ALL;
    if (is_local(sorting->array)) {
        stores_compare(sorting, an_function_of(sorting->array), &worst, &any);
    } else {
        for (const struct an_node *f = an_program_next(program, NULL); f;
             f = an_program_next(program, f))
            stores_compare(sorting, f, &worst, &any);
    }
    return any ? worst : AN_FLOW_UNRELATED;
}

/* ---- The call ---- */

/* The array that an argument leads into, and from which element on; false for anything else. */
static bool array_find(struct an_flow *flow, const struct an_node *argument,
                       struct sorting *sorting)
{
    for (unsigned step = 0; argument && step < STEPS; step++) {
        argument = an_plain(argument);
        bool address = argument->kind == AN_UNARY && argument->op == AN_OP_ADDRESS;
        const struct an_node *place = address ? an_plain(argument->child) : argument;
        if (argument->kind == AN_MEMBER || argument->kind == AN_REFERENCE) {
            bool pointer = argument->type->class == AN_POINTER;
            const struct an_node *meaning = pointer ? an_flow_meaning(flow, argument) : NULL;
            sorting->array = argument;
            if (!meaning)
                return argument->symbol != NULL;
            argument = meaning;
        } else if ((address && place->kind == AN_INDEX) ||
                   (argument->kind == AN_BINARY && argument->op == AN_OP_ADD)) {
            const struct an_node *index = an_plain(place->child->next);
            if (!index->constant)
                return false;
            sorting->start += index->value;
            argument = place->child;
        } else {
            return false;
        }
    }
    return false;
}

static bool is_of_library(const char *name)
{
    return strcmp(name, "qsort") == 0 || strcmp(name, "qsort_r") == 0 ||
           strcmp(name, "mergesort") == 0 || strcmp(name, "heapsort") == 0;
}

static enum an_flow_extent end_compare(struct sorting *sorting, const struct an_node *count,
                                       bool inclusive)
{
    sorting->end = sum_of(sorting->flow, count);
    sorting->end.constant += sorting->start + inclusive;
    return array_compare(sorting);
}

/* The extent that a function of the program sorts by calling the library: that of its worst
 * call. *any says whether it calls it. */
static enum an_flow_extent body_compare(struct an_flow *flow, const struct an_node *call,
                                        const struct an_node *function, bool *any)
{
    struct an_flow_frame frame = {.function = function, .call = call, .caller = flow->frame};
    enum an_flow_extent worst = AN_FLOW_ALL;

    flow->frame = &frame;
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        if (n->kind != AN_CALL || !n->name || !n->system || !is_of_library(n->name))
            continue;
        enum an_flow_extent extent = an_flow_extent_of(flow, n);
        worst = extent > worst ? extent : worst;
        *any = true;
    }
    flow->frame = frame.caller;
    return worst;
}

static enum an_flow_extent bodies_compare(struct an_flow *flow, const struct an_node *call,
                                          bool *any)
{
    struct an_targets targets = an_call_targets(flow->program, call);
    enum an_flow_extent worst = AN_FLOW_ALL;

    for (unsigned i = 0; i < targets.count; i++) {
        enum an_flow_extent extent = body_compare(flow, call, targets.functions[i], any);
        worst = extent > worst ? extent : worst;
    }
    return worst;
}

/* A sort of the program's own: some number among its arguments says how many, or, with a first one
 * of 0 before it, which is the last. Without any it is taken for one of all. */
static enum an_flow_extent own_compare(struct sorting *sorting)
{
    enum an_flow_extent best = AN_FLOW_UNRELATED;
    bool any = false, zero = false;

    for (unsigned i = 0; i < an_arguments(sorting->call); i++) {
        const struct an_node *argument = an_argument(sorting->call, i);
        if (!argument->type || argument->type->class != AN_INTEGER)
            continue;
        any = true;
        if (is_zero(argument)) {
            zero = true;
            continue;
        }
        if (end_compare(sorting, argument, zero) == AN_FLOW_ALL)
            best = AN_FLOW_ALL;
    }
    return any ? best : AN_FLOW_ALL;
}

enum an_flow_extent an_flow_extent_of(struct an_flow *flow, const struct an_node *call)
{
    struct sorting sorting = {.flow = flow, .call = call};
    bool known = an_arguments(call) && array_find(flow, an_argument(call, 0), &sorting);

    if (is_of_library(call->name) && an_arguments(call) > 1)
        return known ? end_compare(&sorting, an_argument(call, 1), false) : AN_FLOW_UNRELATED;
    bool any = false;
    enum an_flow_extent extent = bodies_compare(flow, call, &any);
    if (any)
        return extent;
    return known ? own_compare(&sorting) : AN_FLOW_UNRELATED;
}
