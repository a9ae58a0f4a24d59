/* Idea: a field, a global or an element of an array holds what the program stores there, wherever
 * that is; a pointer that is handed to a function holds what the function writes through it. */
#include "analysis/program/wild_parts.h"
#include "analysis/program/seeds.h"
#include "analysis/program/stored.h"

#include <string.h>

/* ---- What a call writes where its argument points ---- */

static const struct an_node *parameter_of(const struct an_node *function, unsigned number)
{
    const struct an_node *p = an_child(function, number);
    return p && p->kind == AN_PARAMETER ? p : NULL;
}

/* `use` is a reference to a pointer parameter: what is written through it there? */
static unsigned written_at(struct wild *wild, const struct an_node *use)
{
    const struct an_node *node = use, *up = use->parent;
    bool through = false;

    while (up && (up->kind == AN_CAST || up->kind == AN_INDEX ||
                  (up->kind == AN_UNARY && up->op == AN_OP_DEREF) ||
                  (up->kind == AN_BINARY && (up->op == AN_OP_ADD || up->op == AN_OP_SUB)))) {
        if (up->kind == AN_INDEX && up->child != node)
            return 0;
        through |= up->kind == AN_INDEX || up->kind == AN_UNARY;
        node = up;
        up = up->parent;
    }
    if (!up)
        return 0;
    if (up->kind == AN_UNARY && up->op == AN_OP_ADDRESS && through)
        node = up, up = up->parent, through = false;
    if (through)
        return up->kind == AN_ASSIGN && up->child == node
                   ? (up->op == AN_OP_NONE ? an_wild_value(wild, an_child(up, 1)) : AN_IS_UNSURE)
                   : 0;
    if (up->kind == AN_CALL && up->child != node) {
        unsigned position = 0;
        for (const struct an_node *a = up->child->next; a && a != node; a = a->next)
            position++;
        return an_wild_written_by(wild, up, position);
    }
    if ((up->kind == AN_ASSIGN && up->child != node) || up->kind == AN_VARIABLE ||
        up->kind == AN_RETURN || up->kind == AN_LIST)
        return an_wild_in_memory(wild);
    return 0;
}

static unsigned written_through(struct wild *wild, const struct an_node *function, unsigned number)
{
    const struct an_node *parameter = parameter_of(function, number);
    struct asked asked = {parameter, AN_ASKED_POINTEE, wild->asked};
    unsigned bits = 0;

    if (!parameter)
        return AN_IS_ANYTHING;
    if (an_wild_is_asked(wild, AN_ASKED_POINTEE, parameter))
        return 0;
    if (!an_wild_may_ask(wild))
        return AN_IS_ANYTHING;
    wild->asked = &asked;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_REFERENCE && an_wild_is_same(n, parameter))
            bits |= written_at(wild, n);
    wild->asked = asked.outer;
    return bits;
}

static unsigned written_by_mpi(const struct an_call *what)
{
    bool is_natural = strcmp(what->name, "Comm_rank") == 0 ||
                      strcmp(what->name, "Comm_size") == 0 || strcmp(what->name, "Get_count") == 0;
    return is_natural ? AN_IS_NAMED : AN_IS_UNSURE;
}

unsigned an_wild_written_by(struct wild *wild, const struct an_node *call, unsigned number)
{
    const struct an_bond *bond = an_program_bond(wild->program, call);
    const struct an_forward *forward = an_bond_forward(bond);
    unsigned bits = 0;

    if (!bond || (!bond->complete && !bond->mpi))
        return AN_IS_ANYTHING;
    if (bond->mpi || forward)
        return written_by_mpi(bond->mpi ? bond->mpi : forward->what);
    if (bond->quiet)
        return an_copies_memory(call->name) ? an_wild_in_memory(wild) : AN_IS_UNSURE;
    for (unsigned i = 0; i < bond->count; i++)
        bits |= written_through(wild, bond->targets[i], number);
    return bits;
}

/* ---- Memory: what is stored there anywhere in the program ---- */

static bool is_visible(const struct an_program *program, const struct an_node *place)
{
    if (place->kind == AN_MEMBER)
        return program->whole;
    if (place->storage != AN_GLOBAL || place->internal)
        return true;
    struct an_symbol *found;
    HASH_FIND_STR(program->external, place->symbol, found);
    return program->whole && found && found->variable;
}

/* The place that an access starts from: "a" of "a[i].b" is "b", of "*(p + 1)" is "p". */
static const struct an_node *base_of(const struct an_node *node)
{
    for (;;) {
        node = an_plain(node);
        bool is_sum = node->kind == AN_BINARY && (node->op == AN_OP_ADD || node->op == AN_OP_SUB);
        bool is_step =
            node->kind == AN_INDEX ||
            (node->kind == AN_UNARY && (node->op == AN_OP_DEREF || node->op >= AN_OP_PRE_INC));
        if (!is_sum && !is_step)
            return node;
        const struct an_node *first = node->child;
        if (is_sum && first->type->class == AN_INTEGER)
            first = first->next;
        node = first;
    }
}

unsigned an_wild_list(struct wild *wild, const struct an_node *list)
{
    unsigned bits = AN_IS_NAMED;

    for (const struct an_node *n = list; n; n = an_next(list, n, n->kind != AN_LIST))
        if (n->kind != AN_LIST)
            bits |= an_wild_value(wild, n);
    return bits;
}

/* The integers in a list, and in the arrays in it (elements: what its pointers point to, too). */
static unsigned integers_of(struct wild *wild, const struct an_node *list, bool elements)
{
    unsigned bits = 0;

    for (const struct an_node *n = list->child; n; n = n->next) {
        const struct an_type *inner = an_type_innermost(n->type);
        if (n->kind == AN_LIST && !(inner && inner->class == AN_RECORD))
            bits |= integers_of(wild, n, elements);
        else if (an_plain(n)->constant || an_plain(n)->type->class == AN_INTEGER)
            bits |= an_wild_value(wild, n);
        else if (elements && inner && inner->class == AN_INTEGER)
            bits |= an_wild_elements(wild, n);
    }
    return bits;
}

/* The bits of all initialisers of records: which field a value belongs to is not known. */
static unsigned initialised(struct wild *wild, const struct an_node *member, bool elements)
{
    const struct an_type *record = member->child ? an_type_innermost(member->child->type) : NULL;
    unsigned bits = 0;

    for (unsigned i = 0; record && i < wild->program->lists.count; i++)
        if (an_list_initialises(wild->program->lists.items[i], record))
            bits |= integers_of(wild, wild->program->lists.items[i], elements);
    return bits;
}

static unsigned position_in(const struct an_node *call, const struct an_node *argument)
{
    unsigned position = 0;
    for (const struct an_node *a = call->child->next; a && a != argument; a = a->next)
        position++;
    return position;
}

/* Whether `up` only hands the address on that its part `node` is. */
static bool hands_on(const struct an_node *up, const struct an_node *node)
{
    switch (up->kind) {
    case AN_CAST:
    case AN_STATEMENTS:
        return true;
    case AN_CHOOSE:
    case AN_ASSIGN:
        return up->child != node;
    case AN_BINARY:
        return up->op == AN_OP_ADD || up->op == AN_OP_SUB ||
               (up->op == AN_OP_COMMA && up->child != node);
    case AN_UNARY:
        return up->op == AN_OP_ADDRESS || up->op == AN_OP_DEREF || up->op >= AN_OP_PRE_INC;
    case AN_INDEX:
        return up->child == node;
    default:
        return false;
    }
}

/* An address or an array that stands somewhere: what is written through it, and through whatever
 * it is copied to? */
static unsigned escaped(struct wild *wild, const struct an_node *node)
{
    unsigned bits = 0;
    const struct an_node *up = an_user(node);

    for (; up && hands_on(up, node); node = up, up = an_user(up))
        if (up->kind != AN_CAST && up->type->class == AN_INTEGER)
            return bits; /* an element, whose stores are known */
        else if (up->kind == AN_ASSIGN)
            bits |= an_wild_elements(wild, up->child);
    if (!up || (!an_is_expression(up) && up->kind != AN_VARIABLE && up->kind != AN_RETURN))
        return bits;
    switch (up->kind) {
    case AN_CALL:
        return bits |
               (up->child == node ? 0u : an_wild_written_by(wild, up, position_in(up, node)));
    case AN_VARIABLE:
        return bits | an_wild_stored(wild, up, true);
    case AN_ASSIGN: /* what is assigned to */
    case AN_UNARY:
    case AN_BINARY:
    case AN_CHOOSE:
    case AN_INDEX: /* the address is looked at, and goes nowhere */
        return bits;
    default:
        return bits | an_wild_in_memory(wild);
    }
}

/* The bits that one store leaves in the place itself (elements: in what it points to or consists
 * of). */
static unsigned one_store(struct wild *wild, const struct an_node *store, bool elements)
{
    if (store->kind == AN_VARIABLE) {
        if (!store->child || store->child->kind == AN_EMPTY)
            return store->storage == AN_GLOBAL ? AN_IS_NAMED : 0;
        if (store->child->kind == AN_LIST)
            return an_wild_list(wild, store->child);
        return elements ? an_wild_elements(wild, store->child) : an_wild_value(wild, store->child);
    }
    if (store->kind == AN_ASSIGN) {
        bool direct = an_plain(store->child) == base_of(store->child);
        const struct an_node *value = an_child(store, 1);
        if (!elements && !direct)
            return 0;
        if (elements && direct)
            return store->op == AN_OP_NONE ? an_wild_elements(wild, value) : 0;
        return store->op == AN_OP_NONE ? an_wild_value(wild, value) : AN_IS_UNSURE;
    }
    if (store->kind == AN_UNARY && store->op != AN_OP_ADDRESS)
        return AN_IS_UNSURE;
    return escaped(wild, store);
}

unsigned an_wild_stored(struct wild *wild, const struct an_node *place, bool elements)
{
    int kind = elements ? AN_ASKED_ELEMENTS : AN_ASKED_STORED;
    const struct an_list *stores;

    if (!place->symbol || !is_visible(wild->program, place))
        return AN_IS_ANYTHING;
    if (!an_seeds_reach_memory(wild->program, wild->wildcard))
        return AN_IS_UNSURE;
    stores = an_stored_find(wild->program, place->symbol);
    struct asked asked = {stores, kind, wild->asked};
    if (stores && an_wild_is_asked(wild, kind, stores))
        return 0;
    if (!an_wild_may_ask(wild))
        return AN_IS_ANYTHING;
    wild->asked = &asked;
    wild->in_memory++;
    unsigned bits =
        place->kind == AN_MEMBER ? AN_IS_UNSURE | initialised(wild, place, elements) : 0;
    for (unsigned i = 0; stores && bits != AN_IS_ANYTHING && i < stores->count; i++)
        bits |= one_store(wild, stores->items[i], elements);
    wild->in_memory--;
    wild->asked = asked.outer;
    return bits ? bits : AN_IS_UNSURE;
}

unsigned an_wild_from_returns(struct wild *wild, const struct an_node *call,
                              unsigned (*ask)(struct wild *, const struct an_node *));

/* Those that a parameter points to. */
static unsigned parameter_elements(struct wild *wild, const struct an_node *root)
{
    const struct an_node *function = an_function_of(root);
    int position = an_wild_position(function, root);
    const struct an_node *parameter = position < 0 ? NULL : an_child(function, (unsigned)position);
    struct asked asked = {parameter, AN_ASKED_ELEMENTS, wild->asked};

    if (!parameter || !an_wild_may_ask(wild))
        return AN_IS_ANYTHING;
    if (an_wild_is_asked(wild, AN_ASKED_ELEMENTS, parameter))
        return 0;
    wild->asked = &asked;
    unsigned bits = an_wild_from_callers(wild, function, root, an_wild_elements) |
                    written_through(wild, function, (unsigned)position);
    wild->asked = asked.outer;
    return bits;
}

static bool takes_pointer(const struct an_node *call)
{
    for (const struct an_node *a = call->child->next; a; a = a->next)
        if (an_plain(a)->type->class == AN_POINTER || an_plain(a)->type->class == AN_ARRAY)
            return true;
    return false;
}

/* The C library makes memory, or gives back what it was passed: realloc, bsearch. */
static unsigned result_elements(struct wild *wild, const struct an_node *call)
{
    const struct an_bond *bond = an_program_bond(wild->program, call);

    if (bond && bond->quiet && takes_pointer(call))
        return an_wild_in_memory(wild);
    return an_wild_from_returns(wild, call, an_wild_elements);
}

/* The integers that a pointer points to, or that an array consists of. */
unsigned an_wild_elements(struct wild *wild, const struct an_node *base)
{
    const struct an_node *root = base_of(base);

    switch (root->kind) {
    case AN_UNARY:
        return root->op == AN_OP_ADDRESS ? an_wild_value(wild, root->child)
                                         : an_wild_in_memory(wild);
    case AN_REFERENCE:
        return root->storage == AN_PARAMETER_VARIABLE ? parameter_elements(wild, root)
                                                      : an_wild_stored(wild, root, true);
    case AN_MEMBER:
        return an_wild_stored(wild, root, true);
    case AN_CALL:
        return result_elements(wild, root);
    case AN_CHOOSE:
        return an_wild_elements(wild, an_child(root, 1)) |
               an_wild_elements(wild, an_child(root, 2));
    case AN_ASSIGN:
        return an_wild_elements(wild, an_child(root, 1));
    case AN_LIST:
        return an_wild_list(wild, root);
    case AN_NUMBER:
    case AN_STRING:
        return AN_IS_NAMED;
    default:
        return an_wild_in_memory(wild);
    }
}
