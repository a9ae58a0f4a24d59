/* Idea: `T x __attribute__((cleanup(f)))` calls f(&x) wherever x goes out of scope. The tree says
 * so with calls that stand there: at the end of the block, and before each jump out of it. The
 * value of a return is computed before that, so it is kept in a variable of its own:
 *
 *     return e;    is    { T kept = e; f(&x); return kept; }
 *
 * Nothing can be inserted between them: they have no text.
 *
 * Invariant: walk->cleanups are those in whose scope the statement stands that is being built,
 * the innermost first. */
#include "analysis/source/walk.h"

#include <string.h>

/* ---- Which function ---- */

struct named {
    struct an_walk *walk;
    const char *name;
    CXCursor found;
};

static enum CXChildVisitResult function_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct named *named = data;
    const struct an_clang *clang = named->walk->clang;
    if (clang->clang_getCursorKind(cursor) != CXCursor_FunctionDecl)
        return CXChildVisit_Continue;
    CXString spelling = clang->clang_getCursorSpelling(cursor);
    bool same = strcmp(clang->clang_getCString(spelling), named->name) == 0;
    clang->clang_disposeString(spelling);
    if (!same)
        return CXChildVisit_Continue;
    named->found = cursor;
    return CXChildVisit_Break;
}

/* The function of that name, or NULL. */
static const struct an_entity *function_named(struct an_walk *walk, const char *name)
{
    const struct an_clang *clang = walk->clang;
    struct named named = {.walk = walk, .name = name};
    clang->clang_visitChildren(clang->clang_getTranslationUnitCursor(walk->tu), function_visit,
                               &named);
    if (clang->clang_getCursorKind(named.found) != CXCursor_FunctionDecl)
        return NULL;
    an_walk_want(walk, named.found);
    return an_entity(walk, named.found);
}

static bool has_attributes(struct an_walk *walk, CXCursor variable)
{
    struct an_cursors children = an_walk_children(walk, variable);
    bool found = false;
    for (unsigned i = 0; i < children.count; i++)
        found |= walk->clang->clang_getCursorKind(children.first[i]) == CXCursor_UnexposedAttr;
    an_walk_release(walk, children);
    return found;
}

/* The name in the variable's attribute, or NULL: libclang tells it only where it prints the whole
 * declaration. "" when it prints another one, too, in an initialiser. */
static const char *name_of(struct an_walk *walk, CXCursor variable)
{
    static const char attribute[] = "__attribute__((cleanup(";
    if (!has_attributes(walk, variable))
        return NULL;
    const char *text =
        an_walk_string(walk, walk->clang->clang_getCursorPrettyPrinted(variable, NULL));
    const char *at = strstr(text, attribute);
    if (!at)
        return NULL;
    at += sizeof attribute - 1;
    if (strstr(at, attribute))
        return "";
    return an_unit_printf(walk->unit, "%.*s", (int)strcspn(at, ")"), at);
}

void an_cleanups_note(struct an_walk *walk, struct an_node *variable, CXCursor cursor)
{
    const char *name = variable->storage == AN_LOCAL_VARIABLE ? name_of(walk, cursor) : NULL;
    if (!name)
        return;
    struct an_cleanup *cleanup = an_unit_alloc(walk->unit, sizeof *cleanup);
    cleanup->variable = variable;
    cleanup->function = function_named(walk, name);
    cleanup->outer = walk->cleanups;
    walk->cleanups = cleanup;
}

bool an_cleanups_any(struct an_walk *walk, CXCursor statement)
{
    struct an_cursors children = an_walk_children(walk, statement);
    bool any = false;
    for (unsigned i = 0; i < children.count; i++)
        any |= walk->clang->clang_getCursorKind(children.first[i]) == CXCursor_VarDecl &&
               name_of(walk, children.first[i]);
    an_walk_release(walk, children);
    return any;
}

/* ---- The calls ---- */

/* A node without a text of its own, which stands at `place`. */
static struct an_node *node_add(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                                const struct an_type *type, struct an_place place)
{
    struct an_node *node = an_node_create(walk->unit, parent, kind);
    node->type = type;
    node->place = node->end = place;
    return node;
}

static const struct an_type *pointer_to(struct an_walk *walk, const struct an_type *type)
{
    struct an_type pointer = {.class = AN_POINTER, .below = type};
    pointer.name = an_unit_printf(walk->unit, "%s *", type->name);
    return an_unit_type(walk->unit, pointer);
}

static struct an_node *reference_add(struct an_walk *walk, struct an_node *parent,
                                     const struct an_node *variable, struct an_place place)
{
    struct an_node *node = node_add(walk, parent, AN_REFERENCE, variable->type, place);
    node->name = variable->name;
    node->symbol = variable->symbol;
    node->storage = variable->storage;
    return node;
}

/* A function that is not found is one that nobody can see. */
static void function_name(struct an_walk *walk, struct an_node *node,
                          const struct an_cleanup *cleanup)
{
    const struct an_entity *function = cleanup->function;
    node->storage = AN_FUNCTION_NAME;
    node->name = node->symbol =
        an_unit_printf(walk->unit, "cleanup of %s", cleanup->variable->name);
    if (!function)
        return;
    node->name = function->name;
    node->symbol = function->symbol;
    node->system = function->system;
    node->internal = function->internal;
    node->noreturn = function->noreturn;
}

static void call_add(struct an_walk *walk, struct an_node *block, const struct an_cleanup *cleanup,
                     struct an_place place)
{
    const struct an_type *nothing =
        an_unit_type(walk->unit, (struct an_type){.class = AN_VOID, .name = "void"});
    const struct an_type *unknown = an_unit_type(
        walk->unit, (struct an_type){.class = AN_FUNCTION_TYPE, .name = "void (void *)"});
    const struct an_type *pointer = pointer_to(walk, cleanup->variable->type);
    struct an_node *call = node_add(walk, block, AN_CALL, nothing, place);
    struct an_node *callee =
        node_add(walk, call, AN_REFERENCE,
                 cleanup->function ? cleanup->function->typing->type : unknown, place);
    function_name(walk, callee, cleanup);
    an_call_name(walk, call);
    struct an_node *address = node_add(walk, call, AN_UNARY, pointer, place);
    address->op = AN_OP_ADDRESS;
    reference_add(walk, address, cleanup->variable, place);
}

void an_cleanups_run(struct an_walk *walk, struct an_node *block, const struct an_cleanup *outer,
                     struct an_place place)
{
    for (const struct an_cleanup *c = walk->cleanups; c && c != outer; c = c->outer)
        call_add(walk, block, c, place);
}

static const struct an_node *scope_of(const struct an_node *variable)
{
    const struct an_node *scope = variable->parent;
    while (scope->kind != AN_BLOCK && scope->kind != AN_FOR)
        scope = scope->parent;
    return scope;
}

/* The variables whose scope a goto leaves; it does so, too, when it goes back to before them. */
void an_cleanups_leave(struct an_walk *walk, struct an_node *block, struct an_place label)
{
    for (const struct an_cleanup *c = walk->cleanups; c; c = c->outer)
        if (!label.file || label.offset <= c->variable->place.offset ||
            label.offset >= scope_of(c->variable)->end.offset)
            call_add(walk, block, c, block->place);
}

/* ---- What is computed before ---- */

struct an_node *an_cleanups_keep(struct an_walk *walk, struct an_node *block, CXCursor value)
{
    const struct an_type *type = an_typing(walk, walk->clang->clang_getCursorType(value))->type;
    if (type->class == AN_VOID) {
        an_expression_build(walk, block, value);
        return NULL;
    }
    struct an_node *declare = node_add(walk, block, AN_DECLARE, NULL, block->place);
    struct an_node *kept = node_add(walk, declare, AN_VARIABLE, type, block->place);
    kept->name = "kept";
    kept->symbol = an_unit_printf(walk->unit, "%s@kept@%u", walk->function->symbol, walk->locals++);
    kept->storage = AN_LOCAL_VARIABLE;
    an_expression_build(walk, kept, value);
    return kept;
}

void an_cleanups_give(struct an_walk *walk, struct an_node *parent, const struct an_node *kept)
{
    if (kept)
        reference_add(walk, parent, kept, parent->place);
    else
        an_walk_empty(walk, parent);
}
