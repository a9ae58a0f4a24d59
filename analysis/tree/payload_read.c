/* Idea: every number is checked where it is read, so what is built is at worst a strange tree;
 * whether it is one that others may walk is asked of valid.c in the end. A flaw makes all later
 * reads fail, so only the ends of loops look at it.
 *
 * Invariant: a node costs at least three bytes of the payload, so memory is bounded by its length.
 */
#include "analysis/tree/payload.h"
#include "analysis/tree/valid.h"

#include <stdlib.h>
#include <string.h>

enum { FIELD_NUMBERS = 5 }; /* that a field is made of */

struct cursor {
    const uint8_t *at, *end;
};

struct shape {
    uint32_t kind, op, storage, flags;
    const char *name, *symbol;
    const struct an_type *type;
};

struct reader {
    struct an_unit *unit;
    struct cursor streams[AN_STREAMS];
    const char **strings; /* number 1 is the first */
    const struct an_type **types;
    struct shape *shapes;
    size_t string_count, type_count, shape_count;
    struct an_place before;
    const char *flaw;
};

static void flaw_note(struct reader *reader, const char *flaw)
{
    if (!reader->flaw)
        reader->flaw = flaw;
}

static uint64_t take(struct reader *reader, enum an_stream stream)
{
    struct cursor *cursor = &reader->streams[stream];
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        uint8_t byte = *cursor->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    flaw_note(reader, "numbers end too early");
    return 0;
}

static unsigned take_small(struct reader *reader, enum an_stream stream)
{
    uint64_t value = take(reader, stream);
    if (value > UINT32_MAX)
        flaw_note(reader, "a number is too large");
    return (unsigned)value;
}

static int64_t take_folded(struct reader *reader, enum an_stream stream)
{
    uint64_t value = take(reader, stream);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static const char *take_string(struct reader *reader, enum an_stream stream)
{
    uint64_t number = take(reader, stream);
    if (number > reader->string_count)
        flaw_note(reader, "a string that is not there");
    return number && number <= reader->string_count ? reader->strings[number] : NULL;
}

/* A string that must be there. */
static const char *take_text(struct reader *reader, enum an_stream stream)
{
    const char *text = take_string(reader, stream);
    if (!text)
        flaw_note(reader, "a string is missing");
    return text ? text : "";
}

/* ---- Tables ---- */

static size_t byte_count(struct cursor cursor, uint8_t byte)
{
    size_t count = 0;
    for (; cursor.at < cursor.end; cursor.at++)
        count += *cursor.at == byte;
    return count;
}

static void *table_alloc(size_t count, size_t bytes)
{
    void *table = calloc(count + 1, bytes);
    if (!table)
        abort();
    return table;
}

static void strings_read(struct reader *reader)
{
    struct cursor *cursor = &reader->streams[AN_STREAM_STRINGS];
    if (cursor->at < cursor->end && cursor->end[-1] != '\0') {
        flaw_note(reader, "the last string has no end");
        return;
    }
    reader->strings = table_alloc(byte_count(*cursor, '\0'), sizeof *reader->strings);
    while (cursor->at < cursor->end) {
        const char *text = (const char *)cursor->at;
        cursor->at += strlen(text) + 1;
        reader->strings[++reader->string_count] = an_unit_string(reader->unit, text);
    }
}

/* How many numbers stand in a stream. */
static size_t number_count(struct cursor cursor)
{
    size_t count = 0;
    for (; cursor.at < cursor.end; cursor.at++)
        count += *cursor.at < 128;
    return count;
}

static struct an_field field_read(struct reader *reader)
{
    struct an_field field = {.name = take_text(reader, AN_STREAM_TYPES)};
    field.offset = take(reader, AN_STREAM_TYPES);
    field.size = take(reader, AN_STREAM_TYPES);
    unsigned class = take_small(reader, AN_STREAM_TYPES);
    uint64_t record = take(reader, AN_STREAM_TYPES);
    if (class > AN_UNKNOWN_CLASS || record > reader->type_count) {
        flaw_note(reader, "no field");
        return field;
    }
    field.class = class;
    field.record = record ? reader->types[record] : NULL;
    return field;
}

static const struct an_layout *layout_read(struct reader *reader)
{
    uint64_t size = take(reader, AN_STREAM_TYPES);
    unsigned count = take_small(reader, AN_STREAM_TYPES);
    if (count > number_count(reader->streams[AN_STREAM_TYPES]) / FIELD_NUMBERS) {
        flaw_note(reader, "more fields than there are");
        return NULL;
    }
    struct an_field *fields = table_alloc(count, sizeof *fields);
    for (unsigned i = 0; i < count && !reader->flaw; i++)
        fields[i] = field_read(reader);
    if (!reader->flaw && an_layout_flaw(size, fields, count))
        flaw_note(reader, an_layout_flaw(size, fields, count));
    const struct an_layout *layout =
        reader->flaw ? NULL : an_unit_layout(reader->unit, size, fields, count);
    free(fields);
    return layout;
}

static void type_read(struct reader *reader)
{
    struct an_type type = {.class = AN_UNKNOWN_CLASS};
    unsigned class = take_small(reader, AN_STREAM_TYPES);
    type.name = take_text(reader, AN_STREAM_TYPES);
    uint64_t below = take(reader, AN_STREAM_TYPES);
    bool points = class == AN_POINTER || class == AN_ARRAY;
    if (class > AN_UNKNOWN_CLASS || below > reader->type_count || points != (below > 0)) {
        flaw_note(reader, "no type");
        return;
    }
    type.class = class;
    type.below = below ? reader->types[below] : NULL;
    if (class == AN_RECORD && take(reader, AN_STREAM_TYPES))
        type.layout = layout_read(reader);
    reader->types[++reader->type_count] = an_unit_type(reader->unit, type);
}

static void types_read(struct reader *reader)
{
    struct cursor *cursor = &reader->streams[AN_STREAM_TYPES];
    reader->types = table_alloc(number_count(*cursor) / 3 + 1, sizeof *reader->types);
    while (!reader->flaw && cursor->at < cursor->end)
        type_read(reader);
}

static void shape_read(struct reader *reader, struct shape *shape)
{
    shape->kind = take_small(reader, AN_STREAM_SHAPES);
    shape->op = take_small(reader, AN_STREAM_SHAPES);
    shape->storage = take_small(reader, AN_STREAM_SHAPES);
    shape->flags = take_small(reader, AN_STREAM_SHAPES);
    shape->name = take_string(reader, AN_STREAM_SHAPES);
    shape->symbol = take_string(reader, AN_STREAM_SHAPES);
    uint64_t type = take(reader, AN_STREAM_SHAPES);
    if (shape->kind >= AN_KINDS || shape->op >= AN_OPERATORS || shape->storage > AN_FUNCTION_NAME ||
        shape->flags > AN_SHAPE_FLAGS || type > reader->type_count) {
        flaw_note(reader, "no shape");
        return;
    }
    shape->type = type ? reader->types[type] : NULL;
}

static void shapes_read(struct reader *reader)
{
    struct cursor *cursor = &reader->streams[AN_STREAM_SHAPES];
    reader->shapes = table_alloc(number_count(*cursor) / 7 + 1, sizeof *reader->shapes);
    while (!reader->flaw && cursor->at < cursor->end)
        shape_read(reader, &reader->shapes[reader->shape_count++]);
}

/* ---- Nodes ---- */

static struct an_place place_read(struct reader *reader, const struct an_place *from,
                                  enum an_stream lines, enum an_stream columns)
{
    struct an_place place = *from;
    uint64_t line = take(reader, lines);
    if (line == 0) {
        int64_t distance = take_folded(reader, columns);
        place.offset = (unsigned)(place.offset + (uint64_t)distance);
        place.column = (unsigned)(place.column + (uint64_t)distance);
        return place;
    }
    if (line == 1) {
        place.file = take_text(reader, lines);
        place.line = take_small(reader, lines);
    } else {
        uint64_t distance = line - 2;
        place.line += (unsigned)((distance >> 1) ^ (0 - (distance & 1)));
    }
    place.column = take_small(reader, columns);
    place.offset = (unsigned)(place.offset + (uint64_t)take_folded(reader, columns));
    return place;
}

static void flags_set(struct an_node *node, uint32_t flags)
{
    node->editable = flags & AN_SHAPE_EDITABLE;
    node->constant = flags & AN_SHAPE_CONSTANT;
    node->arrow = flags & AN_SHAPE_ARROW;
    node->internal = flags & AN_SHAPE_INTERNAL;
    node->variadic = flags & AN_SHAPE_VARIADIC;
    node->noreturn = flags & AN_SHAPE_NORETURN;
    node->system = flags & AN_SHAPE_SYSTEM;
    node->by_macro = flags & AN_SHAPE_BY_MACRO;
}

static struct an_node *node_shape(struct reader *reader, struct an_node *parent)
{
    uint64_t number = take(reader, AN_STREAM_NODES);
    if (number >= reader->shape_count) {
        flaw_note(reader, "a shape that is not there");
        return NULL;
    }
    const struct shape *shape = &reader->shapes[number];
    struct an_node *node = an_node_create(reader->unit, parent, shape->kind);
    node->op = shape->op;
    node->storage = shape->storage;
    flags_set(node, shape->flags);
    node->name = shape->name;
    node->symbol = shape->symbol;
    node->type = shape->type;
    return node;
}

static struct an_node *node_read(struct reader *reader, struct an_node *parent, unsigned depth)
{
    struct an_node *node = node_shape(reader, parent);
    if (!node || depth > AN_DEPTH) {
        flaw_note(reader, "a tree is too deep");
        return NULL;
    }
    struct an_arity arity = an_kind_arity(node->kind);
    unsigned children = arity.least;
    if (arity.least != arity.most)
        children = take_small(reader, AN_STREAM_CHILDREN);
    if (an_node_has_value(node))
        node->value = take_folded(reader, AN_STREAM_VALUES);
    node->place = place_read(reader, &reader->before, AN_STREAM_LINES, AN_STREAM_COLUMNS);
    node->end = place_read(reader, &node->place, AN_STREAM_END_LINES, AN_STREAM_END_COLUMNS);
    reader->before = node->place;
    for (unsigned i = 0; i < children && !reader->flaw; i++)
        node_read(reader, node, depth + 1);
    return node;
}

static struct an_node *trees_read(struct reader *reader)
{
    struct an_node *first = NULL, **last = &first;
    uint64_t count = take(reader, AN_STREAM_UNIT);
    for (uint64_t i = 0; i < count && !reader->flaw; i++) {
        *last = node_read(reader, NULL, 0);
        if (*last)
            last = &(*last)->next;
    }
    return first;
}

/* ---- The unit ---- */

static void gaps_read(struct reader *reader)
{
    struct an_gap **last = &reader->unit->gaps;
    for (;;) {
        const char *file = take_string(reader, AN_STREAM_UNIT);
        if (!file || reader->flaw)
            return;
        struct an_gap *gap = an_unit_alloc(reader->unit, sizeof *gap);
        gap->file = file;
        gap->first = take_small(reader, AN_STREAM_UNIT);
        gap->last = take_small(reader, AN_STREAM_UNIT);
        gap->calls = take_text(reader, AN_STREAM_UNIT);
        *last = gap;
        last = &gap->next;
    }
}

static void words_read(struct reader *reader)
{
    struct an_word **last = &reader->unit->words;
    for (;;) {
        const char *file = take_string(reader, AN_STREAM_UNIT);
        if (!file || reader->flaw)
            return;
        struct an_word *word = an_unit_alloc(reader->unit, sizeof *word);
        word->file = file;
        word->line = take_small(reader, AN_STREAM_UNIT);
        word->alone = take(reader, AN_STREAM_UNIT);
        word->text = take_text(reader, AN_STREAM_UNIT);
        *last = word;
        last = &word->next;
    }
}

static void unit_read(struct reader *reader)
{
    struct an_unit *unit = reader->unit;
    unit->path = take_text(reader, AN_STREAM_UNIT);
    unit->folder = take_text(reader, AN_STREAM_UNIT);
    unit->problem = take_string(reader, AN_STREAM_UNIT);
    unit->strange = take_string(reader, AN_STREAM_UNIT);
    unit->first_declaration = take_small(reader, AN_STREAM_UNIT);
    unit->hooked_by_hand = take(reader, AN_STREAM_UNIT);
    unit->digest = take(reader, AN_STREAM_UNIT);
    reader->before = (struct an_place){.file = unit->path};
    unit->variables = trees_read(reader);
    unit->functions = trees_read(reader);
    gaps_read(reader);
    words_read(reader);
    if (!reader->flaw)
        flaw_note(reader, an_unit_flaw(unit));
}

static void streams_split(struct reader *reader, const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < AN_STREAMS; i++) {
        uint64_t part = 0;
        for (unsigned byte = 0; byte < 8 && length >= 8; byte++)
            part |= (uint64_t)bytes[byte] << 8 * byte;
        if (length < 8 || part > length - 8) {
            flaw_note(reader, "a part is cut off");
            return;
        }
        reader->streams[i] = (struct cursor){bytes + 8, bytes + 8 + part};
        bytes += 8 + part;
        length -= 8 + part;
    }
}

struct an_unit *an_payload_read(const void *bytes, size_t length, const char **why)
{
    struct reader reader = {.unit = an_unit_create("")};
    streams_split(&reader, bytes, length);
    if (!reader.flaw)
        strings_read(&reader);
    if (!reader.flaw)
        types_read(&reader);
    if (!reader.flaw)
        shapes_read(&reader);
    if (!reader.flaw)
        unit_read(&reader);
    free(reader.strings);
    free(reader.types);
    free(reader.shapes);
    if (!reader.flaw)
        return reader.unit;
    *why = reader.flaw;
    an_unit_destroy(reader.unit);
    return NULL;
}
