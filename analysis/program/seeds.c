/* Idea: start where a wildcard's constant stands other than as the argument of a receive or probe,
 * and follow it from variable to variable without regard to the order of statements. It reaches
 * memory when it is stored in anything but a plain variable, is returned, or is passed to what is
 * not here. */
#include "analysis/program/seeds.h"
#include "analysis/program/wild.h"

#include <stdlib.h>
#include <string.h>

struct spread {
    const struct an_program *program;
    struct an_list variables; /* VARIABLE or PARAMETER nodes, or references, that may hold it */
    bool in_memory;
};

bool an_seed_is_spelled(const struct an_node *expression)
{
    for (const struct an_node *n = expression; n; n = an_next(expression, n, false))
        if ((n->kind == AN_NUMBER && n->system) || n->kind == AN_REFERENCE ||
            (n->kind == AN_NUMBER && n->name && n->symbol))
            return true;
    return false;
}

static bool is_same(const struct an_node *one, const struct an_node *other)
{
    return one->symbol && other->symbol && strcmp(one->symbol, other->symbol) == 0;
}

/* A variable that is followed has one function; it stands for itself by any node that names it. */
static void variable_add(struct spread *spread, const struct an_node *variable)
{
    bool is_plain = variable->symbol && variable->type->class == AN_INTEGER &&
                    (variable->storage == AN_LOCAL_VARIABLE ||
                     variable->storage == AN_PARAMETER_VARIABLE || variable->kind == AN_PARAMETER);

    if (!is_plain) {
        spread->in_memory = true;
        return;
    }
    for (unsigned i = 0; i < spread->variables.count; i++) {
        const struct an_node *known = spread->variables.items[i];
        if (is_same(known, variable) && an_function_of(known) == an_function_of(variable))
            return;
    }
    an_list_add(&spread->variables, (void *)variable);
}

static void argument_spreads(struct spread *spread, const struct an_node *call,
                             const struct an_node *argument)
{
    const struct an_bond *bond = an_program_bond(spread->program, call);
    unsigned position = 0;

    for (const struct an_node *a = call->child->next; a && a != argument; a = a->next)
        position++;
    if (bond && (bond->mpi || bond->quiet || an_bond_forward(bond)))
        return;
    if (!bond || !bond->complete) {
        spread->in_memory = true;
        return;
    }
    for (unsigned i = 0; i < bond->count; i++) {
        const struct an_node *parameter = an_child(bond->targets[i], position);
        if (parameter && parameter->kind == AN_PARAMETER)
            variable_add(spread, parameter);
    }
}

/* References to it are constants themselves. */
static bool is_constant_variable(const struct an_node *variable)
{
    return variable->type->class == AN_INTEGER && strncmp(variable->type->name, "const ", 6) == 0 &&
           (variable->internal || variable->storage == AN_LOCAL_VARIABLE);
}

/* Where does the value of `node` go? */
static void value_spreads(struct spread *spread, const struct an_node *node)
{
    const struct an_node *up = node->parent;

    while (up && (up->kind == AN_CAST || up->kind == AN_STATEMENTS ||
                  (up->kind == AN_CHOOSE && up->child != node) ||
                  (up->kind == AN_BINARY && up->op == AN_OP_COMMA))) {
        node = up;
        up = up->parent;
    }
    if (!up)
        return;
    if (up->kind == AN_VARIABLE && !is_constant_variable(up))
        variable_add(spread, up);
    else if (up->kind == AN_ASSIGN && up->child != node && up->op == AN_OP_NONE)
        variable_add(spread, an_plain(up->child)->kind == AN_REFERENCE ? an_plain(up->child) : up);
    else if (up->kind == AN_LIST || up->kind == AN_RETURN || up->kind == AN_OTHER)
        spread->in_memory = true;
    else if (up->kind == AN_CALL && up->child != node)
        argument_spreads(spread, up, node);
}

static void variable_spreads(struct spread *spread, const struct an_node *variable)
{
    const struct an_node *function = an_function_of(variable);

    if (!function) {
        spread->in_memory = true;
        return;
    }
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_REFERENCE && is_same(n, variable))
            value_spreads(spread, n);
}

/* The whole constant that a number is part of: -2 of 2. */
static const struct an_node *constant_of(const struct an_node *number)
{
    while (number->parent && number->parent->constant && number->parent->kind != AN_CASE)
        number = number->parent;
    return number;
}

/* MPI_PROC_NULL has the value of MPI_ANY_TAG, and so has EOF. */
static bool is_other_constant(const struct an_node *constant)
{
    for (const struct an_node *n = constant; n; n = n->child)
        if (n->name && (strcmp(n->name, "MPI_PROC_NULL") == 0 || strcmp(n->name, "EOF") == 0))
            return true;
    return false;
}

static bool spreads_to_memory(const struct an_program *program, int64_t wildcard)
{
    struct spread spread = {.program = program};

    for (unsigned i = 0; i < program->numbers.count && !spread.in_memory; i++) {
        const struct an_node *constant = constant_of(program->numbers.items[i]);
        if (constant->value == wildcard && !is_other_constant(constant))
            value_spreads(&spread, constant);
    }
    for (unsigned i = 0; i < spread.variables.count && !spread.in_memory; i++)
        variable_spreads(&spread, spread.variables.items[i]);
    an_list_free(&spread.variables);
    return spread.in_memory;
}

bool an_seeds_reach_memory(const struct an_program *program, int64_t wildcard)
{
    /* A cache, and no part of what a program says. */
    struct an_program *cache = (struct an_program *)program;
    enum an_spread *known = &cache->spread[wildcard == AN_ANY_SOURCE];

    if (*known == AN_SPREAD_UNASKED)
        *known = spreads_to_memory(program, wildcard) ? AN_SPREADS : AN_SPREADS_NOT;
    return *known == AN_SPREADS;
}
