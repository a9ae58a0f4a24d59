/* Idea: a value is a set of four bits: may be the wildcard, may be another negative constant, may
 * be something computed whose sign is not known, may be something that is not negative. Variables
 * of a function are followed along its paths; parameters are what callers pass; fields, globals and
 * elements of arrays are whatever the program stores there.
 *
 * Invariant: a bit is only missing when the program, as far as it is here, cannot produce such a
 * value; a question that becomes too long is answered with all bits. A result of arithmetic,
 * input or a message is never taken for the wildcard: it is a rank that was computed. */
#include "analysis/program/wild_parts.h"
#include "analysis/program/paths.h"
#include "analysis/program/seeds.h"
#include "analysis/program/stored.h"

#include <string.h>

enum { QUESTIONS = 400, DEPTH = 40 };

bool an_wild_is_asked(const struct wild *wild, int kind, const void *what)
{
    for (const struct asked *a = wild->asked; a; a = a->outer)
        if (a->kind == kind && a->what == what)
            return true;
    return false;
}

bool an_wild_may_ask(struct wild *wild)
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
        return AN_IS_WILD;
    return constant->value < 0 ? AN_IS_NEGATIVE : AN_IS_NAMED;
}

/* The bits of memory when it is not known which stores reach it. */
unsigned an_wild_in_memory(const struct wild *wild)
{
    bool may_be_wild = an_seeds_reach_memory(wild->program, wild->wildcard);
    return wild->program->whole && !may_be_wild ? AN_IS_ANYTHING & ~(unsigned)AN_IS_WILD
                                                : AN_IS_ANYTHING;
}

/* Arithmetic never makes a wildcard; it is not negative when nothing in it can be. */
unsigned an_wild_computed(unsigned one, unsigned other)
{
    return ((one | other) & ~(unsigned)AN_IS_NAMED) ? AN_IS_UNSURE : AN_IS_NAMED;
}

bool an_wild_is_same(const struct an_node *one, const struct an_node *other)
{
    return one->symbol && other->symbol &&
           (one->symbol == other->symbol || strcmp(one->symbol, other->symbol) == 0);
}

/* ---- Results of functions ---- */

static unsigned returned_by(struct wild *wild, const struct an_node *function,
                            unsigned (*ask)(struct wild *, const struct an_node *))
{
    struct asked asked = {function, AN_ASKED_RESULT, wild->asked};
    unsigned bits = 0;

    if (an_wild_is_asked(wild, AN_ASKED_RESULT, function))
        return 0;
    if (!an_wild_may_ask(wild))
        return AN_IS_ANYTHING;
    wild->asked = &asked;
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_RETURN && n->child && n->child->kind != AN_EMPTY)
            bits |= ask(wild, n->child);
    wild->asked = asked.outer;
    return bits;
}

unsigned an_wild_from_returns(struct wild *wild, const struct an_node *call,
                              unsigned (*ask)(struct wild *, const struct an_node *))
{
    const struct an_bond *bond = an_program_bond(wild->program, call);
    unsigned bits = 0;

    if (!bond)
        return AN_IS_ANYTHING;
    if (bond->mpi || bond->quiet)
        return AN_IS_UNSURE;
    if (!bond->complete)
        return AN_IS_ANYTHING;
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
        return an_wild_variable(wild, reference);
    case AN_GLOBAL:
    case AN_STATIC_LOCAL:
        return an_wild_stored(wild, reference, false);
    default:
        return AN_IS_ANYTHING;
    }
}

static unsigned unary_value(struct wild *wild, const struct an_node *node)
{
    switch (node->op) {
    case AN_OP_DEREF:
        return an_wild_elements(wild, node->child);
    case AN_OP_PLUS:
        return an_wild_value(wild, node->child);
    case AN_OP_NOT:
        return AN_IS_NAMED;
    case AN_OP_PRE_INC:
    case AN_OP_POST_INC:
        return an_wild_computed(an_wild_value(wild, node->child), AN_IS_NAMED);
    default:
        return AN_IS_UNSURE;
    }
}

static unsigned binary_value(struct wild *wild, const struct an_node *node)
{
    if (node->op >= AN_OP_LT && node->op <= AN_OP_LOGICAL_OR)
        return AN_IS_NAMED;
    if (node->op == AN_OP_SUB)
        return AN_IS_UNSURE;
    return an_wild_computed(an_wild_value(wild, node->child),
                            an_wild_value(wild, node->child->next));
}

static unsigned choice_value(struct wild *wild, const struct an_node *node)
{
    unsigned may = an_wild_decide(wild, node->child);

    return (may & AN_MAY_HOLD ? an_wild_value(wild, an_child(node, 1)) : 0u) |
           (may & AN_MAY_FAIL ? an_wild_value(wild, an_child(node, 2)) : 0u);
}

/* A message that came has a rank and a tag; a program may write something else there. */
static unsigned status_value(struct wild *wild, const struct an_node *member)
{
    if (!member->symbol || !an_stored_find(wild->program, member->symbol))
        return AN_IS_NAMED;
    return AN_IS_NAMED | (an_wild_stored(wild, member, false) & AN_IS_WILD);
}

static unsigned member_value(struct wild *wild, const struct an_node *member)
{
    const struct an_type *record = member->child ? an_type_innermost(member->child->type) : NULL;

    if (record && record->class == AN_STATUS)
        return status_value(wild, member);
    return an_wild_stored(wild, member, false);
}

/* An integer that was kept as a pointer: stores of pointers are not followed. */
static bool is_kept_as_pointer(const struct an_node *node)
{
    bool in_memory = node->kind == AN_MEMBER || node->kind == AN_INDEX ||
                     (node->kind == AN_UNARY && node->op == AN_OP_DEREF) ||
                     (node->kind == AN_REFERENCE && node->storage != AN_LOCAL_VARIABLE &&
                      node->storage != AN_PARAMETER_VARIABLE);
    return in_memory && node->type->class == AN_POINTER;
}

static unsigned by_kind(struct wild *wild, const struct an_node *node)
{
    if (is_kept_as_pointer(node))
        return an_wild_in_memory(wild);
    switch (node->kind) {
    case AN_REFERENCE:
        return reference_value(wild, node);
    case AN_MEMBER:
        return member_value(wild, node);
    case AN_INDEX:
        return an_wild_elements(wild, node->child);
    case AN_UNARY:
        return unary_value(wild, node);
    case AN_BINARY:
        return binary_value(wild, node);
    case AN_CHOOSE:
        return choice_value(wild, node);
    case AN_ASSIGN:
        return node->op == AN_OP_NONE ? an_wild_value(wild, an_child(node, 1)) : AN_IS_UNSURE;
    case AN_CALL:
        return an_wild_from_returns(wild, node, an_wild_value);
    case AN_SIZEOF:
        return AN_IS_NAMED;
    case AN_NUMBER:
        return AN_IS_UNSURE; /* a floating-point number: it was not folded */
    case AN_LIST:
        return an_wild_list(wild, node);
    default:
        return AN_IS_ANYTHING;
    }
}

unsigned an_wild_value(struct wild *wild, const struct an_node *expression)
{
    const struct an_node *node = an_plain(expression);

    if (node->constant)
        return constant_bits(wild, node);
    if (expression->constant)
        return constant_bits(wild, expression);
    if (wild->depth >= DEPTH)
        return AN_IS_ANYTHING;
    wild->depth++;
    unsigned bits = by_kind(wild, node);
    wild->depth--;
    return bits;
}

static enum an_wildness argument_look(const struct an_program *program, const struct an_mpi *mpi,
                                      int number, int64_t wildcard)
{
    struct wild wild = {.program = program, .wildcard = wildcard, .questions = QUESTIONS};
    const struct an_node *argument = an_mpi_argument(program, mpi, (unsigned)number);

    if (!argument)
        argument = an_argument(mpi->inner, (unsigned)number);
    if (!argument)
        return AN_MAYBE;
    unsigned bits = an_wild_value(&wild, argument);
    return bits == AN_IS_WILD ? AN_ALWAYS : bits & AN_IS_WILD ? AN_MAYBE : AN_NEVER;
}

enum an_wildness an_wild_argument(const struct an_program *program, const struct an_mpi *mpi,
                                  int number, int64_t wildcard)
{
    struct an_bond *bond = program->joined ? an_program_bond(program, mpi->call) : NULL;
    unsigned which = number == mpi->what->receive.tag;

    if (!bond || (number != mpi->what->receive.peer && !which))
        return argument_look(program, mpi, number, wildcard);
    if (!bond->wild[which])
        bond->wild[which] = (unsigned char)(1 + argument_look(program, mpi, number, wildcard));
    return (enum an_wildness)(bond->wild[which] - 1);
}
