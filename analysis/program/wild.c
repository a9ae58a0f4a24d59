/* Idea: a value is a set of four bits: may be the wildcard, may be another negative constant, may
 * be something computed whose sign is not known, may be something that is not negative. Variables
 * of a function are followed along its paths; parameters are what callers pass; fields, globals and
 * elements of arrays are whatever the program stores there.
 *
 * Invariant: a bit is only missing when the program, as far as it is here, cannot produce such a
 * value; a question that becomes too long is answered with all bits. What arithmetic, input or a
 * message gives is never taken for the wildcard: it is a rank that was computed. */
#include "analysis/program/wild.h"
#include "analysis/program/inside.h"
#include "analysis/program/paths.h"
#include "analysis/program/seeds.h"
#include "analysis/program/stored.h"

#include <string.h>

enum { WILD = 1, NEGATIVE = 2, UNSURE = 4, NAMED = 8, ANYTHING = 15, REACHED = 16 };
enum { QUESTIONS = 400, DEPTH = 40 };

/* What is being asked, innermost first; a question that leads to itself adds nothing. */
struct asked {
    const void *what;
    int kind;
    const struct asked *outer;
};
enum { OF_VARIABLE, OF_PARAMETER, OF_STORED, OF_ELEMENTS, OF_RESULT, OF_POINTEE };

struct wild {
    const struct an_program *program;
    int64_t wildcard;
    unsigned questions; /* left */
    unsigned depth;
    unsigned in_memory; /* how many stores to memory are being asked */
    const struct asked *asked;
};

static unsigned value_of(struct wild *wild, const struct an_node *expression);
static unsigned elements_of(struct wild *wild, const struct an_node *base);

static bool is_asked(const struct wild *wild, int kind, const void *what)
{
    for (const struct asked *a = wild->asked; a; a = a->outer)
        if (a->kind == kind && a->what == what)
            return true;
    return false;
}

static bool may_ask(struct wild *wild)
{
    if (wild->questions == 0 || wild->depth >= DEPTH)
        return false;
    wild->questions--;
    return true;
}

/* In memory -2 is only a wildcard when mpi.h spells it: programs mark their own things so, too. */
static unsigned constant_bits(const struct wild *wild, const struct an_node *constant)
{
    if (constant->value == wild->wildcard && (!wild->in_memory || an_seed_is_spelled(constant)))
        return WILD;
    return constant->value < 0 ? NEGATIVE : NAMED;
}

/* What memory may hold when it is not known which stores reach it. */
static unsigned anything_in_memory(const struct wild *wild)
{
    bool may_be_wild = an_seeds_reach_memory(wild->program, wild->wildcard);
    return wild->program->whole && !may_be_wild ? ANYTHING & ~(unsigned)WILD : ANYTHING;
}

/* Arithmetic never makes a wildcard; it is not negative when nothing in it can be. */
static unsigned computed(unsigned one, unsigned other)
{
    return ((one | other) & ~(unsigned)NAMED) ? UNSURE : NAMED;
}

static bool is_same(const struct an_node *one, const struct an_node *other)
{
    return one->symbol && other->symbol &&
           (one->symbol == other->symbol || strcmp(one->symbol, other->symbol) == 0);
}

static bool is_reference_to(const struct an_node *node, const struct an_node *variable)
{
    node = an_plain(node);
    return node->kind == AN_REFERENCE && is_same(node, variable);
}

static bool is_address_of(const struct an_node *node, const struct an_node *variable)
{
    node = an_plain(node);
    return node->kind == AN_UNARY && node->op == AN_OP_ADDRESS && node->child &&
           is_reference_to(node->child, variable);
}

/* ---- What a call writes where its argument points ---- */

static const struct an_node *parameter_of(const struct an_node *function, unsigned number)
{
    const struct an_node *p = an_child(function, number);
    return p && p->kind == AN_PARAMETER ? p : NULL;
}

static unsigned written_by(struct wild *wild, const struct an_node *call, unsigned number);

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
                   ? (up->op == AN_OP_NONE ? value_of(wild, an_child(up, 1)) : UNSURE)
                   : 0;
    if (up->kind == AN_CALL && up->child != node) {
        unsigned position = 0;
        for (const struct an_node *a = up->child->next; a && a != node; a = a->next)
            position++;
        return written_by(wild, up, position);
    }
    if ((up->kind == AN_ASSIGN && up->child != node) || up->kind == AN_VARIABLE ||
        up->kind == AN_RETURN || up->kind == AN_LIST)
        return anything_in_memory(wild);
    return 0;
}

static unsigned written_through(struct wild *wild, const struct an_node *function, unsigned number)
{
    const struct an_node *parameter = parameter_of(function, number);
    struct asked asked = {parameter, OF_POINTEE, wild->asked};
    unsigned bits = 0;

    if (!parameter)
        return ANYTHING;
    if (is_asked(wild, OF_POINTEE, parameter))
        return 0;
    if (!may_ask(wild))
        return ANYTHING;
    wild->asked = &asked;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_REFERENCE && is_same(n, parameter))
            bits |= written_at(wild, n);
    wild->asked = asked.outer;
    return bits;
}

static unsigned written_by_mpi(const struct an_call *what)
{
    bool is_natural = strcmp(what->name, "Comm_rank") == 0 ||
                      strcmp(what->name, "Comm_size") == 0 || strcmp(what->name, "Get_count") == 0;
    return is_natural ? NAMED : UNSURE;
}

static unsigned written_by(struct wild *wild, const struct an_node *call, unsigned number)
{
    const struct an_bond *bond = an_program_bond(wild->program, call);
    const struct an_forward *forward = an_bond_forward(bond);
    unsigned bits = 0;

    if (!bond || (!bond->complete && !bond->mpi))
        return ANYTHING;
    if (bond->mpi || forward)
        return written_by_mpi(bond->mpi ? bond->mpi : forward->what);
    if (bond->quiet)
        return UNSURE;
    for (unsigned i = 0; i < bond->count; i++)
        bits |= written_through(wild, bond->targets[i], number);
    return bits;
}

/* ---- Conditions ---- */

static unsigned holds(unsigned bits, enum an_operator op, int64_t constant)
{
    bool negative = bits & (WILD | NEGATIVE | UNSURE), natural = bits & (NAMED | UNSURE);

    if (bits == 0 || constant > 0 || constant < -1)
        return AN_MAY_HOLD | AN_MAY_FAIL;
    bool below_zero = (op == AN_OP_LT && constant == 0) || (op == AN_OP_LE && constant == -1);
    bool from_zero = (op == AN_OP_GE && constant == 0) || (op == AN_OP_GT && constant == -1);
    if (below_zero || (op == AN_OP_EQ && constant == -1))
        return (negative ? AN_MAY_HOLD : 0u) | AN_MAY_FAIL * (natural || !below_zero);
    if (from_zero || (op == AN_OP_NE && constant == -1))
        return (negative ? AN_MAY_FAIL : 0u) | AN_MAY_HOLD * (natural || !from_zero);
    return AN_MAY_HOLD | AN_MAY_FAIL;
}

/* Only questions like "is it negative?" are answered, as wrappers ask them of their parameters. */
static unsigned decide(struct wild *wild, const struct an_node *condition)
{
    unsigned both = AN_MAY_HOLD | AN_MAY_FAIL;

    condition = an_plain(condition);
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT) {
        unsigned bits = decide(wild, condition->child);
        return (bits & AN_MAY_HOLD ? AN_MAY_FAIL : 0u) | (bits & AN_MAY_FAIL ? AN_MAY_HOLD : 0u);
    }
    if (condition->kind != AN_BINARY || condition->op < AN_OP_LT || condition->op > AN_OP_NE)
        return both;
    const struct an_node *right = an_plain(condition->child->next);
    if (!right->constant || right->value > 0 || right->value < -1)
        return both;
    return holds(value_of(wild, condition->child), condition->op, right->value);
}

/* ---- Variables of a function ---- */

struct follow {
    struct wild *wild;
    const struct an_node *at; /* the reference whose value is asked for */
    unsigned seen;
};

static unsigned assigned(struct wild *wild, const struct an_node *node, unsigned state)
{
    const struct an_node *value = an_child(node, 1);

    if (node->op == AN_OP_NONE)
        return REACHED | value_of(wild, value);
    if (node->op == AN_OP_SUB)
        return REACHED | UNSURE;
    return REACHED | computed(state & ANYTHING, value_of(wild, value));
}

static unsigned passed(struct wild *wild, const struct an_node *call,
                       const struct an_node *variable, unsigned state)
{
    const struct an_node *argument = call->child ? call->child->next : NULL;

    for (unsigned i = 0; argument; argument = argument->next, i++)
        if (is_address_of(argument, variable)) {
            const struct an_bond *bond = an_program_bond(wild->program, call);
            bool replaces = bond && bond->mpi;
            state = REACHED | (replaces ? 0 : state) | written_by(wild, call, i);
        }
    return state;
}

static unsigned follow_step(struct an_paths *paths, const struct an_node *node, unsigned state)
{
    struct follow *follow = paths->context;

    if (node == follow->at)
        follow->seen |= state;
    switch (node->kind) {
    case AN_VARIABLE:
        if (!is_same(node, follow->at))
            return state;
        return REACHED |
               (node->child && node->child->kind != AN_EMPTY ? value_of(follow->wild, node->child)
                                                             : 0);
    case AN_ASSIGN:
        return is_reference_to(node->child, follow->at) ? assigned(follow->wild, node, state)
                                                        : state;
    case AN_UNARY:
        if (node->op < AN_OP_PRE_INC || !is_reference_to(node->child, follow->at))
            return state;
        return REACHED | (node->op == AN_OP_PRE_DEC || node->op == AN_OP_POST_DEC
                              ? UNSURE
                              : computed(state & ANYTHING, NAMED));
    case AN_CALL:
        return passed(follow->wild, node, follow->at, state);
    default:
        return state;
    }
}

static bool assigns(const struct an_node *branch, const struct an_node *variable)
{
    for (const struct an_node *n = branch; n; n = an_next(branch, n, false))
        if (n->kind == AN_ASSIGN && is_reference_to(n->child, variable))
            return true;
    return false;
}

/* A condition matters only where one of its branches assigns the variable. */
static unsigned follow_decide(struct an_paths *paths, const struct an_node *condition)
{
    struct follow *follow = paths->context;
    const struct an_node *up = condition->parent;

    if (!up || up->kind != AN_IF || !assigns(up, follow->at))
        return AN_MAY_HOLD | AN_MAY_FAIL;
    return decide(follow->wild, condition);
}

/* Its address goes somewhere else than into a call. */
static bool is_aliased(const struct an_node *function, const struct an_node *variable)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind != AN_UNARY || !is_address_of(n, variable))
            continue;
        const struct an_node *up = n->parent;
        while (up && up->kind == AN_CAST)
            up = up->parent;
        if (!up || up->kind != AN_CALL)
            return true;
    }
    return false;
}

static unsigned parameter_value(struct wild *wild, const struct an_node *function,
                                const struct an_node *reference);

static unsigned variable_value(struct wild *wild, const struct an_node *reference)
{
    const struct an_node *function = an_function_of(reference);
    struct follow follow = {wild, reference, 0};
    struct an_paths paths = {.step = follow_step, .decide = follow_decide, .context = &follow};
    struct asked asked = {reference, OF_VARIABLE, wild->asked};
    unsigned entry = REACHED;

    if (is_asked(wild, OF_VARIABLE, reference))
        return 0;
    if (!function || !reference->symbol || !may_ask(wild))
        return ANYTHING;
    if (is_aliased(function, reference))
        return anything_in_memory(wild);
    wild->asked = &asked;
    if (reference->storage == AN_PARAMETER_VARIABLE)
        entry |= parameter_value(wild, function, reference);
    an_paths_walk(&paths, function, entry);
    wild->asked = asked.outer;
    return follow.seen & ANYTHING;
}

static int position_of(const struct an_node *function, const struct an_node *parameter)
{
    int position = 0;

    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER;
         p = p->next, position++)
        if (is_same(p, parameter))
            return position;
    return -1;
}

/* ---- Parameters: what the callers pass ---- */

static unsigned from_callers(struct wild *wild, const struct an_node *function,
                             const struct an_node *parameter,
                             unsigned (*ask)(struct wild *, const struct an_node *))
{
    struct an_callers callers = an_function_callers(wild->program, function);
    int position = position_of(function, parameter);
    unsigned bits = callers.complete ? 0 : ANYTHING;

    for (unsigned i = 0; bits != ANYTHING && i < callers.count; i++) {
        const struct an_node *argument =
            position < 0 ? NULL : an_argument(callers.calls[i], (unsigned)position);
        bits |= argument ? ask(wild, argument) : ANYTHING;
    }
    return bits;
}

static unsigned parameter_value(struct wild *wild, const struct an_node *function,
                                const struct an_node *reference)
{
    const struct an_node *parameter = an_child(function, 0);
    int position = position_of(function, reference);
    if (position >= 0)
        parameter = an_child(function, (unsigned)position);
    struct asked asked = {parameter, OF_PARAMETER, wild->asked};

    if (is_asked(wild, OF_PARAMETER, parameter))
        return 0;
    if (!may_ask(wild))
        return ANYTHING;
    wild->asked = &asked;
    unsigned bits = from_callers(wild, function, reference, value_of);
    wild->asked = asked.outer;
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

static unsigned list_values(struct wild *wild, const struct an_node *list)
{
    unsigned bits = NAMED;

    for (const struct an_node *n = list; n; n = an_next(list, n, n->kind != AN_LIST))
        if (n->kind != AN_LIST)
            bits |= value_of(wild, n);
    return bits;
}

/* What initialisers of records hold: which field a value belongs to is not known. */
static unsigned initialised(struct wild *wild, const struct an_node *member)
{
    const struct an_type *record = member->child ? member->child->type : NULL;
    unsigned bits = 0;

    while (record && record->below)
        record = record->below;
    for (unsigned i = 0; record && i < wild->program->lists.count; i++) {
        const struct an_node *list = wild->program->lists.items[i];
        const struct an_type *type = list->type;
        while (type && type->below)
            type = type->below;
        if (!type || !type->name || !record->name || strcmp(type->name, record->name) != 0)
            continue;
        for (const struct an_node *n = list->child; n; n = n->next)
            if (an_plain(n)->constant || an_plain(n)->type->class == AN_INTEGER)
                bits |= value_of(wild, n);
    }
    return bits;
}

static unsigned position_in(const struct an_node *call, const struct an_node *argument)
{
    unsigned position = 0;
    for (const struct an_node *a = call->child->next; a && a != argument; a = a->next)
        position++;
    return position;
}

/* An address or an array that stands somewhere: what is written through it? */
static unsigned escaped(struct wild *wild, const struct an_node *node)
{
    const struct an_node *up = node->parent;

    while (up && up->kind == AN_CAST) {
        node = up;
        up = up->parent;
    }
    if (up && up->kind == AN_CALL && up->child != node)
        return written_by(wild, up, position_in(up, node));
    return anything_in_memory(wild);
}

/* What one store leaves in the place itself (elements: in what it points to or consists of). */
static unsigned one_store(struct wild *wild, const struct an_node *store, bool elements)
{
    if (store->kind == AN_VARIABLE) {
        if (!store->child || store->child->kind == AN_EMPTY)
            return store->storage == AN_GLOBAL ? NAMED : 0;
        if (store->child->kind == AN_LIST)
            return list_values(wild, store->child);
        return elements ? elements_of(wild, store->child) : value_of(wild, store->child);
    }
    if (store->kind == AN_ASSIGN) {
        bool direct = an_plain(store->child) == base_of(store->child);
        const struct an_node *value = an_child(store, 1);
        if (!elements && !direct)
            return 0;
        if (elements && direct)
            return store->op == AN_OP_NONE ? elements_of(wild, value) : 0;
        return store->op == AN_OP_NONE ? value_of(wild, value) : UNSURE;
    }
    if (store->kind == AN_UNARY && store->op != AN_OP_ADDRESS)
        return UNSURE;
    return escaped(wild, store);
}

static unsigned stored_value(struct wild *wild, const struct an_node *place, bool elements)
{
    int kind = elements ? OF_ELEMENTS : OF_STORED;
    const struct an_list *stores;

    if (!place->symbol || !is_visible(wild->program, place))
        return ANYTHING;
    if (!an_seeds_reach_memory(wild->program, wild->wildcard))
        return UNSURE;
    stores = an_stored_find(wild->program, place->symbol);
    struct asked asked = {stores, kind, wild->asked};
    if (stores && is_asked(wild, kind, stores))
        return 0;
    if (!may_ask(wild))
        return ANYTHING;
    wild->asked = &asked;
    wild->in_memory++;
    unsigned bits = place->kind == AN_MEMBER ? UNSURE | initialised(wild, place) : 0;
    for (unsigned i = 0; stores && bits != ANYTHING && i < stores->count; i++)
        bits |= one_store(wild, stores->items[i], elements);
    wild->in_memory--;
    wild->asked = asked.outer;
    return bits ? bits : UNSURE;
}

static unsigned from_returns(struct wild *wild, const struct an_node *call,
                             unsigned (*ask)(struct wild *, const struct an_node *));

/* The integers that a pointer points to, or that an array consists of. */
static unsigned elements_of(struct wild *wild, const struct an_node *base)
{
    const struct an_node *root = base_of(base);

    switch (root->kind) {
    case AN_UNARY:
        return root->op == AN_OP_ADDRESS ? value_of(wild, root->child) : anything_in_memory(wild);
    case AN_REFERENCE:
        if (root->storage == AN_PARAMETER_VARIABLE) {
            const struct an_node *function = an_function_of(root);
            int position = position_of(function, root);
            const struct an_node *parameter =
                position < 0 ? NULL : an_child(function, (unsigned)position);
            struct asked asked = {parameter, OF_ELEMENTS, wild->asked};
            if (!parameter || !may_ask(wild))
                return ANYTHING;
            if (is_asked(wild, OF_ELEMENTS, parameter))
                return 0;
            wild->asked = &asked;
            unsigned bits = from_callers(wild, function, root, elements_of) |
                            written_through(wild, function, (unsigned)position);
            wild->asked = asked.outer;
            return bits;
        }
        return stored_value(wild, root, true);
    case AN_MEMBER:
        return stored_value(wild, root, true);
    case AN_CALL:
        return from_returns(wild, root, elements_of);
    case AN_CHOOSE:
        return elements_of(wild, an_child(root, 1)) | elements_of(wild, an_child(root, 2));
    case AN_ASSIGN:
        return elements_of(wild, an_child(root, 1));
    case AN_LIST:
        return list_values(wild, root);
    case AN_NUMBER:
    case AN_STRING:
        return NAMED;
    default:
        return anything_in_memory(wild);
    }
}

/* ---- Results of functions ---- */

static unsigned returned_by(struct wild *wild, const struct an_node *function,
                            unsigned (*ask)(struct wild *, const struct an_node *))
{
    struct asked asked = {function, OF_RESULT, wild->asked};
    unsigned bits = 0;

    if (is_asked(wild, OF_RESULT, function))
        return 0;
    if (!may_ask(wild))
        return ANYTHING;
    wild->asked = &asked;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_RETURN && n->child && n->child->kind != AN_EMPTY)
            bits |= ask(wild, n->child);
    wild->asked = asked.outer;
    return bits;
}

static unsigned from_returns(struct wild *wild, const struct an_node *call,
                             unsigned (*ask)(struct wild *, const struct an_node *))
{
    const struct an_bond *bond = an_program_bond(wild->program, call);
    unsigned bits = 0;

    if (!bond)
        return ANYTHING;
    if (bond->mpi || bond->quiet)
        return UNSURE;
    if (!bond->complete)
        return ANYTHING;
    for (unsigned i = 0; i < bond->count; i++)
        bits |= returned_by(wild, bond->targets[i], ask);
    return bits;
}

/* ---- Expressions ---- */

static unsigned reference_value(struct wild *wild, const struct an_node *reference)
{
    switch (reference->storage) {
    case AN_LOCAL_VARIABLE:
    case AN_PARAMETER_VARIABLE:
        return variable_value(wild, reference);
    case AN_GLOBAL:
    case AN_STATIC_LOCAL:
        return stored_value(wild, reference, false);
    default:
        return ANYTHING;
    }
}

static unsigned unary_value(struct wild *wild, const struct an_node *node)
{
    switch (node->op) {
    case AN_OP_DEREF:
        return elements_of(wild, node->child);
    case AN_OP_PLUS:
        return value_of(wild, node->child);
    case AN_OP_NOT:
        return NAMED;
    case AN_OP_PRE_INC:
    case AN_OP_POST_INC:
        return computed(value_of(wild, node->child), NAMED);
    default:
        return UNSURE;
    }
}

static unsigned binary_value(struct wild *wild, const struct an_node *node)
{
    if (node->op >= AN_OP_LT && node->op <= AN_OP_LOGICAL_OR)
        return NAMED;
    if (node->op == AN_OP_SUB)
        return UNSURE;
    return computed(value_of(wild, node->child), value_of(wild, node->child->next));
}

static unsigned choice_value(struct wild *wild, const struct an_node *node)
{
    unsigned may = decide(wild, node->child);

    return (may & AN_MAY_HOLD ? value_of(wild, an_child(node, 1)) : 0u) |
           (may & AN_MAY_FAIL ? value_of(wild, an_child(node, 2)) : 0u);
}

static unsigned by_kind(struct wild *wild, const struct an_node *node)
{
    switch (node->kind) {
    case AN_REFERENCE:
        return reference_value(wild, node);
    case AN_MEMBER:
        if (node->child && node->child->type->class == AN_STATUS)
            return NAMED; /* a message that came has a rank and a tag */
        return stored_value(wild, node, false);
    case AN_INDEX:
        return elements_of(wild, node->child);
    case AN_UNARY:
        return unary_value(wild, node);
    case AN_BINARY:
        return binary_value(wild, node);
    case AN_CHOOSE:
        return choice_value(wild, node);
    case AN_ASSIGN:
        return node->op == AN_OP_NONE ? value_of(wild, an_child(node, 1)) : UNSURE;
    case AN_CALL:
        return from_returns(wild, node, value_of);
    case AN_SIZEOF:
        return NAMED;
    case AN_NUMBER:
        return UNSURE; /* a floating-point number: it was not folded */
    case AN_LIST:
        return list_values(wild, node);
    default:
        return ANYTHING;
    }
}

static unsigned value_of(struct wild *wild, const struct an_node *expression)
{
    const struct an_node *node = an_plain(expression);

    if (node->constant)
        return constant_bits(wild, node);
    if (expression->constant)
        return constant_bits(wild, expression);
    if (wild->depth >= DEPTH)
        return ANYTHING;
    wild->depth++;
    unsigned bits = by_kind(wild, node);
    wild->depth--;
    return bits;
}

enum an_wildness an_wild_argument(const struct an_program *program, const struct an_mpi *mpi,
                                  int number, int64_t wildcard)
{
    struct wild wild = {.program = program, .wildcard = wildcard, .questions = QUESTIONS};
    const struct an_node *argument = an_mpi_argument(program, mpi, (unsigned)number);

    if (!argument)
        argument = an_argument(mpi->inner, (unsigned)number);
    if (!argument)
        return AN_MAYBE;
    unsigned bits = value_of(&wild, argument);
    return bits == WILD ? AN_ALWAYS : bits & WILD ? AN_MAYBE : AN_NEVER;
}
