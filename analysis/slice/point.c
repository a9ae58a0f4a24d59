/* Idea: the first walk. Everything that may hand a pointer on unites the places of both sides:
 * assignments, arguments, results, initialisers, and copies of bytes. */
#include "analysis/slice/inside.h"

static void value_goes(struct an_slice *slice, const struct an_node *value, struct sl_vertex *to)
{
    struct sl_vertex *place = sl_pointee(slice, value);
    if (place)
        sl_unite(slice, sl_leads(slice, to), place);
}

/* Values of an initialiser: to a field of the record, nobody knows which, or to an element. */
static void list_goes(struct an_slice *slice, const struct an_node *list)
{
    const struct an_type *record = sl_record_of(list->type);
    struct sl_vertex *to = sl_own(slice, list);

    if (record) {
        struct sl_record *known = sl_record(slice, record);
        if (!known->values)
            known->values = sl_vertex_create(slice, SL_PLACE, NULL);
        to = known->values;
    }
    for (const struct an_node *value = list->child; value; value = value->next) {
        if (value->kind == AN_LIST && !sl_record_of(value->type))
            sl_unite(slice, to, sl_own(slice, value));
        else if (value->kind != AN_LIST)
            value_goes(slice, value, to);
    }
}

static void store(struct an_slice *slice, struct sl_vertex *to, const struct an_node *value)
{
    const struct an_node *plain = an_plain(value);

    if (plain->kind == AN_LIST && !sl_record_of(plain->type))
        sl_unite(slice, to, sl_own(slice, plain));
    else
        value_goes(slice, value, to);
}

static const struct an_node *parameter(const struct an_node *function, unsigned number)
{
    const struct an_node *child = an_child(function, number);
    return child && child->kind == AN_PARAMETER ? child : NULL;
}

static void function_enter(struct an_slice *slice, const struct an_node *call,
                           const struct an_node *function)
{
    const struct an_node *value = call->child ? call->child->next : NULL;

    for (unsigned i = 0; value; value = value->next, i++) {
        const struct an_node *to = parameter(function, i);
        if (to)
            value_goes(slice, value, sl_variable(slice, to));
        else
            sl_unite(slice, slice->loose, sl_pointee(slice, value));
    }
}

/* Effect: what all arguments lead to, and `place`, is one. */
static struct sl_vertex *arguments_unite(struct an_slice *slice, const struct an_node *call,
                                         struct sl_vertex *place)
{
    for (const struct an_node *value = call->child ? call->child->next : NULL; value;
         value = value->next)
        sl_unite(slice, place, sl_pointee(slice, value));
    return sl_find(place);
}

static void parameters_unite(struct an_slice *slice, const struct an_node *function,
                             struct sl_vertex *place)
{
    for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER; p = p->next)
        if (p->type && (p->type->class == AN_POINTER || p->type->class == AN_ARRAY))
            sl_unite(slice, sl_leads(slice, sl_variable(slice, p)), place);
}

static bool copies(const struct an_node *call)
{
    static const char *const words[] = {"memcpy", "memmove", "bcopy", "mempcpy", "qsort"};

    for (unsigned i = 0; call->name && i < sizeof words / sizeof *words; i++)
        if (strstr(call->name, words[i]))
            return true;
    return false;
}

static void system_call(struct an_slice *slice, const struct an_node *call)
{
    struct an_targets targets = an_call_targets(slice->program, call);
    bool pointer = call->type && call->type->class == AN_POINTER;

    if (targets.count || copies(call)) {
        struct sl_vertex *place = sl_vertex_create(slice, SL_PLACE, NULL);
        for (const struct an_node *value = call->child ? call->child->next : NULL; value;
             value = value->next) {
            struct sl_vertex *one = sl_pointee(slice, value);
            if (!one)
                continue;
            one->bytes = true;
            targets.count ? sl_unite(slice, place, one)
                          : sl_unite(slice, sl_leads(slice, place), sl_leads(slice, one));
        }
        for (unsigned i = 0; i < targets.count; i++)
            parameters_unite(slice, targets.functions[i], place);
    }
    if (pointer)
        arguments_unite(slice, call, sl_own(slice, call));
}

static void mpi_call(struct an_slice *slice, const struct an_mpi *mpi)
{
    static const char *const asks[] = {"Get_address", "Address", NULL};

    if (sl_is_one_of(mpi->what->name, asks)) {
        const struct an_node *place = sl_mpi_argument(slice, mpi, 0);
        struct sl_record *around = place ? sl_around(slice, place) : NULL;
        slice->addresses = true;
        sl_unite(slice, slice->addressed, place ? sl_pointee(slice, place) : NULL);
        sl_unite(slice, slice->addressed, around ? around->whole : NULL);
    }
    if (!strstr(mpi->what->name, "ttr"))
        return;
    struct sl_vertex *kept = sl_leads(slice, slice->outside);
    bool gets = strstr(mpi->what->name, "get") || strstr(mpi->what->name, "Attr_get");
    for (int i = 0; i < mpi->what->arguments; i++) {
        const struct an_node *argument = sl_mpi_argument(slice, mpi, i);
        struct sl_vertex *place = argument ? sl_pointee(slice, argument) : NULL;
        if (place)
            sl_unite(slice, kept, gets ? sl_leads(slice, place) : place);
    }
}

static void call_enter(struct an_slice *slice, const struct an_node *call)
{
    struct an_mpi mpi;
    struct an_targets targets = an_call_targets(slice->program, call);
    enum sl_what what = sl_call_is(slice, call, &mpi);

    if (what == SL_MPI)
        mpi_call(slice, &mpi);
    if (what == SL_SYSTEM)
        system_call(slice, call);
    for (unsigned i = 0; i < targets.count && (what == SL_ENTERS || what == SL_ALLOCATES); i++)
        function_enter(slice, call, targets.functions[i]);
    if (what == SL_ENTERS && (!targets.complete || !targets.count)) {
        arguments_unite(slice, call, sl_leads(slice, slice->outside));
        sl_unite(slice, sl_own(slice, call), sl_leads(slice, slice->outside));
    }
}

static void node_point(struct an_slice *slice, const struct an_node *node)
{
    switch (node->kind) {
    case AN_ASSIGN:
        store(slice, sl_place_of(slice, node->child), node->child->next);
        break;
    case AN_VARIABLE:
        if (node->child && node->child->kind != AN_EMPTY)
            store(slice, sl_variable(slice, node), node->child);
        break;
    case AN_RETURN: {
        const struct an_node *function = an_function_of(node);
        if (node->child && node->child->kind != AN_EMPTY && function)
            store(slice, sl_function(slice, function)->result, node->child);
        break;
    }
    case AN_CALL:
        call_enter(slice, node);
        break;
    case AN_LIST:
        list_goes(slice, node);
        break;
    default:
        break;
    }
    if (node->kind == AN_MEMBER || node->kind == AN_INDEX || node->kind == AN_UNARY)
        sl_place_of(slice, node);
    if (an_is_expression(node)) /* the record types that it names; nothing is united later */
        sl_pointee(slice, node);
}

static void tree_point(struct an_slice *slice, const struct an_node *root)
{
    for (const struct an_node *n = root; n; n = an_next(root, n, false))
        node_point(slice, n);
}

/* The pointers that unseen code may hand in. */
static void function_point(struct an_slice *slice, const struct an_node *function)
{
    if (!an_function_callers(slice->program, function).complete)
        parameters_unite(slice, function, sl_leads(slice, slice->outside));
}

static void fields_unite(struct an_slice *slice, struct sl_record *record, struct sl_vertex *leads,
                         unsigned depth)
{
    if (record->overlay)
        sl_unite(slice, sl_leads(slice, record->overlay), leads);
    for (struct sl_field *field = record->fields; field; field = field->next)
        sl_unite(slice, sl_leads(slice, field->place), leads);
    for (struct sl_part *part = record->nested; part && depth < 16; part = part->next)
        fields_unite(slice, part->record, leads, depth + 1);
}

/* Effect: pointers that are copied as bytes, or overlaid, or initialised, lead to the same. */
static void records_settle(struct an_slice *slice)
{
    struct sl_record *record, *next;
    bool changed = true;

    HASH_ITER (hh, slice->records, record, next) {
        if (record->values)
            fields_unite(slice, record, sl_leads(slice, record->values), 0);
        if (record->overlay)
            fields_unite(slice, record, sl_leads(slice, record->overlay), 0);
    }
    while (changed) {
        changed = false;
        HASH_ITER (hh, slice->records, record, next) {
            struct sl_vertex *whole = sl_find(record->whole);
            if (record->bytes || !whole->bytes)
                continue;
            record->bytes = changed = true;
            fields_unite(slice, record, sl_leads(slice, whole), 0);
        }
    }
}

void sl_point(struct an_slice *slice)
{
    struct an_program *program = slice->program;

    for (unsigned i = 0; i < an_program_units(program); i++)
        for (const struct an_node *v = an_program_unit(program, i)->variables; v; v = v->next)
            tree_point(slice, v);
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f)) {
        function_point(slice, f);
        tree_point(slice, f);
    }
    records_settle(slice);
}
