/* Idea: what a function of the C library writes, and its result, depend on all its arguments and on
 * all that they point to: a cell in the middle takes all and gives all. */
#include "analysis/invariance/inside.h"

#include <string.h>

enum kind { UNKNOWN, COMPUTES, MATHEMATICS, WRITES, SHARES, READS, ALLOCATES };

static const struct entry {
    const char *name;
    enum kind kind;
    unsigned first, count; /* arguments that say where it writes */
} functions[] = {
#define AN_COMPUTES(name) {name, COMPUTES, 0, 0},
#define AN_MATHEMATICS(name) {name, MATHEMATICS, 0, 0},
#define AN_WRITES(name, first, count) {name, WRITES, first, count},
#define AN_SHARES(name, first, count) {name, SHARES, first, count},
#define AN_READS(name) {name, READS, 0, 0},
#define AN_ALLOCATES(name) {name, ALLOCATES, 0, 0},
#include "analysis/invariance/library.def"
};

static const struct entry *entry_of(const char *name)
{
    size_t length = strlen(name);
    for (unsigned n = 0; n < sizeof functions / sizeof *functions; n++) {
        size_t known = strlen(functions[n].name);
        if (strncmp(name, functions[n].name, known) != 0)
            continue;
        if (length == known)
            return &functions[n];
        if (functions[n].kind == MATHEMATICS && length == known + 1 && strchr("fl", name[known]))
            return &functions[n];
    }
    return NULL;
}

static enum kind kind_of(const char *name)
{
    const struct entry *entry = entry_of(name);
    return entry ? entry->kind : UNKNOWN;
}

bool an_library_is_pure(const char *name)
{
    enum kind kind = kind_of(name);
    return kind == COMPUTES || kind == MATHEMATICS;
}

bool an_library_allocates(const char *name)
{
    return kind_of(name) == ALLOCATES;
}

struct library_call {
    struct an_invariance *i;
    const struct an_node *node;
    struct an_place_cell **values;
    unsigned count;
    struct an_place_cell *middle; /* takes all and gives all */
};

static bool is_pointer(const struct an_type *type)
{
    return type && (type->class == AN_POINTER || type->class == AN_ARRAY);
}

/* The memory to which the argument points is read, and perhaps written. */
static void memory_flow(struct library_call *c, struct an_place_cell *memory,
                        const struct an_type *type, bool writes)
{
    an_cell_hold(c->i, memory, an_record_type(type, true));
    an_cell_raw(c->i, memory, false);
    an_cell_flow(c->i, memory, c->middle);
    if (!writes)
        return;
    an_cell_raw(c->i, memory, true);
    an_cell_flow(c->i, c->middle, memory);
}

static void arguments_flow(struct library_call *c, bool deep)
{
    const struct entry *entry = entry_of(c->node->name);
    unsigned number = 0;
    for (const struct an_node *a = an_argument(c->node, 0); a; a = a->next) {
        bool writes = number >= entry->first && number - entry->first < entry->count;
        struct an_place_cell *value = c->values[number++];
        const struct an_type *type = an_plain(a)->type;
        an_cell_flow(c->i, value, c->middle);
        if (!value || !is_pointer(a->type) || a->kind == AN_STRING)
            continue;
        struct an_place_cell *memory = an_cell_pointee(c->i, value);
        memory_flow(c, memory, type, writes);
        if (deep)
            memory_flow(c, an_cell_pointee(c->i, memory), type, writes);
    }
}

/* ---- memcpy, memset ---- */

static const struct an_type *record_below(const struct an_node *argument)
{
    const struct an_type *type = argument ? an_plain(argument)->type : NULL;
    return is_pointer(type) ? an_record_type(type->below, false) : NULL;
}

/* Copies whole records of one type, or fills them with a number: their fields stay apart. */
static bool records_flow(struct library_call *c, struct an_place_cell *pc,
                         struct an_place_cell *context)
{
    const struct an_type *to = record_below(an_argument(c->node, 0));
    const struct an_type *from = record_below(an_argument(c->node, 1));
    bool fills = strstr(c->node->name, "memset") != NULL || strcmp(c->node->name, "bzero") == 0;
    bool copies = strstr(c->node->name, "memcpy") || strstr(c->node->name, "memmove");
    if (!to || (!fills && !(copies && from && strcmp(to->name, from->name) == 0)))
        return false;
    struct an_record *record = an_record_of(c->i, to);
    for (unsigned n = 0; n < c->count; n++)
        an_cell_flow(c->i, c->values[n], record->in);
    an_cell_flow(c->i, pc, record->in);
    an_cell_flow(c->i, context, record->in);
    return true;
}

/* Pointers in what is copied. */
static void pointers_share(struct library_call *c)
{
    struct an_place_cell *first = c->count ? c->values[0] : NULL;
    struct an_place_cell *second = c->count > 1 ? c->values[1] : NULL;
    if (strncmp(c->node->name, "strto", 5) == 0 || strstr(c->node->name, "_strto")) {
        if (first && second)
            an_cell_alias(c->i, first, an_cell_pointee(c->i, second));
    } else if (strstr(c->node->name, "mem") || strcmp(c->node->name, "bcopy") == 0) {
        if (first && second && !strstr(c->node->name, "memset"))
            an_cell_alias(c->i, an_cell_pointee(c->i, first), an_cell_pointee(c->i, second));
    }
}

/* ---- getopt ---- */

static void options_flow(struct library_call *c)
{
    static const char *const names[] = {"c:@optarg", "c:@optind", "c:@opterr", "c:@optopt"};
    struct an_place_cell *words = c->count > 1 ? c->values[1] : NULL;
    for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
        struct an_place_cell *cell = an_named(c->i, 'V', names[n])->cell;
        an_cell_flow(c->i, cell, c->middle);
        an_cell_flow(c->i, c->middle, cell);
        if (n == 0 && words)
            an_cell_alias(c->i, cell, an_cell_pointee(c->i, words));
    }
}

bool an_library_flow(struct an_flow *w, const struct an_node *call, struct an_place_cell **values,
                     unsigned count, struct an_place_cell *pc, struct an_place_cell **result)
{
    struct library_call c = {w->i, call, values, count, an_cell_make(w->i)};
    enum kind kind = kind_of(call->name);
    bool options = strncmp(call->name, "getopt", 6) == 0;
    switch (kind) {
    case UNKNOWN:
        return false;
    case READS:
        an_cell_mark(w->i, *result, AN_DIFFERS);
        return true;
    case ALLOCATES:
        return true;
    case COMPUTES:
    case MATHEMATICS:
        arguments_flow(&c, false);
        an_cell_flow(w->i, c.middle, *result);
        an_cell_flow(w->i, w->context, *result);
        return true;
    case WRITES:
    case SHARES:
        break;
    }
    for (unsigned n = 0; n < count && kind == SHARES && an_points(call->type); n++)
        an_cell_alias(w->i, *result, values[n]);
    if (records_flow(&c, pc, w->context))
        return true;
    an_cell_flow(w->i, pc, c.middle);
    an_cell_flow(w->i, w->context, c.middle);
    arguments_flow(&c, options);
    if (kind == SHARES)
        pointers_share(&c);
    if (options)
        options_flow(&c);
    an_cell_flow(w->i, c.middle, *result);
    return true;
}
