/* Idea: one cell for each variable, for each field (of all objects of its type), for each result
 * of a function and for the initialisers of each record type; it is made when it is first named.
 * A cell that unseen code can reach is open from the beginning. */
#include "analysis/program/cells.h"

#include <string.h>

static const char *an_name_intern(struct points *points, const char *text)
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

struct cell *an_cell_get(struct points *points, enum an_cell_kind kind, const void *what)
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

void an_cell_queue(struct points *points, struct cell *cell)
{
    if (cell->queued)
        return;
    cell->queued = true;
    cell->next = points->queue;
    points->queue = cell;
}

void an_cell_put(struct points *points, struct cell *cell, unsigned number)
{
    uint64_t bit = UINT64_C(1) << number % 64;

    if (cell->set[number / 64] & bit)
        return;
    cell->set[number / 64] |= bit;
    an_cell_queue(points, cell);
}

void an_cell_open(struct points *points, struct cell *cell)
{
    if (cell->open)
        return;
    cell->open = true;
    an_cell_queue(points, cell);
}

void an_cell_link(struct points *points, struct cell *from, struct cell *to)
{
    if (from == to)
        return;
    for (const struct edge *edge = from->edges; edge; edge = edge->next)
        if (edge->to == to)
            return;
    struct edge *edge = an_unit_alloc(points->program->memory, sizeof *edge);
    *edge = (struct edge){to, from->edges};
    from->edges = edge;
    an_cell_queue(points, from);
}

/* Code that is not here may read and write it. */
static void cell_give(struct points *points, struct cell *cell)
{
    an_cell_open(points, cell);
    an_cell_link(points, cell, points->outside);
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

static bool is_leaving(struct points *points, const struct an_type *record)
{
    struct name *found;
    HASH_FIND_STR(points->leaving, an_record_name(record), found);
    return found != NULL;
}

/* Objects that a call hands to foreign code: their fields are no longer the program's alone. */
void an_records_leave(struct points *points, const struct an_bond *bond)
{
    const struct an_node *value = bond->node->child ? bond->node->child->next : NULL;

    for (; bond->foreign && value; value = value->next) {
        const struct an_type *record = an_type_innermost(an_plain(value)->type);
        if (!record || record->class != AN_RECORD || !record->name || is_leaving(points, record))
            continue;
        struct name *name = an_unit_alloc(points->program->memory, sizeof *name);
        name->text = an_record_name(record);
        HASH_ADD_KEYPTR(hh, points->leaving, name->text, strlen(name->text), name);
    }
}

struct cell *an_cell_of_record(struct points *points, const struct an_type *record,
                               const struct an_type *function)
{
    const char *text = an_unit_printf(points->program->memory, "%s / %s", an_record_name(record),
                                      function ? function->name : "");
    struct cell *cell = an_cell_get(points, AN_OF_RECORD, an_name_intern(points, text));
    if (!points->program->whole || is_leaving(points, record))
        an_cell_link(points, cell, points->outside);
    return cell;
}

static bool is_defined(const struct points *points, const char *symbol)
{
    struct an_symbol *found;
    HASH_FIND_STR(points->program->external, symbol, found);
    return found && found->variable;
}

struct cell *an_cell_of_variable(struct points *points, const struct an_node *variable)
{
    if (!variable->symbol)
        return points->loose;
    if (variable->storage != AN_GLOBAL || variable->internal)
        return an_cell_get(points, AN_OF_SYMBOL, variable->symbol);
    struct cell *cell = an_cell_get(points, AN_OF_SYMBOL, an_name_intern(points, variable->symbol));
    if (!is_defined(points, variable->symbol))
        an_cell_open(points, cell);
    cell_share(points, cell);
    return cell;
}

/* Effect: what initialises a record's fields of that type may be in `cell`; the members of
 * anonymous records in it are its own. */
static void record_links(struct points *points, const struct an_type *record,
                         const struct an_type *function, struct cell *cell)
{
    an_cell_link(points, an_cell_of_record(points, record, function), cell);
    for (unsigned i = 0; record->layout && i < record->layout->count; i++) {
        const struct an_field *field = &record->layout->fields[i];
        if (field->record && field->record->name && !*field->name)
            record_links(points, field->record, function, cell);
    }
}

static struct cell *field_cell(struct points *points, const struct an_node *member)
{
    if (!member->symbol)
        return points->loose;
    struct cell *cell = an_cell_get(points, AN_OF_SYMBOL, an_name_intern(points, member->symbol));
    const struct an_type *record = an_type_innermost(member->child ? member->child->type : NULL);
    if (member->child && is_union(member->child)) {
        an_cell_link(points, cell, points->loose);
        an_cell_link(points, points->loose, cell);
    } else if (record && record->name) {
        record_links(points, record, an_type_innermost(member->type), cell);
    }
    if (record && record->name && is_leaving(points, record))
        cell_give(points, cell);
    cell_share(points, cell);
    return cell;
}

struct cell *an_cell_of_place(struct points *points, const struct an_node *place)
{
    place = an_plain(place);
    switch (place->kind) {
    case AN_REFERENCE:
    case AN_VARIABLE:
    case AN_PARAMETER:
        return place->storage == AN_FUNCTION_NAME ? NULL : an_cell_of_variable(points, place);
    case AN_MEMBER:
        return field_cell(points, place);
    case AN_INDEX:
    case AN_UNARY:
        return place->child ? an_cell_of_place(points, place->child) : NULL;
    default:
        return NULL;
    }
}
