/* Idea: some code runs when nobody calls it: threads, handlers of signals, functions that the
 * library calls inside of a collective. All that such code may read is collected once per program:
 * the variables with a name, in its functions and in those that they call. As soon as one of them
 * holds something that depends on the site, or memory that a thread was given does, nobody follows
 * that any more. Assembly and one-sided communication are read by their operands. */
#include "analysis/flow/flow.h"
#include "analysis/flow/memory.h"

#include <string.h>
#include <uthash.h>

struct variable {
    const char *name;
    UT_hash_handle hh;
};

struct entered {
    const struct an_node *function;
    UT_hash_handle hh;
};

struct an_astray {
    struct an_judgement *judgement;
    struct variable *read;
    struct entered *entered;
    bool streams; /* the program has streams that write into its memory */
};

static const char *const thread_text =
    "it would have to be known what a thread or handler that reads it does with it";

void an_flow_stray(struct an_flow *flow, const struct an_node *node, const char *text)
{
    if (flow->astray)
        return;
    flow->astray = node;
    flow->astray_text = text;
}

/* ---- What runs by itself ---- */

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

/* Whether a function of the system calls what it gets only before it returns, with what it gets, or
 * when the program is over. */
static bool calls_at_once(const char *name)
{
    static const char *const names[] = {"qsort",          "qsort_r", "bsearch",  "lfind",
                                        "lsearch",        "tsearch", "tfind",    "tdelete",
                                        "twalk",          "twalk_r", "ftw",      "nftw",
                                        "scandir",        "glob",    "atexit",   "at_quick_exit",
                                        "pthread_atfork", "on_exit", "tdestroy", "heapsort",
                                        "mergesort",      NULL};
    return is_among(name, names);
}

/* Whether a node puts a function where the system finds it: sa_handler, sigev_notify_function. */
static bool is_handler(const struct an_node *place)
{
    return place->kind == AN_MEMBER && place->name &&
           (strncmp(place->name, "sa_", 3) == 0 || strncmp(place->name, "__sa", 4) == 0 ||
            strstr(place->name, "handler") || strstr(place->name, "sigev") ||
            strstr(place->name, "sigaction"));
}

static bool is_written_only(const struct an_node *name)
{
    const struct an_node *node = name;

    while (node->parent && (node->parent->kind == AN_INDEX || node->parent->kind == AN_MEMBER) &&
           node == node->parent->child)
        node = node->parent;
    return node->parent && node->parent->kind == AN_ASSIGN && node == node->parent->child &&
           node->parent->op == AN_OP_NONE && node == name;
}

static void variable_add(struct an_astray *astray, const struct an_node *name)
{
    struct variable *found;

    if ((name->storage != AN_GLOBAL && name->storage != AN_STATIC_LOCAL) || !name->name ||
        is_written_only(name))
        return;
    HASH_FIND_STR(astray->read, name->name, found);
    if (found)
        return;
    found = an_judgement_alloc(astray->judgement, sizeof *found);
    found->name = name->name;
    HASH_ADD_KEYPTR(hh, astray->read, found->name, strlen(found->name), found);
}

static void function_enter(struct an_astray *astray, const struct an_node *function)
{
    struct entered *found;

    HASH_FIND_PTR(astray->entered, &function, found);
    if (found)
        return;
    found = an_judgement_alloc(astray->judgement, sizeof *found);
    found->function = function;
    HASH_ADD_PTR(astray->entered, function, found);
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        if (n->kind == AN_REFERENCE)
            variable_add(astray, n);
        if (n->kind != AN_CALL)
            continue;
        struct an_targets targets = an_call_targets(astray->judgement->program, n);
        for (unsigned i = 0; i < targets.count; i++)
            function_enter(astray, targets.functions[i]);
    }
}

/* All functions that an expression names. */
static void named_enter(struct an_astray *astray, const struct an_node *expression)
{
    const struct an_program *program = astray->judgement->program;

    for (const struct an_node *n = expression; n; n = an_next(expression, n, false)) {
        if (n->kind != AN_REFERENCE || n->storage != AN_FUNCTION_NAME || !n->symbol)
            continue;
        for (const struct an_node *f = an_program_next(program, NULL); f;
             f = an_program_next(program, f))
            if (f->symbol && strcmp(f->symbol, n->symbol) == 0)
                function_enter(astray, f);
    }
}

static bool registers(const struct an_program *program, const struct an_node *call)
{
    struct an_mpi mpi;
    return (call->system && call->name && !calls_at_once(call->name)) ||
           an_call_is_mpi(program, call, &mpi);
}

/* Does a function that runs when the program is over communicate? */
static bool ends_with_messages(const struct an_program *program, const struct an_node *call)
{
    static const char *const names[] = {"atexit", "at_quick_exit", "on_exit", NULL};
    struct an_targets targets = an_call_targets(program, call);
    bool sends = false;

    if (!call->system || !call->name || !is_among(call->name, names))
        return false;
    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_effects *effects = an_function_effects(program, targets.functions[i]);
        sends |= effects->sends || effects->collective;
    }
    return sends;
}

static void node_look(struct an_astray *astray, const struct an_node *node)
{
    static const char *const streams[] = {"open_memstream", "open_wmemstream", "fmemopen", NULL};
    const struct an_program *program = astray->judgement->program;

    if (node->kind == AN_ASSIGN && is_handler(an_plain(node->child)))
        named_enter(astray, an_child(node, 1));
    if (node->kind == AN_VARIABLE && node->type && strstr(node->type->name, "sigaction"))
        named_enter(astray, node->child);
    if (node->kind == AN_CALL && node->system && node->name && is_among(node->name, streams))
        astray->streams = true;
    if (node->kind != AN_CALL || !(registers(program, node) || ends_with_messages(program, node)))
        return;
    struct an_targets targets = an_call_targets(program, node);
    for (unsigned i = 0; i < targets.count; i++)
        function_enter(astray, targets.functions[i]);
    for (unsigned i = 0; i < an_arguments(node); i++)
        named_enter(astray, an_argument(node, i));
}

static const struct an_astray *astray_of(struct an_judgement *judgement)
{
    if (judgement->astray)
        return judgement->astray;
    struct an_astray *astray = an_judgement_alloc(judgement, sizeof *astray);
    astray->judgement = judgement;
    for (const struct an_node *f = an_program_next(judgement->program, NULL); f;
         f = an_program_next(judgement->program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false))
            node_look(astray, n);
    HASH_CLEAR(hh, astray->entered);
    judgement->astray = astray;
    return astray;
}

/* ---- What reaches it ---- */

void an_flow_astray_write(struct an_flow *flow, unsigned cell, struct an_flow_value value)
{
    const struct an_flow_object *object = an_flow_object(flow, an_flow_cell(flow, cell)->object);
    const struct an_astray *astray = astray_of(flow->judgement);
    struct variable *found = NULL;

    if (flow->astray || !flow->site || !an_flow_depends(value))
        return;
    if (object->outside && object->name && object->node)
        HASH_FIND_STR(astray->read, object->name, found);
    if (found || object->watched)
        an_flow_stray(flow, flow->site->node, thread_text);
}

/* Effect: memory that the value leads to is watched; what depends on the site there is astray. */
static void watch(struct an_flow *flow, const struct an_node *call, struct an_flow_value value,
                  unsigned depth)
{
    const struct an_flow_set *set = an_flow_targets(flow, value.targets);

    if (flow->seen && an_flow_depends(value))
        an_flow_stray(flow, call, thread_text);
    for (unsigned i = 0; i < set->count; i++) {
        struct an_flow_object *object =
            &flow->memory->objects[an_flow_cell(flow, set->cells[i])->object];
        if (object->watched)
            continue;
        object->watched = true;
        for (unsigned k = object->cells; k; k = an_flow_cell(flow, k)->sibling)
            if (k < flow->state.count && depth)
                watch(flow, call, *an_flow_held(&flow->state, k), depth - 1);
    }
}

void an_flow_astray_call(struct an_flow *flow, const struct an_node *call,
                         const struct an_flow_value *values, unsigned count)
{
    enum { DEEP = 6 };
    static const char *const starters[] = {"pthread_create", "thrd_create", "timer_create",
                                           "makecontext",    "clone",       NULL};

    if (!call->name || !call->system || !is_among(call->name, starters))
        return;
    for (unsigned i = 0; i < count; i++)
        watch(flow, call, values[i], DEEP);
}

void an_flow_astray_given(struct an_flow *flow, const struct an_node *call)
{
    if (flow->seen && flow->site && astray_of(flow->judgement)->streams)
        an_flow_stray(flow, call, "it would have to be known which memory a stream writes into");
}

/* ---- Assembly ---- */

static bool outside_depends(struct an_flow *flow)
{
    for (unsigned i = 1; i < flow->state.count && i < an_flow_cells(flow); i++)
        if (an_flow_depends(*an_flow_held(&flow->state, i)) &&
            an_flow_object(flow, an_flow_cell(flow, i)->object)->outside)
            return true;
    return false;
}

void an_flow_assembly(struct an_flow *flow, const struct an_node *node)
{
    bool memory = node->name && strcmp(node->name, "memory") == 0;
    bool depends = memory && flow->seen && flow->site && outside_depends(flow);

    for (const struct an_node *child = node->child; child; child = child->next) {
        struct an_flow_value value = an_flow_value_of(flow, child);
        depends |= flow->seen &&
                   (an_flow_depends(value) || an_flow_depends(an_flow_content(flow, value, -1)));
    }
    if (depends && node->name)
        an_flow_stray(flow, node, "it would have to be known what assembly does with it");
}

/* ---- One-sided communication ---- */

void an_flow_one_sided(struct an_flow *flow, const struct an_mpi *mpi)
{
    bool depends = an_flow_depends(an_flow_control_of(flow, 0));

    for (unsigned i = 0; i < an_arguments(mpi->call); i++) {
        struct an_flow_value value = an_flow_value_of(flow, an_argument(mpi->call, i));
        depends |= an_flow_depends(value) || an_flow_depends(an_flow_content(flow, value, -1));
    }
    if (flow->seen && flow->site && depends)
        an_flow_stray(flow, mpi->call,
                      "it would have to be known what others do with it, who get "
                      "it by one-sided communication or a file");
}
