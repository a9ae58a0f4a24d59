/* Idea: all memory of a unit comes from one obstack, so that destroying it is one call; strings and
 * types are interned in hash tables whose entries lie on the same obstack.
 *
 * Invariant: a node's children form one list, and the last of them is known, so that appending
 * takes constant time also for an initialiser with a hundred thousand values. */
#include "analysis/tree/tree.h"

#include <obstack.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct string {
    UT_hash_handle hh;
    char text[];
};

struct type {
    struct an_type type;
    UT_hash_handle hh;
};

struct layout {
    struct an_layout layout;
    UT_hash_handle hh;
};

struct an_memory {
    struct obstack stack;
    struct string *strings;
    struct type *types;
    struct layout *layouts;
};

struct slot {
    struct an_node node;
    struct an_node *last; /* child, or NULL */
};

static void *chunk_alloc(size_t bytes)
{
    void *chunk = malloc(bytes);
    if (!chunk) {
        fputs("ftcc: out of memory\n", stderr);
        exit(1);
    }
    return chunk;
}

#define obstack_chunk_alloc chunk_alloc
#define obstack_chunk_free free

enum { CHUNK = 64 * 1024 - 64 };

struct an_unit *an_unit_create(const char *path)
{
    struct an_unit *unit = chunk_alloc(sizeof *unit);
    memset(unit, 0, sizeof *unit);
    unit->memory = chunk_alloc(sizeof *unit->memory);
    memset(unit->memory, 0, sizeof *unit->memory);
    obstack_begin(&unit->memory->stack, CHUNK);
    unit->path = an_unit_string(unit, path);
    unit->folder = an_unit_string(unit, "");
    return unit;
}

void an_unit_destroy(struct an_unit *unit)
{
    if (!unit)
        return;
    HASH_CLEAR(hh, unit->memory->strings);
    HASH_CLEAR(hh, unit->memory->types);
    HASH_CLEAR(hh, unit->memory->layouts);
    obstack_free(&unit->memory->stack, NULL);
    free(unit->memory);
    free(unit);
}

/* obstack.h aligns by counting from a null pointer. */
__attribute__((no_sanitize("pointer-overflow"))) void *an_unit_alloc(struct an_unit *unit,
                                                                     size_t bytes)
{
    void *memory = obstack_alloc(&unit->memory->stack, bytes);
    return memset(memory, 0, bytes);
}

const char *an_unit_string(struct an_unit *unit, const char *text)
{
    if (!text)
        return NULL;
    size_t length = strlen(text);
    struct string *string;
    HASH_FIND(hh, unit->memory->strings, text, length, string);
    if (!string) {
        string = an_unit_alloc(unit, sizeof *string + length + 1);
        memcpy(string->text, text, length);
        HASH_ADD_KEYPTR(hh, unit->memory->strings, string->text, length, string);
    }
    return string->text;
}

const char *an_unit_printf(struct an_unit *unit, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    va_end(list);
    const char *copy = an_unit_string(unit, text ? text : "");
    free(text);
    return copy;
}

const struct an_type *an_unit_type(struct an_unit *unit, struct an_type type)
{
    struct an_type key;
    memset(&key, 0, sizeof key); /* padding takes part in the hash */
    key.class = type.class;
    key.name = an_unit_string(unit, type.name);
    key.below = type.below;
    key.layout = type.layout;
    struct type *found;
    HASH_FIND(hh, unit->memory->types, &key, sizeof key, found);
    if (!found) {
        found = an_unit_alloc(unit, sizeof *found);
        memcpy(&found->type, &key, sizeof key);
        HASH_ADD(hh, unit->memory->types, type, sizeof key, found);
    }
    return &found->type;
}

/* Whether fields share bits, as those of a union do. */
static bool overlaps(const struct an_layout *layout)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < layout->count; i++) {
        if (i && layout->fields[i].offset < end)
            return true;
        end = layout->fields[i].offset + layout->fields[i].size;
    }
    return false;
}

/* Among members that share bits the one last written is not known: then only bytes that none of
 * them reaches are a hole. */
static void hole_find(struct an_layout *layout)
{
    bool shared = overlaps(layout);
    const struct an_field *last = NULL;
    uint64_t end = 0;

    layout->hole = layout->size;
    for (unsigned i = 0; i < layout->count; i++) {
        const struct an_field *field = &layout->fields[i];
        const struct an_layout *inner = field->record ? field->record->layout : NULL;
        if (last && field->offset > end)
            break;
        if (!shared && inner && inner->before) {
            layout->hole = field->offset + inner->hole;
            layout->before = field;
            return;
        }
        if (!last || field->offset + field->size > end) {
            end = field->offset + field->size;
            last = field;
        }
    }
    if (last && end < layout->size) {
        layout->hole = end;
        layout->before = last;
    }
}

const struct an_layout *an_unit_layout(struct an_unit *unit, uint64_t size,
                                       const struct an_field *fields, unsigned count)
{
    size_t bytes = sizeof size + count * sizeof *fields;
    uint64_t *key = an_unit_alloc(unit, bytes);
    struct an_field *copy = (struct an_field *)(key + 1);
    struct layout *found;

    key[0] = size;
    for (unsigned i = 0; i < count; i++) { /* padding takes part in the hash */
        copy[i].name = an_unit_string(unit, fields[i].name);
        copy[i].offset = fields[i].offset;
        copy[i].size = fields[i].size;
        copy[i].class = fields[i].class;
        copy[i].record = fields[i].record;
    }
    HASH_FIND(hh, unit->memory->layouts, key, bytes, found);
    if (found)
        return &found->layout;
    found = an_unit_alloc(unit, sizeof *found);
    found->layout = (struct an_layout){.size = size, .fields = copy, .count = count};
    hole_find(&found->layout);
    HASH_ADD_KEYPTR(hh, unit->memory->layouts, key, bytes, found);
    return &found->layout;
}

struct an_node *an_node_create(struct an_unit *unit, struct an_node *parent, enum an_kind kind)
{
    struct slot *slot = an_unit_alloc(unit, sizeof *slot);
    struct an_node *node = &slot->node;
    node->kind = kind;
    node->parent = parent;
    if (parent) {
        struct slot *above = (struct slot *)parent;
        if (above->last)
            above->last->next = node;
        else
            parent->child = node;
        above->last = node;
    }
    return node;
}

struct an_node *an_child(const struct an_node *node, unsigned n)
{
    struct an_node *child = node->child;
    while (child && n--)
        child = child->next;
    return child;
}

unsigned an_children(const struct an_node *node)
{
    unsigned count = 0;
    for (const struct an_node *child = node->child; child; child = child->next)
        count++;
    return count;
}

struct an_node *an_body(const struct an_node *function)
{
    return ((const struct slot *)function)->last;
}

struct an_node *an_argument(const struct an_node *call, unsigned n)
{
    return an_child(call, n + 1);
}

unsigned an_arguments(const struct an_node *call)
{
    unsigned children = an_children(call);
    return children ? children - 1 : 0;
}

struct an_node *an_function_of(const struct an_node *node)
{
    while (node && node->kind != AN_FUNCTION)
        node = node->parent;
    return (struct an_node *)(uintptr_t)node;
}

struct an_node *an_plain(const struct an_node *node)
{
    for (;;) {
        if (node && node->kind == AN_CAST)
            node = node->child;
        else if (node && node->kind == AN_BINARY && node->op == AN_OP_COMMA)
            node = an_child(node, 1);
        else
            return (struct an_node *)(uintptr_t)node;
    }
}

const struct an_node *an_user(const struct an_node *node)
{
    const struct an_node *up = node->parent;
    if (up && up->kind == AN_BLOCK && !node->next && up->parent &&
        up->parent->kind == AN_STATEMENTS)
        return up->parent;
    return up;
}

bool an_is_expression(const struct an_node *node)
{
    return node->kind >= AN_NUMBER && node->kind <= AN_OTHER;
}

const char *an_kind_name(enum an_kind kind)
{
    static const char *const names[] = {
#define AN_KIND(name, children) #name,
#include "analysis/tree/kinds.def"
#undef AN_KIND
    };
    return (unsigned)kind < AN_KINDS ? names[kind] : "?";
}

struct an_node *an_next(const struct an_node *root, const struct an_node *node, bool skip)
{
    if (node->child && !skip)
        return node->child;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}
