/* Idea: start where a wildcard's constant stands other than as the argument of a receive or probe,
 * and follow it from variable to variable without regard to the order of statements. It reaches
 * memory when it is stored in anything but a plain variable, is returned, is passed to what is
 * not here, or when the address of a variable that holds it goes where it is not followed. */
#include "analysis/program/seeds.h"
#include "analysis/program/wild.h"

#include <stdlib.h>
#include <string.h>

struct spread {
    const struct an_program *program;
    struct an_list variables; /* VARIABLE or PARAMETER nodes, or references, that may hold it */
    struct an_list pointers;  /* PARAMETER nodes that may point to such a variable */
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

/* A variable has one function; it stands for itself by any node that names it. */
static void list_add(struct an_list *list, const struct an_node *variable)
{
    for (unsigned i = 0; i < list->count; i++) {
        const struct an_node *known = list->items[i];
        if (is_same(known, variable) && an_function_of(known) == an_function_of(variable))
            return;
    }
    an_list_add(list, (void *)variable);
}

static void variable_add(struct spread *spread, const struct an_node *variable)
{
    bool is_plain = variable->symbol && variable->type->class == AN_INTEGER &&
                    (variable->storage == AN_LOCAL_VARIABLE ||
                     variable->storage == AN_PARAMETER_VARIABLE || variable->kind == AN_PARAMETER);

    if (is_plain)
        list_add(&spread->variables, variable);
    else
        spread->in_memory = true;
}

static void pointer_add(struct spread *spread, const struct an_node *parameter)
{
    if (parameter->type->class == AN_POINTER && parameter->type->below->class == AN_INTEGER)
        list_add(&spread->pointers, parameter);
    else
        spread->in_memory = true;
}

/* `add` takes the parameters that the argument is for. */
static void argument_spreads(struct spread *spread, const struct an_node *call,
                             const struct an_node *argument,
                             void (*add)(struct spread *, const struct an_node *))
{
    const struct an_bond *bond = an_program_bond(spread->program, call);
    unsigned position = 0;

    for (const struct an_node *a = call->child->next; a && a != argument; a = a->next)
        position++;
    if (!bond || (!bond->complete && !bond->mpi) || (bond->quiet && bond->count)) {
        spread->in_memory = true;
        return;
    }
    if (bond->mpi)
        return;
    for (unsigned i = 0; i < bond->count; i++) {
        const struct an_node *parameter = an_child(bond->targets[i], position);
        if (parameter && parameter->kind == AN_PARAMETER)
            add(spread, parameter);
        else
            spread->in_memory = true; /* va_arg takes it from there */
    }
}

/* The address of what holds it stands at `node`: only the C library and those who read it through
 * the address may take it from there. MPI sends it, and a message is not a wildcard. */
static void address_spreads(struct spread *spread, const struct an_node *node)
{
    const struct an_node *up = an_user(node);

    for (; up && up->kind == AN_CAST; node = up, up = an_user(up))
        continue;
    if (!up || up->kind != AN_CALL || up->child == node) {
        spread->in_memory = true;
        return;
    }
    const struct an_bond *bond = an_program_bond(spread->program, up);
    if (bond && bond->quiet)
        spread->in_memory |= an_copies_memory(up->name);
    else
        argument_spreads(spread, up, node, pointer_add);
}

/* Whether the value of `up` may be that of its part `node`. */
static bool hands_on(const struct an_node *up, const struct an_node *node)
{
    return up->kind == AN_CAST || up->kind == AN_STATEMENTS ||
           (up->kind == AN_CHOOSE && up->child != node) ||
           (up->kind == AN_ASSIGN && up->child != node && up->op == AN_OP_NONE) ||
           (up->kind == AN_BINARY && up->op == AN_OP_COMMA);
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
    const struct an_node *up = an_user(node);

    for (; up && hands_on(up, node); node = up, up = an_user(up))
        if (up->kind == AN_ASSIGN)
            variable_add(spread,
                         an_plain(up->child)->kind == AN_REFERENCE ? an_plain(up->child) : up);
    if (!up)
        return;
    if (up->kind == AN_VARIABLE && !is_constant_variable(up))
        variable_add(spread, up);
    else if (up->kind == AN_LIST || up->kind == AN_RETURN || up->kind == AN_OTHER)
        spread->in_memory = true;
    else if (up->kind == AN_UNARY && up->op == AN_OP_ADDRESS)
        address_spreads(spread, up);
    else if (up->kind == AN_CALL && up->child != node)
        argument_spreads(spread, up, node, variable_add);
}

/* `variable` may hold it. */
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

/* Whether `up` only asks for the value of its part. */
static bool only_looks(const struct an_node *up)
{
    if (!an_is_expression(up))
        return up->kind != AN_VARIABLE && up->kind != AN_RETURN;
    return (up->kind == AN_BINARY && up->op >= AN_OP_LT && up->op <= AN_OP_LOGICAL_OR) ||
           (up->kind == AN_UNARY && up->op == AN_OP_NOT);
}

/* `n` is a parameter that may point to it. */
static void pointer_use_spreads(struct spread *spread, const struct an_node *n)
{
    const struct an_node *up = an_user(n);

    if (up && ((up->kind == AN_UNARY && up->op == AN_OP_DEREF) ||
               (up->kind == AN_INDEX && up->child == n)))
        value_spreads(spread, up);
    else if (up && !only_looks(up))
        address_spreads(spread, n);
}

static void pointer_spreads(struct spread *spread, const struct an_node *parameter)
{
    const struct an_node *function = an_function_of(parameter);

    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_REFERENCE && is_same(n, parameter))
            pointer_use_spreads(spread, n);
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
    for (unsigned v = 0, p = 0; !spread.in_memory;)
        if (v < spread.variables.count)
            variable_spreads(&spread, spread.variables.items[v++]);
        else if (p < spread.pointers.count)
            pointer_spreads(&spread, spread.pointers.items[p++]);
        else
            break;
    an_list_free(&spread.variables);
    an_list_free(&spread.pointers);
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
