/* Idea: one function per kind of expression; parentheses, implicit conversions and what merely
 * wraps one expression (extension, __builtin_expect) leave no node. */
#include "analysis/source/walk.h"

#include <string.h>

typedef const struct an_typing *builder(struct an_walk *walk, struct an_node *parent,
                                        CXCursor cursor);

static const struct an_typing *typing_of(struct an_walk *walk, CXCursor cursor)
{
    return an_typing(walk, walk->clang->clang_getCursorType(cursor));
}

/* A node for `cursor`, with its type and place. */
static struct an_node *node_add(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                                CXCursor cursor, const struct an_typing *typing)
{
    struct an_node *node = an_node_create(walk->unit, parent, kind);
    node->type = typing->type;
    an_places_set(walk, node, cursor);
    return node;
}

/* Builds what clang shows below `cursor` as children of `node`. */
static void parts_build(struct an_walk *walk, struct an_node *node, CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    for (unsigned i = 0; i < parts.count; i++)
        an_expression_build(walk, node, parts.first[i]);
    an_walk_release(walk, parts);
}

static const struct an_typing *other_build(struct an_walk *walk, struct an_node *parent,
                                           CXCursor cursor)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    parts_build(walk, node_add(walk, parent, AN_OTHER, cursor, typing), cursor);
    return typing;
}

/* Does the text stand in a system header, whatever macros brought it here? */
static bool is_spelled_by_system(struct an_walk *walk, CXCursor cursor)
{
    CXFile file;
    walk->clang->clang_getSpellingLocation(walk->clang->clang_getCursorLocation(cursor), &file,
                                           NULL, NULL, NULL);
    return file && an_places_file(walk, file)->system;
}

static const struct an_typing *number_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_NUMBER, cursor, typing);
    node->system = is_spelled_by_system(walk, cursor);
    if (!typing->bits) {
        CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
        if (!node->name)
            node->name = an_places_number(walk, walk->clang->clang_getRangeStart(range));
        return typing;
    }
    CXEvalResult result = walk->clang->clang_Cursor_Evaluate(cursor);
    if (result && walk->clang->clang_EvalResult_getKind(result) == CXEval_Int) {
        node->constant = true;
        node->value = an_fold_convert(typing, walk->clang->clang_EvalResult_getAsLongLong(result));
    }
    if (result)
        walk->clang->clang_EvalResult_dispose(result);
    return typing;
}

static const struct an_typing *leaf_build(struct an_walk *walk, struct an_node *parent,
                                          enum an_kind kind, CXCursor cursor)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    node_add(walk, parent, kind, cursor, typing);
    return typing;
}

static const struct an_typing *string_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    return leaf_build(walk, parent, AN_STRING, cursor);
}

/* The size of an array whose length is computed is no number of the machine. */
static void computed_build(struct an_walk *walk, struct an_node *size, CXCursor cursor)
{
    an_extents_name(walk, size, cursor);
    if (size->child)
        size->kind = AN_OTHER;
}

static const struct an_typing *sizeof_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_SIZEOF, cursor, typing);
    CXEvalResult result = walk->clang->clang_Cursor_Evaluate(cursor);
    if (result && walk->clang->clang_EvalResult_getKind(result) == CXEval_Int)
        node->value = walk->clang->clang_EvalResult_getAsLongLong(result);
    else
        computed_build(walk, node, cursor);
    if (result)
        walk->clang->clang_EvalResult_dispose(result);
    return typing;
}

static void node_name(struct an_node *node, const struct an_entity *entity)
{
    node->name = entity->name;
    node->symbol = entity->symbol;
    node->system = entity->system;
}

static const struct an_typing *reference_build(struct an_walk *walk, struct an_node *parent,
                                               CXCursor cursor)
{
    CXCursor declaration = walk->clang->clang_getCursorReferenced(cursor);
    struct an_entity *entity = an_entity(walk, declaration);
    enum an_kind kind = entity->storage == AN_NO_STORAGE ? AN_NUMBER : AN_REFERENCE;
    const struct an_typing *typing = typing_of(walk, cursor);
    if (entity->storage == AN_PARAMETER_VARIABLE)
        typing = entity->typing;
    bool follows = kind == AN_REFERENCE && an_cxx_names_object(walk, declaration);
    struct an_node *holder = follows ? an_cxx_follow(walk, parent, cursor) : parent;
    struct an_node *node = node_add(walk, holder, kind, cursor, follows ? entity->typing : typing);
    node_name(node, entity);
    node->storage = entity->storage;
    node->internal = entity->internal;
    node->constant = entity->constant;
    node->value = entity->value;
    if (entity->storage == AN_FUNCTION_NAME) {
        node->noreturn = entity->noreturn;
        an_walk_want(walk, declaration);
    }
    return typing;
}

static bool is_address(const struct an_typing *typing)
{
    return typing->type->class == AN_POINTER || typing->type->class == AN_ARRAY;
}

/* A member of an anonymous struct in a struct is a member of both: the one in between has no name
 * and leaves no node. libclang does not tell `->` from `.`, the base's type does. */
static const struct an_typing *member_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    struct an_entity *field = an_entity(walk, walk->clang->clang_getCursorReferenced(cursor));
    struct an_cursors parts = an_walk_parts(walk, cursor);
    CXCursor named = walk->clang->clang_getCursorReferenced(cursor);
    bool is_field = walk->clang->clang_getCursorKind(named) == CXCursor_FieldDecl;
    if (walk->cxx && walk->clang->clang_getCursorKind(named) == CXCursor_VarDecl) {
        an_walk_release(walk, parts);
        return reference_build(walk, parent, cursor);
    }
    if (is_field && an_cxx_names_object(walk, named))
        parent = an_cxx_follow(walk, parent, cursor);
    const struct an_typing *typing = typing_of(walk, cursor);
    if (parts.count == 1 && !*field->name) {
        typing = an_expression_build(walk, parent, parts.first[0]);
    } else if (walk->cxx && parts.count == 0 && is_field) {
        struct an_node *node = node_add(walk, parent, AN_MEMBER, cursor, typing);
        node_name(node, field);
        node->arrow = true;
        an_cxx_this_name(walk, node, cursor);
    } else if (parts.count == 1) {
        struct an_node *node = node_add(walk, parent, AN_MEMBER, cursor, typing);
        node_name(node, field);
        node->arrow = is_address(an_expression_build(walk, node, parts.first[0]));
    } else {
        typing = other_build(walk, parent, cursor);
    }
    an_walk_release(walk, parts);
    return typing;
}

/* `1[a]` is `a[1]`. */
static const struct an_typing *index_build(struct an_walk *walk, struct an_node *parent,
                                           CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    if (parts.count != 2) {
        an_walk_release(walk, parts);
        return other_build(walk, parent, cursor);
    }
    const struct an_typing *typing = typing_of(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_INDEX, cursor, typing);
    bool swapped = !is_address(typing_of(walk, parts.first[0]));
    an_expression_build(walk, node, parts.first[swapped]);
    an_expression_build(walk, node, parts.first[!swapped]);
    an_walk_release(walk, parts);
    return typing;
}

static enum an_operator unary_operator(enum CXUnaryOperatorKind kind)
{
    static const enum an_operator operators[] = {
        [CXUnaryOperator_PostInc] = AN_OP_POST_INC, [CXUnaryOperator_PostDec] = AN_OP_POST_DEC,
        [CXUnaryOperator_PreInc] = AN_OP_PRE_INC,   [CXUnaryOperator_PreDec] = AN_OP_PRE_DEC,
        [CXUnaryOperator_AddrOf] = AN_OP_ADDRESS,   [CXUnaryOperator_Deref] = AN_OP_DEREF,
        [CXUnaryOperator_Plus] = AN_OP_PLUS,        [CXUnaryOperator_Minus] = AN_OP_MINUS,
        [CXUnaryOperator_Not] = AN_OP_INVERT,       [CXUnaryOperator_LNot] = AN_OP_NOT,
    };
    return kind < sizeof operators / sizeof *operators ? operators[kind] : AN_OP_NONE;
}

static enum an_operator binary_operator(enum CXBinaryOperatorKind kind)
{
    static const enum an_operator operators[] = {
        [CXBinaryOperator_Mul] = AN_OP_MUL,
        [CXBinaryOperator_Div] = AN_OP_DIV,
        [CXBinaryOperator_Rem] = AN_OP_REM,
        [CXBinaryOperator_Add] = AN_OP_ADD,
        [CXBinaryOperator_Sub] = AN_OP_SUB,
        [CXBinaryOperator_Shl] = AN_OP_SHL,
        [CXBinaryOperator_Shr] = AN_OP_SHR,
        [CXBinaryOperator_LT] = AN_OP_LT,
        [CXBinaryOperator_GT] = AN_OP_GT,
        [CXBinaryOperator_LE] = AN_OP_LE,
        [CXBinaryOperator_GE] = AN_OP_GE,
        [CXBinaryOperator_EQ] = AN_OP_EQ,
        [CXBinaryOperator_NE] = AN_OP_NE,
        [CXBinaryOperator_And] = AN_OP_AND,
        [CXBinaryOperator_Xor] = AN_OP_XOR,
        [CXBinaryOperator_Or] = AN_OP_OR,
        [CXBinaryOperator_LAnd] = AN_OP_LOGICAL_AND,
        [CXBinaryOperator_LOr] = AN_OP_LOGICAL_OR,
        [CXBinaryOperator_MulAssign] = AN_OP_MUL,
        [CXBinaryOperator_DivAssign] = AN_OP_DIV,
        [CXBinaryOperator_RemAssign] = AN_OP_REM,
        [CXBinaryOperator_AddAssign] = AN_OP_ADD,
        [CXBinaryOperator_SubAssign] = AN_OP_SUB,
        [CXBinaryOperator_ShlAssign] = AN_OP_SHL,
        [CXBinaryOperator_ShrAssign] = AN_OP_SHR,
        [CXBinaryOperator_AndAssign] = AN_OP_AND,
        [CXBinaryOperator_XorAssign] = AN_OP_XOR,
        [CXBinaryOperator_OrAssign] = AN_OP_OR,
        [CXBinaryOperator_Comma] = AN_OP_COMMA,
    };
    return kind < sizeof operators / sizeof *operators ? operators[kind] : AN_OP_NONE;
}

static const struct an_typing *unary_build(struct an_walk *walk, struct an_node *parent,
                                           CXCursor cursor)
{
    enum CXUnaryOperatorKind kind = walk->clang->clang_getCursorUnaryOperatorKind(cursor);
    enum an_operator op = unary_operator(kind);
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing = typing_of(walk, cursor), *operand;
    if (parts.count == 1 && kind == CXUnaryOperator_Extension) {
        typing = an_expression_build(walk, parent, parts.first[0]);
    } else if (parts.count == 1 && op != AN_OP_NONE) {
        struct an_node *node = node_add(walk, parent, AN_UNARY, cursor, typing);
        node->op = op;
        operand = an_expression_build(walk, node, parts.first[0]);
        an_fold(typing, node, &operand);
    } else {
        typing = other_build(walk, parent, cursor);
    }
    an_walk_release(walk, parts);
    return typing;
}

static const struct an_typing *binary_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    enum CXBinaryOperatorKind kind = walk->clang->clang_getCursorBinaryOperatorKind(cursor);
    enum an_operator op = binary_operator(kind);
    bool assigns = kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign;
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing = typing_of(walk, cursor), *operands[2];
    if (parts.count == 2 && (assigns || op != AN_OP_NONE)) {
        struct an_node *node =
            node_add(walk, parent, assigns ? AN_ASSIGN : AN_BINARY, cursor, typing);
        node->op = op;
        operands[0] = an_expression_build(walk, node, parts.first[0]);
        operands[1] = an_expression_build(walk, node, parts.first[1]);
        if (!assigns)
            an_fold(typing, node, operands);
    } else {
        typing = other_build(walk, parent, cursor);
    }
    an_walk_release(walk, parts);
    return typing;
}

/* The branch that a constant condition takes gives the value. */
static void choose_fold(const struct an_typing *typing, struct an_node *node)
{
    const struct an_node *condition = node->child;
    const struct an_node *taken = an_child(node, condition->constant && condition->value ? 1 : 2);
    if (!condition->constant || !taken->constant || !typing->bits)
        return;
    node->constant = true;
    node->value = an_fold_convert(typing, taken->value);
}

/* `condition`, `then` and `otherwise` are numbers of parts. */
static const struct an_typing *choose_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor, const CXCursor *condition,
                                            const CXCursor *then, const CXCursor *otherwise)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_CHOOSE, cursor, typing);
    an_expression_build(walk, node, *condition);
    an_expression_build(walk, node, *then);
    an_expression_build(walk, node, *otherwise);
    choose_fold(typing, node);
    return typing;
}

static const struct an_typing *conditional_build(struct an_walk *walk, struct an_node *parent,
                                                 CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const CXCursor *part = parts.first;
    const struct an_typing *typing =
        parts.count == 3 ? choose_build(walk, parent, cursor, &part[0], &part[1], &part[2])
                         : other_build(walk, parent, cursor);
    an_walk_release(walk, parts);
    return typing;
}

/* The lengths of arrays in the type that do something, each before what follows. Returns where the
 * operand goes. */
static struct an_node *lengths_build(struct an_walk *walk, struct an_node *cast, CXCursor cursor,
                                     struct an_cursors lengths)
{
    struct an_node *holder = cast;
    for (unsigned i = 0; i < lengths.count; i++) {
        if (!an_extents_act(walk, lengths.first[i]))
            continue;
        holder = node_add(walk, holder, AN_BINARY, cursor, typing_of(walk, cursor));
        holder->op = AN_OP_COMMA;
        an_expression_build(walk, holder, lengths.first[i]);
    }
    return holder;
}

/* The last part is the operand; before it come the lengths of arrays in the type. */
static const struct an_typing *cast_build(struct an_walk *walk, struct an_node *parent,
                                          CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing = typing_of(walk, cursor), *operand;
    if (parts.count) {
        struct an_node *node = node_add(walk, parent, AN_CAST, cursor, typing);
        struct an_cursors lengths = {parts.first, parts.count - 1};
        operand = an_expression_build(walk, lengths_build(walk, node, cursor, lengths),
                                      parts.first[parts.count - 1]);
        an_fold(typing, node, &operand);
    } else {
        typing = other_build(walk, parent, cursor);
    }
    an_walk_release(walk, parts);
    return typing;
}

static const struct an_typing *list_build(struct an_walk *walk, struct an_node *parent,
                                          CXCursor cursor)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    parts_build(walk, node_add(walk, parent, AN_LIST, cursor, typing), cursor);
    return typing;
}

static const struct an_typing *literal_build(struct an_walk *walk, struct an_node *parent,
                                             CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing =
        parts.count ? an_expression_build(walk, parent, parts.first[parts.count - 1])
                    : other_build(walk, parent, cursor);
    an_walk_release(walk, parts);
    return typing;
}

static const struct an_typing *statements_build(struct an_walk *walk, struct an_node *parent,
                                                CXCursor cursor)
{
    struct an_cursors parts = an_walk_children(walk, cursor);
    const struct an_typing *typing = typing_of(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_STATEMENTS, cursor, typing);
    for (unsigned i = 0; i < parts.count; i++)
        an_statement_build(walk, node, parts.first[i]);
    an_walk_release(walk, parts);
    return typing;
}

static bool names_members(struct an_walk *walk, CXCursor cursor)
{
    struct an_cursors children = an_walk_children(walk, cursor);
    bool found = false;
    for (unsigned i = 0; i < children.count; i++)
        found |= walk->clang->clang_getCursorKind(children.first[i]) == CXCursor_MemberRef;
    an_walk_release(walk, children);
    return found;
}

/* Expressions for which libclang has no name, told by their shape: an implicit conversion has
 * the place of its operand; a designator has no type and its value last; offsetof names members;
 * `a ?: b` shows its condition three times. */
static const struct an_typing *unexposed_build(struct an_walk *walk, struct an_node *parent,
                                               CXCursor cursor)
{
    const struct an_clang *clang = walk->clang;
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const CXCursor *part = parts.first;
    const struct an_typing *typing;
    if (parts.count == 1 && clang->clang_equalRanges(clang->clang_getCursorExtent(cursor),
                                                     clang->clang_getCursorExtent(part[0])))
        typing = an_expression_build(walk, parent, part[0]);
    else if (parts.count && clang->clang_getCursorType(cursor).kind == CXType_Void &&
             parent->kind == AN_LIST)
        typing = an_expression_build(walk, parent, part[parts.count - 1]);
    else if (names_members(walk, cursor))
        typing = sizeof_build(walk, parent, cursor);
    else if (parts.count == 4 && clang->clang_equalRanges(clang->clang_getCursorExtent(part[0]),
                                                          clang->clang_getCursorExtent(part[2])))
        typing = choose_build(walk, parent, cursor, &part[0], &part[0], &part[3]);
    else
        typing = other_build(walk, parent, cursor);
    an_walk_release(walk, parts);
    return typing;
}

static const struct an_typing *inner_build(struct an_walk *walk, struct an_node *parent,
                                           CXCursor cursor)
{
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing = parts.count == 1
                                         ? an_expression_build(walk, parent, parts.first[0])
                                         : other_build(walk, parent, cursor);
    an_walk_release(walk, parts);
    return typing;
}

/* Its body stands where the lambda is made. */
static const struct an_typing *lambda_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    const struct an_typing *typing = typing_of(walk, cursor);
    struct an_cursors parts = an_walk_children(walk, cursor);
    struct an_node *node = node_add(walk, parent, AN_STATEMENTS, cursor, typing);
    for (unsigned i = 0; i < parts.count; i++)
        if (walk->clang->clang_getCursorKind(parts.first[i]) == CXCursor_CompoundStmt)
            an_statement_build(walk, node, parts.first[i]);
    an_walk_release(walk, parts);
    return typing;
}

static builder *builder_of(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_IntegerLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_ImaginaryLiteral:
    case CXCursor_CXXBoolLiteralExpr:
        return number_build;
    case CXCursor_StringLiteral:
        return string_build;
    case CXCursor_DeclRefExpr:
        return reference_build;
    case CXCursor_MemberRefExpr:
        return member_build;
    case CXCursor_ArraySubscriptExpr:
        return index_build;
    case CXCursor_CallExpr:
        return an_call_build;
    case CXCursor_UnaryOperator:
        return unary_build;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        return binary_build;
    case CXCursor_ConditionalOperator:
        return conditional_build;
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return cast_build;
    case CXCursor_UnaryExpr:
        return sizeof_build;
    case CXCursor_InitListExpr:
        return list_build;
    case CXCursor_CompoundLiteralExpr:
        return literal_build;
    case CXCursor_StmtExpr:
        return statements_build;
    case CXCursor_ParenExpr:
        return inner_build;
    case CXCursor_CXXThisExpr:
        return an_cxx_this_name;
    case CXCursor_LambdaExpr:
        return lambda_build;
    case CXCursor_UnexposedExpr:
        return unexposed_build;
    default:
        return other_build;
    }
}

const struct an_typing *an_expression_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor)
{
    if (!an_walk_enter(walk, parent))
        return typing_of(walk, cursor);
    an_cxx_look(walk, cursor);
    const struct an_typing *typing =
        builder_of(walk->clang->clang_getCursorKind(cursor))(walk, parent, cursor);
    walk->depth--;
    return typing;
}
