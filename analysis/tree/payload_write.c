/* Idea: what many nodes share (a name, its identity, its type, flags) is written once as a shape,
 * and each kind of number goes into a stream of its own, so that like stands beside like for zstd.
 *
 * Numbers are written in groups of seven bits, the lowest first, signed ones folded (0 -1 1 -2
 * ...). A place is written as its distance from the one before it. */
#include "analysis/tree/payload.h"
#include "analysis/tree/valid.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct entry {
    const void *key; /* an interned string or a type */
    unsigned number;
    UT_hash_handle hh;
};

struct shape_key {
    uint32_t kind, op, storage, flags, name, symbol, type;
};

struct shape {
    struct shape_key key;
    unsigned number;
    UT_hash_handle hh;
};

struct writer {
    UT_string streams[AN_STREAMS];
    struct entry *strings, *types;
    struct shape *shapes;
    struct an_place before; /* the place that the next one is counted from */
};

static void *entry_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        abort();
    return memory;
}

static void put(struct writer *writer, enum an_stream stream, uint64_t value)
{
    uint8_t bytes[10];
    size_t length = 0;
    do {
        bytes[length] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
        length++;
        value >>= 7;
    } while (value);
    UT_string *out = &writer->streams[stream];
    utstring_bincpy(out, bytes, length);
}

static uint64_t folded(int64_t value)
{
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static unsigned string_number(struct writer *writer, const char *text)
{
    if (!text)
        return 0;
    struct entry *entry;
    HASH_FIND_PTR(writer->strings, &text, entry);
    if (entry)
        return entry->number;
    entry = entry_alloc(sizeof *entry);
    entry->key = text;
    entry->number = HASH_COUNT(writer->strings) + 1;
    HASH_ADD_PTR(writer->strings, key, entry);
    UT_string *out = &writer->streams[AN_STREAM_STRINGS];
    utstring_bincpy(out, text, strlen(text) + 1);
    return entry->number;
}

static unsigned type_number(struct writer *writer, const struct an_type *type);

static void layout_put(struct writer *writer, const struct an_layout *layout)
{
    put(writer, AN_STREAM_TYPES, layout ? 1 : 0);
    if (!layout)
        return;
    put(writer, AN_STREAM_TYPES, layout->size);
    put(writer, AN_STREAM_TYPES, layout->count);
    for (unsigned i = 0; i < layout->count; i++) {
        const struct an_field *field = &layout->fields[i];
        put(writer, AN_STREAM_TYPES, string_number(writer, field->name));
        put(writer, AN_STREAM_TYPES, field->offset);
        put(writer, AN_STREAM_TYPES, field->size);
        put(writer, AN_STREAM_TYPES, field->class);
        put(writer, AN_STREAM_TYPES, type_number(writer, field->record));
    }
}

/* The types that it is made of are written first, so that a reader knows them. */
static unsigned type_number(struct writer *writer, const struct an_type *type)
{
    if (!type)
        return 0;
    struct entry *entry;
    HASH_FIND_PTR(writer->types, &type, entry);
    if (entry)
        return entry->number;
    unsigned below = type_number(writer, type->below);
    for (unsigned i = 0; type->layout && i < type->layout->count; i++)
        type_number(writer, type->layout->fields[i].record);
    entry = entry_alloc(sizeof *entry);
    entry->key = type;
    entry->number = HASH_COUNT(writer->types) + 1;
    HASH_ADD_PTR(writer->types, key, entry);
    put(writer, AN_STREAM_TYPES, type->class);
    put(writer, AN_STREAM_TYPES, string_number(writer, type->name));
    put(writer, AN_STREAM_TYPES, below);
    if (type->class == AN_RECORD)
        layout_put(writer, type->layout);
    return entry->number;
}

static uint32_t flags_of(const struct an_node *node)
{
    return (node->editable ? AN_SHAPE_EDITABLE : 0u) | (node->constant ? AN_SHAPE_CONSTANT : 0u) |
           (node->arrow ? AN_SHAPE_ARROW : 0u) | (node->internal ? AN_SHAPE_INTERNAL : 0u) |
           (node->variadic ? AN_SHAPE_VARIADIC : 0u) | (node->noreturn ? AN_SHAPE_NORETURN : 0u) |
           (node->system ? AN_SHAPE_SYSTEM : 0u) | (node->by_macro ? AN_SHAPE_BY_MACRO : 0u);
}

static void shape_put(struct writer *writer, const struct shape_key *key)
{
    put(writer, AN_STREAM_SHAPES, key->kind);
    put(writer, AN_STREAM_SHAPES, key->op);
    put(writer, AN_STREAM_SHAPES, key->storage);
    put(writer, AN_STREAM_SHAPES, key->flags);
    put(writer, AN_STREAM_SHAPES, key->name);
    put(writer, AN_STREAM_SHAPES, key->symbol);
    put(writer, AN_STREAM_SHAPES, key->type);
}

static unsigned shape_number(struct writer *writer, const struct an_node *node)
{
    struct shape_key key = {
        .kind = node->kind,
        .op = node->op,
        .storage = node->storage,
        .flags = flags_of(node),
        .name = string_number(writer, node->name),
        .symbol = string_number(writer, node->symbol),
        .type = type_number(writer, node->type),
    };
    struct shape *shape;
    HASH_FIND(hh, writer->shapes, &key, sizeof key, shape);
    if (shape)
        return shape->number;
    shape = entry_alloc(sizeof *shape);
    shape->key = key;
    shape->number = HASH_COUNT(writer->shapes);
    HASH_ADD(hh, writer->shapes, key, sizeof key, shape);
    shape_put(writer, &key);
    return shape->number;
}

/* In the same line the column says the offset, too. */
static bool says_column(const struct an_place *from, const struct an_place *to)
{
    return to->line == from->line && to->file == from->file &&
           (int64_t)to->offset - from->offset == (int64_t)to->column - from->column;
}

/* lines: 0 same line; 1 anything in another file; otherwise 2 + the folded distance in lines. */
static void place_put(struct writer *writer, const struct an_place *from, const struct an_place *to,
                      enum an_stream lines, enum an_stream columns)
{
    int64_t distance = (int64_t)to->offset - from->offset;
    if (says_column(from, to)) {
        put(writer, lines, 0);
        put(writer, columns, folded(distance));
        return;
    }
    if (to->file == from->file) {
        put(writer, lines, 2 + folded((int64_t)to->line - from->line));
    } else {
        put(writer, lines, 1);
        put(writer, lines, string_number(writer, to->file));
        put(writer, lines, to->line);
    }
    put(writer, columns, to->column);
    put(writer, columns, folded(distance));
}

static void node_put(struct writer *writer, const struct an_node *node)
{
    struct an_arity arity = an_kind_arity(node->kind);
    put(writer, AN_STREAM_NODES, shape_number(writer, node));
    if (arity.least != arity.most)
        put(writer, AN_STREAM_CHILDREN, an_children(node));
    if (an_node_has_value(node))
        put(writer, AN_STREAM_VALUES, folded(node->value));
    place_put(writer, &writer->before, &node->place, AN_STREAM_LINES, AN_STREAM_COLUMNS);
    place_put(writer, &node->place, &node->end, AN_STREAM_END_LINES, AN_STREAM_END_COLUMNS);
    writer->before = node->place;
}

/* Returns the number of trees. */
static unsigned trees_put(struct writer *writer, const struct an_node *first)
{
    unsigned count = 0;
    for (const struct an_node *root = first; root; root = root->next, count++)
        for (const struct an_node *node = root; node; node = an_next(root, node, false))
            node_put(writer, node);
    return count;
}

static void gaps_put(struct writer *writer, const struct an_gap *gap)
{
    for (; gap; gap = gap->next) {
        put(writer, AN_STREAM_UNIT, string_number(writer, gap->file));
        put(writer, AN_STREAM_UNIT, gap->first);
        put(writer, AN_STREAM_UNIT, gap->last);
        put(writer, AN_STREAM_UNIT, string_number(writer, gap->calls));
    }
    put(writer, AN_STREAM_UNIT, 0);
}

static void words_put(struct writer *writer, const struct an_word *word)
{
    for (; word; word = word->next) {
        put(writer, AN_STREAM_UNIT, string_number(writer, word->file));
        put(writer, AN_STREAM_UNIT, word->line);
        put(writer, AN_STREAM_UNIT, word->alone);
        put(writer, AN_STREAM_UNIT, string_number(writer, word->text));
    }
    put(writer, AN_STREAM_UNIT, 0);
}

static void unit_put(struct writer *writer, const struct an_unit *unit)
{
    put(writer, AN_STREAM_UNIT, string_number(writer, unit->path));
    put(writer, AN_STREAM_UNIT, string_number(writer, unit->folder));
    put(writer, AN_STREAM_UNIT, string_number(writer, unit->problem));
    put(writer, AN_STREAM_UNIT, string_number(writer, unit->strange));
    put(writer, AN_STREAM_UNIT, unit->first_declaration);
    put(writer, AN_STREAM_UNIT, unit->hooked_by_hand);
    put(writer, AN_STREAM_UNIT, unit->digest);
    writer->before = (struct an_place){.file = unit->path};
    put(writer, AN_STREAM_UNIT, trees_put(writer, unit->variables));
    put(writer, AN_STREAM_UNIT, trees_put(writer, unit->functions));
    gaps_put(writer, unit->gaps);
    words_put(writer, unit->words);
}

static void entries_free(struct entry **entries)
{
    struct entry *entry, *later;
    HASH_ITER (hh, *entries, entry, later) {
        HASH_DEL(*entries, entry);
        free(entry);
    }
}

static void shapes_free(struct shape **shapes)
{
    struct shape *shape, *later;
    HASH_ITER (hh, *shapes, shape, later) {
        HASH_DEL(*shapes, shape);
        free(shape);
    }
}

static void streams_join(struct writer *writer, UT_string *out)
{
    for (unsigned i = 0; i < AN_STREAMS; i++) {
        UT_string *stream = &writer->streams[i];
        uint64_t length = utstring_len(stream);
        uint8_t bytes[8];
        for (unsigned byte = 0; byte < sizeof bytes; byte++)
            bytes[byte] = (uint8_t)(length >> 8 * byte);
        utstring_bincpy(out, bytes, sizeof bytes);
        utstring_concat(out, stream);
        utstring_done(stream);
    }
}

void an_payload_write(const struct an_unit *unit, UT_string *out)
{
    struct writer writer = {.strings = NULL};
    for (unsigned i = 0; i < AN_STREAMS; i++)
        utstring_init(&writer.streams[i]);
    unit_put(&writer, unit);
    streams_join(&writer, out);
    entries_free(&writer.strings);
    entries_free(&writer.types);
    shapes_free(&writer.shapes);
}
