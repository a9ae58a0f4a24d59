/* Idea: the second walk. Each expression becomes the vertex that holds what it is made of, each
 * store an edge to a place, each condition a vertex on which all depends that happens under it.
 * A jump that leaves a loop or a function early makes the condition one of that loop or of the
 * function's rest. */
#include "analysis/slice/inside.h"
#include "analysis/flow/flow.h"

struct walk {
    struct an_slice *slice;
    struct sl_function *function; /* NULL at file scope */
    struct sl_vertex *control;    /* what decides whether this happens */
    struct sl_vertex *loop;       /* of the innermost loop, or NULL */
    struct sl_vertex *leave;      /* of the innermost loop or switch, or NULL */
};

static struct sl_vertex *value_of(struct walk *walk, const struct an_node *node);
static void statement(struct walk *walk, const struct an_node *node);

static struct sl_vertex *both(struct walk *walk, struct sl_vertex *one, struct sl_vertex *other)
{
    return sl_both(walk->slice, one, other);
}

static void edge(struct walk *walk, struct sl_vertex *from, struct sl_vertex *to,
                 const struct an_node *node)
{
    sl_edge_add(walk->slice, from, to, node);
}

/* The control of what happens if `test` says so; `node` is the condition. */
static struct sl_vertex *control_under(struct walk *walk, struct sl_vertex *test,
                                       const struct an_node *node)
{
    if (!test)
        return walk->control;
    struct sl_vertex *control = sl_vertex_create(walk->slice, SL_CONTROL, node);
    edge(walk, test, control, node);
    edge(walk, walk->control, control, NULL);
    return control;
}

/* The vertex of an lvalue's address. */
static struct sl_vertex *address_of(struct walk *walk, const struct an_node *lvalue)
{
    lvalue = an_plain(lvalue);
    switch (lvalue->kind) {
    case AN_REFERENCE:
    case AN_VARIABLE:
    case AN_STRING:
        return NULL;
    case AN_MEMBER:
        return lvalue->arrow ? value_of(walk, lvalue->child) : address_of(walk, lvalue->child);
    case AN_INDEX:
        return both(walk, value_of(walk, lvalue->child), value_of(walk, lvalue->child->next));
    case AN_UNARY:
        if (lvalue->op == AN_OP_DEREF)
            return value_of(walk, lvalue->child);
        return value_of(walk, lvalue);
    default:
        return value_of(walk, lvalue);
    }
}

static struct sl_vertex *lvalue_value(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *address = address_of(walk, node);
    bool held = !(node->type && node->type->class == AN_ARRAY) && !sl_record_of(node->type);

    return held ? both(walk, sl_place_of(walk->slice, node), address) : address;
}

/* Effect: what `value` is made of goes to the place that `lvalue` names. */
static void store(struct walk *walk, const struct an_node *lvalue, struct sl_vertex *value,
                  const struct an_node *node)
{
    struct sl_vertex *place = sl_place_of(walk->slice, lvalue);
    const struct an_type *record = sl_record_of(lvalue->type);

    if (record)
        place = sl_record_in(walk->slice, sl_record(walk->slice, record));
    edge(walk, value, place, node);
    edge(walk, address_of(walk, lvalue), place, node);
    edge(walk, walk->control, place, NULL);
}

static bool is_copy_of_record(const struct an_node *target, const struct an_node *value)
{
    return sl_record_of(target->type) && an_plain(value)->kind != AN_LIST;
}

static struct sl_vertex *assign(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *value = value_of(walk, node->child->next);

    if (is_copy_of_record(node->child, node->child->next)) { /* fields are their type's */
        struct sl_vertex *decided = both(walk, value, walk->control);
        store(walk, node->child, decided, node->child->next);
        return decided;
    }
    store(walk, node->child, value, node->child->next);
    return lvalue_value(walk, node->child);
}

static struct sl_vertex *children_of(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *made = NULL;
    for (const struct an_node *child = node->child; child; child = child->next)
        made = both(walk, made, an_is_expression(child) ? value_of(walk, child) : NULL);
    return made;
}

/* ---- Calls ---- */

/* The vertex of the memory to which a pointer leads; after a field, the whole record. */
static struct sl_vertex *pointed_out(struct walk *walk, const struct an_node *pointer)
{
    struct sl_record *around = sl_around(walk->slice, pointer);
    struct sl_vertex *out = sl_out(walk->slice, sl_pointee(walk->slice, pointer));
    return around ? both(walk, out, sl_out(walk->slice, around->whole)) : out;
}

static struct sl_vertex *pointed_in(struct walk *walk, const struct an_node *pointer)
{
    return sl_pointed_in(walk->slice, pointer);
}

/* Effect: the function may be entered here with these arguments. */
static void enter(struct walk *walk, const struct an_node *call, const struct an_node *function,
                  struct sl_vertex *callee)
{
    struct sl_function *entered = sl_function(walk->slice, function);
    const struct an_node *value = call->child ? call->child->next : NULL;

    edge(walk, walk->control, entered->entry, NULL);
    edge(walk, callee, entered->entry, call);
    for (const struct an_node *p = function->child; value; value = value->next) {
        bool named = p && p->kind == AN_PARAMETER;
        const struct an_type *record = named ? sl_record_of(p->type) : NULL;
        edge(walk, value_of(walk, value), named ? sl_variable(walk->slice, p) : walk->slice->loose,
             value);
        if (record)
            edge(walk, value_of(walk, value),
                 sl_record_in(walk->slice, sl_record(walk->slice, record)), value);
        p = named ? p->next : NULL;
    }
}

/* The vertex of all that the arguments hold and lead to. */
static struct sl_vertex *all_arguments(struct walk *walk, const struct an_node *call)
{
    struct sl_vertex *made = NULL;

    for (const struct an_node *value = call->child ? call->child->next : NULL; value;
         value = value->next)
        made = both(walk, both(walk, made, value_of(walk, value)), pointed_out(walk, value));
    return made;
}

static struct sl_vertex *system_call(struct walk *walk, const struct an_node *call)
{
    struct an_slice *slice = walk->slice;
    struct an_targets targets = an_call_targets(slice->program, call);
    struct sl_vertex *made = sl_vertex_create(slice, SL_VALUE, NULL);
    unsigned number = 0;

    edge(walk, all_arguments(walk, call), made, call);
    edge(walk, walk->control, made, NULL);
    if (sl_gives_away(call))
        edge(walk, made, slice->kept, call);
    if (sl_gets_back(call))
        edge(walk, slice->kept, made, call);
    for (unsigned i = 0; i < targets.count; i++) {
        struct sl_function *entered = sl_function(slice, targets.functions[i]);
        edge(walk, made, entered->entry, call);
        for (const struct an_node *p = targets.functions[i]->child; p && p->kind == AN_PARAMETER;
             p = p->next)
            edge(walk, made, sl_variable(slice, p), call);
        edge(walk, entered->result, made, call);
    }
    for (const struct an_node *value = call->child ? call->child->next : NULL; value;
         value = value->next, number++)
        if (!call->name || !call->child->type || targets.count || an_flow_may_write(call, number))
            edge(walk, made, pointed_in(walk, value), call);
    if (call->noreturn && !sl_fails(call))
        edge(walk, walk->control, slice->goes_on, call);
    return made;
}

static struct sl_vertex *hidden_call(struct walk *walk, const struct an_node *call)
{
    struct an_slice *slice = walk->slice;
    struct sl_vertex *sink = sl_vertex_create(slice, SL_HIDDEN, call);
    struct sl_vertex *made = all_arguments(walk, call);

    edge(walk, made, sink, call);
    edge(walk, walk->control, sink, NULL);
    edge(walk, made, slice->outside, call);
    edge(walk, walk->control, slice->outside, call);
    edge(walk, slice->outside, sink, call);
    for (const struct an_node *value = call->child ? call->child->next : NULL; value;
         value = value->next)
        edge(walk, slice->outside, pointed_in(walk, value), call);
    return slice->outside;
}

/* ---- MPI ---- */

static void argument_goes(struct walk *walk, const struct an_mpi *mpi, int number, bool content,
                          struct sl_vertex *to)
{
    const struct an_node *argument = sl_mpi_argument(walk->slice, mpi, number);

    if (!argument)
        return;
    edge(walk, value_of(walk, argument), to, argument);
    if (content)
        edge(walk, pointed_out(walk, argument), to, argument);
}

static struct sl_vertex *argument_in(struct walk *walk, const struct an_mpi *mpi, int number)
{
    const struct an_node *argument = sl_mpi_argument(walk->slice, mpi, number);
    return argument ? pointed_in(walk, argument) : NULL;
}

/* Whether a buffer is a variable's own, so that it is not MPI_IN_PLACE. */
static bool is_own_buffer(const struct an_node *buffer)
{
    const struct an_node *plain = buffer ? an_plain(buffer) : NULL;

    if (!plain || plain->constant)
        return false;
    return (plain->kind == AN_UNARY && plain->op == AN_OP_ADDRESS) ||
           (plain->kind == AN_REFERENCE && plain->type && plain->type->class == AN_ARRAY);
}

/* Whether what stands in the buffer for what comes in goes out, too. */
static bool sends_received(struct walk *walk, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    const struct an_node *buffer = sl_mpi_argument(walk->slice, mpi, what->send.buffer);

    return what->role == AN_COLLECTIVE &&
           (what->send.buffer == what->receive.buffer || !is_own_buffer(buffer));
}

/* A call that sends, or that all members of a communicator make. */
static void send_call(struct walk *walk, const struct an_mpi *mpi)
{
    struct sl_vertex *sink = sl_vertex_create(walk->slice, SL_SEND, mpi->call);
    const struct an_message_arguments *receive = &mpi->what->receive;

    for (int i = 0; i < mpi->what->arguments; i++) {
        bool out = i == mpi->what->status || i == mpi->what->request || i == mpi->what->index ||
                   i == mpi->what->flag || i == mpi->what->indices;
        bool buffer = i == receive->buffer && !sends_received(walk, mpi);
        bool given = mpi->what->role == AN_EXCHANGE && (i == receive->peer || i == receive->tag);
        if (out && mpi->what->role != AN_START)
            continue;
        if (!buffer && !given)
            argument_goes(walk, mpi, i, true, sink);
    }
    if (sl_is_by_address(walk->slice, mpi, &mpi->what->send))
        edge(walk, sl_out(walk->slice, walk->slice->addressed), sink, mpi->call);
    edge(walk, walk->control, sink, NULL);
    if (mpi->what->request >= 0) /* so that completing it is like starting it */
        edge(walk, walk->control, argument_in(walk, mpi, mpi->what->request), NULL);
}

static void receive_note(struct an_slice *slice, const struct an_node *call)
{
    if (slice->receives_count == slice->receives_room) {
        slice->receives_room = slice->receives_room ? 2 * slice->receives_room : 64;
        slice->receives = realloc(slice->receives, slice->receives_room * sizeof *slice->receives);
        if (!slice->receives)
            abort();
    }
    slice->receives[slice->receives_count++] = call;
}

/* Another receive brings the messages that it names. */
static void receive_call(struct walk *walk, const struct an_mpi *mpi)
{
    const struct an_call *what = mpi->what;
    const int outs[] = {what->receive.buffer, what->status, what->message, what->flag,
                        what->request,        what->index,  what->indices};
    struct sl_vertex *made = sl_vertex_create(walk->slice, SL_VALUE, NULL);

    if (what->receive.peer >= 0)
        receive_note(walk->slice, mpi->call);
    for (int i = 0; i < what->arguments; i++)
        argument_goes(walk, mpi, i, i == what->message || i == what->request, made);
    edge(walk, walk->control, made, NULL);
    if (sl_is_by_address(walk->slice, mpi, &what->receive))
        edge(walk, made, sl_in(walk->slice, walk->slice->addressed), mpi->call);
    for (unsigned i = 0; i < sizeof outs / sizeof *outs; i++)
        edge(walk, made, argument_in(walk, mpi, outs[i]), mpi->call);
}

/* A call that only computes, or makes something: what it gives is made of what it gets. */
static void local_call(struct walk *walk, const struct an_mpi *mpi)
{
    struct an_slice *slice = walk->slice;
    struct sl_vertex *made = sl_vertex_create(slice, SL_VALUE, NULL);
    bool keeps = strstr(mpi->what->name, "ttr") || strstr(mpi->what->name, "ddress") ||
                 strncmp(mpi->what->name, "File", 4) == 0 ||
                 strncmp(mpi->what->name, "Buffer", 6) == 0;

    for (int i = 0; i < mpi->what->arguments; i++)
        argument_goes(walk, mpi, i, true, made);
    edge(walk, walk->control, made, NULL);
    if (keeps) {
        edge(walk, made, slice->kept, mpi->call);
        edge(walk, slice->kept, made, mpi->call);
    }
    for (int i = 0; i < mpi->what->arguments; i++)
        edge(walk, made, argument_in(walk, mpi, i), mpi->call);
}

static void mpi_call(struct walk *walk, const struct an_mpi *mpi)
{
    switch (mpi->what->role) {
    case AN_SEND:
    case AN_COLLECTIVE:
    case AN_ONE_SIDED:
    case AN_START:
        send_call(walk, mpi);
        break;
    case AN_EXCHANGE:
        send_call(walk, mpi);
        receive_call(walk, mpi);
        break;
    case AN_RECEIVE:
    case AN_PROBE:
    case AN_POLL:
    case AN_TEST:
    case AN_CHOICE:
    case AN_WAIT:
        receive_call(walk, mpi);
        break;
    default:
        local_call(walk, mpi);
    }
}

static struct sl_vertex *call_value(struct walk *walk, const struct an_node *call)
{
    struct an_slice *slice = walk->slice;
    struct an_targets targets = an_call_targets(slice->program, call);
    struct sl_vertex *made = NULL, *callee = NULL;
    struct an_mpi mpi;
    enum sl_what what = sl_call_is(slice, call, &mpi);

    if (what == SL_MPI) {
        mpi_call(walk, &mpi);
        if (mpi.provisional)
            hidden_call(walk, call);
        return NULL;
    }
    if (what == SL_FREES)
        return NULL;
    if (what == SL_SYSTEM)
        return system_call(walk, call);
    if (!call->symbol && call->child)
        callee = value_of(walk, call->child);
    for (unsigned i = 0; i < targets.count; i++) {
        enter(walk, call, targets.functions[i], callee);
        made = both(walk, made, sl_function(slice, targets.functions[i])->result);
    }
    if (what == SL_ALLOCATES)
        return targets.count ? NULL : children_of(walk, call);
    if (!targets.complete || !targets.count)
        made = both(walk, made, hidden_call(walk, call));
    return made;
}

/* ---- Expressions ---- */

/* The value that exists only if `test` says so. */
static struct sl_vertex *value_under(struct walk *walk, struct sl_vertex *test,
                                     const struct an_node *condition, const struct an_node *node)
{
    struct sl_vertex *control = walk->control;
    walk->control = control_under(walk, test, condition);
    struct sl_vertex *value = value_of(walk, node);
    walk->control = control;
    return value;
}

static struct sl_vertex *unary_value(struct walk *walk, const struct an_node *node)
{
    if (node->op == AN_OP_ADDRESS)
        return address_of(walk, node->child);
    if (node->op == AN_OP_DEREF)
        return lvalue_value(walk, node);
    struct sl_vertex *value = value_of(walk, node->child);
    if (node->op >= AN_OP_PRE_INC)
        store(walk, node->child, value, node);
    return value;
}

static struct sl_vertex *binary_value(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *left = value_of(walk, node->child);
    bool asks = node->op == AN_OP_LOGICAL_AND || node->op == AN_OP_LOGICAL_OR;

    return both(walk, left,
                asks ? value_under(walk, left, node->child, node->child->next)
                     : value_of(walk, node->child->next));
}

/* A node of which only the children are known: they may be read and written, as may the memory
 * behind the parameters. */
static struct sl_vertex *other_value(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *made = sl_vertex_create(walk->slice, SL_VALUE, NULL);

    edge(walk, walk->slice->outside, made, node);
    edge(walk, walk->slice->loose, made, node);
    edge(walk, walk->control, made, NULL);
    for (const struct an_node *child = node->child; child; child = child->next) {
        if (!an_is_expression(child)) {
            statement(walk, child);
            continue;
        }
        edge(walk, value_of(walk, child), made, child);
        edge(walk, pointed_out(walk, child), made, child);
        edge(walk, made, sl_place_of(walk->slice, child), node);
        edge(walk, made, pointed_in(walk, child), node);
    }
    return made;
}

static struct sl_vertex *statements_value(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *made = NULL;

    for (const struct an_node *s = node->child ? node->child->child : NULL; s; s = s->next) {
        made = NULL;
        if (an_is_expression(s))
            made = value_of(walk, s);
        else
            statement(walk, s);
    }
    return made;
}

static struct sl_vertex *choose_value(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *test = value_of(walk, node->child);
    struct sl_vertex *one = value_under(walk, test, node->child, an_child(node, 1));
    struct sl_vertex *other = value_under(walk, test, node->child, an_child(node, 2));

    return both(walk, test, both(walk, one, other));
}

static struct sl_vertex *value_make(struct walk *walk, const struct an_node *node)
{
    switch (node->kind) {
    case AN_REFERENCE:
        if (node->storage == AN_FUNCTION_NAME)
            return NULL;
        return lvalue_value(walk, node);
    case AN_MEMBER:
    case AN_INDEX:
        return lvalue_value(walk, node);
    case AN_CALL:
        return call_value(walk, node);
    case AN_UNARY:
        return unary_value(walk, node);
    case AN_BINARY:
        return binary_value(walk, node);
    case AN_ASSIGN:
        return assign(walk, node);
    case AN_CHOOSE:
        return choose_value(walk, node);
    case AN_CAST:
    case AN_LIST:
        return children_of(walk, node);
    case AN_STATEMENTS:
        return statements_value(walk, node);
    case AN_NUMBER:
    case AN_STRING:
    case AN_SIZEOF:
    case AN_EMPTY:
        return NULL;
    default:
        return other_value(walk, node);
    }
}

/* Each node is walked once: a call's arguments are asked for by all that it may enter. */
static struct sl_vertex *value_of(struct walk *walk, const struct an_node *node)
{
    if (node->constant)
        return NULL;
    struct sl_name *known = node->child ? sl_name_of(walk->slice, node, walk->slice->kept) : NULL;
    if (known && known->known)
        return known->place;
    struct sl_vertex *value = value_make(walk, node);
    if (known) {
        known->known = true;
        known->place = value;
    }
    return value;
}

/* ---- Statements ---- */

static void under(struct walk *walk, struct sl_vertex *control, const struct an_node *node)
{
    struct sl_vertex *outer = walk->control;
    walk->control = control;
    statement(walk, node);
    walk->control = outer;
}

static void if_walk(struct walk *walk, const struct an_node *node)
{
    struct sl_vertex *control = control_under(walk, value_of(walk, node->child), node->child);
    under(walk, control, an_child(node, 1));
    under(walk, control, an_child(node, 2));
}

static void loop_walk(struct walk *walk, const struct an_node *node, const struct an_node *test,
                      const struct an_node *step, const struct an_node *body)
{
    struct walk outer = *walk;

    walk->control = walk->loop = walk->leave =
        sl_vertex_create(walk->slice, SL_CONTROL, test ? test : node);
    edge(walk, outer.control, walk->control, NULL);
    if (test && test->kind != AN_EMPTY)
        edge(walk, value_of(walk, test), walk->control, test);
    statement(walk, body);
    if (step && step->kind != AN_EMPTY)
        value_of(walk, step);
    *walk = outer;
}

static void switch_walk(struct walk *walk, const struct an_node *node)
{
    struct walk outer = *walk;

    walk->control = walk->leave = sl_vertex_create(walk->slice, SL_CONTROL, node->child);
    edge(walk, outer.control, walk->control, NULL);
    edge(walk, value_of(walk, node->child), walk->control, node->child);
    statement(walk, node->child->next);
    walk->control = outer.control;
    walk->leave = outer.leave;
}

static void return_walk(struct walk *walk, const struct an_node *node)
{
    struct sl_function *function = walk->function;

    if (!function)
        return;
    if (node->child && node->child->kind != AN_EMPTY) {
        edge(walk, value_of(walk, node->child), function->result, node->child);
        edge(walk, walk->control, function->result, NULL);
    }
    edge(walk, walk->control, function->body, NULL);
}

static void variable_walk(struct walk *walk, const struct an_node *node)
{
    if (!node->child || node->child->kind == AN_EMPTY)
        return;
    struct sl_vertex *value = value_of(walk, node->child);
    if (is_copy_of_record(node, node->child))
        value = both(walk, value, walk->control);
    store(walk, node, value, node->child);
}

static void children_walk(struct walk *walk, const struct an_node *node)
{
    for (const struct an_node *child = node->child; child; child = child->next)
        statement(walk, child);
}

static void statement(struct walk *walk, const struct an_node *node)
{
    const struct an_node *child = node->child;

    switch (node->kind) {
    case AN_BLOCK:
    case AN_DECLARE:
    case AN_PARALLEL:
    case AN_CASE:
    case AN_DEFAULT:
    case AN_LABEL:
        children_walk(walk, node);
        break;
    case AN_VARIABLE:
        variable_walk(walk, node);
        break;
    case AN_IF:
        if_walk(walk, node);
        break;
    case AN_FOR:
        statement(walk, child);
        loop_walk(walk, node, an_child(node, 1), an_child(node, 2), an_child(node, 3));
        break;
    case AN_WHILE:
        loop_walk(walk, node, child, NULL, child->next);
        break;
    case AN_DO:
        loop_walk(walk, node, child->next, NULL, child);
        break;
    case AN_SWITCH:
        switch_walk(walk, node);
        break;
    case AN_BREAK:
        edge(walk, walk->control, walk->leave, NULL);
        break;
    case AN_CONTINUE:
        edge(walk, walk->control, walk->loop, NULL);
        break;
    case AN_GOTO:
        if (walk->function)
            edge(walk, walk->control, walk->function->body, NULL);
        break;
    case AN_RETURN:
        return_walk(walk, node);
        break;
    case AN_EMPTY:
        break;
    case AN_ASM:
        other_value(walk, node);
        break;
    default:
        value_of(walk, node);
    }
}

static void function_depend(struct an_slice *slice, const struct an_node *function)
{
    struct sl_function *known = sl_function(slice, function);
    struct walk walk = {.slice = slice, .function = known, .control = known->body};

    sl_edge_add(slice, known->entry, known->body, NULL);
    sl_edge_add(slice, known->body, known->result, NULL);
    sl_edge_add(slice, slice->goes_on, known->entry, NULL);
    if (!an_function_callers(slice->program, function).complete) {
        sl_edge_add(slice, slice->outside, known->entry, NULL);
        sl_edge_add(slice, known->result, slice->outside, NULL);
        for (const struct an_node *p = function->child; p && p->kind == AN_PARAMETER; p = p->next)
            sl_edge_add(slice, slice->outside, sl_variable(slice, p), NULL);
    }
    statement(&walk, an_body(function));
}

static void overlays_depend(struct an_slice *slice)
{
    struct sl_record *record, *next;

    HASH_ITER (hh, slice->records, record, next)
        for (struct sl_part *part = record->overlay ? record->nested : NULL; part;
             part = part->next) {
            sl_edge_add(slice, record->overlay, sl_in(slice, part->record->whole), NULL);
            sl_edge_add(slice, sl_out(slice, part->record->whole), record->overlay, NULL);
        }
}

void sl_depend(struct an_slice *slice)
{
    struct an_program *program = slice->program;

    for (unsigned i = 0; i < an_program_units(program); i++)
        for (const struct an_node *v = an_program_unit(program, i)->variables; v; v = v->next) {
            struct walk walk = {.slice = slice};
            statement(&walk, v);
        }
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        function_depend(slice, f);
    overlays_depend(slice);
    /* Unseen code may keep what goes out to it, and give it back wherever it is entered. */
    sl_edge_add(slice, sl_out(slice, sl_leads(slice, slice->outside)), slice->outside, NULL);
    sl_edge_add(slice, slice->outside, sl_in(slice, sl_leads(slice, slice->outside)), NULL);
}
