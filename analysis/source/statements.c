/* Idea: each statement of C gives a node whose children stand at fixed numbers, whatever libclang
 * leaves out (of a `for`: header.c). */
#include "analysis/source/walk.h"

#include <stdlib.h>
#include <string.h>

static struct an_node *node_add(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                                CXCursor cursor)
{
    struct an_node *node = an_node_create(walk->unit, parent, kind);
    an_places_set(walk, node, cursor);
    return node;
}

struct an_node *an_walk_empty(struct an_walk *walk, struct an_node *parent)
{
    struct an_node *node = an_node_create(walk->unit, parent, AN_EMPTY);
    node->place = parent->place;
    node->end = parent->place;
    return node;
}

static bool is_expression(enum CXCursorKind kind)
{
    return kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr;
}

/* An expression, or nothing. */
static void optional_build(struct an_walk *walk, struct an_node *parent, const CXCursor *cursor)
{
    if (cursor)
        an_statement_build(walk, parent, *cursor);
    else
        an_walk_empty(walk, parent);
}

/* Whether child number `n` of `kind` is a statement of its own. */
static bool holds_statement(enum an_kind kind, unsigned n)
{
    switch (kind) {
    case AN_BLOCK:
    case AN_CASE:
    case AN_DEFAULT:
    case AN_LABEL:
        return true;
    case AN_IF:
        return n > 0;
    case AN_FOR:
        return n == AN_HEADER_PARTS;
    case AN_WHILE:
    case AN_SWITCH:
        return n == 1;
    case AN_DO:
        return n == 0;
    default:
        return false;
    }
}

/* A statement that one use of a macro makes, and nothing else: text may be put before and behind
 * that use as before and behind any statement. an_places_set has left its mark on candidates; parts
 * that are not there stand nowhere. */
static void macros_admit(struct an_node *parent)
{
    unsigned behind = parent->place.offset, n = 0;
    for (struct an_node *node = parent->child; node; node = node->next, n++) {
        const struct an_node *next = node->next;
        while (next && next->place.offset == next->end.offset)
            next = next->next;
        if (node->mark && holds_statement(parent->kind, n) && behind <= node->place.offset &&
            (!next || node->end.offset <= next->place.offset))
            node->editable = parent->editable;
        if (node->place.offset != node->end.offset)
            behind = node->end.offset;
    }
}

/* All children as statements, at least `least` of them. */
static void compound_build(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                           CXCursor cursor, unsigned least)
{
    struct an_node *node = node_add(walk, parent, kind, cursor);
    struct an_cursors parts = an_walk_parts(walk, cursor);
    for (unsigned i = 0; i < parts.count || i < least; i++)
        optional_build(walk, node, i < parts.count ? &parts.first[i] : NULL);
    macros_admit(node);
    an_walk_release(walk, parts);
}

/* ---- Assembly ---- */

/* Whether a statement of assembly, from the first quote of its text on, is empty or holds but one
 * instruction that moves nothing. */
static bool moves_nothing(const char *quote)
{
    static const char *const names[] = {"\"\"",         "\"pause\"", "\"mfence\"",  "\"lfence\"",
                                        "\"sfence\"",   "\"nop\"",   "\"yield\"",   "\"rep;nop\"",
                                        "\"rep; nop\"", "\"isb\"",   "\"dmb ish\"", NULL};

    for (unsigned i = 0; names[i]; i++) {
        size_t length = strlen(names[i]);
        const char *next = quote + length + strspn(quote + length, " \t\n");
        if (strncmp(quote, names[i], length) == 0 && *next != '"')
            return true;
    }
    return false;
}

/* The name of an ASM: NULL when it moves nothing, "memory" when it may move memory, or "values". */
static const char *assembly_name(struct an_walk *walk, CXCursor cursor)
{
    enum { LONGEST = 4096 };
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    CXFile handle;
    unsigned from, to;
    walk->clang->clang_getSpellingLocation(walk->clang->clang_getRangeEnd(range), &handle, NULL,
                                           NULL, &to);
    walk->clang->clang_getSpellingLocation(walk->clang->clang_getRangeStart(range), &handle, NULL,
                                           NULL, &from);
    struct an_file *file = an_places_file(walk, handle);
    const char *text = an_places_text(walk, file);
    if (!text || from >= to || to > file->length || to - from > LONGEST)
        return "values";
    char *copy = strndup(text + from, to - from);
    if (!copy)
        abort();
    const char *quote = strchr(copy, '"');
    const char *name = quote && moves_nothing(quote)         ? NULL
                       : quote && strstr(copy, "\"memory\"") ? "memory"
                                                             : "values";
    free(copy);
    return name;
}

static void assembly_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_node *last = parent->child;
    while (last && last->next)
        last = last->next;
    compound_build(walk, parent, AN_ASM, cursor, 0);
    struct an_node *made = last ? last->next : parent->child;
    const char *name = assembly_name(walk, cursor);
    if (made && made->kind == AN_ASM && name)
        made->name = an_unit_string(walk->unit, name);
}

/* ---- Ends of scopes ---- */

/* A block around what no braces stand around in the text. */
static struct an_node *around_add(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_node *block = node_add(walk, parent, AN_BLOCK, cursor);
    block->editable = false;
    block->mark = 0;
    return block;
}

static void braces_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    const struct an_cleanup *outer = walk->cleanups;
    struct an_node *block = node_add(walk, parent, AN_BLOCK, cursor), *kept = NULL;
    struct an_cursors parts = an_walk_parts(walk, cursor);
    for (unsigned i = 0; i < parts.count; i++)
        if (i + 1 == parts.count && parent->kind == AN_STATEMENTS && walk->cleanups != outer &&
            is_expression(walk->clang->clang_getCursorKind(parts.first[i])))
            kept = an_cleanups_keep(walk, block, parts.first[i]);
        else
            an_statement_build(walk, block, parts.first[i]);
    macros_admit(block);
    an_cleanups_run(walk, block, outer, block->end);
    if (kept)
        an_cleanups_give(walk, block, kept);
    walk->cleanups = outer;
    an_walk_release(walk, parts);
}

/* A return out of the scope of what is cleaned up. */
static void leaving_return_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_node *block = around_add(walk, parent, cursor), *kept = NULL;
    struct an_cursors parts = an_walk_parts(walk, cursor);
    if (parts.count)
        kept = an_cleanups_keep(walk, block, parts.first[0]);
    an_cleanups_run(walk, block, NULL, block->place);
    struct an_node *node = node_add(walk, block, AN_RETURN, cursor);
    node->editable = false;
    an_cleanups_give(walk, node, kept);
    an_walk_release(walk, parts);
}

/* The value of a function that returns a reference is its address. */
static void reference_return_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_node *node = node_add(walk, parent, AN_RETURN, cursor);
    struct an_cursors parts = an_walk_parts(walk, cursor);
    if (parts.count)
        an_cxx_bind(walk, node, parts.first[0], true);
    else
        an_walk_empty(walk, node);
    an_walk_release(walk, parts);
}

static void return_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    if (walk->gives_reference)
        reference_return_build(walk, parent, cursor);
    else if (walk->cleanups)
        leaving_return_build(walk, parent, cursor);
    else
        compound_build(walk, parent, AN_RETURN, cursor, 1);
}

/* A break or continue; `outer`: what is still in scope where it goes. */
static void jump_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor,
                       enum an_kind kind, const struct an_cleanup *outer)
{
    bool leaves = walk->cleanups != outer;
    struct an_node *block = leaves ? around_add(walk, parent, cursor) : parent;
    if (leaves)
        an_cleanups_run(walk, block, outer, block->place);
    struct an_node *node = node_add(walk, block, kind, cursor);
    node->editable &= !leaves;
}

/* A loop or switch: from within, a break goes behind it. */
static void breakable_build(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                            CXCursor cursor)
{
    const struct an_cleanup *at_break = walk->at_break, *at_continue = walk->at_continue;
    walk->at_break = walk->cleanups;
    if (kind != AN_SWITCH)
        walk->at_continue = walk->cleanups;
    compound_build(walk, parent, kind, cursor, 2);
    walk->at_break = at_break;
    walk->at_continue = at_continue;
}

/* A loop of C++ whose condition is not followed: its last part is the body, the others are done in
 * each turn. */
static void range_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    const struct an_cleanup *at_break = walk->at_break, *at_continue = walk->at_continue;
    struct an_cursors parts = an_walk_parts(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_WHILE, cursor);
    struct an_node *condition = node_add(walk, node, AN_OTHER, cursor);
    condition->type = an_typing(walk, walk->clang->clang_getCursorType(cursor))->type;
    for (unsigned i = 0; i + 1 < parts.count; i++)
        if (is_expression(walk->clang->clang_getCursorKind(parts.first[i])))
            an_expression_build(walk, condition, parts.first[i]);
    walk->at_break = walk->at_continue = walk->cleanups;
    optional_build(walk, node, parts.count ? &parts.first[parts.count - 1] : NULL);
    walk->at_break = at_break;
    walk->at_continue = at_continue;
    macros_admit(node);
    an_walk_release(walk, parts);
}

/* ---- for ---- */

/* Whether a declaration in the header of a loop does what has no place there: computes the length
 * of an array, or has something called in the end. */
static bool declares_more(struct an_walk *walk, CXCursor statement)
{
    if (walk->clang->clang_getCursorKind(statement) != CXCursor_DeclStmt)
        return false;
    struct an_node *trial = an_node_create(walk->unit, NULL, AN_BLOCK);
    an_extents_build(walk, trial, statement);
    return trial->child || an_cleanups_any(walk, statement);
}

static void for_parts_build(struct an_walk *walk, struct an_node *node,
                            const CXCursor *const header[AN_HEADER_PARTS], const CXCursor *body)
{
    const struct an_cleanup *at_break = walk->at_break, *at_continue = walk->at_continue;
    for (unsigned i = 0; i < AN_HEADER_PARTS; i++)
        optional_build(walk, node, header[i]);
    walk->at_break = walk->at_continue = walk->cleanups;
    optional_build(walk, node, body);
    walk->at_break = at_break;
    walk->at_continue = at_continue;
}

static void for_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const CXCursor *header[AN_HEADER_PARTS] = {NULL, NULL, NULL};
    const struct an_cleanup *outer = walk->cleanups;
    if (parts.count)
        an_header_sort(walk, cursor, &parts, header);
    bool more = header[AN_HEADER_INIT] && declares_more(walk, *header[AN_HEADER_INIT]);
    if (more)
        parent = around_add(walk, parent, cursor);
    if (more)
        an_extents_build(walk, parent, *header[AN_HEADER_INIT]);
    struct an_node *node = node_add(walk, parent, AN_FOR, cursor);
    node->editable &= !more;
    for_parts_build(walk, node, header, parts.count ? &parts.first[parts.count - 1] : NULL);
    macros_admit(node);
    an_cleanups_run(walk, parent, outer, node->end);
    walk->cleanups = outer;
    an_walk_release(walk, parts);
}

/* ---- The others ---- */

struct an_node *an_variable_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_entity *entity = an_entity(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_VARIABLE, cursor);
    node->type = entity->typing->type;
    node->name = entity->name;
    node->symbol = entity->symbol;
    node->storage = entity->storage;
    node->internal = entity->internal;
    node->constant = entity->constant;
    node->value = entity->value;
    CXCursor initialiser = walk->clang->clang_Cursor_getVarDeclInitializer(cursor);
    an_cxx_object_look(walk, cursor);
    if (is_expression(walk->clang->clang_getCursorKind(initialiser)) &&
        !an_cxx_is_default(walk, initialiser))
        an_cxx_bind(walk, node, initialiser, an_cxx_names_object(walk, cursor));
    else
        an_walk_empty(walk, node);
    an_cleanups_note(walk, node, cursor);
    return node;
}

static void declare_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    an_extents_build(walk, parent, cursor);
    struct an_node *node = node_add(walk, parent, AN_DECLARE, cursor);
    struct an_cursors children = an_walk_children(walk, cursor);
    for (unsigned i = 0; i < children.count; i++) {
        an_cxx_declaration_look(walk, children.first[i]);
        if (walk->clang->clang_getCursorKind(children.first[i]) == CXCursor_VarDecl)
            an_variable_build(walk, node, children.first[i]);
    }
    for (const struct an_node *last = node->child; last; last = last->next)
        node->end = last->end; /* clang counts the semicolon */
    an_walk_release(walk, children);
}

/* A label: `case a:` shows a and the statement, `case a ... b:` both ends and the statement. */
static void case_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_node *node = node_add(walk, parent, AN_CASE, cursor);
    struct an_cursors parts = an_walk_parts(walk, cursor);
    if (parts.count >= 2) {
        struct an_node *label = an_node_create(walk->unit, NULL, AN_EMPTY);
        an_expression_build(walk, label, parts.first[0]);
        node->constant = label->child && label->child->constant;
        node->value = label->child ? label->child->value : 0;
    }
    optional_build(walk, node, parts.count ? &parts.first[parts.count - 1] : NULL);
    macros_admit(node);
    an_walk_release(walk, parts);
}

static const char *spelling(struct an_walk *walk, CXCursor cursor)
{
    return an_walk_string(walk, walk->clang->clang_getCursorSpelling(cursor));
}

static void label_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    compound_build(walk, parent, AN_LABEL, cursor, 1);
    struct an_node *node = parent->child;
    while (node->next)
        node = node->next;
    node->name = spelling(walk, cursor);
}

static struct an_place label_place(struct an_walk *walk, CXCursor reference)
{
    CXCursor label = walk->clang->clang_getCursorReferenced(reference);
    return an_places_at(walk, walk->clang->clang_getCursorLocation(label));
}

static void goto_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_cursors children = an_walk_children(walk, cursor);
    bool named =
        children.count && walk->clang->clang_getCursorKind(children.first[0]) == CXCursor_LabelRef;
    struct an_place label = {.file = NULL};
    if (named && walk->cleanups)
        label = label_place(walk, children.first[0]);
    struct an_node *block = walk->cleanups ? around_add(walk, parent, cursor) : parent;
    an_cleanups_leave(walk, block, label);
    struct an_node *node = node_add(walk, block, AN_GOTO, cursor);
    node->editable &= block == parent;
    if (named)
        node->name = spelling(walk, children.first[0]);
    an_walk_release(walk, children);
}

/* An attribute before a statement leaves no node. */
static void unexposed_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    if (parts.count == 1)
        an_statement_build(walk, parent, parts.first[0]);
    else
        compound_build(walk, parent, AN_BLOCK, cursor, 0);
    an_walk_release(walk, parts);
}

static void kind_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor,
                       enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_CompoundStmt:
        braces_build(walk, parent, cursor);
        break;
    case CXCursor_DeclStmt:
        declare_build(walk, parent, cursor);
        break;
    case CXCursor_IfStmt:
        compound_build(walk, parent, an_cxx_declares(walk, cursor) ? AN_BLOCK : AN_IF, cursor, 3);
        break;
    case CXCursor_ForStmt:
        for_build(walk, parent, cursor);
        break;
    case CXCursor_WhileStmt:
        if (an_cxx_declares(walk, cursor))
            range_build(walk, parent, cursor);
        else
            breakable_build(walk, parent, AN_WHILE, cursor);
        break;
    case CXCursor_CXXForRangeStmt:
        range_build(walk, parent, cursor);
        break;
    case CXCursor_DoStmt:
        breakable_build(walk, parent, AN_DO, cursor);
        break;
    case CXCursor_SwitchStmt:
        an_cxx_declares(walk, cursor);
        breakable_build(walk, parent, AN_SWITCH, cursor);
        break;
    case CXCursor_CaseStmt:
        case_build(walk, parent, cursor);
        break;
    case CXCursor_DefaultStmt:
        compound_build(walk, parent, AN_DEFAULT, cursor, 1);
        break;
    case CXCursor_LabelStmt:
        label_build(walk, parent, cursor);
        break;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        goto_build(walk, parent, cursor);
        break;
    case CXCursor_BreakStmt:
        jump_build(walk, parent, cursor, AN_BREAK, walk->at_break);
        break;
    case CXCursor_ContinueStmt:
        jump_build(walk, parent, cursor, AN_CONTINUE, walk->at_continue);
        break;
    case CXCursor_ReturnStmt:
        return_build(walk, parent, cursor);
        break;
    case CXCursor_NullStmt:
        node_add(walk, parent, AN_EMPTY, cursor);
        break;
    case CXCursor_GCCAsmStmt:
        assembly_build(walk, parent, cursor);
        break;
    case CXCursor_UnexposedStmt:
        unexposed_build(walk, parent, cursor);
        break;
    default:
        compound_build(walk, parent, AN_BLOCK, cursor, 0);
        break;
    }
}

/* The node around a statement that a directive of OpenMP concerns, or `parent`. */
static struct an_node *parallel_open(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    if (!walk->openmp)
        return parent;
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    const struct an_start *start = an_pragmas_take(walk, walk->clang->clang_getRangeStart(range));
    if (!start)
        return parent;
    struct an_node *node = node_add(walk, parent, AN_PARALLEL, cursor);
    node->place = start->directive;
    return node;
}

void an_statement_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
    an_cxx_look(walk, cursor);
    if (!an_walk_enter(walk, parent))
        return;
    struct an_node *inner = parallel_open(walk, parent, cursor);
    unsigned between = inner != parent;
    walk->depth += between;
    if (is_expression(kind))
        an_expression_build(walk, inner, cursor);
    else
        kind_build(walk, inner, cursor, kind);
    if (between && inner->child) /* nothing fits between a directive and its statement */
        inner->child->editable = false;
    walk->depth -= between + 1;
}
