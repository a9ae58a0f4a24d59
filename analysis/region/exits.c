/* Idea: a jump leaves the region when its target is not in it. Code that enters the region
 * elsewhere than at its top, or leaves it unseen, forbids the annotation. */
#include "analysis/region/exits.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { CALLS_DEEP = 4 };

struct exits {
    struct an_judgement *judgement;
    struct an_pattern *pattern;
};

static bool is_in(const struct exits *exits, const struct an_node *node)
{
    return an_is_within(exits->pattern->first, exits->pattern->last, node);
}

static void refuse(struct exits *exits, const struct an_node *node, const char *text)
{
    struct an_pattern *pattern = exits->pattern;
    pattern->annotated = false;
    if (!pattern->reason)
        pattern->reason =
            an_judgement_printf(exits->judgement, "line %u: %s", node->place.line, text);
}

bool an_is_placed(const struct an_node *statement)
{
    if (statement->editable)
        return true;
    const struct an_node *block = statement->parent;
    if (!block || block->kind != AN_BLOCK || !block->editable ||
        strcmp(block->place.file, statement->place.file) != 0)
        return false;
    unsigned before = block->place.offset + 1;
    for (const struct an_node *n = block->child; n != statement; n = n->next)
        before = n->end.offset;
    return statement->place.offset >= before && statement->end.offset <= block->end.offset &&
           (!statement->next || statement->next->place.offset >= statement->end.offset);
}

/* ---- Jumps ---- */

static void exit_add(struct exits *exits, const struct an_node *node)
{
    if (!node->editable) {
        refuse(exits, node, "a macro leaves the region");
        return;
    }
    struct an_exit *exit = an_judgement_alloc(exits->judgement, sizeof *exit);
    exit->node = node;
    LL_APPEND(exits->pattern->exits, exit);
}

static void return_add(struct exits *exits, const struct an_node *node)
{
    struct an_effects effects = {.sends = false};
    if (node->child && node->child->kind != AN_EMPTY)
        effects = an_node_effects(exits->judgement->program, node->child);
    if (effects.sends || effects.receives || effects.collective)
        refuse(exits, node, "the returned expression still communicates");
    else
        exit_add(exits, node);
}

static bool is_jump_of_libc(const struct an_node *call)
{
    static const char *const names[] = {"longjmp",       "_longjmp",    "siglongjmp",
                                        "__longjmp_chk", "setjmp",      "_setjmp",
                                        "sigsetjmp",     "__sigsetjmp", NULL};
    for (unsigned i = 0; call->name && names[i]; i++)
        if (strcmp(call->name, names[i]) == 0)
            return true;
    return false;
}

/* Does the call, or what it calls, jump with longjmp? */
static bool jumps_far(struct exits *exits, const struct an_node *call, unsigned depth)
{
    if (is_jump_of_libc(call))
        return true;
    struct an_mpi mpi;
    if (call->system || !depth || an_call_is_mpi(exits->judgement->program, call, &mpi))
        return false;
    struct an_targets targets = an_call_targets(exits->judgement->program, call);
    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_node *body = an_body(targets.functions[i]);
        for (const struct an_node *n = body; n; n = an_next(body, n, false))
            if (n->kind == AN_CALL && jumps_far(exits, n, depth - 1))
                return true;
    }
    return false;
}

static const struct an_node *switch_of(const struct an_node *node)
{
    while (node && node->kind != AN_SWITCH)
        node = node->parent;
    return node;
}

/* The labels that the region begins with. */
static bool is_first_label(const struct exits *exits, const struct an_node *node)
{
    const struct an_node *first = exits->pattern->first;
    while (first != node && (first->kind == AN_CASE || first->kind == AN_DEFAULT))
        first = first->child;
    return first == node;
}

static void node_look(struct exits *exits, const struct an_node *node)
{
    switch (node->kind) {
    case AN_RETURN:
        return_add(exits, node);
        break;
    case AN_BREAK:
    case AN_CONTINUE:
        if (!is_in(exits, an_jump_target(node)))
            exit_add(exits, node);
        break;
    case AN_GOTO:
        if (!an_jump_target(node))
            refuse(exits, node, "a computed goto may leave the region");
        else if (!is_in(exits, an_jump_target(node)))
            exit_add(exits, node);
        break;
    case AN_CASE:
    case AN_DEFAULT:
        if (!is_in(exits, switch_of(node)) && !is_first_label(exits, node))
            refuse(exits, node, "a label of a switch around the region leads into it");
        break;
    case AN_PARALLEL:
        refuse(exits, node, "several threads run a part of the region");
        break;
    case AN_CALL:
        if (jumps_far(exits, node, CALLS_DEEP))
            refuse(exits, node, "setjmp or longjmp leaves the region unseen");
        break;
    default:
        break;
    }
}

static void entries_look(struct exits *exits)
{
    const struct an_node *function = exits->pattern->function;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind != AN_GOTO || is_in(exits, n))
            continue;
        const struct an_node *label = an_jump_target(n);
        if (!label || is_in(exits, label))
            refuse(exits, n, "a goto leads into the region");
    }
    for (const struct an_node *n = exits->pattern->first->parent; n; n = n->parent)
        if (n->kind == AN_PARALLEL)
            refuse(exits, n, "several threads run the region");
}

/* May control come behind the statement? In doubt it may. */
static bool falls_through(const struct an_node *node)
{
    switch (node->kind) {
    case AN_RETURN:
    case AN_BREAK:
    case AN_CONTINUE:
    case AN_GOTO:
        return false;
    case AN_CALL:
        return !node->noreturn;
    case AN_LABEL:
    case AN_CASE:
    case AN_DEFAULT:
        return falls_through(node->child);
    case AN_IF:
        return falls_through(an_child(node, 1)) || falls_through(an_child(node, 2));
    case AN_BLOCK:
        for (const struct an_node *child = node->child; child; child = child->next)
            if (!child->next)
                return falls_through(child);
        return true;
    default:
        return true;
    }
}

/* ---- The communicator's text ---- */

static bool is_declared_before(const struct an_node *function, const char *symbol,
                               const struct an_node *first)
{
    for (const struct an_node *n = function; n; n = an_next(function, n, false))
        if (n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, symbol) == 0)
            return n->place.offset < first->place.offset && n->parent &&
                   an_is_inside(n->parent->parent, first);
    return false;
}

static bool is_changed_in(const struct an_pattern *pattern, const char *symbol)
{
    for (const struct an_node *n = pattern->first; n; n = n == pattern->last ? NULL : n->next)
        if (an_is_changed(n, symbol))
            return true;
    return false;
}

static const char *spell(struct exits *exits, const struct an_node *node,
                         const struct an_frame *frame, unsigned depth);

static const char *spell_variable(struct exits *exits, const struct an_node *node,
                                  const struct an_frame *frame, unsigned depth)
{
    const struct an_pattern *pattern = exits->pattern;
    const struct an_node *function = an_function_of(node);
    if (node->storage == AN_PARAMETER_VARIABLE && frame) {
        int number = an_parameter_number(function, node->symbol);
        if (number < 0 || an_is_changed(an_body(function), node->symbol))
            return NULL;
        return spell(exits, an_argument(frame->call, (unsigned)number), frame->up, depth);
    }
    bool here = function == pattern->function;
    bool known = node->storage == AN_GLOBAL || (here && node->storage == AN_PARAMETER_VARIABLE) ||
                 (here && is_declared_before(function, node->symbol, pattern->first));
    if (known && !is_changed_in(pattern, node->symbol))
        return node->name;
    const struct an_node *value =
        node->storage == AN_LOCAL_VARIABLE ? an_single_definition(function, node->symbol) : NULL;
    return value ? spell(exits, value, frame, depth) : NULL;
}

static const char *enclosed(struct exits *exits, const char *text)
{
    bool simple = text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                    "0123456789.>-[]")] == '\0';
    return simple ? text : an_judgement_printf(exits->judgement, "(%s)", text);
}

static const char *spell_below(struct exits *exits, const struct an_node *node,
                               const struct an_frame *frame, unsigned depth)
{
    const char *base = spell(exits, node->child, frame, depth);
    if (!base)
        return NULL;
    base = enclosed(exits, base);
    if (node->kind == AN_MEMBER)
        return an_judgement_printf(exits->judgement, "%s%s%s", base, node->arrow ? "->" : ".",
                                   node->name);
    if (node->kind == AN_UNARY)
        return an_judgement_printf(exits->judgement, "%c%s", node->op == AN_OP_DEREF ? '*' : '&',
                                   base);
    const char *index = spell(exits, an_child(node, 1), frame, depth);
    return index ? an_judgement_printf(exits->judgement, "%s[%s]", base, index) : NULL;
}

/* The expression in C, valid and unchanged where the region begins; NULL when there is none. */
static const char *spell(struct exits *exits, const struct an_node *node,
                         const struct an_frame *frame, unsigned depth)
{
    enum { WORLD = 0x44000000, SELF };
    node = an_plain(node);
    if (!node || depth > 12)
        return NULL;
    if (node->constant)
        return node->value == WORLD ? "MPI_COMM_WORLD"
               : node->value == SELF
                   ? "MPI_COMM_SELF"
                   : an_judgement_printf(exits->judgement, "%lld", (long long)node->value);
    if (node->kind == AN_REFERENCE && node->symbol && node->name)
        return spell_variable(exits, node, frame, depth + 1);
    bool below = node->kind == AN_MEMBER || node->kind == AN_INDEX ||
                 (node->kind == AN_UNARY && (node->op == AN_OP_DEREF || node->op == AN_OP_ADDRESS));
    return below ? spell_below(exits, node, frame, depth + 1) : NULL;
}

void an_exits_find(struct an_judgement *judgement, struct an_pattern *pattern,
                   const struct an_node *comm, const struct an_frame *frame)
{
    struct exits exits = {judgement, pattern};
    pattern->annotated = true;
    pattern->exits = NULL;
    for (const struct an_node *s = pattern->first; s; s = s == pattern->last ? NULL : s->next)
        for (const struct an_node *n = s; n; n = an_next(s, n, false))
            node_look(&exits, n);
    entries_look(&exits);
    pattern->falls_through = falls_through(pattern->last);
    if (!an_is_placed(pattern->first) || !an_is_placed(pattern->last))
        refuse(&exits, pattern->first, "a macro makes the region");
    pattern->comm = spell(&exits, comm, frame, 0);
    if (!pattern->comm)
        refuse(&exits, pattern->first, "its communicator is not known where the region begins");
}
