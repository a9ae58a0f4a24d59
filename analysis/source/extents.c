/* Idea: constant lengths of arrays are not in the tree, as other numbers that depend on the machine
 * are not. The length of a variable-length array is: the program computes it at the declaration,
 * with all calls in it, and `sizeof` of the array uses the same expression. */
#include "analysis/source/walk.h"

static bool is_expression(enum CXCursorKind kind)
{
    return kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr;
}

/* Is a length in the type computed? */
static bool is_computed(struct an_walk *walk, CXType type)
{
    for (;;) {
        type = walk->clang->clang_getCanonicalType(type);
        enum an_class class = an_typing_class(type.kind);
        if (type.kind == CXType_VariableArray)
            return true;
        if (class == AN_ARRAY)
            type = walk->clang->clang_getArrayElementType(type);
        else if (class == AN_POINTER)
            type = walk->clang->clang_getPointeeType(type);
        else
            return false;
    }
}

typedef void length_take(struct an_walk *walk, struct an_node *parent, CXCursor length);

/* Calls `take` for each length in a declaration's type. */
static void lengths_visit(struct an_walk *walk, struct an_node *parent, CXCursor declaration,
                          length_take *take)
{
    const struct an_clang *clang = walk->clang;
    enum CXCursorKind kind = clang->clang_getCursorKind(declaration);
    CXCursor initialiser = {.kind = CXCursor_InvalidFile};
    CXType type = kind == CXCursor_TypedefDecl
                      ? clang->clang_getTypedefDeclUnderlyingType(declaration)
                      : clang->clang_getCursorType(declaration);
    if (!is_computed(walk, type))
        return;
    if (kind == CXCursor_VarDecl)
        initialiser = clang->clang_Cursor_getVarDeclInitializer(declaration);
    struct an_cursors parts = an_walk_parts(walk, declaration);
    for (unsigned i = 0; i < parts.count; i++)
        if (!clang->clang_equalCursors(parts.first[i], initialiser))
            take(walk, parent, parts.first[i]);
    an_walk_release(walk, parts);
}

static bool does_something(const struct an_node *expression)
{
    for (const struct an_node *n = expression; n; n = an_next(expression, n, false))
        if (n->kind == AN_CALL || n->kind == AN_ASSIGN || n->kind == AN_STATEMENTS ||
            (n->kind == AN_UNARY && n->op >= AN_OP_PRE_INC))
            return true;
    return false;
}

bool an_extents_act(struct an_walk *walk, CXCursor length)
{
    struct an_node *trial = an_node_create(walk->unit, NULL, AN_EMPTY);
    an_expression_build(walk, trial, length);
    return trial->child && does_something(trial->child);
}

/* A length that does something is a statement. Nothing can be inserted between it and its
 * declaration. */
static void doer_build(struct an_walk *walk, struct an_node *block, CXCursor length)
{
    if (!an_extents_act(walk, length))
        return;
    an_expression_build(walk, block, length);
    struct an_node *node = block->child;
    while (node->next)
        node = node->next;
    node->editable = false;
}

void an_extents_build(struct an_walk *walk, struct an_node *block, CXCursor statement)
{
    struct an_cursors children = an_walk_children(walk, statement);
    for (unsigned i = 0; i < children.count && block->kind == AN_BLOCK; i++) {
        enum CXCursorKind kind = walk->clang->clang_getCursorKind(children.first[i]);
        if (kind == CXCursor_VarDecl || kind == CXCursor_TypedefDecl)
            lengths_visit(walk, block, children.first[i], doer_build);
    }
    an_walk_release(walk, children);
}

static void length_build(struct an_walk *walk, struct an_node *parent, CXCursor length)
{
    an_expression_build(walk, parent, length);
}

void an_extents_name(struct an_walk *walk, struct an_node *parent, CXCursor operand)
{
    if (!an_walk_enter(walk, parent))
        return;
    struct an_cursors children = an_walk_children(walk, operand);
    for (unsigned i = 0; i < children.count; i++) {
        CXCursor child = children.first[i];
        enum CXCursorKind kind = walk->clang->clang_getCursorKind(child);
        CXCursor named = walk->clang->clang_getCursorReferenced(child);
        if (kind == CXCursor_DeclRefExpr || kind == CXCursor_TypeRef)
            lengths_visit(walk, parent, named, length_build);
        else if (kind == CXCursor_UnaryExpr || !is_expression(kind))
            continue;
        else if (is_computed(walk, walk->clang->clang_getCursorType(child)))
            an_extents_name(walk, parent, child);
        else
            an_expression_build(walk, parent, child);
    }
    an_walk_release(walk, children);
    walk->depth--;
}
