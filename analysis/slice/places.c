/* Idea: names become places through two tables: one of pairs of addresses, since a unit interns its
 * strings, and behind it one of texts, since units share names. */
#include "analysis/slice/inside.h"

static struct sl_vertex *text_place(struct an_slice *slice, const char *text)
{
    struct sl_text *found;

    HASH_FIND_STR(slice->texts, text, found);
    if (found)
        return found->place;
    found = an_judgement_alloc(slice->judgement, sizeof *found);
    found->text = text;
    found->place = sl_vertex_create(slice, SL_PLACE, NULL);
    HASH_ADD_KEYPTR(hh, slice->texts, text, strlen(text), found);
    return found->place;
}

struct sl_name *sl_name_of(struct an_slice *slice, const void *one, const void *other)
{
    struct sl_key key = {one, other};
    struct sl_name *found;

    HASH_FIND(hh, slice->names, &key, sizeof key, found);
    if (found)
        return found;
    found = an_judgement_alloc(slice->judgement, sizeof *found);
    found->key = key;
    HASH_ADD(hh, slice->names, key, sizeof key, found);
    return found;
}

struct sl_vertex *sl_own(struct an_slice *slice, const struct an_node *node)
{
    struct sl_name *name = sl_name_of(slice, node, slice);
    if (!name->place)
        name->place = sl_vertex_create(slice, SL_PLACE, NULL);
    return sl_find(name->place);
}

struct sl_vertex *sl_variable(struct an_slice *slice, const struct an_node *variable)
{
    if (!variable->symbol)
        return sl_find(slice->loose);
    struct sl_name *name = sl_name_of(slice, variable->symbol, NULL);
    if (!name->place)
        name->place = text_place(slice, variable->symbol);
    return sl_find(name->place);
}

static bool is_status(const struct an_type *type)
{
    while (type && (type->class == AN_POINTER || type->class == AN_ARRAY))
        type = type->below;
    return type && type->class == AN_STATUS;
}

const struct an_type *sl_record_of(const struct an_type *type)
{
    while (type && type->class == AN_ARRAY)
        type = type->below;
    return type && type->class == AN_RECORD && type->name ? type : NULL;
}

const struct an_type *sl_record_behind(const struct an_type *type)
{
    bool leads = type && (type->class == AN_POINTER || type->class == AN_ARRAY);
    return leads ? sl_record_of(type->below) : NULL;
}

static const char *plain_name(const char *name)
{
    static const char *const words[] = {"const ", "volatile ", "restrict "};

    for (unsigned i = 0; i < 3; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return plain_name(name + strlen(words[i]));
    return name;
}

static void nested_add(struct an_slice *slice, struct sl_record *record, struct sl_record *inner)
{
    for (struct sl_part *part = record->nested; part; part = part->next)
        if (part->record == inner)
            return;
    struct sl_part *part = an_judgement_alloc(slice->judgement, sizeof *part);
    *part = (struct sl_part){inner, record->nested};
    record->nested = part;
}

struct sl_record *sl_record(struct an_slice *slice, const struct an_type *type)
{
    const char *name = plain_name(type->name);
    struct sl_record *record;

    HASH_FIND_STR(slice->records, name, record);
    if (!record) {
        record = an_judgement_alloc(slice->judgement, sizeof *record);
        record->name = name;
        record->type = type;
        record->whole = sl_vertex_create(slice, SL_PLACE, NULL);
        record->whole->parts = an_judgement_alloc(slice->judgement, sizeof(struct sl_part));
        record->whole->parts->record = record;
        if (strncmp(name, "union ", 6) == 0)
            record->overlay = sl_vertex_create(slice, SL_PLACE, NULL);
        HASH_ADD_KEYPTR(hh, slice->records, record->name, strlen(record->name), record);
    }
    if (type->layout && !(record->type->layout && record->nested)) {
        record->type = type;
        for (unsigned i = 0; i < type->layout->count; i++) {
            const struct an_type *inner = type->layout->fields[i].record;
            if (inner && inner->class == AN_RECORD && inner->name)
                nested_add(slice, record, sl_record(slice, inner));
        }
    }
    return record;
}

/* The union without a name in `record` that has a field of that name, or NULL. */
static const struct an_type *union_in(const struct an_type *record, const char *name)
{
    for (unsigned i = 0; record->layout && i < record->layout->count; i++) {
        const struct an_field *field = &record->layout->fields[i];
        const struct an_type *inner = *field->name ? NULL : field->record;
        if (!inner || !inner->layout || !inner->name)
            continue;
        for (unsigned k = 0; k < inner->layout->count; k++)
            if (strcmp(inner->layout->fields[k].name, name) == 0)
                return strncmp(plain_name(inner->name), "union ", 6) == 0 ? inner : NULL;
        const struct an_type *deeper = union_in(inner, name);
        if (deeper)
            return deeper;
    }
    return NULL;
}

static void field_add(struct an_slice *slice, struct sl_record *record, struct sl_vertex *place)
{
    struct sl_field *field = an_judgement_alloc(slice->judgement, sizeof *field);
    *field = (struct sl_field){place, record->fields};
    record->fields = field;
}

static struct sl_vertex *field_make(struct an_slice *slice, struct sl_record *record,
                                    const struct an_node *member)
{
    const char *text = an_judgement_printf(slice->judgement, "%s / %s", record->name,
                                           member->name ? member->name : "");
    const struct an_type *inner = sl_record_of(member->type);
    struct sl_text *known;

    const struct an_type *joint = member->name ? union_in(record->type, member->name) : NULL;

    if (inner)
        nested_add(slice, record, sl_record(slice, inner));
    if (joint) {
        if (inner)
            nested_add(slice, sl_record(slice, joint), sl_record(slice, inner));
        return sl_record(slice, joint)->overlay;
    }
    if (record->overlay)
        return record->overlay;
    HASH_FIND_STR(slice->texts, text, known);
    struct sl_vertex *place = text_place(slice, text);
    if (!known)
        field_add(slice, record, place);
    return place;
}

struct sl_vertex *sl_field(struct an_slice *slice, const struct an_node *member)
{
    const struct an_node *base = member->child;
    const struct an_type *type = base ? base->type : NULL;

    if (is_status(type))
        return member->arrow ? sl_pointee(slice, base) : sl_place_of(slice, base);
    type = member->arrow ? sl_record_behind(type) : sl_record_of(type);
    if (!type || !member->name)
        return sl_find(slice->loose);
    struct sl_name *name = sl_name_of(slice, type->name, member->name);
    if (!name->place)
        name->place = field_make(slice, sl_record(slice, type), member);
    return sl_find(name->place);
}

struct sl_function *sl_function(struct an_slice *slice, const struct an_node *node)
{
    struct sl_function *function;

    HASH_FIND_PTR(slice->functions, &node, function);
    if (function)
        return function;
    function = an_judgement_alloc(slice->judgement, sizeof *function);
    function->node = node;
    function->entry = sl_vertex_create(slice, SL_CONTROL, NULL);
    function->body = sl_vertex_create(slice, SL_CONTROL, NULL);
    function->result = sl_vertex_create(slice, SL_PLACE, NULL);
    HASH_ADD_PTR(slice->functions, node, function);
    return function;
}

struct sl_vertex *sl_place_of(struct an_slice *slice, const struct an_node *lvalue)
{
    struct sl_vertex *place = NULL;

    lvalue = an_plain(lvalue);
    switch (lvalue->kind) {
    case AN_REFERENCE:
    case AN_VARIABLE:
    case AN_PARAMETER:
        return sl_variable(slice, lvalue);
    case AN_MEMBER:
        place = sl_field(slice, lvalue);
        break;
    case AN_INDEX:
        place = sl_pointee(slice, lvalue->child);
        if (!place)
            place = sl_pointee(slice, lvalue->child->next);
        break;
    case AN_UNARY:
        if (lvalue->op == AN_OP_DEREF)
            place = sl_pointee(slice, lvalue->child);
        else if (lvalue->op != AN_OP_ADDRESS && lvalue->child)
            place = sl_place_of(slice, lvalue->child);
        break;
    case AN_ASSIGN:
        return sl_place_of(slice, lvalue->child);
    case AN_LIST:
    case AN_STRING:
        return sl_own(slice, lvalue);
    case AN_CHOOSE: {
        place = sl_place_of(slice, an_child(lvalue, 1));
        sl_unite(slice, place, sl_place_of(slice, an_child(lvalue, 2)));
        break;
    }
    case AN_CALL:
        return sl_own(slice, lvalue);
    default:
        break;
    }
    return place ? sl_find(place) : sl_find(slice->loose);
}

static struct sl_vertex *call_pointee(struct an_slice *slice, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(slice->program, call);
    struct sl_vertex *place = sl_own(slice, call);
    struct an_mpi mpi;
    enum sl_what what = sl_call_is(slice, call, &mpi);

    if (what == SL_ALLOCATES || what == SL_MPI)
        return place;
    for (unsigned i = 0; i < targets.count && what == SL_ENTERS; i++)
        sl_unite(slice, place, sl_leads(slice, sl_function(slice, targets.functions[i])->result));
    return sl_find(place);
}

static struct sl_vertex *lvalue_pointee(struct an_slice *slice, const struct an_node *lvalue)
{
    struct sl_vertex *place = sl_place_of(slice, lvalue);
    return lvalue->type && lvalue->type->class == AN_ARRAY ? place : sl_leads(slice, place);
}

static struct sl_vertex *both_pointees(struct an_slice *slice, const struct an_node *one,
                                       const struct an_node *other)
{
    struct sl_vertex *a = one ? sl_pointee(slice, one) : NULL;
    struct sl_vertex *b = other ? sl_pointee(slice, other) : NULL;

    sl_unite(slice, a, b);
    return a ? sl_find(a) : b;
}

static bool is_pointer(const struct an_type *type)
{
    return type && (type->class == AN_POINTER || type->class == AN_ARRAY);
}

/* The pointee of a value, by what it is made of. */
static struct sl_vertex *made_pointee(struct an_slice *slice, const struct an_node *node)
{
    switch (node->kind) {
    case AN_REFERENCE:
        return node->storage == AN_FUNCTION_NAME ? NULL : lvalue_pointee(slice, node);
    case AN_MEMBER:
    case AN_INDEX:
        return lvalue_pointee(slice, node);
    case AN_UNARY:
        if (node->op == AN_OP_ADDRESS)
            return an_plain(node->child)->storage == AN_FUNCTION_NAME
                       ? NULL
                       : sl_place_of(slice, node->child);
        return node->op == AN_OP_DEREF ? lvalue_pointee(slice, node)
                                       : sl_pointee(slice, node->child);
    case AN_BINARY:
        if (node->op >= AN_OP_LT && node->op <= AN_OP_LOGICAL_OR)
            return NULL;
        return both_pointees(slice, node->child, node->child->next);
    case AN_ASSIGN:
        return sl_pointee(slice, node->child);
    case AN_CHOOSE:
        return both_pointees(slice, an_child(node, 1), an_child(node, 2));
    case AN_CALL:
        return call_pointee(slice, node);
    case AN_STRING:
    case AN_LIST:
        return sl_own(slice, node);
    case AN_NUMBER:
    case AN_SIZEOF:
        return NULL;
    case AN_STATEMENTS: {
        const struct an_node *last = node->child ? node->child->child : NULL;
        while (last && last->next)
            last = last->next;
        return last && an_is_expression(last) ? sl_pointee(slice, last) : NULL;
    }
    default:
        return sl_find(slice->loose);
    }
}

struct sl_vertex *sl_pointee(struct an_slice *slice, const struct an_node *expression)
{
    const struct an_node *node = an_plain(expression);
    bool pointer = is_pointer(expression->type) || is_pointer(node->type);

    if (expression->constant || node->constant)
        return NULL;
    struct sl_vertex *place = NULL;
    if (is_pointer(node->type) || node->kind == AN_CHOOSE || node->kind == AN_STATEMENTS)
        place = made_pointee(slice, node);
    else if (pointer)
        place = sl_leads(slice, slice->numbers);
    const struct an_type *record = sl_record_behind(node->type);
    const struct an_type *cast = sl_record_behind(expression->type);
    if (record)
        sl_unite(slice, sl_record(slice, record)->whole, place);
    if (cast && cast != record)
        sl_unite(slice, sl_record(slice, cast)->whole, place);
    if (!place && (record || cast))
        place = sl_record(slice, cast ? cast : record)->whole;
    if (is_pointer(node->type) && expression->type && expression->type->class == AN_INTEGER)
        sl_unite(slice, sl_leads(slice, slice->numbers), place);
    return sl_find(place);
}

/* ---- All that lies somewhere ---- */

struct sl_vertex *sl_record_in(struct an_slice *slice, struct sl_record *record)
{
    if (record->in)
        return record->in;
    record->in = sl_vertex_create(slice, SL_VALUE, NULL);
    sl_edge_add(slice, record->in, record->overlay, NULL);
    for (struct sl_field *field = record->fields; field; field = field->next)
        sl_edge_add(slice, record->in, field->place, NULL);
    for (struct sl_part *part = record->nested; part; part = part->next)
        sl_edge_add(slice, record->in, sl_record_in(slice, part->record), NULL);
    return record->in;
}

static struct sl_vertex *record_out(struct an_slice *slice, struct sl_record *record)
{
    if (record->out)
        return record->out;
    record->out = sl_vertex_create(slice, SL_VALUE, NULL);
    sl_edge_add(slice, record->overlay, record->out, NULL);
    for (struct sl_field *field = record->fields; field; field = field->next)
        sl_edge_add(slice, field->place, record->out, NULL);
    for (struct sl_part *part = record->nested; part; part = part->next)
        sl_edge_add(slice, record_out(slice, part->record), record->out, NULL);
    return record->out;
}

struct sl_vertex *sl_in(struct an_slice *slice, struct sl_vertex *place)
{
    place = sl_find(place);
    if (!place || place->in)
        return place ? place->in : NULL;
    place->in = sl_vertex_create(slice, SL_VALUE, NULL);
    sl_edge_add(slice, place->in, place, NULL);
    for (struct sl_part *part = place->parts; part; part = part->next)
        sl_edge_add(slice, place->in, sl_record_in(slice, part->record), NULL);
    return place->in;
}

struct sl_vertex *sl_out(struct an_slice *slice, struct sl_vertex *place)
{
    place = sl_find(place);
    if (!place || place->out)
        return place ? place->out : NULL;
    place->out = sl_vertex_create(slice, SL_VALUE, NULL);
    sl_edge_add(slice, place, place->out, NULL);
    for (struct sl_part *part = place->parts; part; part = part->next)
        sl_edge_add(slice, record_out(slice, part->record), place->out, NULL);
    return place->out;
}

struct sl_vertex *sl_pointed_in(struct an_slice *slice, const struct an_node *pointer)
{
    struct sl_record *around = sl_around(slice, pointer);
    struct sl_vertex *in = sl_in(slice, sl_pointee(slice, pointer));

    if (!around || !in)
        return in;
    struct sl_name *all = sl_name_of(slice, pointer, slice->numbers);
    if (!all->place) {
        all->place = sl_vertex_create(slice, SL_VALUE, NULL);
        sl_edge_add(slice, all->place, in, NULL);
        sl_edge_add(slice, all->place, sl_in(slice, around->whole), NULL);
    }
    return all->place;
}
