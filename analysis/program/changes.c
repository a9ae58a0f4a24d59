/* Idea: an index over all trees, from the symbol of a variable to the nodes that may change it by
 * its name, built when the first question needs it: a question about one variable does not walk
 * over the program then. */
#include "analysis/program/inside.h"

#include <string.h>

struct an_change {
    const char *symbol;
    struct an_list nodes;
    UT_hash_handle hh;
};

static void change_add(struct an_program *program, const struct an_node *variable,
                       struct an_node *node)
{
    struct an_change *change;

    if (!variable || !variable->symbol)
        return;
    HASH_FIND_STR(program->changes, variable->symbol, change);
    if (!change) {
        change = an_unit_alloc(program->memory, sizeof *change);
        change->symbol = variable->symbol;
        HASH_ADD_KEYPTR(hh, program->changes, change->symbol, strlen(change->symbol), change);
    }
    an_list_add(&change->nodes, node);
}

static const struct an_node *named(const struct an_node *node)
{
    node = an_plain(node);
    return node && node->kind == AN_REFERENCE && node->storage != AN_FUNCTION_NAME ? node : NULL;
}

static void tree_look(struct an_program *program, struct an_node *root)
{
    for (struct an_node *n = root; n; n = an_next(root, n, false))
        if (n->kind == AN_VARIABLE)
            change_add(program, n, n);
        else if (n->kind == AN_ASSIGN || (n->kind == AN_UNARY && n->op == AN_OP_ADDRESS))
            change_add(program, named(n->child), n);
}

static void changes_find(struct an_program *program)
{
    for (unsigned i = 0; i < an_program_units(program); i++)
        for (struct an_node *v = an_program_unit(program, i)->variables; v; v = v->next)
            tree_look(program, v);
    for (struct an_node *f = an_program_next(program, NULL); f; f = an_program_next(program, f))
        tree_look(program, f);
    program->changes_known = true;
}

void an_changes_destroy(struct an_change *changes)
{
    struct an_change *change, *next;

    HASH_ITER (hh, changes, change, next)
        an_list_free(&change->nodes);
    HASH_CLEAR(hh, changes);
}

struct an_nodes an_program_changes(const struct an_program *program, const char *symbol)
{
    struct an_change *change;

    /* The index is no part of what a program says, so that it may be made in a constant one. */
    if (!program->changes_known)
        changes_find((struct an_program *)program);
    HASH_FIND_STR(program->changes, symbol, change);
    if (!change)
        return (struct an_nodes){NULL, 0};
    return (struct an_nodes){(struct an_node *const *)change->nodes.items, change->nodes.count};
}
