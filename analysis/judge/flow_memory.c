/* Idea: memory is objects made of cells: one per field, one per element that is only ever named by
 * a constant, one for the rest. What chooses a place (a subscript, pointer arithmetic) is kept in
 * the pointer's own value, and decides at the load and at the store what the content says about
 * order.
 *
 * Pointers that the program's visible part does not set point to memory of their own: one object
 * per record type, since such pointers may be equal, and one per pointer otherwise. */
#include "analysis/judge/flow.h"

#include <stdlib.h>
#include <string.h>

#define uthash_fatal(msg) abort()
#include <uthash.h>

enum { BLOCK_BYTES = 32 * 1024, ELEMENTS = 16, DEEPEST = 5 };

struct block {
    struct block *older;
    size_t used, size;
    _Alignas(16) char bytes[];
};

struct entry { /* of a table of numbers by three words */
    uint64_t key[3];
    unsigned number;
    UT_hash_handle hh;
};

struct an_flow_memory {
    struct block *newest;
    struct an_flow_object *objects;
    unsigned object_count;
    struct an_flow_cell *cells;
    unsigned cell_count;
    struct an_flow_set **sets;
    unsigned set_count;
    struct entry *object_table, *cell_table, *set_table, *text_table;
    const char **names; /* by number */
    unsigned name_count;
};

void *an_flow_alloc(struct an_flow *flow, size_t bytes)
{
    struct an_flow_memory *memory = flow->memory;

    bytes = (bytes + 15) & ~(size_t)15;
    if (!memory->newest || memory->newest->size - memory->newest->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        struct block *block = calloc(1, sizeof *block + size);
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

static struct entry *entry_find(struct entry *table, const uint64_t key[3])
{
    struct entry *entry;
    HASH_FIND(hh, table, key, sizeof(uint64_t[3]), entry);
    return entry;
}

static void entry_add(struct an_flow *flow, struct entry **table, const uint64_t key[3],
                      unsigned number)
{
    struct entry *entry = an_flow_alloc(flow, sizeof *entry);
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
    struct entry *entry = entry_find(flow->memory->text_table, by_pointer);
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
    struct entry *entry = entry_find(memory->object_table, key);

    if (entry)
        return entry->number;
    memory->objects = array_grow(memory->objects, memory->object_count, sizeof *memory->objects);
    memory->objects[memory->object_count] = *made;
    entry_add(flow, &memory->object_table, key, memory->object_count);
    return memory->object_count++;
}

static unsigned cell_find(struct an_flow *flow, unsigned object, const char *field, int element)
{
    struct an_flow_memory *memory = flow->memory;
    uint64_t key[3] = {object, text_number(flow, field), (uint64_t)(int64_t)element};
    struct entry *entry = entry_find(memory->cell_table, key);

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
static unsigned cell_look(struct an_flow *flow, unsigned object, const char *field, int element)
{
    uint64_t key[3] = {object, text_number(flow, field), (uint64_t)(int64_t)element};
    struct entry *entry = entry_find(flow->memory->cell_table, key);
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
    struct entry *entry = entry_find(memory->set_table, key);
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
    cell_find(flow, 0, NULL, 0);
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
    for (struct block *block = memory->newest, *older; block; block = older) {
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
    unsigned cell = cell_find(flow, object, NULL, -1);
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
    uint64_t key[3] = {text_number(flow, name), 1,
                       node->internal ? text_number(flow, node->place.file) : 0};

    object.node = local ? node : NULL;
    return address_make(flow, object_find(flow, key, &object));
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
    for (unsigned i = flow->memory->objects[number].cells; i; i = flow->memory->cells[i].sibling)
        if (i < flow->state.count && flow->state.values[i].kind != AN_FLOW_FREE) {
            bool kept = flow->state.values[i].flags & AN_FLOW_PERMUTED;
            if (!kept)
                *an_flow_at(&flow->state, i) = (struct an_flow_value){.flags = AN_FLOW_WRITTEN};
        }
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
    pointer.targets = address_make(flow, made).targets;
    for (unsigned i = 0; i < where->count; i++)
        an_flow_at(&flow->state, where->cells[i])->targets = pointer.targets;
    return pointer;
}

struct an_flow_value an_flow_field(struct an_flow *flow, struct an_flow_value base,
                                   const struct an_node *member)
{
    const struct an_flow_set *set = an_flow_targets(flow, base.targets);
    unsigned cells[64], count = 0;
    const char *field = text_one(flow, member->symbol ? member->symbol : member->name);

    for (unsigned i = 0; i < set->count && count < 64; i++) {
        unsigned cell = cell_find(flow, flow->memory->cells[set->cells[i]].object, field, -1);
        if (!flow->memory->cells[cell].whole && cell != set->cells[i])
            flow->memory->cells[cell].whole = set->cells[i];
        cells[count++] = cell;
    }
    base.targets = set_find(flow, cells, count);
    base.flags &= ~(AN_FLOW_FRESH | AN_FLOW_CONSTANT);
    return base;
}

struct an_flow_value an_flow_element(struct an_flow *flow, struct an_flow_value base,
                                     struct an_flow_value index)
{
    struct an_flow_value made = an_flow_combine(base, index);

    made.targets = base.targets;
    made.flags |= base.flags & AN_FLOW_FRESH;
    if (!(index.flags & AN_FLOW_CONSTANT) || index.number != 0)
        made.flags |= AN_FLOW_OFFSET;
    if (index.flags & AN_FLOW_CONSTANT && index.number >= 0 && index.number < ELEMENTS &&
        !base.iter && base.kind == AN_FLOW_FREE) {
        const struct an_flow_set *set = an_flow_targets(flow, base.targets);
        unsigned cells[64], count = 0;
        for (unsigned i = 0; i < set->count && count < 64; i++) {
            struct an_flow_cell cell = flow->memory->cells[set->cells[i]];
            const struct an_flow_object *object = an_flow_object(flow, cell.object);
            bool scalar = object->name && !cell.field && object->type &&
                          object->type->class != AN_ARRAY && object->type->class != AN_RECORD;
            cells[count++] = cell.element < 0 && !scalar
                                 ? cell_find(flow, cell.object, cell.field, (int)index.number)
                                 : set->cells[i];
        }
        made.targets = set_find(flow, cells, count);
    }
    if (!base.iter)
        made.stamp = index.stamp;
    return made;
}

static int unsigned_compare(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return a < b ? -1 : a > b;
}

static unsigned targets_union(struct an_flow *flow, unsigned a, unsigned b)
{
    const struct an_flow_set *one = an_flow_targets(flow, a), *two = an_flow_targets(flow, b);
    unsigned cells[64], count = 0;

    if (a == b || !b)
        return a;
    if (!a)
        return b;
    for (unsigned i = 0; i < one->count && count < 64; i++)
        cells[count++] = one->cells[i];
    for (unsigned i = 0; i < two->count && count < 64; i++) {
        bool there = false;
        for (unsigned k = 0; k < one->count; k++)
            there |= one->cells[k] == two->cells[i];
        if (!there)
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

/* What one cell holds says, read at a place that `address` chooses. */
static struct an_flow_value cell_read(struct an_flow_value value, struct an_flow_value address)
{
    unsigned targets = value.targets;
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;

    value.flags &= ~AN_FLOW_WRITTEN;
    if (message && value.flags & AN_FLOW_PERMUTED) {
        value.flags &= ~AN_FLOW_PERMUTED;
        if (address.kind == AN_FLOW_RANKING) {
            value.kind = AN_FLOW_FREE;
            value.loop = 0;
        } else if (address.kind == AN_FLOW_FREE && value.stamp && value.stamp == address.stamp &&
                   value.loop != AN_FLOW_NO_LOOP) {
            /* The element that this very message was put into. */
        } else if (address.kind == AN_FLOW_FREE && address.iter && value.loop == AN_FLOW_NO_LOOP) {
            value.loop = (unsigned char)__builtin_ctzll(address.iter);
            value.index = address.stamp ? address.stamp : 1;
            value.iter &= ~address.iter;
            value.targets = targets;
            return value;
        } else {
            value.kind = an_flow_depends(address) && value.loop == AN_FLOW_NO_LOOP ? AN_FLOW_OPAQUE
                                                                                   : AN_FLOW_ORDER;
        }
        value.iter |= address.iter;
        return value;
    }
    if (value.kind == AN_FLOW_INDEXED) {
        bool same = address.kind >= AN_FLOW_SOURCE && address.kind <= AN_FLOW_MESSAGE &&
                    address.loop == value.loop;
        value.kind = same ? AN_FLOW_MESSAGE : AN_FLOW_ORDER;
        value.index = same ? address.index : 0;
        return value;
    }
    if (value.flags & AN_FLOW_PLACED && value.stamp && value.stamp == address.stamp)
        return value; /* what was just put there */
    if (address.kind == AN_FLOW_SLOT || address.kind == AN_FLOW_RANKING) {
        value.iter |= address.iter;
        return value;
    }
    if (address.kind == AN_FLOW_ORDER && value.kind == AN_FLOW_COUNTED)
        address.kind = AN_FLOW_COUNTED;
    struct an_flow_value made = an_flow_combine(value, address);
    if (address.kind == AN_FLOW_SOURCE && value.kind == AN_FLOW_MESSAGE &&
        made.kind == AN_FLOW_MESSAGE)
        made.flags |= value.flags & AN_FLOW_LOSSY;
    made.targets = targets;
    made.carried = value.carried;
    if (!address.iter && !an_flow_depends(address)) {
        made.stamp = value.stamp;
        made.number = value.number;
        made.flags |= value.flags & (AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    }
    return made;
}

/* The value of a cell; of an element of constant number that nobody wrote by itself, the rest's. */
static struct an_flow_value cell_value(struct an_flow *flow, unsigned number)
{
    struct an_flow_value value = *an_flow_at(&flow->state, number);
    struct an_flow_cell cell = flow->memory->cells[number];

    if (cell.element >= 0 && !(value.flags & AN_FLOW_WRITTEN)) {
        number = cell_find(flow, cell.object, cell.field, -1);
        struct an_flow_value more = *an_flow_at(&flow->state, number);
        if (more.flags & AN_FLOW_PERMUTED)
            more.kind = AN_FLOW_ORDER;
        more.flags &= ~AN_FLOW_PERMUTED;
        value = an_flow_either(flow, value, more);
    }
    for (unsigned depth = 0; depth < 8 && !(value.flags & AN_FLOW_WRITTEN); depth++) {
        number = flow->memory->cells[number].whole;
        if (!number)
            break;
        struct an_flow_value around = *an_flow_at(&flow->state, number);
        unsigned targets = value.targets;
        if (!(around.flags & AN_FLOW_WRITTEN))
            continue;
        value = around;
        value.targets = targets;
        value.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    }
    return value;
}

/* Elements of constant number are read by a subscript that varies, too. */
static struct an_flow_value elements_join(struct an_flow *flow, unsigned number,
                                          struct an_flow_value value)
{
    struct an_flow_cell base = flow->memory->cells[number];

    if (base.element >= 0 || !flow->memory->objects[base.object].elements)
        return value;
    for (unsigned i = flow->memory->objects[base.object].cells; i;
         i = flow->memory->cells[i].sibling) {
        const struct an_flow_cell *cell = &flow->memory->cells[i];
        if (cell->element < 0 || cell->field != base.field || i >= flow->state.count)
            continue;
        struct an_flow_value more = flow->state.values[i];
        if (more.flags & AN_FLOW_WRITTEN)
            value = an_flow_either(flow, value, more);
    }
    return value;
}

struct an_flow_value an_flow_load(struct an_flow *flow, struct an_flow_value address,
                                  const struct an_type *type)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    struct an_flow_value made = {0};

    if (!set->count) {
        made = address;
        made.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
        return made;
    }
    for (unsigned i = 0; i < set->count; i++) {
        struct an_flow_value value = cell_value(flow, set->cells[i]);
        value = elements_join(flow, set->cells[i], value);
        value = cell_read(value, address);
        made = i ? an_flow_either(flow, made, value) : value;
    }
    if (type && type->class == AN_POINTER)
        made = an_flow_pointee(flow, made, address, NULL, type);
    flow->touched += an_flow_depends(made);
    return made;
}

struct an_flow_value an_flow_content(struct an_flow *flow, struct an_flow_value address,
                                     int64_t elements)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    struct an_flow_value made = {0};

    address.flags = 0;
    for (unsigned i = 0; i < set->count; i++) {
        struct an_flow_cell base = flow->memory->cells[set->cells[i]];
        int64_t known = 0;
        if (base.element < 0 || base.element == 0)
            for (int k = 0; k < ELEMENTS && k < elements; k++) {
                unsigned element = cell_look(flow, base.object, base.field, k);
                if (element && an_flow_at(&flow->state, element)->flags & AN_FLOW_WRITTEN)
                    known++;
            }
        bool covered = elements > 0 && known == elements && !address.iter;
        for (unsigned k = flow->memory->objects[base.object].cells; k;
             k = flow->memory->cells[k].sibling) {
            struct an_flow_cell cell = flow->memory->cells[k];
            if (base.field && cell.field != base.field)
                continue;
            if (covered && cell.field == base.field &&
                (cell.element < 0 || cell.element >= elements))
                continue;
            if (base.element >= 0 && elements == 1 && cell.element != base.element &&
                !(cell.element < 0 &&
                  !(an_flow_at(&flow->state, set->cells[i])->flags & AN_FLOW_WRITTEN)))
                continue;
            made = an_flow_either(flow, made, cell_read(cell_value(flow, k), address));
        }
    }
    made.flags &= ~(AN_FLOW_CONSTANT | AN_FLOW_FRESH);
    flow->touched += an_flow_depends(made);
    return made;
}

static void cell_written(struct an_flow *flow, unsigned cell, struct an_flow_value value)
{
    for (struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
        an_flow_marks_add(loop->written, cell);
    value.flags |= AN_FLOW_WRITTEN;
    *an_flow_at(&flow->state, cell) = value;
    if (an_flow_depends(value))
        flow->dependent++;
}

/* Loops that `address` sweeps over: inside of the one that brings messages, or of none. */
static bool sweeps(const struct an_flow *flow, struct an_flow_value address)
{
    uint64_t inner =
        flow->seen && !flow->left ? ~(uint64_t)0 << (flow->site_loop + 1) : ~(uint64_t)0;
    return address.iter && !(address.iter & ~inner);
}

/* A buffer is filled in a turn, from its beginning, as far as the message says. */
static bool packs(const struct an_flow *flow, struct an_flow_value address)
{
    return flow->seen && !flow->left && address.flags & AN_FLOW_COUNTUP &&
           (address.kind == AN_FLOW_FREE || address.kind == AN_FLOW_MESSAGE) && !address.index &&
           !(address.iter >> flow->site_loop & 1);
}

static struct an_flow_value pack(struct an_flow *flow, struct an_flow_value old,
                                 struct an_flow_value address, struct an_flow_value value)
{
    unsigned targets = value.targets;
    struct an_flow_value made = an_flow_combine(value, address);

    made.targets = targets;
    made.iter &= ~address.iter | (uint64_t)1 << flow->site_loop;
    made.flags &= ~(AN_FLOW_COUNTUP | AN_FLOW_OFFSET);
    if (old.carried >> flow->site_loop & 1)
        return made;
    return an_flow_either(flow, old, made);
}

static bool is_carried(struct an_flow_value old, unsigned loop)
{
    return old.iter >> loop & 1 || old.carried >> loop & 1 || old.kind >= AN_FLOW_INDEXED ||
           old.flags & AN_FLOW_PERMUTED || !(old.flags & AN_FLOW_WRITTEN);
}

/* What an array's cell holds after an element that `address` chooses became `value`. */
static struct an_flow_value element_store(struct an_flow *flow, struct an_flow_value old,
                                          struct an_flow_value address, struct an_flow_value value)
{
    bool message = value.kind == AN_FLOW_SOURCE || value.kind == AN_FLOW_MESSAGE;
    bool chosen = address.kind == AN_FLOW_SOURCE || address.kind == AN_FLOW_MESSAGE;

    value.iter &= ~address.iter | (flow->seen && !flow->left ? (uint64_t)1 << flow->site_loop : 0);
    if (value.flags & AN_FLOW_FRESH && (address.kind >= AN_FLOW_FLAG || address.iter)) {
        value = an_flow_either(flow, old, value); /* which place holds which buffer is no matter */
        value.flags |= AN_FLOW_PLACED;
        value.stamp = address.stamp;
        return value;
    }
    if (message && !an_flow_depends(address) && address.iter >> value.loop & 1) {
        if (value.index && value.index != address.stamp)
            value.kind = AN_FLOW_ORDER; /* at another place than it had */
        value.index = 0;
        value.iter &= ~((uint64_t)1 << value.loop);
        value.flags |= AN_FLOW_PERMUTED;
        value.stamp = address.stamp;
        if (old.kind == AN_FLOW_FREE)
            return value;
        return an_flow_either(flow, old, value);
    }
    if (message && address.kind == AN_FLOW_COUNTED && address.loop == value.loop) {
        value.flags |= AN_FLOW_PERMUTED;
        value.stamp = address.stamp;
        return old.kind == AN_FLOW_FREE ? value : an_flow_either(flow, old, value);
    }
    if (chosen && value.iter >> address.loop & 1) {
        value.kind = AN_FLOW_ORDER;
        value.why = value.why ? value.why : address.why;
        return an_flow_either(flow, old, value);
    }
    if (chosen && (message || !an_flow_depends(value)) && is_carried(old, address.loop)) {
        bool lossy = address.flags & AN_FLOW_LOSSY && address.kind != AN_FLOW_SOURCE;
        struct an_flow_value made = value;
        made.kind = lossy && message ? AN_FLOW_ORDER : AN_FLOW_INDEXED;
        made.loop = address.loop;
        made.flags = (unsigned short)((value.flags | address.flags) & AN_FLOW_LOSSY);
        made.why = value.why ? value.why : address.why;
        if (old.kind == AN_FLOW_FREE || old.kind == AN_FLOW_INDEXED)
            return made;
        made = an_flow_either(flow, made, old);
        return made;
    }
    if (address.kind == AN_FLOW_ORDER || address.kind == AN_FLOW_OPAQUE ||
        address.kind == AN_FLOW_COUNTED || chosen) {
        unsigned targets = value.targets;
        value = an_flow_combine(value, address);
        value.targets = targets;
    }
    return an_flow_either(flow, old, value);
}

/* A store to all of something, or to an element that varies, reaches its parts. Elements of
 * constant number that nobody wrote are read from the rest. */
static void parts_write(struct an_flow *flow, unsigned number, struct an_flow_value value,
                        bool whole)
{
    struct an_flow_cell base = flow->memory->cells[number];

    for (unsigned k = flow->memory->objects[base.object].cells; k;
         k = flow->memory->cells[k].sibling) {
        struct an_flow_cell cell = flow->memory->cells[k];
        bool same = cell.field == base.field;
        if (k == number || (base.field && !same && cell.whole != number) || (!same && !whole))
            continue;
        if (!(an_flow_at(&flow->state, k)->flags & AN_FLOW_WRITTEN) &&
            (same || !an_flow_depends(value)))
            continue;
        cell_written(flow, k, value);
    }
}

void an_flow_store(struct an_flow *flow, struct an_flow_value address, struct an_flow_value value,
                   bool whole)
{
    const struct an_flow_set *set = an_flow_targets(flow, address.targets);
    bool strong = set->count == 1 && flow->frames < AN_FLOW_CALLS;

    value.carried = 0;
    for (unsigned i = 0; i < set->count; i++) {
        unsigned number = set->cells[i];
        struct an_flow_value old = *an_flow_at(&flow->state, number), made = value;
        bool sweep = sweeps(flow, address) && !an_flow_depends(address);
        bool into = address.flags & AN_FLOW_OFFSET && !address.iter && !whole &&
                    flow->memory->cells[number].element < 0;
        if (packs(flow, address)) {
            made = pack(flow, old, address, value);
            for (struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
                an_flow_marks_add(&loop->swept, number);
        } else if (!an_flow_depends(address) && (!address.iter || sweep)) {
            made.iter &= ~(sweep ? address.iter : 0);
            if (sweep && an_flow_depends(value) && value.loop < AN_FLOW_NO_LOOP &&
                address.iter >> value.loop & 1)
                made = element_store(flow, old, address, value);
            else if ((!strong && !whole) || into)
                made = an_flow_either(flow, old, made);
            if (sweep)
                for (struct an_flow_loop *loop = flow->loop; loop; loop = loop->outer)
                    an_flow_marks_add(&loop->swept, number);
        } else {
            made = element_store(flow, old, address, value);
        }
        if (flow->memory->cells[number].element < 0 && (whole || sweep || address.iter))
            parts_write(flow, number, made, whole);
        cell_written(flow, number, made);
    }
}

void an_flow_record_copy(struct an_flow *flow, struct an_flow_value to, struct an_flow_value from)
{
    const struct an_flow_set *source = an_flow_targets(flow, from.targets);
    const struct an_flow_set *target = an_flow_targets(flow, to.targets);

    if (source->count != 1 || target->count != 1) {
        an_flow_store(flow, to, an_flow_content(flow, from, -1), true);
        return;
    }
    unsigned object = flow->memory->cells[target->cells[0]].object;
    unsigned other = flow->memory->cells[source->cells[0]].object;
    for (unsigned i = flow->memory->objects[other].cells; i && object != other;
         i = flow->memory->cells[i].sibling) {
        struct an_flow_cell cell = flow->memory->cells[i];
        struct an_flow_value value = cell_read(*an_flow_at(&flow->state, i), from);
        cell_written(flow, cell_find(flow, object, cell.field, cell.element), value);
    }
}
