/* Idea: a field has one cell for all records of its type, so that a pointer to a record need not be
 * followed. Memory that is written without regard to fields (a message, memcpy) is connected with
 * the fields of all types of records that are known to lie there, at the end. */
#include "analysis/invariance/inside.h"

#include <string.h>

bool an_points(const struct an_type *type)
{
    return type && (type->class == AN_POINTER || type->class == AN_ARRAY ||
                    type->class == AN_UNKNOWN_CLASS || type->class == AN_RECORD);
}

const struct an_type *an_record_type(const struct an_type *type, bool pointers)
{
    while (type && (type->class == AN_ARRAY || (pointers && type->class == AN_POINTER)))
        type = type->below;
    return type && type->class == AN_RECORD && type->name ? type : NULL;
}

static const char *plain_name(const char *name)
{
    for (;;) {
        if (strncmp(name, "const ", 6) == 0)
            name += 6;
        else if (strncmp(name, "volatile ", 9) == 0)
            name += 9;
        else
            return name;
    }
}

static bool is_union(const struct an_type *record)
{
    const struct an_layout *layout = record->layout;
    return strncmp(plain_name(record->name), "union ", 6) == 0 ||
           (layout && layout->count > 1 && layout->fields[0].offset == layout->fields[1].offset &&
            layout->fields[0].size && layout->fields[1].size);
}

struct an_record *an_record_of(struct an_invariance *i, const struct an_type *type)
{
    const char *name = plain_name(type->name);
    struct an_record *record;
    HASH_FIND_STR(i->records, name, record);
    if (record)
        return record;
    record = an_invariance_alloc(i, sizeof *record);
    record->name = name;
    record->in = an_cell_make(i);
    record->out = an_cell_make(i);
    HASH_ADD_KEYPTR(hh, i->records, record->name, strlen(record->name), record);
    for (unsigned n = 0; type->layout && n < type->layout->count; n++) {
        const struct an_type *inner = type->layout->fields[n].record;
        struct an_record *below = inner && inner->name ? an_record_of(i, inner) : NULL;
        if (!below)
            continue;
        an_cell_flow(i, record->in, below->in);
        an_cell_flow(i, below->out, record->out);
        struct an_held *held = an_invariance_alloc(i, sizeof *held);
        *held = (struct an_held){below, record->below};
        record->below = held;
    }
    return record;
}

/* The cell of a field by its name; all members of a union share one. */
static struct an_place_cell *field_named(struct an_invariance *i, const struct an_type *type,
                                         const char *name, bool pointer)
{
    struct an_record *record = an_record_of(i, type);
    char text[512];
    size_t length = strlen(record->name);
    if (is_union(type))
        name = "";
    if (length + strlen(name) + 2 > sizeof text)
        return i->foreign;
    memcpy(text, record->name, length);
    text[length] = '.';
    strcpy(text + length + 1, name);
    struct an_named *named = an_named(i, 'F', text);
    bool first = !named->numbers && !named->pointers;
    if ((pointer && named->pointers) || (!pointer && named->numbers))
        return an_cell_root(named->cell);
    named->pointers |= pointer;
    named->numbers |= !pointer;
    if (first) {
        an_cell_flow(i, record->in, named->cell);
        an_cell_flow(i, named->cell, record->out);
        if (!an_program_is_whole(i->program))
            an_cell_mark(i, named->cell, AN_DIFFERS);
    }
    if (!first && is_union(type))
        an_cell_mark(i, named->cell, AN_DIFFERS); /* a pointer is read as a number */
    struct an_record_field *field = an_invariance_alloc(i, sizeof *field);
    *field = (struct an_record_field){named->cell, pointer, record->fields};
    record->fields = field;
    return an_cell_root(named->cell);
}

/* The record that has the field itself: a member of an anonymous record in it is that one's. */
static const struct an_type *owner_of(const struct an_type *record, const char *name)
{
    for (unsigned n = 0; record->layout && n < record->layout->count; n++)
        if (strcmp(record->layout->fields[n].name, name) == 0)
            return record;
    for (unsigned n = 0; record->layout && n < record->layout->count; n++) {
        const struct an_field *field = &record->layout->fields[n];
        const struct an_type *inner = field->record && field->record->name && !*field->name
                                          ? owner_of(field->record, name)
                                          : NULL;
        if (inner)
            return inner;
    }
    return NULL;
}

struct an_place_cell *an_field_cell(struct an_invariance *i, const struct an_node *member)
{
    const struct an_type *record = an_record_type(member->child->type, true), *owner;
    if (!record || !member->name)
        return i->foreign;
    owner = owner_of(record, member->name);
    return field_named(i, owner ? owner : record, member->name, an_points(member->type));
}

void an_cell_hold(struct an_invariance *i, struct an_place_cell *cell, const struct an_type *type)
{
    cell = an_cell_root(cell);
    if (!cell || !type)
        return;
    struct an_record *record = an_record_of(i, type);
    for (const struct an_held *held = cell->held; held; held = held->next)
        if (held->record == record)
            return;
    struct an_held *held = an_invariance_alloc(i, sizeof *held);
    *held = (struct an_held){record, cell->held};
    cell->held_last = cell->held_last ? cell->held_last : held;
    cell->held = held;
}

void an_cell_raw(struct an_invariance *i, struct an_place_cell *cell, bool writes)
{
    if (!cell || i->complete)
        return;
    cell = an_cell_root(cell);
    bool known = writes ? cell->raw_written : cell->raw_read;
    cell->raw_written |= writes;
    cell->raw_read |= !writes;
    if (known)
        return;
    struct an_raw *raw = an_invariance_alloc(i, sizeof *raw);
    *raw = (struct an_raw){cell, writes, i->raws};
    i->raws = raw;
}

static bool is_number(enum an_class class)
{
    return class == AN_INTEGER || class == AN_FLOATING;
}

void an_record_fill(struct an_invariance *i, const struct an_type *record,
                    const struct an_type *type, struct an_place_cell *value)
{
    if (!record->layout || !type) {
        an_cell_flow(i, value, an_record_of(i, record)->in);
        return;
    }
    for (unsigned n = 0; n < record->layout->count; n++) {
        const struct an_field *field = &record->layout->fields[n];
        if (field->record && field->record->name) {
            an_record_fill(i, field->record, type, value);
            continue;
        }
        bool pointer = type->class == AN_POINTER || type->class == AN_ARRAY;
        bool alike = pointer ? field->class == AN_POINTER : field->class == type->class;
        if (!alike && !(is_number(type->class) && is_number(field->class)) &&
            type->class != AN_UNKNOWN_CLASS && field->class != AN_UNKNOWN_CLASS)
            continue;
        struct an_place_cell *cell = field_named(i, record, field->name, pointer);
        an_cell_flow(i, value, cell);
        if (pointer)
            an_cell_alias(i, value, cell);
    }
}

static void pointers_connect(struct an_invariance *i, struct an_place_cell *cell,
                             const struct an_record *record)
{
    for (const struct an_held *below = record->below; below; below = below->next)
        pointers_connect(i, cell, below->record);
    for (const struct an_record_field *field = record->fields; field; field = field->next)
        if (field->pointer)
            an_cell_alias(i, cell, field->cell);
}

/* Effect: the fields of the record are what lies in the memory. */
static void raw_connect(struct an_invariance *i, struct an_place_cell *cell,
                        const struct an_record *record, bool writes)
{
    an_cell_flow(i, writes ? cell : record->out, writes ? record->in : cell);
    pointers_connect(i, cell, record);
}

void an_raws_settle(struct an_invariance *i)
{
    for (const struct an_raw *raw = i->raws; raw; raw = raw->next)
        for (const struct an_held *held = an_cell_root(raw->cell)->held; held; held = held->next)
            raw_connect(i, an_cell_root(raw->cell), held->record, raw->writes);
}
