/* Idea: what static storage begins with is not run by anybody. A pointer there that nobody has set
 * on the path followed leads to what the initialiser of its variable names. */
#include "analysis/flow/memory.h"

#include <string.h>

static bool is_named(const struct an_node *variable, const char *symbol)
{
    return variable->symbol && strcmp(variable->symbol, symbol) == 0;
}

/* The VARIABLE of static storage that `node` names, or NULL. */
static const struct an_node *variable_find(const struct an_flow *flow, const struct an_node *node)
{
    const struct an_node *function = an_function_of(node);

    if (!node->symbol)
        return NULL;
    if (node->storage == AN_STATIC_LOCAL)
        for (const struct an_node *n = function; n; n = an_next(function, n, false))
            if (n->kind == AN_VARIABLE && is_named(n, node->symbol))
                return n;
    for (unsigned i = 0; node->storage == AN_GLOBAL && i < an_program_units(flow->program); i++)
        for (const struct an_node *n = an_program_unit(flow->program, i)->variables; n; n = n->next)
            if (is_named(n, node->symbol) && n->child && n->child->kind != AN_EMPTY)
                return n;
    return NULL;
}

unsigned an_flow_initial(struct an_flow *flow, unsigned number)
{
    struct an_flow_object *object = &flow->memory->objects[number];
    const struct an_node *node = object->node;
    bool fixed = node && (node->storage == AN_GLOBAL || node->storage == AN_STATIC_LOCAL);
    long steps = flow->steps;

    if (object->initial || !fixed)
        return object->initial;
    const struct an_node *variable = variable_find(flow, node);
    object->node = NULL; /* it is asked for once */
    if (!variable || !variable->child || variable->child->kind == AN_EMPTY)
        return 0;
    unsigned initial = an_flow_value_of(flow, variable->child).targets;
    flow->steps = steps;
    return flow->memory->objects[number].initial = initial;
}
