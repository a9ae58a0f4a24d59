/* Idea: which functions a pointer may hold, by inclusion: every variable, field (one for all
 * objects of its type), function result and record's initialisers is a cell; every assignment,
 * argument and return is an edge along which sets of functions flow until nothing changes. Calls
 * through a pointer add edges to the parameters of what they enter while that is found out.
 *
 * Invariant: when `open` is false for a cell, its set holds every function that it can ever hold.
 * What leaves the type system (void *, a union) flows through one cell for all, `loose`. */
#include "analysis/program/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum cell_kind { OF_SYMBOL, OF_RESULT, OF_RECORD, OF_CALLEE, LOOSE, OUTSIDE };

struct key {
    const void *what;
    enum cell_kind kind;
    unsigned unused;
};

struct edge {
    struct cell *to;
    struct edge *next;
};

struct cell {
    struct key key;
    uint64_t *set; /* functions, by number */
    bool open;     /* may hold functions that are not here */
    bool queued;
    struct edge *edges;   /* what it flows into */
    struct an_list calls; /* OF_CALLEE: the bond that calls through it */
    struct cell *next;    /* of the queue */
    UT_hash_handle hh;
};

struct name {
    const char *text;
    UT_hash_handle hh;
};

struct points {
    struct an_program *program;
    struct an_list taken; /* functions by number */
    unsigned words;       /* of a set */
    struct cell *cells;
    struct cell *loose, *outside;
    struct cell *queue;
    struct name *names;
    struct name *leaving; /* record types whose objects are passed to code that is not here */
};

static const char *name_intern(struct points *points, const char *text)
{
    struct name *name;

    HASH_FIND_STR(points->names, text, name);
    if (!name) {
        name = an_unit_alloc(points->program->memory, sizeof *name);
        name->text = text;
        HASH_ADD_KEYPTR(hh, points->names, text, strlen(text), name);
    }
    return name->text;
}

static struct cell *cell_get(struct points *points, enum cell_kind kind, const void *what)
{
    struct key key = {what, kind, 0};
    struct cell *cell;

    HASH_FIND(hh, points->cells, &key, sizeof key, cell);
    if (!cell) {
        cell = an_unit_alloc(points->program->memory, sizeof *cell);
        cell->key = key;
        cell->set = an_unit_alloc(points->program->memory, points->words * sizeof *cell->set);
        HASH_ADD(hh, points->cells, key, sizeof cell->key, cell);
    }
    return cell;
}

static void cell_queue(struct points *points, struct cell *cell)
{
    if (cell->queued)
        return;
    cell->queued = true;
    cell->next = points->queue;
    points->queue = cell;
}

static void cell_put(struct points *points, struct cell *cell, unsigned number)
{
    uint64_t bit = UINT64_C(1) << number % 64;

    if (cell->set[number / 64] & bit)
        return;
    cell->set[number / 64] |= bit;
    cell_queue(points, cell);
}

static void cell_open(struct points *points, struct cell *cell)
{
    if (cell->open)
        return;
    cell->open = true;
    cell_queue(points, cell);
}

static void edge_add(struct points *points, struct cell *from, struct cell *to)
{
    if (from == to)
        return;
    for (const struct edge *edge = from->edges; edge; edge = edge->next)
        if (edge->to == to)
            return;
    struct edge *edge = an_unit_alloc(points->program->memory, sizeof *edge);
    *edge = (struct edge){to, from->edges};
    from->edges = edge;
    cell_queue(points, from);
}

/* Code that is not here may read and write it. */
static void cell_give(struct points *points, struct cell *cell)
{
    cell_open(points, cell);
    edge_add(points, cell, points->outside);
}

/* In a part of a program there are such units. */
static void cell_share(struct points *points, struct cell *cell)
{
    if (!points->program->whole)
        cell_give(points, cell);
}

static bool is_union(const struct an_node *base)
{
    const struct an_type *type = base->type;

    while (type && (type->class == AN_POINTER || type->class == AN_ARRAY))
        type = type->below;
    return type && type->name && strncmp(type->name, "union ", 6) == 0;
}

static const struct an_type *innermost(const struct an_type *type)
{
    while (type && (type->class == AN_POINTER || type->class == AN_ARRAY))
        type = type->below;
    return type;
}

static const char *without_qualifiers(const char *name)
{
    static const char *const words[] = {"const ", "volatile "};

    for (unsigned i = 0; i < 2; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return without_qualifiers(name + strlen(words[i]));
    return name;
}

static bool is_leaving(struct points *points, const struct an_type *record)
{
    struct name *found;
    HASH_FIND_STR(points->leaving, without_qualifiers(record->name), found);
    return found != NULL;
}

/* Objects that a call hands to foreign code: their fields are no longer the program's alone. */
static void records_leave(struct points *points, const struct an_bond *bond)
{
    const struct an_node *value = bond->node->child ? bond->node->child->next : NULL;

    for (; bond->foreign && value; value = value->next) {
        const struct an_type *record = innermost(an_plain(value)->type);
        if (!record || record->class != AN_RECORD || !record->name || is_leaving(points, record))
            continue;
        struct name *name = an_unit_alloc(points->program->memory, sizeof *name);
        name->text = without_qualifiers(record->name);
        HASH_ADD_KEYPTR(hh, points->leaving, name->text, strlen(name->text), name);
    }
}

/* The cell of all initialisers of one record type that are pointers to one type of function. */
static struct cell *record_cell(struct points *points, const struct an_type *record,
                                const struct an_type *function)
{
    const char *text =
        an_unit_printf(points->program->memory, "%s / %s", without_qualifiers(record->name),
                       function ? function->name : "");
    struct cell *cell = cell_get(points, OF_RECORD, name_intern(points, text));
    if (!points->program->whole || is_leaving(points, record))
        edge_add(points, cell, points->outside);
    return cell;
}

static bool is_defined(const struct points *points, const char *symbol)
{
    struct an_symbol *found;
    HASH_FIND_STR(points->program->external, symbol, found);
    return found && found->variable;
}

static struct cell *variable_cell(struct points *points, const struct an_node *variable)
{
    if (!variable->symbol)
        return points->loose;
    if (variable->storage != AN_GLOBAL || variable->internal)
        return cell_get(points, OF_SYMBOL, variable->symbol);
    struct cell *cell = cell_get(points, OF_SYMBOL, name_intern(points, variable->symbol));
    if (!is_defined(points, variable->symbol))
        cell_open(points, cell);
    cell_share(points, cell);
    return cell;
}

static struct cell *field_cell(struct points *points, const struct an_node *member)
{
    if (!member->symbol)
        return points->loose;
    struct cell *cell = cell_get(points, OF_SYMBOL, name_intern(points, member->symbol));
    const struct an_type *record = innermost(member->child ? member->child->type : NULL);
    if (member->child && is_union(member->child)) {
        edge_add(points, cell, points->loose);
        edge_add(points, points->loose, cell);
    } else if (record && record->name) {
        edge_add(points, record_cell(points, record, innermost(member->type)), cell);
    }
    if (record && record->name && is_leaving(points, record))
        cell_give(points, cell);
    cell_share(points, cell);
    return cell;
}

/* The cell that an lvalue names, or NULL. Elements are their array, what a pointer points to is the
 * pointer. */
static struct cell *place_cell(struct points *points, const struct an_node *place)
{
    place = an_plain(place);
    switch (place->kind) {
    case AN_REFERENCE:
    case AN_VARIABLE:
    case AN_PARAMETER:
        return place->storage == AN_FUNCTION_NAME ? NULL : variable_cell(points, place);
    case AN_MEMBER:
        return field_cell(points, place);
    case AN_INDEX:
    case AN_UNARY:
        return place->child ? place_cell(points, place->child) : NULL;
    default:
        return NULL;
    }
}

static void value_flows(struct points *points, const struct an_node *value, struct cell *to);

static void function_flows(struct points *points, const struct an_node *name, struct cell *to)
{
    struct an_function *f = an_program_named(points->program, name->symbol, name->internal);

    if (!f && !an_is_quiet(name->name ? name->name : "", name->system, points->program->whole))
        cell_open(points, to);
    for (; f; f = f->same)
        cell_put(points, to, f->number);
}

static void result_flows(struct points *points, const struct an_node *call, struct cell *to)
{
    const struct an_bond *bond = an_program_bond(points->program, call);

    if (!bond || !bond->complete || (bond->quiet && an_type_leads_to_function(call->type) >= 0))
        cell_open(points, to);
    if (bond && bond->indirect)
        edge_add(points, cell_get(points, OF_RESULT, bond), to);
    for (unsigned i = 0; bond && i < bond->count; i++)
        edge_add(points, cell_get(points, OF_RESULT, bond->targets[i]), to);
}

static void place_flows(struct points *points, const struct an_node *place, struct cell *to)
{
    struct cell *from = place_cell(points, place);

    if (!from)
        return;
    edge_add(points, from, to);
    if (an_type_leads_to_function(place->type) >= 2 || place->op == AN_OP_ADDRESS)
        edge_add(points, to, from);
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
        cell_open(points, to);
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
        edge_add(points, points->loose, to);
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
            store_flows(points, value, to->type, variable_cell(points, to));
    }
}

/* Arguments of a call that enters code that is not here: what they hold may be called there. */
static void arguments_leave(struct points *points, struct an_bond *bond)
{
    const struct an_node *value = bond->node->child ? bond->node->child->next : NULL;

    for (; value; value = value->next) {
        if (!value->type || an_type_leads_to_function(an_plain(value)->type) < 0)
            continue;
        struct cell *cell = cell_get(points, OF_CALLEE, bond);
        value_flows(points, value, cell);
        edge_add(points, cell, points->outside);
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
    struct cell *cell = cell_get(points, OF_CALLEE, bond);
    an_list_add(&cell->calls, bond);
    if (bond->node->child)
        value_flows(points, bond->node->child, cell);
    cell_queue(points, cell);
}

static void return_flows(struct points *points, const struct an_node *node)
{
    const struct an_node *function = an_function_of(node);
    struct cell *cell = cell_get(points, OF_RESULT, function);

    value_flows(points, node->child, cell);
    if (!points->program->whole && !function->internal)
        edge_add(points, cell, points->outside);
}

static void node_flows(struct points *points, const struct an_node *node)
{
    if (node->kind == AN_ASSIGN)
        store_flows(points, an_child(node, 1), node->child->type, place_cell(points, node->child));
    else if (node->kind == AN_VARIABLE)
        store_flows(points, node->child, node->type, variable_cell(points, node));
    else if (node->kind == AN_RETURN)
        return_flows(points, node);
}

/* Every value of a record's initialiser goes to the cell of the record's fields of its type. */
static void list_flows(struct points *points, const struct an_node *list)
{
    const struct an_type *record = innermost(list->type);

    if (!record || record->class != AN_RECORD || !record->name)
        return;
    for (const struct an_node *value = list->child; value; value = value->next) {
        if (value->kind == AN_LIST || !value->type ||
            an_type_leads_to_function(an_plain(value)->type) < 0)
            continue;
        const struct an_type *function = an_type_leads_to_function(value->type) >= 0
                                             ? innermost(value->type)
                                             : innermost(an_plain(value)->type);
        value_flows(points, value, record_cell(points, record, function));
    }
}

/* Can `call` pass its arguments to `function`? */
static bool fits(const struct an_node *call, const struct an_function *function)
{
    unsigned given = an_arguments(call);

    return given == function->parameters ||
           (function->node->variadic && given >= function->parameters);
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
    edge_add(points, cell_get(points, OF_RESULT, function->node),
             cell_get(points, OF_RESULT, bond));
}

/* The callees of a pointer that may hold anything: whatever of its type has its address taken. */
static void enter_compatible(struct points *points, struct an_bond *bond)
{
    const struct an_type *type = innermost(bond->node->child ? bond->node->child->type : NULL);

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
            cell_open(points, variable_cell(points, p));
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
            cell_queue(points, edge->to);
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
        struct key key = {bond, OF_CALLEE, 0};
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
        cell_open(points, points->loose);
    edge_add(points, points->loose, points->outside);
    for (unsigned i = 0; i < program->functions.count; i++) {
        struct an_function *function = program->functions.items[i];
        const struct an_node *p = function->node->child;
        for (; !program->whole && !function->node->internal && p && p->kind == AN_PARAMETER;
             p = p->next)
            if (an_type_leads_to_function(p->type) >= 0)
                cell_open(points, variable_cell(points, p));
    }
    for (unsigned i = 0; i < program->bonds_count; i++) {
        const struct an_node *call = program->bonds[i].node;
        if (call->name && strcmp(call->name, "dlsym") == 0)
            cell_open(points, points->loose);
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
    points.loose = cell_get(&points, LOOSE, NULL);
    points.outside = cell_get(&points, OUTSIDE, NULL);
    open_what_is_unknown(&points);
    for (unsigned i = 0; i < program->bonds_count; i++)
        records_leave(&points, &program->bonds[i]);
    for (unsigned i = 0; i < program->lists.count; i++)
        list_flows(&points, program->lists.items[i]);
    for (unsigned i = 0; i < program->flows.count; i++)
        node_flows(&points, program->flows.items[i]);
    for (unsigned i = 0; i < program->bonds_count; i++)
        bond_flows(&points, &program->bonds[i]);
    settle(&points);
    callbacks_enter(&points);
    points_free(&points);
}
