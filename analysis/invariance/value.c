/* Idea: an expression's value depends on its operands, on the places that it reads, and on what
 * decides which places these are. A value that never differs has no cell. */
#include "analysis/invariance/inside.h"

#include <string.h>

enum { STATIC_LISTS = 32 };

bool an_is_own_local(const struct an_node *node)
{
    node = an_plain(node);
    return node && node->kind == AN_REFERENCE &&
           (node->storage == AN_LOCAL_VARIABLE || node->storage == AN_PARAMETER_VARIABLE);
}

/* Does the C library have the variable, which its functions set from their arguments alone? */
static bool is_of_options(const struct an_node *name)
{
    static const char *const names[] = {"optarg", "optind", "opterr", "optopt"};
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (name->name && strcmp(name->name, names[n]) == 0)
            return true;
    return false;
}

struct an_place_cell *an_variable_cell(struct an_invariance *i, const struct an_node *name)
{
    if (!name->symbol)
        return i->foreign;
    struct an_named *named = an_named(i, 'V', name->symbol);
    if (!named->declared) {
        named->declared = true;
        an_cell_hold(i, named->cell, an_record_type(name->type, false));
        bool open = name->storage == AN_GLOBAL && !name->internal &&
                    (!named->defined || !an_program_is_whole(i->program));
        if (open && !is_of_options(name)) {
            an_cell_mark(i, named->cell, AN_DIFFERS);
            an_cell_alias(i, named->cell, i->foreign);
        }
    }
    return an_cell_root(named->dirty && an_is_dirty(i, name) ? named->dirty : named->cell);
}

static bool is_pointer(const struct an_type *type)
{
    return type && (type->class == AN_POINTER || type->class == AN_ARRAY);
}

/* The value that is read from the place. */
static struct an_place_cell *read(struct an_flow *w, struct an_place_cell *cell,
                                  struct an_place_cell *address, const struct an_node *node)
{
    struct an_place_cell *context = an_is_own_local(node) ? NULL : w->context;
    if (node->type && node->type->class == AN_ARRAY) {
        struct an_place_cell *pointer = an_cell_make(w->i);
        pointer->pointee = cell;
        an_cell_flow(w->i, address, pointer);
        return pointer;
    }
    if (!address && !context)
        return cell;
    struct an_place_cell *value = an_cell_make(w->i);
    an_cell_flow(w->i, cell, value);
    an_cell_flow(w->i, address, value);
    an_cell_flow(w->i, context, value);
    if (an_points(node->type))
        an_cell_alias(w->i, value, cell);
    return value;
}

/* ---- Places ---- */

static struct an_place_cell *below(struct an_flow *w, struct an_place_cell *pointer,
                                   const struct an_node *node)
{
    struct an_place_cell *cell =
        pointer ? an_cell_pointee(w->i, pointer) : an_cell_root(w->i->foreign);
    if (an_record_type(node->type, false)) {
        an_cell_hold(w->i, cell, an_record_type(node->type, false));
    } else { /* a record may lie there, which is read and written byte by byte */
        an_cell_raw(w->i, cell, false);
        an_cell_raw(w->i, cell, true);
    }
    return cell;
}

static struct an_place_cell *member_place(struct an_flow *w, const struct an_node *node,
                                          struct an_place_cell *pc, struct an_place_cell **address)
{
    const struct an_node *base = node->child;
    if (node->arrow) {
        *address = an_value_of(w, base, pc);
        if (*address)
            an_cell_hold(w->i, an_cell_pointee(w->i, *address), an_record_type(base->type, true));
    } else {
        an_place_of(w, base, pc, address);
    }
    struct an_place_cell *cell = an_field_cell(w->i, node);
    an_cell_hold(w->i, cell, an_record_type(node->type, false));
    return cell;
}

struct an_place_cell *an_place_of(struct an_flow *w, const struct an_node *node,
                                  struct an_place_cell *pc, struct an_place_cell **address)
{
    *address = NULL;
    switch (node->kind) {
    case AN_REFERENCE:
        return an_variable_cell(w->i, node);
    case AN_MEMBER:
        return member_place(w, node, pc, address);
    case AN_INDEX: {
        const struct an_node *base = node->child, *index = an_child(node, 1);
        if (!is_pointer(base->type) && is_pointer(index->type)) {
            const struct an_node *other = base;
            base = index;
            index = other;
        }
        struct an_place_cell *pointer = an_value_of(w, base, pc);
        *address = an_cell_join(w->i, pointer, an_value_of(w, index, pc));
        return below(w, pointer, node);
    }
    case AN_UNARY:
        if (node->op == AN_OP_DEREF) {
            *address = an_value_of(w, node->child, pc);
            return below(w, *address, node);
        }
        break;
    case AN_CAST:
        return an_place_of(w, node->child, pc, address);
    default:
        break;
    }
    *address = an_value_of(w, node, pc);
    struct an_place_cell *fresh = an_cell_make(w->i);
    an_cell_hold(w->i, fresh, an_record_type(node->type, false));
    an_cell_flow(w->i, *address, fresh);
    return fresh;
}

/* ---- Stores ---- */

void an_store(struct an_flow *w, const struct an_node *target, struct an_place_cell *value,
              struct an_place_cell *pc)
{
    struct an_place_cell *address, *cell = an_place_of(w, target, pc, &address);
    const struct an_type *record = an_record_type(target->type, false);
    struct an_place_cell *context = an_is_own_local(target) ? NULL : w->context;
    struct an_place_cell *all[] = {value, address, pc, context};
    for (unsigned n = 0; n < sizeof all / sizeof *all; n++) {
        an_cell_flow(w->i, all[n], cell);
        if (record)
            an_cell_flow(w->i, all[n], an_record_of(w->i, record)->in);
    }
    if (an_points(target->type))
        an_cell_alias(w->i, value, cell);
    if (an_cell_root(cell) == an_cell_root(w->i->wild))
        w->i->wild_written = true;
}

static void list_fill(struct an_flow *w, const struct an_node *list, const struct an_type *record,
                      struct an_place_cell *cell, struct an_place_cell *pc)
{
    for (const struct an_node *child = list->child; child; child = child->next) {
        if (child->kind == AN_LIST) {
            const struct an_type *inner = an_record_type(child->type, false);
            list_fill(w, child, inner ? inner : record, cell, pc);
            continue;
        }
        struct an_place_cell *value = an_value_of(w, child, pc);
        const struct an_type *whole = an_record_type(child->type, false);
        if (whole) {
            an_cell_flow(w->i, value, an_record_of(w->i, whole)->in);
        } else if (record) {
            an_record_fill(w->i, record, child->type, value);
        } else {
            an_cell_flow(w->i, value, cell);
            if (an_points(child->type))
                an_cell_alias(w->i, value, cell);
        }
    }
    if (record) {
        an_cell_flow(w->i, pc, an_record_of(w->i, record)->in);
        an_cell_flow(w->i, w->context, an_record_of(w->i, record)->in);
    }
    an_cell_flow(w->i, pc, cell);
}

void an_initialise(struct an_flow *w, const struct an_node *variable, struct an_place_cell *pc)
{
    const struct an_node *value = variable->child;
    struct an_place_cell *cell = an_variable_cell(w->i, variable);
    const struct an_type *record = an_record_type(variable->type, false);
    if (!value || value->kind == AN_EMPTY)
        return;
    if (value->kind == AN_LIST) {
        list_fill(w, value, record, cell, pc);
        return;
    }
    struct an_place_cell *from = an_value_of(w, value, pc);
    an_cell_flow(w->i, from, cell);
    an_cell_flow(w->i, pc, cell);
    if (record) {
        an_cell_flow(w->i, from, an_record_of(w->i, record)->in);
        an_cell_flow(w->i, pc, an_record_of(w->i, record)->in);
        an_cell_flow(w->i, w->context, an_record_of(w->i, record)->in);
    }
    if (an_points(variable->type))
        an_cell_alias(w->i, from, cell);
}

/* ---- Casts ---- */

static bool lies_in(const struct an_type *inner, const struct an_type *outer)
{
    if (strcmp(inner->name, outer->name) == 0)
        return true;
    for (unsigned n = 0; outer->layout && n < outer->layout->count; n++)
        if (outer->layout->fields[n].record && outer->layout->fields[n].record->name &&
            lies_in(inner, outer->layout->fields[n].record))
            return true;
    return false;
}

static bool is_void(const struct an_type *pointer)
{
    return pointer->below && pointer->below->class == AN_VOID;
}

/* A pointer to one kind of memory becomes one to another: the records there are read and written
 * without regard to their fields. */
static void pointer_cast(struct an_flow *w, struct an_place_cell *value, const struct an_type *from,
                         const struct an_type *to)
{
    const struct an_type *a = an_record_type(from, true), *b = an_record_type(to, true);
    if (!value || (!a && !b) || is_void(from) || is_void(to) ||
        (a && b && (lies_in(a, b) || lies_in(b, a))))
        return;
    struct an_place_cell *memory = an_cell_pointee(w->i, value);
    an_cell_hold(w->i, memory, a);
    an_cell_hold(w->i, memory, b);
    an_cell_raw(w->i, memory, false);
    an_cell_raw(w->i, memory, true);
}

static struct an_place_cell *cast_value(struct an_flow *w, const struct an_node *node,
                                        struct an_place_cell *pc)
{
    const struct an_type *from = node->child->type, *to = node->type;
    struct an_place_cell *value = an_value_of(w, node->child, pc);
    if (!from || !to)
        return value;
    bool pointed = is_pointer(from) || from->class == AN_FUNCTION_TYPE;
    if (to->class == AN_POINTER && !pointed) {
        if (an_plain(node)->constant)
            return NULL;
        struct an_place_cell *wild = an_cell_make(w->i);
        an_cell_mark(w->i, wild, AN_DIFFERS);
        wild->pointee = w->i->wild;
        return wild;
    }
    if (to->class == AN_POINTER && is_pointer(from))
        pointer_cast(w, value, from, to);
    if (pointed && to->class == AN_INTEGER && strcmp(to->name, "_Bool") != 0) {
        struct an_place_cell *number = an_cell_make(w->i);
        an_cell_mark(w->i, number, AN_DIFFERS);
        return number;
    }
    return value;
}

/* ---- Operators ---- */

static struct an_place_cell *address_value(struct an_flow *w, const struct an_node *node,
                                           struct an_place_cell *pc)
{
    const struct an_node *operand = an_plain(node->child);
    struct an_place_cell *address, *cell;
    if (operand->kind == AN_REFERENCE && operand->storage == AN_FUNCTION_NAME)
        return NULL;
    cell = an_place_of(w, operand, pc, &address);
    struct an_place_cell *pointer = an_cell_make(w->i);
    pointer->pointee = cell;
    an_cell_flow(w->i, address, pointer);
    return pointer;
}

static struct an_place_cell *unary_value(struct an_flow *w, const struct an_node *node,
                                         struct an_place_cell *pc)
{
    struct an_place_cell *address, *cell;
    switch (node->op) {
    case AN_OP_ADDRESS:
        return address_value(w, node, pc);
    case AN_OP_DEREF:
        if (node->type && node->type->class == AN_FUNCTION_TYPE)
            return an_value_of(w, node->child, pc);
        cell = an_place_of(w, node, pc, &address);
        return read(w, cell, address, node);
    case AN_OP_PRE_INC:
    case AN_OP_PRE_DEC:
    case AN_OP_POST_INC:
    case AN_OP_POST_DEC:
        an_store(w, an_plain(node->child), NULL, pc);
        return an_value_of(w, node->child, pc);
    default:
        return an_value_of(w, node->child, pc);
    }
}

static struct an_place_cell *binary_value(struct an_flow *w, const struct an_node *node,
                                          struct an_place_cell *pc)
{
    const struct an_node *left = node->child, *right = an_child(node, 1);
    struct an_place_cell *a = an_value_of(w, left, pc);
    bool logical = node->op == AN_OP_LOGICAL_AND || node->op == AN_OP_LOGICAL_OR;
    struct an_place_cell *b = an_value_of(w, right, logical ? an_cell_join(w->i, pc, a) : pc);
    if (node->op == AN_OP_COMMA)
        return b;
    if (!node->type || node->type->class != AN_POINTER)
        return an_cell_join(w->i, a, b);
    struct an_place_cell *pointer = is_pointer(left->type) ? a : b, *value;
    if (!pointer || !a || !b)
        return pointer;
    value = an_cell_make(w->i);
    an_cell_flow(w->i, a, value);
    an_cell_flow(w->i, b, value);
    value->pointee = an_cell_pointee(w->i, pointer);
    return value;
}

static struct an_place_cell *choose_value(struct an_flow *w, const struct an_node *node,
                                          struct an_place_cell *pc)
{
    struct an_place_cell *condition = an_value_of(w, node->child, pc);
    struct an_place_cell *under = an_cell_join(w->i, pc, condition);
    struct an_place_cell *a = an_value_of(w, an_child(node, 1), under);
    struct an_place_cell *b = an_value_of(w, an_child(node, 2), under);
    if (!an_points(node->type))
        return an_cell_join(w->i, condition, an_cell_join(w->i, a, b));
    struct an_place_cell *value = an_cell_make(w->i);
    an_cell_flow(w->i, condition, value);
    an_cell_flow(w->i, a, value);
    an_cell_flow(w->i, b, value);
    an_cell_alias(w->i, value, a);
    an_cell_alias(w->i, value, b);
    return value;
}

static struct an_place_cell *assign_value(struct an_flow *w, const struct an_node *node,
                                          struct an_place_cell *pc)
{
    struct an_place_cell *value = an_value_of(w, an_child(node, 1), pc);
    const struct an_node *target = an_plain(node->child);
    if (node->op == AN_OP_NONE) {
        an_store(w, target, value, pc);
        return value;
    }
    an_store(w, target, value, pc);
    return an_value_of(w, target, pc);
}

/* A compound literal. */
static struct an_place_cell *list_value(struct an_flow *w, const struct an_node *node,
                                        struct an_place_cell *pc)
{
    struct an_place_cell *memory = an_cell_make(w->i), *pointer;
    const struct an_type *record = an_record_type(node->type, false);
    an_cell_hold(w->i, memory, record);
    list_fill(w, node, record, memory, pc);
    if (!node->type || node->type->class != AN_ARRAY)
        return memory;
    pointer = an_cell_make(w->i);
    pointer->pointee = memory;
    return pointer;
}

static struct an_place_cell *statements_value(struct an_flow *w, const struct an_node *node,
                                              struct an_place_cell *pc)
{
    const struct an_node *block = node->child;
    struct an_place_cell *value = NULL;
    for (const struct an_node *n = block ? block->child : NULL; n; n = n->next) {
        if (!n->next && an_is_expression(n)) {
            value = an_value_of(w, n, pc);
            continue;
        }
        struct an_place_cell *after = an_statement_flow(w, n, pc);
        if (after != pc)
            an_cell_flow(w->i, after, w->body);
    }
    return value;
}

static struct an_place_cell *unknown_value(struct an_flow *w, const struct an_node *node,
                                           struct an_place_cell *pc)
{
    struct an_place_cell *value = an_cell_make(w->i);
    for (const struct an_node *child = node->child; child; child = child->next)
        if (an_is_expression(child))
            an_value_of(w, child, pc);
    an_cell_mark(w->i, value, AN_DIFFERS);
    value->pointee = w->i->foreign;
    return value;
}

struct an_place_cell *an_value_of(struct an_flow *w, const struct an_node *node,
                                  struct an_place_cell *pc)
{
    struct an_place_cell *address, *cell;
    if (node->constant)
        return NULL;
    switch (node->kind) {
    case AN_EMPTY:
    case AN_NUMBER:
    case AN_SIZEOF:
        return NULL;
    case AN_STRING:
        return an_cell_make(w->i);
    case AN_REFERENCE:
        if (node->storage == AN_FUNCTION_NAME)
            return NULL;
        /* fall through */
    case AN_MEMBER:
    case AN_INDEX:
        cell = an_place_of(w, node, pc, &address);
        return read(w, cell, address, node);
    case AN_CALL:
        return an_call_flow(w, node, pc);
    case AN_UNARY:
        return unary_value(w, node, pc);
    case AN_BINARY:
        return binary_value(w, node, pc);
    case AN_ASSIGN:
        return assign_value(w, node, pc);
    case AN_CHOOSE:
        return choose_value(w, node, pc);
    case AN_CAST:
        return cast_value(w, node, pc);
    case AN_LIST:
        return list_value(w, node, pc);
    case AN_STATEMENTS:
        return statements_value(w, node, pc);
    default:
        return unknown_value(w, node, pc);
    }
}
