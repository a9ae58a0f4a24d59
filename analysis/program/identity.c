/* Idea: a name for a node that survives edits elsewhere: the file, the function, what the node is,
 * and which one of its like it is in the function. */
#include "analysis/program/inside.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static const char *label(const struct an_node *node)
{
    return node->name ? node->name : "";
}

/* In C++ several functions have one name: their parameters tell them apart. The part of clang's
 * identity without places. */
static const char *function_label(const struct an_node *function)
{
    const char *own = function->symbol ? strstr(function->symbol, "@F@") : NULL;

    return own && strchr(own, '#') ? own : label(function);
}

static unsigned number_among_its_like(const struct an_node *function, const struct an_node *node)
{
    unsigned number = 0;

    for (const struct an_node *n = function; n && n != node; n = an_next(function, n, false))
        number += n->kind == node->kind && strcmp(label(n), label(node)) == 0;
    return number;
}

static XXH64_hash_t add(XXH64_hash_t hash, const char *text)
{
    return XXH64(text, strlen(text) + 1, hash);
}

uint32_t an_program_identity(const struct an_program *program, const struct an_node *node)
{
    const struct an_node *function = an_function_of(node), *top = function ? function : node;
    char number[16];

    (void)program;
    snprintf(number, sizeof number, "%u", function ? number_among_its_like(function, node) : 0);
    XXH64_hash_t hash = add(0, top->place.file ? top->place.file : "");
    hash = add(hash, function ? function_label(function) : "");
    hash = add(hash, an_kind_name(node->kind));
    hash = add(hash, label(node));
    hash = add(hash, number);
    uint32_t folded = (uint32_t)(hash ^ hash >> 32);
    return folded ? folded : 1;
}
