/* Idea: which functions a pointer may hold, by inclusion: every variable, field (one for all
 * objects of its type), function result and record's initialisers is a cell; every assignment,
 * argument and return is an edge along which sets of functions flow until nothing changes. Calls
 * through a pointer add edges to the parameters of what they enter while that is found out.
 *
 * Invariant: when `open` is false for a cell, its set holds every function that it can ever
 * hold. A pointer that leaves the type system (void *, a union) flows through one cell for all,
 * `loose`. */
#include "analysis/program/cells.h"

#include <stdlib.h>
#include <string.h>

static void value_flows(struct points *points, const struct an_node *value, struct cell *to);

static void function_flows(struct points *points, const struct an_node *name, struct cell *to)
{
    struct an_function *f = an_program_named(points->program, name->symbol, name->internal);

    if (!f && !an_is_quiet(name->name ? name->name : "", name->system, points->program->whole))
        an_cell_open(points, to);
    for (; f; f = f->same)
        an_cell_put(points, to, f->number);
}

static void result_flows(struct points *points, const struct an_node *call, struct cell *to)
{
    const struct an_bond *bond = an_program_bond(points->program, call);

    if (!bond || !bond->complete || (bond->quiet && an_type_leads_to_function(call->type) >= 0))
        an_cell_open(points, to);
    if (bond && bond->indirect)
        an_cell_link(points, an_cell_get(points, AN_OF_RESULT, bond), to);
    for (unsigned i = 0; bond && i < bond->count; i++)
        an_cell_link(points, an_cell_get(points, AN_OF_RESULT, bond->targets[i]), to);
}

static void place_flows(struct points *points, const struct an_node *place, struct cell *to)
{
    struct cell *from = an_cell_of_place(points, place);

    if (!from)
        return;
    an_cell_link(points, from, to);
    if (an_type_leads_to_function(place->type) >= 2 || place->op == AN_OP_ADDRESS)
        an_cell_link(points, to, from);
}

static void children_flow(struct points *points, const struct an_node *first, struct cell *to)
{
    for (; first; first = first->next)
        value_flows(points, first, to);
}

static const struct an_node *last_child(const struct an_node *node)
{
    const struct an_node *last = node->child;
    while (last && last->next)
        last = last->next;
    return last;
}

/* Effect: everything that `value` may be flows into `to`. */
static void value_flows(struct points *points, const struct an_node *value, struct cell *to)
{
    value = an_plain(value);
    if (value->type && value->kind != AN_REFERENCE && value->kind != AN_LIST &&
        an_type_leads_to_function(value->type) < 0 && value->type->class != AN_POINTER &&
        value->type->class != AN_INTEGER && value->type->class != AN_ARRAY)
        return;
    switch (value->kind) {
    case AN_REFERENCE:
        if (value->storage == AN_FUNCTION_NAME)
            function_flows(points, value, to);
        else
            place_flows(points, value, to);
        break;
    case AN_MEMBER:
    case AN_INDEX:
        place_flows(points, value, to);
        break;
    case AN_UNARY:
        if (value->child && an_plain(value->child)->kind == AN_REFERENCE &&
            an_plain(value->child)->storage == AN_FUNCTION_NAME)
            function_flows(points, an_plain(value->child), to);
        else
            place_flows(points, value, to);
        break;
    case AN_CHOOSE:
        children_flow(points, an_child(value, 1), to);
        break;
    case AN_ASSIGN:
        value_flows(points, value->child, to);
        break;
    case AN_LIST:
        children_flow(points, value->child, to);
        break;
    case AN_STATEMENTS:
        if (value->child && last_child(value->child))
            value_flows(points, last_child(value->child), to);
        break;
    case AN_CALL:
        result_flows(points, value, to);
        break;
    case AN_NUMBER:
    case AN_STRING:
    case AN_SIZEOF:
    case AN_BINARY:
        break;
    default:
        an_cell_open(points, to);
        break;
    }
}

/* Effect: `value` goes to a place of type `type`, whose cell is `to`. Only pointers to functions
 * are followed by name; others go to, and come from, the loose cell. */
static void store_flows(struct points *points, const struct an_node *value,
                        const struct an_type *type, struct cell *to)
{
    const struct an_node *plain = an_plain(value);
    bool from_function = plain->type && an_type_leads_to_function(plain->type) >= 0;
    bool to_function = type && an_type_leads_to_function(type) >= 0;

    if (!to && !from_function)
        return;
    if (from_function && to_function && to) {
        value_flows(points, value, to);
    } else if (from_function) {
        value_flows(points, value, points->loose);
    } else if (to_function && to && plain->kind != AN_NUMBER) {
        an_cell_link(points, points->loose, to);
        if (plain->kind == AN_CALL)
            result_flows(points, plain, to);
        else if (plain->kind == AN_LIST)
            value_flows(points, value, to);
    }
}

static const struct an_node *parameter(const struct an_node *function, unsigned number)
{
    const struct an_node *child = an_child(function, number);
    return child && child->kind == AN_PARAMETER ? child : NULL;
}

static void arguments_flow(struct points *points, const struct an_node *call,
                           const struct an_node *function)
{
    const struct an_node *value = call->child ? call->child->next : NULL;

    for (unsigned i = 0; value; value = value->next, i++) {
        const struct an_node *to = parameter(function, i);
        if (!to)
            store_flows(points, value, NULL, points->loose);
        else if (an_type_leads_to_function(to->type) >= 0 ||
                 an_type_leads_to_function(value->type) >= 0)
            store_flows(points, value, to->type, an_cell_of_variable(points, to));
    }
}

/* Arguments of a call that enters code that is not here: what they hold may be called there. */
static void arguments_leave(struct points *points, struct an_bond *bond)
{
    const struct an_node *value = bond->node->child ? bond->node->child->next : NULL;

    for (; value; value = value->next) {
        if (!value->type || an_type_leads_to_function(an_plain(value)->type) < 0)
            continue;
        struct cell *cell = an_cell_get(points, AN_OF_CALLEE, bond);
        value_flows(points, value, cell);
        an_cell_link(points, cell, points->outside);
        if (an_type_leads_to_function(an_plain(value)->type) >= 2)
            an_cell_link(points, points->loose, cell); /* memcpy may write it */
    }
}

static void bond_flows(struct points *points, struct an_bond *bond)
{
    for (unsigned i = 0; i < bond->count; i++)
        arguments_flow(points, bond->node, bond->targets[i]);
    if (bond->mpi || bond->quiet || bond->foreign)
        arguments_leave(points, bond);
    if (!bond->indirect)
        return;
    struct cell *cell = an_cell_get(points, AN_OF_CALLEE, bond);
    an_list_add(&cell->calls, bond);
    if (bond->node->child)
        value_flows(points, bond->node->child, cell);
    an_cell_queue(points, cell);
}

static void return_flows(struct points *points, const struct an_node *node)
{
    const struct an_node *function = an_function_of(node);
    struct cell *cell = an_cell_get(points, AN_OF_RESULT, function);

    value_flows(points, node->child, cell);
    if (!points->program->whole && !function->internal)
        an_cell_link(points, cell, points->outside);
}

static void node_flows(struct points *points, const struct an_node *node)
{
    if (node->kind == AN_ASSIGN)
        store_flows(points, an_child(node, 1), an_type_stored(node->child),
                    an_cell_of_place(points, node->child));
    else if (node->kind == AN_VARIABLE)
        store_flows(points, node->child, node->type, an_cell_of_variable(points, node));
    else if (node->kind == AN_RETURN)
        return_flows(points, node);
}

/* The value may be that of a field of the record, or of one in it. */
static void value_initialises(struct points *points, const struct an_node *value,
                              const struct an_type *record, const struct an_type *function)
{
    if (!record || record->class != AN_RECORD || !record->name)
        return;
    value_flows(points, value, an_cell_of_record(points, record, function));
    for (unsigned i = 0; record->layout && i < record->layout->count; i++)
        value_initialises(points, value, record->layout->fields[i].record, function);
}

/* Every value of a record's initialiser goes to the cell of the record's fields of its type, also
 * those of an array in it. */
static void list_flows(struct points *points, const struct an_node *list,
                       const struct an_type *record)
{
    for (const struct an_node *value = list->child; value; value = value->next) {
        const struct an_type *inner = value->type ? an_type_innermost(value->type) : NULL;
        if (value->kind == AN_LIST && inner && inner->class != AN_RECORD)
            list_flows(points, value, record);
        if (value->kind == AN_LIST || !value->type ||
            an_type_leads_to_function(an_plain(value)->type) < 0)
            continue;
        const struct an_type *function = an_type_leads_to_function(value->type) >= 0
                                             ? inner
                                             : an_type_innermost(an_plain(value)->type);
        value_initialises(points, value, record, function);
    }
}

/* Does `call` pass what `function` takes? A callback that is cast may take less: machines let it.
 */
static bool fits(const struct an_node *call, const struct an_function *function)
{
    return an_arguments(call) >= function->parameters;
}

static void enter(struct points *points, struct an_bond *bond, struct an_function *function)
{
    for (unsigned i = 0; i < bond->count; i++)
        if (bond->targets[i] == function->node)
            return;
    if (bond->indirect && !fits(bond->node, function))
        return;
    struct an_node **more =
        an_unit_alloc(points->program->memory, (bond->count + 1) * sizeof *more);
    if (bond->count)
        memcpy(more, bond->targets, bond->count * sizeof *more);
    more[bond->count++] = function->node;
    bond->targets = more;
    if (!bond->indirect)
        return;
    arguments_flow(points, bond->node, function->node);
    an_cell_link(points, an_cell_get(points, AN_OF_RESULT, function->node),
                 an_cell_get(points, AN_OF_RESULT, bond));
}

/* The callees of a pointer that may hold anything: whatever of its type has its address taken. */
static void enter_compatible(struct points *points, struct an_bond *bond)
{
    const struct an_type *type =
        an_type_innermost(bond->node->child ? bond->node->child->type : NULL);

    for (unsigned i = 0; type && i < points->taken.count; i++) {
        struct an_function *function = points->taken.items[i];
        if (function->node->type && strcmp(function->node->type->name, type->name) == 0)
            enter(points, bond, function);
    }
}

static void call_through(struct points *points, const struct cell *cell, struct an_bond *bond)
{
    bond->complete = !cell->open;
    if (cell->open)
        enter_compatible(points, bond);
    for (unsigned i = 0; i < points->taken.count; i++)
        if (cell->set[i / 64] >> i % 64 & 1)
            enter(points, bond, points->taken.items[i]);
}

/* A function that code outside may call can be given anything. */
static void called_back(struct points *points, struct an_function *function)
{
    if (function->called_back)
        return;
    function->called_back = true;
    for (const struct an_node *p = function->node->child; p && p->kind == AN_PARAMETER; p = p->next)
        if (an_type_leads_to_function(p->type) >= 0)
            an_cell_open(points, an_cell_of_variable(points, p));
}

static void flow_on(struct points *points, struct cell *cell)
{
    for (const struct edge *edge = cell->edges; edge; edge = edge->next) {
        uint64_t more = cell->open && !edge->to->open;
        for (unsigned w = 0; w < points->words; w++) {
            more |= cell->set[w] & ~edge->to->set[w];
            edge->to->set[w] |= cell->set[w];
        }
        edge->to->open |= cell->open;
        if (more)
            an_cell_queue(points, edge->to);
    }
    for (unsigned i = 0; i < cell->calls.count; i++)
        call_through(points, cell, cell->calls.items[i]);
    for (unsigned i = 0; cell == points->outside && i < points->taken.count; i++)
        if (cell->set[i / 64] >> i % 64 & 1)
            called_back(points, points->taken.items[i]);
}

static void settle(struct points *points)
{
    while (points->queue) {
        struct cell *cell = points->queue;
        points->queue = cell->next;
        cell->queued = false;
        flow_on(points, cell);
    }
}

/* Calls that enter what was passed to them: qsort, atexit, foreign functions. */
static void callbacks_enter(struct points *points)
{
    for (unsigned i = 0; i < points->program->bonds_count; i++) {
        struct an_bond *bond = &points->program->bonds[i];
        struct key key = {bond, AN_OF_CALLEE, 0};
        struct cell *cell;
        if (bond->indirect)
            continue;
        HASH_FIND(hh, points->cells, &key, sizeof key, cell);
        for (unsigned n = 0; cell && n < points->taken.count; n++)
            if (cell->set[n / 64] >> n % 64 & 1)
                enter(points, bond, points->taken.items[n]);
        if (cell && cell->open && bond->quiet)
            bond->complete = false;
    }
}

static void number_taken(struct points *points)
{
    for (unsigned i = 0; i < points->program->functions.count; i++) {
        struct an_function *function = points->program->functions.items[i];
        if (!function->taken)
            continue;
        function->number = points->taken.count;
        an_list_add(&points->taken, function);
    }
    points->words = (points->taken.count + 63) / 64 + 1;
}

/* In a part of a program the callers of what others can name are unknown, and so are the pointers
 * that come as void *. In a whole one only dlsym gives what is not here. */
static void open_what_is_unknown(struct points *points)
{
    struct an_program *program = points->program;

    if (!program->whole)
        an_cell_open(points, points->loose);
    an_cell_link(points, points->loose, points->outside);
    for (unsigned i = 0; i < program->functions.count; i++) {
        struct an_function *function = program->functions.items[i];
        const struct an_node *p = function->node->child;
        for (; !program->whole && !function->node->internal && p && p->kind == AN_PARAMETER;
             p = p->next)
            if (an_type_leads_to_function(p->type) >= 0)
                an_cell_open(points, an_cell_of_variable(points, p));
    }
    for (unsigned i = 0; i < program->bonds_count; i++) {
        const struct an_node *call = program->bonds[i].node;
        if (call->name && strcmp(call->name, "dlsym") == 0)
            an_cell_open(points, points->loose);
    }
}

static void points_free(struct points *points)
{
    struct cell *cell, *next;

    HASH_ITER (hh, points->cells, cell, next)
        an_list_free(&cell->calls);
    HASH_CLEAR(hh, points->cells);
    HASH_CLEAR(hh, points->names);
    HASH_CLEAR(hh, points->leaving);
    an_list_free(&points->taken);
}

void an_program_point(struct an_program *program)
{
    struct points points = {.program = program};

    number_taken(&points);
    points.loose = an_cell_get(&points, AN_LOOSE, NULL);
    points.outside = an_cell_get(&points, AN_OUTSIDE, NULL);
    open_what_is_unknown(&points);
    for (unsigned i = 0; i < program->bonds_count; i++)
        an_records_leave(&points, &program->bonds[i]);
    for (unsigned i = 0; i < program->lists.count; i++)
        list_flows(&points, program->lists.items[i],
                   an_type_innermost(((struct an_node *)program->lists.items[i])->type));
    for (unsigned i = 0; i < program->flows.count; i++)
        node_flows(&points, program->flows.items[i]);
    for (unsigned i = 0; i < program->bonds_count; i++)
        bond_flows(&points, &program->bonds[i]);
    settle(&points);
    callbacks_enter(&points);
    points_free(&points);
}
