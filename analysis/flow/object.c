/* Idea: objects, cells and sets of places are numbered by tables, so that equal ones are equal
 * numbers. Pointers that the program's visible part does not set point to memory of their own: one
 * object per record type, since such pointers may be equal, and one per pointer otherwise. */
#include "analysis/flow/memory.h"

#include <stdlib.h>
#include <string.h>

#define uthash_fatal(msg) abort()
/* Keys are three words. */
#define HASH_FUNCTION(key, length, hash)                                                           \
    do {                                                                                           \
        uint64_t hash_words[3];                                                                    \
        memcpy(hash_words, key, sizeof hash_words);                                                \
        hash_words[0] =                                                                            \
            (hash_words[0] ^ hash_words[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;           \
        hash_words[0] =                                                                            \
            (hash_words[0] ^ hash_words[0] >> 32 ^ hash_words[2]) * 0xc4ceb9fe1a85ec53u;           \
        (hash) = (unsigned)(hash_words[0] >> 32);                                                  \
    } while (0)
#include <uthash.h>

enum { BLOCK_BYTES = 32 * 1024, DEEPEST = 5 };

struct an_flow_bytes {
    struct an_flow_bytes *older;
    size_t used, size;
    _Alignas(16) char bytes[];
};

struct an_flow_entry { /* of a table of numbers by three words */
    uint64_t key[3];
    unsigned number;
    UT_hash_handle hh;
};

void *an_flow_alloc(struct an_flow *flow, size_t bytes)
{
    struct an_flow_memory *memory = flow->memory;

    bytes = (bytes + 15) & ~(size_t)15;
    if (!memory->newest || memory->newest->size - memory->newest->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct an_flow_bytes *block = calloc(1, sizeof *block + size);
        if (!block)
            abort();
        block->size = size;
        block->older = memory->newest;
        memory->newest = block;
    }
    void *result = memory->newest->bytes + memory->newest->used;
    memory->newest->used += bytes;
    return result;
}

static struct an_flow_entry *entry_find(struct an_flow_entry *table, const uint64_t key[3])
{
    struct an_flow_entry *entry;
    HASH_FIND(hh, table, key, sizeof(uint64_t[3]), entry);
    return entry;
}

static void entry_add(struct an_flow *flow, struct an_flow_entry **table, const uint64_t key[3],
                      unsigned number)
{
    struct an_flow_entry *entry = an_flow_alloc(flow, sizeof *entry);
    memcpy(entry->key, key, sizeof entry->key);
    entry->number = number;
    HASH_ADD(hh, *table, key, sizeof entry->key, entry);
}

static uint64_t text_hash(const char *text, uint64_t hash)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* A number for a name: names of different units are different pointers. */
static uint64_t text_number(struct an_flow *flow, const char *text)
{
    uint64_t by_pointer[3] = {(uintptr_t)text, 0, 1};
    if (!text)
        return 0;
    struct an_flow_entry *entry = entry_find(flow->memory->text_table, by_pointer);
    if (entry)
        return entry->number;
    uint64_t by_text[3] = {text_hash(text, 0xcbf29ce484222325u), text_hash(text, 99), 2};
    entry = entry_find(flow->memory->text_table, by_text);
    unsigned number = entry ? entry->number : HASH_COUNT(flow->memory->text_table) + 1;
    if (!entry)
        entry_add(flow, &flow->memory->text_table, by_text, number);
    entry_add(flow, &flow->memory->text_table, by_pointer, number);
    return number;
}

static void *array_grow(void *array, unsigned count, size_t size)
{
    if (count & (count - 1) && count)
        return array;
    array = realloc(array, (count ? count * 2 : 1) * size);
    if (!array)
        abort();
    return array;
}

/* One pointer for equal names. */
static const char *text_one(struct an_flow *flow, const char *text)
{
    unsigned number = (unsigned)text_number(flow, text);
    struct an_flow_memory *memory = flow->memory;

    while (memory->name_count <= number) {
        memory->names = array_grow(memory->names, memory->name_count, sizeof *memory->names);
        memory->names[memory->name_count++] = NULL;
    }
    if (!memory->names[number])
        memory->names[number] = text;
    return memory->names[number];
}

static unsigned object_find(struct an_flow *flow, const uint64_t key[3],
                            const struct an_flow_object *made)
{
    struct an_flow_memory *memory = flow->memory;
    struct an_flow_entry *entry = entry_find(memory->object_table, key);

    if (entry)
        return entry->number;
    memory->objects = array_grow(memory->objects, memory->object_count, sizeof *memory->objects);
    memory->objects[memory->object_count] = *made;
    entry_add(flow, &memory->object_table, key, memory->object_count);
    return memory->object_count++;
}

unsigned an_flow_cell_find(struct an_flow *flow, unsigned object, const char *field, int element)
{
    struct an_flow_memory *memory = flow->memory;
    uint64_t key[3] = {object, text_number(flow, field), (uint64_t)(int64_t)element};
    struct an_flow_entry *entry = entry_find(memory->cell_table, key);

    if (entry)
        return entry->number;
    memory->cells = array_grow(memory->cells, memory->cell_count, sizeof *memory->cells);
    memory->cells[memory->cell_count] =
        (struct an_flow_cell){object, field, element, memory->objects[object].cells, 0};
    memory->objects[object].cells = memory->cell_count;
    memory->objects[object].elements |= element >= 0;
    entry_add(flow, &memory->cell_table, key, memory->cell_count);
    return memory->cell_count++;
}

/* The same, or 0 when there is no such cell yet. */
unsigned an_flow_cell_look(struct an_flow *flow, unsigned object, const char *field, int element)
{
    uint64_t key[3] = {object, text_number(flow, field), (uint64_t)(int64_t)element};
    struct an_flow_entry *entry = entry_find(flow->memory->cell_table, key);
    return entry ? entry->number : 0;
}

static unsigned set_find(struct an_flow *flow, const unsigned *cells, unsigned count)
{
    struct an_flow_memory *memory = flow->memory;
    uint64_t key[3] = {1469598103934665603u, 31, count};

    if (!count)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        key[0] = (key[0] ^ cells[i]) * 0x100000001b3u;
        key[1] = key[1] * 1000003 + cells[i];
    }
    struct an_flow_entry *entry = entry_find(memory->set_table, key);
    if (entry)
        return entry->number;
    struct an_flow_set *set = an_flow_alloc(flow, sizeof *set + count * sizeof *cells);
    set->count = count;
    memcpy(set->cells, cells, count * sizeof *cells);
    memory->sets = array_grow(memory->sets, memory->set_count, sizeof *memory->sets);
    memory->sets[memory->set_count] = set;
    entry_add(flow, &memory->set_table, key, memory->set_count);
    return memory->set_count++;
}

void an_flow_memory_create(struct an_flow *flow)
{
    static const struct an_flow_object nothing;
    static const uint64_t key[3];

    flow->memory = calloc(1, sizeof *flow->memory);
    if (!flow->memory)
        abort();
    object_find(flow, key, &nothing);
    an_flow_cell_find(flow, 0, NULL, 0);
    flow->memory->sets = array_grow(NULL, 0, sizeof *flow->memory->sets);
    flow->memory->sets[flow->memory->set_count++] = an_flow_alloc(flow, sizeof(struct an_flow_set));
}

void an_flow_memory_destroy(struct an_flow *flow)
{
    struct an_flow_memory *memory = flow->memory;
    if (!memory)
        return;
    HASH_CLEAR(hh, memory->object_table);
    HASH_CLEAR(hh, memory->cell_table);
    HASH_CLEAR(hh, memory->set_table);
    HASH_CLEAR(hh, memory->text_table);
    for (struct an_flow_bytes *block = memory->newest, *older; block; block = older) {
        older = block->older;
        free(block);
    }
    free(memory->objects);
    free(memory->cells);
    free(memory->sets);
    free(memory->names);
    free(memory);
}

const struct an_flow_set *an_flow_targets(const struct an_flow *flow, unsigned number)
{
    return flow->memory->sets[number];
}

unsigned an_flow_cells(const struct an_flow *flow)
{
    return flow->memory->cell_count;
}

const struct an_flow_cell *an_flow_cell(const struct an_flow *flow, unsigned number)
{
    return &flow->memory->cells[number < flow->memory->cell_count ? number : 0];
}

bool an_flow_is_array(const struct an_flow *flow, unsigned number)
{
    const struct an_flow_cell *cell = an_flow_cell(flow, number);
    const struct an_flow_object *object = an_flow_object(flow, cell->object);

    return !cell->field && (!object->name || (object->type && object->type->class == AN_ARRAY));
}

const struct an_flow_object *an_flow_object(const struct an_flow *flow, unsigned number)
{
    return &flow->memory->objects[number];
}

static struct an_flow_value address_make(struct an_flow *flow, unsigned object)
{
    unsigned cell = an_flow_cell_find(flow, object, NULL, -1);
    struct an_flow_value address = {.targets = set_find(flow, &cell, 1)};
    return address;
}

/* Locals of a function that runs inside itself are one object: then nothing in it is overwritten.
 */
struct an_flow_value an_flow_variable(struct an_flow *flow, const struct an_node *node)
{
    bool local = node->storage == AN_LOCAL_VARIABLE || node->storage == AN_PARAMETER_VARIABLE;
    struct an_flow_object object = {.name = node->name, .type = node->type, .outside = !local};
    const char *name = node->symbol ? node->symbol : node->name;
    uint64_t key[3] = {text_number(flow, name), 1, 0};

    if (node->internal && node->symbol)
        key[2] = (uintptr_t)node->symbol; /* its unit's, in headers, too */
    object.node = node;
    return address_make(flow, object_find(flow, key, &object));
}

static const struct an_node *loop_around(const struct an_flow *flow)
{
    const struct an_flow_loop *loop = flow->loop;

    while (loop && loop->node->kind == AN_SWITCH)
        loop = loop->outer;
    return loop ? loop->node : NULL;
}

struct an_flow_value an_flow_block(struct an_flow *flow, const struct an_node *call,
                                   const struct an_type *type)
{
    struct an_flow_frame *frame = flow->frame;
    struct an_flow_object object = {.node = call, .type = type ? type->below : NULL};
    uint64_t key[3] = {(uintptr_t)call, 2, frame ? frame->context : 0};
    unsigned number = object_find(flow, key, &object);
    struct an_flow_value address = address_make(flow, number);

    flow->memory->objects[number].born = flow->depth;
    flow->memory->objects[number].around = loop_around(flow);
    for (unsigned i = flow->memory->objects[number].cells; i; i = flow->memory->cells[i].sibling)
        if (i < flow->state.count && an_flow_held(&flow->state, i)->kind != AN_FLOW_FREE &&
            !(an_flow_held(&flow->state, i)->flags & AN_FLOW_PERMUTED))
            an_flow_put(&flow->state, i, (struct an_flow_value){.flags = AN_FLOW_WRITTEN});
    address.flags = AN_FLOW_FRESH;
    address.stamp = (unsigned)(uintptr_t)call;
    return address;
}

static bool is_record(const struct an_type *type)
{
    return type && (type->class == AN_RECORD || type->class == AN_STATUS);
}

struct an_flow_value an_flow_pointee(struct an_flow *flow, struct an_flow_value pointer,
                                     struct an_flow_value address, const struct an_node *node,
                                     const struct an_type *type)
{
    const struct an_flow_set *where = an_flow_targets(flow, address.targets);
    unsigned cell = where->count ? where->cells[0] : 0;
    unsigned depth = flow->memory->objects[flow->memory->cells[cell].object].depth + 1;
    struct an_flow_object object = {.type = type ? type->below : NULL, .outside = true};
    uint64_t key[3] = {cell, 3, 0};

    if (pointer.targets)
        return pointer;
    if (object.type && is_record(object.type)) {
        object.name = object.type->name;
        key[0] = text_number(flow, object.name);
        key[1] = 4;
    } else if (!cell) {
        key[0] = (uintptr_t)node;
        key[1] = 5;
    } else if (depth > DEEPEST) {
        key[0] = flow->memory->cells[cell].object;
        key[1] = 6;
    }
    object.depth = depth;
    unsigned made = object_find(flow, key, &object);
    for (unsigned i = 0; i < where->count; i++) {
        const struct an_flow_object *around =
            an_flow_object(flow, an_flow_cell(flow, where->cells[i])->object);
        flow->memory->objects[made].foreign |= around->lent || around->foreign;
    }
    pointer.targets = address_make(flow, made).targets;
    for (unsigned i = 0; i < where->count; i++)
        an_flow_at(&flow->state, where->cells[i])->targets = pointer.targets;
    return pointer;
}

void an_flow_lend(struct an_flow *flow, struct an_flow_value value)
{
    const struct an_flow_set *set = an_flow_targets(flow, value.targets);

    for (unsigned i = 0; i < set->count; i++)
        flow->memory->objects[an_flow_cell(flow, set->cells[i])->object].lent = true;
}

void an_flow_make_foreign(struct an_flow *flow, struct an_flow_value value)
{
    const struct an_flow_set *set = an_flow_targets(flow, value.targets);

    for (unsigned i = 0; i < set->count; i++)
        flow->memory->objects[an_flow_cell(flow, set->cells[i])->object].foreign = true;
}

/* Whether the members of a record share one place. */
static bool is_union(const struct an_type *type)
{
    const struct an_layout *layout = type ? type->layout : NULL;

    if (!type || type->class != AN_RECORD)
        return false;
    if (strncmp(type->name, "union ", 6) == 0)
        return true;
    for (unsigned i = 0; layout && i < layout->count; i++)
        if (layout->fields[i].offset)
            return false;
    return layout && layout->count > 1;
}

/* Whether a MEMBER is of a union, or of something in one: it stands for all of that. */
static bool is_in_union(const struct an_node *member)
{
    for (; member->kind == AN_MEMBER; member = member->child) {
        const struct an_type *type = member->child->type;
        if (is_union(member->arrow && type ? type->below : type))
            return true;
        if (member->arrow)
            return false;
    }
    return false;
}

static bool has_field(const struct an_layout *layout, const char *name)
{
    for (unsigned i = 0; layout && i < layout->count; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return true;
    return false;
}

/* The name of the place of a MEMBER: its own, or of the anonymous union in which it stands. */
static const char *field_name(const struct an_node *member)
{
    const struct an_type *type = member->child->type;
    const struct an_type *record = member->arrow && type ? type->below : type;
    const struct an_layout *layout = record ? record->layout : NULL;

    for (unsigned i = 0; layout && i < layout->count; i++) {
        const struct an_field *field = &layout->fields[i];
        if (!*field->name && is_union(field->record) &&
            has_field(field->record->layout, member->name))
            return field->record->name;
    }
    return member->symbol ? member->symbol : member->name;
}

/* Has the record a member that is the other one, or that has one? */
static bool has_record(const struct an_type *type, const struct an_type *other, unsigned depth)
{
    const struct an_layout *layout = type ? type->layout : NULL;

    for (unsigned i = 0; layout && depth && i < layout->count; i++) {
        const struct an_type *record = layout->fields[i].record;
        if (record &&
            (strcmp(record->name, other->name) == 0 || has_record(record, other, depth - 1)))
            return true;
    }
    return false;
}

static bool are_alike(const struct an_layout *one, const struct an_layout *two)
{
    bool same = one->count == two->count;

    for (unsigned i = 0; same && i < one->count; i++)
        same = strcmp(one->fields[i].name, two->fields[i].name) == 0;
    return same;
}

/* Is the member of a record that the object at the cell neither is, nor has, nor is in? */
static bool is_of_another(const struct an_flow *flow, unsigned cell, const struct an_node *member)
{
    const struct an_type *type = an_flow_object(flow, flow->memory->cells[cell].object)->type;
    const struct an_type *record = member->child->type;

    record = member->arrow && record ? record->below : record;
    while (type && type->class == AN_ARRAY)
        type = type->below;
    if (!type || !record || !type->layout || !record->layout || flow->memory->cells[cell].field)
        return false;
    return strcmp(type->name, record->name) != 0 && !are_alike(type->layout, record->layout) &&
           !has_record(type, record, DEEPEST) && !has_record(record, type, DEEPEST);
}

struct an_flow_value an_flow_field(struct an_flow *flow, struct an_flow_value base,
                                   const struct an_node *member)
{
    const struct an_flow_set *set = an_flow_targets(flow, base.targets);
    unsigned cells[AN_FLOW_PLACES], count = 0;
    const char *field = text_one(flow, field_name(member));

    if (is_in_union(member)) {
        base.flags &= ~(AN_FLOW_FRESH | AN_FLOW_CONSTANT);
        return base;
    }
    for (unsigned i = 0; i < set->count && count < AN_FLOW_PLACES; i++) {
        if (flow->seen && flow->site && is_of_another(flow, set->cells[i], member))
            an_flow_stray(flow, member,
                          "it would have to be known what a record is that is used as another one");
        unsigned cell =
            an_flow_cell_find(flow, flow->memory->cells[set->cells[i]].object, field, -1);
        if (!flow->memory->cells[cell].whole && cell != set->cells[i])
            flow->memory->cells[cell].whole = set->cells[i];
        cells[count++] = cell;
    }
    base.targets = set_find(flow, cells, count);
    base.flags &= ~(AN_FLOW_FRESH | AN_FLOW_CONSTANT);
    return base;
}

/* The places `targets` with all elements of an array in place of one: from that one a pointer moves
 * to others. */
static unsigned around_elements(struct an_flow *flow, unsigned targets)
{
    const struct an_flow_set *set = an_flow_targets(flow, targets);
    unsigned cells[AN_FLOW_PLACES];

    for (unsigned i = 0; i < set->count; i++) {
        struct an_flow_cell cell = flow->memory->cells[set->cells[i]];
        cells[i] =
            cell.element < 0 ? set->cells[i] : an_flow_cell_find(flow, cell.object, cell.field, -1);
    }
    return targets ? set_find(flow, cells, set->count) : 0;
}

struct an_flow_value an_flow_element(struct an_flow *flow, struct an_flow_value base,
                                     struct an_flow_value index)
{
    struct an_flow_value made = an_flow_combine(base, index);

    bool moves = !(index.flags & AN_FLOW_CONSTANT) || index.number != 0;
    made.targets = moves ? around_elements(flow, base.targets) : base.targets;
    base.targets = made.targets;
    made.flags |= base.flags & AN_FLOW_FRESH;
    if (moves)
        made.flags |= AN_FLOW_OFFSET;
    if (index.flags & AN_FLOW_CONSTANT && index.number >= 0 && index.number < AN_FLOW_ELEMENTS &&
        !base.iter && base.kind == AN_FLOW_FREE && !(base.flags & AN_FLOW_OFFSET)) {
        const struct an_flow_set *set = an_flow_targets(flow, base.targets);
        unsigned cells[AN_FLOW_PLACES], count = 0;
        for (unsigned i = 0; i < set->count && count < AN_FLOW_PLACES; i++) {
            struct an_flow_cell cell = flow->memory->cells[set->cells[i]];
            const struct an_flow_object *object = an_flow_object(flow, cell.object);
            bool scalar = object->name && !cell.field && object->type &&
                          object->type->class != AN_ARRAY && object->type->class != AN_RECORD;
            cells[count++] =
                cell.element < 0 && !scalar
                    ? an_flow_cell_find(flow, cell.object, cell.field, (int)index.number)
                    : set->cells[i];
        }
        made.targets = set_find(flow, cells, count);
    }
    if (!base.iter)
        made.stamp = index.stamp;
    return made;
}

struct an_flow_value an_flow_around(struct an_flow *flow, struct an_flow_value address,
                                    const struct an_node *node, const struct an_node *count)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    const struct an_node *place = node ? an_plain(node) : NULL;
    unsigned cells[AN_FLOW_PLACES];

    if (!place || place->kind != AN_UNARY || place->op != AN_OP_ADDRESS ||
        place->child->kind != AN_MEMBER || (count && count->constant && count->value == 1) ||
        place->child->type->class == AN_ARRAY || is_record(place->child->type))
        return address;
    for (unsigned i = 0; i < set->count; i++)
        cells[i] = an_flow_cell_find(flow, flow->memory->cells[set->cells[i]].object, NULL, -1);
    address.targets = set_find(flow, cells, set->count);
    return address;
}

static int unsigned_compare(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return a < b ? -1 : a > b;
}

static unsigned targets_union(struct an_flow *flow, unsigned a, unsigned b)
{
    const struct an_flow_set *one = an_flow_targets(flow, a), *two = an_flow_targets(flow, b);
    unsigned cells[AN_FLOW_PLACES], count = 0;

    if (a == b || !b)
        return a;
    if (!a)
        return b;
    for (unsigned i = 0; i < one->count; i++)
        cells[count++] = one->cells[i];
    for (unsigned i = 0; i < two->count; i++) {
        bool there = false;
        for (unsigned k = 0; k < one->count; k++)
            there |= one->cells[k] == two->cells[i];
        if (!there && count == AN_FLOW_PLACES)
            flow->exhausted = true;
        else if (!there)
            cells[count++] = two->cells[i];
    }
    qsort(cells, count, sizeof *cells, unsigned_compare);
    return set_find(flow, cells, count);
}

struct an_flow_value an_flow_either(struct an_flow *flow, struct an_flow_value a,
                                    struct an_flow_value b)
{
    struct an_flow_value made = an_flow_join(a, b);
    made.targets = targets_union(flow, a.targets, b.targets);
    return made;
}
