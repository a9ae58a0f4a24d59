/* Idea: a variable of a function is followed along its paths, with the assignments in their order;
 * a branch that a wrapper takes for negative arguments only ("if (src < 0) src = MPI_ANY_SOURCE")
 * is taken when some caller may pass one. */
#include "analysis/program/wild_parts.h"
#include "analysis/program/paths.h"

#include <string.h>

enum { REACHED = 16 }; /* besides the bits of a value */

static bool is_reference_to(const struct an_node *node, const struct an_node *variable)
{
    node = an_plain(node);
    return node->kind == AN_REFERENCE && an_wild_is_same(node, variable);
}

static bool is_address_of(const struct an_node *node, const struct an_node *variable)
{
    node = an_plain(node);
    return node->kind == AN_UNARY && node->op == AN_OP_ADDRESS && node->child &&
           is_reference_to(node->child, variable);
}

/* ---- Conditions ---- */

static unsigned holds(unsigned bits, enum an_operator op, int64_t constant)
{
    bool negative = bits & (AN_IS_WILD | AN_IS_NEGATIVE | AN_IS_UNSURE),
         natural = bits & (AN_IS_NAMED | AN_IS_UNSURE);

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
unsigned an_wild_decide(struct wild *wild, const struct an_node *condition)
{
    unsigned both = AN_MAY_HOLD | AN_MAY_FAIL;

    condition = an_plain(condition);
    if (condition->kind == AN_UNARY && condition->op == AN_OP_NOT) {
        unsigned bits = an_wild_decide(wild, condition->child);
        return (bits & AN_MAY_HOLD ? AN_MAY_FAIL : 0u) | (bits & AN_MAY_FAIL ? AN_MAY_HOLD : 0u);
    }
    if (condition->kind != AN_BINARY || condition->op < AN_OP_LT || condition->op > AN_OP_NE)
        return both;
    const struct an_node *right = an_plain(condition->child->next);
    if (!right->constant || right->value > 0 || right->value < -1)
        return both;
    return holds(an_wild_value(wild, condition->child), condition->op, right->value);
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
        return REACHED | an_wild_value(wild, value);
    if (node->op == AN_OP_SUB)
        return REACHED | AN_IS_UNSURE;
    return REACHED | an_wild_computed(state & AN_IS_ANYTHING, an_wild_value(wild, value));
}

static unsigned passed(struct wild *wild, const struct an_node *call,
                       const struct an_node *variable, unsigned state)
{
    const struct an_node *argument = call->child ? call->child->next : NULL;

    for (unsigned i = 0; argument; argument = argument->next, i++)
        if (is_address_of(argument, variable)) {
            const struct an_bond *bond = an_program_bond(wild->program, call);
            bool replaces = bond && bond->mpi;
            state = REACHED | (replaces ? 0 : state) | an_wild_written_by(wild, call, i);
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
        if (!an_wild_is_same(node, follow->at))
            return state;
        return REACHED | (node->child && node->child->kind != AN_EMPTY
                              ? an_wild_value(follow->wild, node->child)
                              : 0);
    case AN_ASSIGN:
        return is_reference_to(node->child, follow->at) ? assigned(follow->wild, node, state)
                                                        : state;
    case AN_UNARY:
        if (node->op < AN_OP_PRE_INC || !is_reference_to(node->child, follow->at))
            return state;
        return REACHED | (node->op == AN_OP_PRE_DEC || node->op == AN_OP_POST_DEC
                              ? AN_IS_UNSURE
                              : an_wild_computed(state & AN_IS_ANYTHING, AN_IS_NAMED));
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
    return an_wild_decide(follow->wild, condition);
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

unsigned an_wild_variable(struct wild *wild, const struct an_node *reference)
{
    const struct an_node *function = an_function_of(reference);
    struct follow follow = {wild, reference, 0};
    struct an_paths paths = {.step = follow_step, .decide = follow_decide, .context = &follow};
    struct asked asked = {reference, AN_ASKED_VARIABLE, wild->asked};
    unsigned entry = REACHED;

    if (an_wild_is_asked(wild, AN_ASKED_VARIABLE, reference))
        return 0;
    if (!function || !reference->symbol || !an_wild_may_ask(wild))
        return AN_IS_ANYTHING;
    if (is_aliased(function, reference))
        return an_wild_in_memory(wild);
    wild->asked = &asked;
    if (reference->storage == AN_PARAMETER_VARIABLE)
        entry |= parameter_value(wild, function, reference);
    an_paths_walk(&paths, function, entry);
    wild->asked = asked.outer;
    return follow.seen & AN_IS_ANYTHING;
}

int an_wild_position(const struct an_node *function, const struct an_node *parameter)
{
    int position = 0;

    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER;
         p = p->next, position++)
        if (an_wild_is_same(p, parameter))
            return position;
    return -1;
}

/* ---- Parameters: what the callers pass ---- */

unsigned an_wild_from_callers(struct wild *wild, const struct an_node *function,
                              const struct an_node *parameter,
                              unsigned (*ask)(struct wild *, const struct an_node *))
{
    struct an_callers callers = an_function_callers(wild->program, function);
    int position = an_wild_position(function, parameter);
    unsigned bits = callers.complete ? 0 : AN_IS_ANYTHING;

    for (unsigned i = 0; bits != AN_IS_ANYTHING && i < callers.count; i++) {
        const struct an_node *argument =
            position < 0 ? NULL : an_argument(callers.calls[i], (unsigned)position);
        bits |= argument ? ask(wild, argument) : AN_IS_ANYTHING;
    }
    return bits;
}

static unsigned parameter_value(struct wild *wild, const struct an_node *function,
                                const struct an_node *reference)
{
    const struct an_node *parameter = an_child(function, 0);
    int position = an_wild_position(function, reference);
    if (position >= 0)
        parameter = an_child(function, (unsigned)position);
    struct asked asked = {parameter, AN_ASKED_PARAMETER, wild->asked};

    if (an_wild_is_asked(wild, AN_ASKED_PARAMETER, parameter))
        return 0;
    if (!an_wild_may_ask(wild))
        return AN_IS_ANYTHING;
    wild->asked = &asked;
    unsigned bits = an_wild_from_callers(wild, function, reference, an_wild_value);
    wild->asked = asked.outer;
    return bits;
}
