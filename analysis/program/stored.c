/* Idea: an index over the list that scan.c made, built when the first question needs it. */
#include "analysis/program/stored.h"
#include "analysis/program/wild.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    const char *symbol;
    struct an_list stores;
    UT_hash_handle hh;
};

struct an_stored {
    struct entry *entries;
};

static const struct an_node *named(const struct an_node *node)
{
    for (;;) {
        node = an_plain(node);
        if (node->kind == AN_REFERENCE || node->kind == AN_MEMBER || node->kind == AN_VARIABLE)
            return node;
        if (node->kind != AN_INDEX && node->kind != AN_UNARY && node->kind != AN_BINARY)
            return NULL;
        const struct an_node *first = node->child;
        if (node->kind == AN_BINARY && first->type->class == AN_INTEGER)
            first = first->next;
        node = first;
    }
}

static const struct an_node *target_of(const struct an_node *store)
{
    if (store->kind == AN_ASSIGN || store->kind == AN_UNARY)
        return named(store->child);
    return named(store);
}

static void entry_add(struct an_program *program, struct an_stored *stored, struct an_node *store)
{
    const struct an_node *target = target_of(store);
    struct entry *entry;

    if (!target || !target->symbol)
        return;
    HASH_FIND_STR(stored->entries, target->symbol, entry);
    if (!entry) {
        entry = an_unit_alloc(program->memory, sizeof *entry);
        entry->symbol = target->symbol;
        HASH_ADD_KEYPTR(hh, stored->entries, target->symbol, strlen(target->symbol), entry);
    }
    an_list_add(&entry->stores, store);
}

static struct an_stored *stored_create(struct an_program *program)
{
    struct an_stored *stored = an_unit_alloc(program->memory, sizeof *stored);

    for (unsigned i = 0; i < program->stores.count; i++)
        entry_add(program, stored, program->stores.items[i]);
    return stored;
}

void an_stored_destroy(struct an_stored *stored)
{
    struct entry *entry, *next;

    if (!stored)
        return;
    HASH_ITER (hh, stored->entries, entry, next)
        an_list_free(&entry->stores);
    HASH_CLEAR(hh, stored->entries);
}

const struct an_list *an_stored_find(const struct an_program *program, const char *symbol)
{
    struct entry *entry;

    /* The index is no part of what a program says, so that it may be made in a constant one. */
    if (!program->stored)
        ((struct an_program *)program)->stored = stored_create((struct an_program *)program);
    HASH_FIND_STR(program->stored->entries, symbol, entry);
    return entry ? &entry->stores : NULL;
}
