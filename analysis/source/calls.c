/* Idea: which function a call enters is best told by its name. So a call of what a condition
 * chooses is a choice of two calls:
 *
 *     (c ? f : g)(x)    is    c ? f(x) : g(x)
 *
 * Its text stands in both, so that nothing can be inserted there. */
#include "analysis/source/walk.h"

#include <string.h>

enum { CHOICES = 4 }; /* one in another: each doubles what is in it */

static struct an_node *node_add(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                                CXCursor cursor)
{
    struct an_node *node = an_node_create(walk->unit, parent, kind);
    node->type = an_typing(walk, walk->clang->clang_getCursorType(cursor))->type;
    an_places_set(walk, node, cursor);
    return node;
}

void an_call_name(struct an_walk *walk, struct an_node *call)
{
    const struct an_node *callee = an_plain(call->child);
    while (callee && callee->kind == AN_UNARY &&
           (callee->op == AN_OP_DEREF || callee->op == AN_OP_ADDRESS))
        callee = an_plain(callee->child);
    if (!callee || callee->kind != AN_REFERENCE || callee->storage != AN_FUNCTION_NAME)
        return;
    call->name = callee->name;
    call->symbol = callee->symbol;
    call->system = callee->system;
    call->internal = callee->internal;
    call->noreturn = callee->noreturn;
    if (strcmp(call->name, "ft_hook") == 0 && call->place.file == walk->unit->path)
        walk->unit->hooked_by_hand = true;
}

/* ---- Choices ---- */

/* Whether `cursor` is nothing but its last part, to a call. */
static bool is_wrapper(struct an_walk *walk, CXCursor cursor, unsigned parts)
{
    enum CXUnaryOperatorKind unary = walk->clang->clang_getCursorUnaryOperatorKind(cursor);
    switch (walk->clang->clang_getCursorKind(cursor)) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return parts == 1;
    case CXCursor_UnaryOperator:
        return parts == 1 && (unary == CXUnaryOperator_Deref || unary == CXUnaryOperator_AddrOf);
    default:
        return false;
    }
}

/* Effect: `part` becomes the condition and both branches of the choice that `callee` is. */
static bool choice_find(struct an_walk *walk, CXCursor callee, CXCursor part[3])
{
    struct an_cursors parts = an_walk_parts(walk, callee);
    bool found = walk->clang->clang_getCursorKind(callee) == CXCursor_ConditionalOperator &&
                 parts.count == 3;
    for (unsigned i = 0; found && i < 3; i++)
        part[i] = parts.first[i];
    bool wrapper = is_wrapper(walk, callee, parts.count);
    CXCursor inner = wrapper ? parts.first[0] : callee;
    an_walk_release(walk, parts);
    return found || (wrapper && choice_find(walk, inner, part));
}

static void fix(struct an_node *call)
{
    for (struct an_node *n = call; n; n = an_next(call, n, false))
        n->editable = false;
}

/* A call of `callee`, with the arguments that stand in `cursor`. */
static void callee_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor,
                         CXCursor callee)
{
    CXCursor part[3];
    if (walk->choices < CHOICES && choice_find(walk, callee, part)) {
        struct an_node *choose = node_add(walk, parent, AN_CHOOSE, cursor);
        an_expression_build(walk, choose, part[0]);
        walk->choices++;
        callee_build(walk, choose, cursor, part[1]);
        callee_build(walk, choose, cursor, part[2]);
        walk->choices--;
        for (struct an_node *call = choose->child->next; call; call = call->next)
            fix(call);
        return;
    }
    struct an_cursors parts = an_walk_parts(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_CALL, cursor);
    node->by_macro = an_places_by_macro(
        walk, walk->clang->clang_getRangeStart(walk->clang->clang_getCursorExtent(cursor)));
    an_expression_build(walk, node, callee);
    for (unsigned i = 1; i < parts.count; i++)
        an_expression_build(walk, node, parts.first[i]);
    an_call_name(walk, node);
    an_walk_release(walk, parts);
}

/* __builtin_expect(x, likely) is x. */
static bool is_expectation(struct an_walk *walk, CXCursor cursor)
{
    CXCursor callee = walk->clang->clang_getCursorReferenced(cursor);
    if (walk->clang->clang_getCursorKind(callee) != CXCursor_FunctionDecl)
        return false;
    return strncmp(an_entity(walk, callee)->name, "__builtin_expect", 16) == 0;
}

const struct an_typing *an_call_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    if (an_cxx_calls(walk, cursor))
        return an_cxx_call_build(walk, parent, cursor);
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing = an_typing(walk, walk->clang->clang_getCursorType(cursor));
    if (parts.count >= 2 && is_expectation(walk, cursor))
        typing = an_expression_build(walk, parent, parts.first[1]);
    else if (parts.count)
        callee_build(walk, parent, cursor, parts.first[0]);
    else
        node_add(walk, parent, AN_OTHER, cursor);
    an_walk_release(walk, parts);
    return typing;
}
