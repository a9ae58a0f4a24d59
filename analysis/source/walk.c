/* Idea: first all functions with a body are listed. Those of the main file and the others that may
 * be called from outside are built at once; a static or inline one of a header is built when
 * something names it, so that a header full of helpers costs nothing.
 *
 * Invariant: unit->functions and unit->variables are in the order of the sources. */
#include "analysis/source/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *chunk_alloc(size_t bytes)
{
    void *chunk = malloc(bytes);
    if (!chunk) {
        fputs("ftcc: out of memory\n", stderr);
        exit(1);
    }
    return chunk;
}

#define obstack_chunk_alloc chunk_alloc
#define obstack_chunk_free free

const char *an_walk_string(struct an_walk *walk, CXString string)
{
    const char *text = walk->clang->clang_getCString(string);
    const char *copy = an_unit_string(walk->unit, text ? text : "");
    walk->clang->clang_disposeString(string);
    return copy;
}

/* ---- Children ---- */

/* obstack.h aligns by counting from a null pointer. */
#define COUNTS_FROM_NULL __attribute__((no_sanitize("pointer-overflow")))

static enum CXChildVisitResult child_note(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct an_walk *walk = data;
    obstack_grow(&walk->scratch, &cursor, sizeof cursor);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult part_note(CXCursor cursor, CXCursor parent, CXClientData data)
{
    enum CXCursorKind kind = cursor.kind;
    if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastStmt)
        return child_note(cursor, parent, data);
    return CXChildVisit_Continue;
}

COUNTS_FROM_NULL static struct an_cursors children_list(struct an_walk *walk, CXCursor cursor,
                                                        CXCursorVisitor visitor)
{
    walk->clang->clang_visitChildren(cursor, visitor, walk);
    struct an_cursors list;
    list.count = (unsigned)(obstack_object_size(&walk->scratch) / sizeof cursor);
    list.first = obstack_finish(&walk->scratch);
    return list;
}

struct an_cursors an_walk_children(struct an_walk *walk, CXCursor cursor)
{
    return children_list(walk, cursor, child_note);
}

struct an_cursors an_walk_parts(struct an_walk *walk, CXCursor cursor)
{
    return children_list(walk, cursor, part_note);
}

void an_walk_release(struct an_walk *walk, struct an_cursors cursors)
{
    if (cursors.count)
        obstack_free(&walk->scratch, cursors.first);
}

bool an_walk_enter(struct an_walk *walk, struct an_node *parent)
{
    if (walk->depth < AN_DEPTH) {
        walk->depth++;
        return true;
    }
    if (!walk->unit->problem)
        walk->unit->problem =
            an_unit_printf(walk->unit, "%s:%u:%u: more than %d levels of nesting",
                           parent->place.file, parent->place.line, parent->place.column, AN_DEPTH);
    return false;
}

/* ---- Functions ---- */

static struct an_definition *definition_find(struct an_walk *walk, CXCursor cursor)
{
    unsigned hash = walk->clang->clang_hashCursor(cursor);
    struct an_definition *definition;
    HASH_FIND(hh, walk->definitions_by_hash, &hash, sizeof hash, definition);
    while (definition && !walk->clang->clang_equalCursors(definition->cursor, cursor))
        definition = definition->twin;
    return definition;
}

static void definition_want(struct an_walk *walk, struct an_definition *definition)
{
    if (definition->wanted)
        return;
    definition->wanted = true;
    *walk->wanted_end = definition;
    walk->wanted_end = &definition->next_wanted;
}

static void definition_hash(struct an_walk *walk, struct an_definition *definition)
{
    struct an_definition *first;
    definition->hash = walk->clang->clang_hashCursor(definition->cursor);
    HASH_FIND(hh, walk->definitions_by_hash, &definition->hash, sizeof definition->hash, first);
    if (first) {
        definition->twin = first->twin;
        first->twin = definition;
    } else {
        HASH_ADD(hh, walk->definitions_by_hash, hash, sizeof definition->hash, definition);
    }
}

/* An instance of a template stands nowhere in the file. Several may share one text, so nothing can
 * be inserted there. NULL: it has no body, or is the system's. */
static struct an_definition *instance_add(struct an_walk *walk, CXCursor cursor)
{
    const struct an_clang *clang = walk->clang;
    enum CXCursorKind kind = clang->clang_getCursorKind(cursor);
    if ((kind != CXCursor_FunctionDecl && !an_cxx_is_method(kind)) ||
        an_places_is_system(walk, clang->clang_getCursorLocation(cursor)))
        return NULL;
    struct an_definition *definition = an_unit_alloc(walk->unit, sizeof *definition);
    definition->cursor = cursor;
    definition->instance = true;
    *walk->definitions_end = definition;
    walk->definitions_end = &definition->next;
    definition_hash(walk, definition);
    return definition;
}

void an_walk_want(struct an_walk *walk, CXCursor function)
{
    CXCursor cursor = walk->clang->clang_getCursorDefinition(function);
    struct an_definition *definition = definition_find(walk, cursor);
    if (!definition && walk->cxx)
        definition = instance_add(walk, cursor);
    if (definition)
        definition_want(walk, definition);
}

static void definition_add(struct an_walk *walk, CXCursor cursor, const struct an_file *file)
{
    struct an_definition *definition = an_unit_alloc(walk->unit, sizeof *definition);
    definition->cursor = cursor;
    *walk->definitions_end = definition;
    walk->definitions_end = &definition->next;
    definition_hash(walk, definition);
    bool is_static = walk->clang->clang_Cursor_getStorageClass(cursor) == CX_SC_Static;
    bool is_inline = walk->clang->clang_Cursor_isFunctionInlined(cursor);
    if (file->name == walk->unit->path || !(is_static || is_inline))
        definition_want(walk, definition);
}

static void parameter_build(struct an_walk *walk, struct an_node *function, CXCursor cursor)
{
    struct an_entity *entity = an_entity(walk, cursor);
    struct an_node *node = an_node_create(walk->unit, function, AN_PARAMETER);
    an_places_set(walk, node, cursor);
    node->type = entity->typing->type;
    node->name = entity->name;
    node->symbol = entity->symbol;
    node->storage = entity->storage;
}

static const struct an_node *last_child(const struct an_node *node)
{
    const struct an_node *last = node->child;
    while (last && last->next)
        last = last->next;
    return last;
}

static void function_build(struct an_walk *walk, struct an_definition *definition)
{
    CXCursor cursor = definition->cursor;
    struct an_entity *entity = an_entity(walk, cursor);
    struct an_node *node = an_node_create(walk->unit, NULL, AN_FUNCTION);
    an_places_set(walk, node, cursor);
    node->name = entity->name;
    node->symbol = entity->symbol;
    node->type = entity->typing->type;
    node->storage = AN_FUNCTION_NAME;
    node->internal = entity->internal;
    node->noreturn = entity->noreturn;
    node->variadic =
        walk->clang->clang_isFunctionTypeVariadic(walk->clang->clang_getCursorType(cursor));
    definition->node = walk->function = node;
    walk->locals = 0;
    walk->cleanups = walk->at_break = walk->at_continue = NULL;
    walk->gives_reference =
        walk->cxx && an_cxx_is_reference(walk->clang->clang_getCursorResultType(cursor));
    an_cxx_this_build(walk, node, cursor);
    struct an_cursors children = an_walk_children(walk, cursor);
    for (unsigned i = 0; i < children.count; i++) {
        enum CXCursorKind kind = walk->clang->clang_getCursorKind(children.first[i]);
        if (kind == CXCursor_ParmDecl)
            parameter_build(walk, node, children.first[i]);
        else if (kind == CXCursor_CompoundStmt)
            an_statement_build(walk, node, children.first[i]);
    }
    an_walk_release(walk, children);
    if (!node->child || last_child(node)->kind != AN_BLOCK)
        an_node_create(walk->unit, node, AN_BLOCK); /* `= default`, or a try */
    if (definition->instance)
        for (struct an_node *n = node; n; n = an_next(node, n, false))
            n->editable = false;
    walk->function = NULL;
}

/* ---- The file ---- */

static void list_append(struct an_node **list, struct an_node **last, struct an_node *node)
{
    if (*last)
        (*last)->next = node;
    else
        *list = node;
    *last = node;
}

struct visit {
    struct an_walk *walk;
    struct an_node *last_variable;
};

static void declaration_first(struct an_walk *walk, CXCursor cursor)
{
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    struct an_place place = an_places_at(walk, walk->clang->clang_getRangeStart(range));
    if (place.file == walk->unit->path && place.offset < walk->unit->first_declaration)
        walk->unit->first_declaration = place.offset;
}

/* `extern int x;` makes no variable. */
static bool is_only_declared(struct an_walk *walk, CXCursor variable)
{
    const struct an_clang *clang = walk->clang;
    CXCursor initialiser = clang->clang_Cursor_getVarDeclInitializer(variable);
    return clang->clang_Cursor_getStorageClass(variable) == CX_SC_Extern &&
           clang->clang_getCursorKind(initialiser) == CXCursor_InvalidFile;
}

static enum CXChildVisitResult declaration_visit(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    (void)parent;
    struct visit *visit = data;
    struct an_walk *walk = visit->walk;
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
    if (kind >= CXCursor_FirstPreprocessing && kind <= CXCursor_LastPreprocessing)
        return CXChildVisit_Continue;
    CXFile handle;
    walk->clang->clang_getExpansionLocation(walk->clang->clang_getCursorLocation(cursor), &handle,
                                            NULL, NULL, NULL);
    struct an_file *file = an_places_file(walk, handle);
    if (file->system)
        return CXChildVisit_Continue;
    if (file->name == walk->unit->path)
        declaration_first(walk, cursor);
    if (walk->cxx && an_cxx_is_scope(kind))
        return CXChildVisit_Recurse;
    if ((kind == CXCursor_FunctionDecl || (walk->cxx && an_cxx_is_method(kind))) &&
        walk->clang->clang_isCursorDefinition(cursor))
        definition_add(walk, cursor, file);
    else if (kind == CXCursor_VarDecl && !is_only_declared(walk, cursor))
        list_append(&walk->unit->variables, &visit->last_variable,
                    an_variable_build(walk, NULL, cursor));
    return CXChildVisit_Continue;
}

static void functions_build(struct an_walk *walk)
{
    for (struct an_definition *next = walk->wanted; next; next = next->next_wanted)
        function_build(walk, next);
    struct an_node *last = NULL;
    for (struct an_definition *next = walk->definitions; next; next = next->next)
        if (next->node)
            list_append(&walk->unit->functions, &last, next->node);
}

void an_walk(const struct an_clang *clang, CXTranslationUnit tu, struct an_unit *unit,
             struct an_reading reading)
{
    struct an_walk walk = {
        .clang = clang, .unit = unit, .tu = tu, .openmp = reading.openmp, .cxx = reading.cxx};
    walk.main_file = clang->clang_getFile(tu, unit->path);
    walk.wanted_end = &walk.wanted;
    walk.definitions_end = &walk.definitions;
    obstack_begin(&walk.scratch, 4064);
    struct an_file *main_file = an_places_file(&walk, walk.main_file);
    an_places_text(&walk, main_file);
    unit->first_declaration = (unsigned)main_file->length;
    struct visit visit = {&walk, NULL};
    clang->clang_visitChildren(clang->clang_getTranslationUnitCursor(tu), declaration_visit,
                               &visit);
    functions_build(&walk);
    an_comments_read(&walk, main_file);
    obstack_free(&walk.scratch, NULL);
    HASH_CLEAR(hh, walk.typings);
    HASH_CLEAR(hh, walk.entities);
    HASH_CLEAR(hh, walk.definitions_by_hash);
    if (unit->problem) {
        unit->functions = unit->variables = NULL;
        unit->gaps = NULL;
        unit->words = NULL;
    }
}
