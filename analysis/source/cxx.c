/* Idea: C++ in the shapes of C. A method is a function whose first parameter is `this`, a reference
 * is a pointer that is followed wherever it is named:
 *
 *     void T::f(int &r) { r = v; }    is    void T::f(T *this, int *r) { *r = this->v; }
 *     x.f(n)                          is    T::f(&x, &n)
 *
 * Overloads and instances of templates are told apart by clang's identities. Code that has no
 * such shape (exceptions, virtual calls, constructors and destructors that do something, the
 * standard library) leaves as much of a tree as its parts give, so that sites and loops are
 * found; and the unit says that it holds something strange. Then no verdict of the program is
 * better than `unknown` (judge/judge.c). */
#include "analysis/source/walk.h"

#include <string.h>

void an_cxx_strange(struct an_walk *walk, CXCursor cursor, const char *what)
{
    struct an_unit *unit = walk->unit;
    if (unit->strange)
        return;
    struct an_place place = an_places_at(walk, walk->clang->clang_getCursorLocation(cursor));
    unit->strange = an_unit_printf(unit, "%s:%u:%u: %s", place.file ? place.file : unit->path,
                                   place.line, place.column, what);
}

/* ---- Declarations ---- */

bool an_cxx_is_scope(enum CXCursorKind kind)
{
    return kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec ||
           kind == CXCursor_UnexposedDecl || kind == CXCursor_StructDecl ||
           kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl;
}

bool an_cxx_is_method(enum CXCursorKind kind)
{
    return kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
           kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction;
}

bool an_cxx_is_reference(CXType type)
{
    return type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

bool an_cxx_names_object(struct an_walk *walk, CXCursor declaration)
{
    return walk->cxx && an_cxx_is_reference(walk->clang->clang_getCursorType(declaration));
}

static bool is_member_function(struct an_walk *walk, CXCursor function)
{
    return an_cxx_is_method(walk->clang->clang_getCursorKind(function)) &&
           !walk->clang->clang_CXXMethod_isStatic(function);
}

static const struct an_type *pointer_to(struct an_walk *walk, const struct an_type *type)
{
    struct an_type pointer = {.class = AN_POINTER, .below = type};
    pointer.name = an_unit_printf(walk->unit, "%s *", type->name);
    return an_unit_type(walk->unit, pointer);
}

void an_cxx_this_build(struct an_walk *walk, struct an_node *function, CXCursor cursor)
{
    const struct an_clang *clang = walk->clang;
    if (!walk->cxx || !is_member_function(walk, cursor))
        return;
    CXCursor class = clang->clang_getCursorSemanticParent(cursor);
    struct an_node *node = an_node_create(walk->unit, function, AN_PARAMETER);
    node->place = node->end = function->place;
    node->type = pointer_to(walk, an_typing(walk, clang->clang_getCursorType(class))->type);
    node->name = an_unit_string(walk->unit, "this");
    node->symbol = an_unit_printf(walk->unit, "%s@this", function->symbol);
    node->storage = AN_PARAMETER_VARIABLE;
    if (clang->clang_getCursorKind(cursor) != CXCursor_CXXMethod)
        an_cxx_strange(walk, cursor, "a constructor, destructor or conversion is not followed");
    if (clang->clang_CXXMethod_isVirtual(cursor))
        an_cxx_strange(walk, cursor, "a virtual function is not followed");
}

/* ---- Expressions ---- */

static struct an_node *node_add(struct an_walk *walk, struct an_node *parent, enum an_kind kind,
                                CXCursor cursor, const struct an_type *type)
{
    struct an_node *node = an_node_create(walk->unit, parent, kind);
    an_places_set(walk, node, cursor);
    node->type = type;
    return node;
}

struct an_node *an_cxx_follow(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    const struct an_type *type = an_typing(walk, walk->clang->clang_getCursorType(cursor))->type;
    struct an_node *node = node_add(walk, parent, AN_UNARY, cursor, type);
    node->op = AN_OP_DEREF;
    return node;
}

struct an_node *an_cxx_address(struct an_walk *walk, struct an_node *parent, CXCursor cursor)
{
    const struct an_type *type = an_typing(walk, walk->clang->clang_getCursorType(cursor))->type;
    struct an_node *node = node_add(walk, parent, AN_UNARY, cursor, pointer_to(walk, type));
    node->op = AN_OP_ADDRESS;
    return node;
}

void an_cxx_bind(struct an_walk *walk, struct an_node *parent, CXCursor cursor, bool reference)
{
    an_expression_build(walk, reference ? an_cxx_address(walk, parent, cursor) : parent, cursor);
}

const struct an_typing *an_cxx_this_name(struct an_walk *walk, struct an_node *parent,
                                         CXCursor cursor)
{
    const struct an_node *self = walk->function ? walk->function->child : NULL;
    const struct an_typing *typing = an_typing(walk, walk->clang->clang_getCursorType(cursor));
    bool known = self && self->kind == AN_PARAMETER && strcmp(self->name, "this") == 0;
    struct an_node *node = node_add(walk, parent, known ? AN_REFERENCE : AN_OTHER, cursor,
                                    known ? self->type : typing->type);
    if (!known)
        an_cxx_strange(walk, cursor, "`this` of a lambda is not followed");
    node->name = known ? self->name : NULL;
    node->symbol = known ? self->symbol : NULL;
    node->storage = known ? AN_PARAMETER_VARIABLE : AN_NO_STORAGE;
    return typing;
}

/* ---- Calls ---- */

/* Whether argument number `n` of `function` is bound to a reference. */
static bool binds(struct an_walk *walk, CXCursor function, unsigned n)
{
    CXType type = walk->clang->clang_getCursorType(function);
    return (int)n < walk->clang->clang_getNumArgTypes(type) &&
           an_cxx_is_reference(walk->clang->clang_getArgType(type, n));
}

/* A function of numbers alone, as std::sqrt is. */
static bool is_arithmetic(struct an_walk *walk, CXCursor function)
{
    const struct an_clang *clang = walk->clang;
    CXType type = clang->clang_getCursorType(function);
    CXType result = clang->clang_getCanonicalType(clang->clang_getCursorResultType(function));
    enum an_class class = an_typing_class(result.kind);
    bool numbers = class == AN_INTEGER || class == AN_FLOATING;
    if (an_cxx_is_method(clang->clang_getCursorKind(function)))
        return false;
    for (int i = 0; i < clang->clang_getNumArgTypes(type); i++) {
        class = an_typing_class(
            clang->clang_getCanonicalType(clang->clang_getArgType(type, (unsigned)i)).kind);
        numbers &= class == AN_INTEGER || class == AN_FLOATING;
    }
    return numbers;
}

static void callee_name(struct an_walk *walk, struct an_node *call, CXCursor cursor,
                        CXCursor function)
{
    const struct an_entity *entity = an_entity(walk, function);
    struct an_node *node = node_add(walk, call, AN_REFERENCE, cursor, entity->typing->type);
    node->name = entity->name;
    node->symbol = entity->symbol;
    node->storage = AN_FUNCTION_NAME;
    node->internal = entity->internal;
    node->system = entity->system;
    node->noreturn = entity->noreturn;
    if (entity->system && strchr(entity->symbol, '#') && !is_arithmetic(walk, function))
        an_cxx_strange(walk, cursor, "the standard library of C++ is not followed");
    an_walk_want(walk, function);
    an_call_name(walk, call);
}

/* The object of a call by a member: `x` of x.f(), *this where nothing stands there. */
static void object_build(struct an_walk *walk, struct an_node *call, CXCursor callee)
{
    struct an_cursors parts = an_walk_parts(walk, callee);
    if (parts.count == 0)
        an_cxx_this_name(walk, call, callee);
    else if (an_typing(walk, walk->clang->clang_getCursorType(parts.first[0]))->type->class ==
             AN_POINTER)
        an_expression_build(walk, call, parts.first[0]);
    else
        an_cxx_bind(walk, call, parts.first[0], true);
    an_walk_release(walk, parts);
}

static bool is_name_of(struct an_walk *walk, CXCursor cursor, CXCursor function)
{
    return walk->clang->clang_equalCursors(walk->clang->clang_getCursorReferenced(cursor),
                                           function);
}

/* Effect: the arguments, and for an operator its operands: libclang shows `a + b` as a, +, b. */
static void arguments_build(struct an_walk *walk, struct an_node *call, CXCursor function,
                            const struct an_cursors *parts)
{
    bool member = is_member_function(walk, function), named = false;
    unsigned n = 0;
    for (unsigned i = 0; i < parts->count; i++) {
        CXCursor part = parts->first[i];
        bool is_callee = !named && is_name_of(walk, part, function);
        named |= is_callee;
        if (is_callee && i == 0 && member)
            object_build(walk, call, part);
        if (is_callee)
            continue;
        bool object = member && i == 0;
        an_cxx_bind(walk, call, part, object || binds(walk, function, n));
        n += !object;
    }
}

/* A constructor that copies or sets up what is as in C does nothing but that. */
static const struct an_typing *constructor_build(struct an_walk *walk, struct an_node *parent,
                                                 CXCursor cursor, const struct an_cursors *parts)
{
    CXType type = walk->clang->clang_getCursorType(cursor);
    const struct an_typing *typing = an_typing(walk, type);
    bool plain = walk->clang->clang_isPODType(type);
    if (plain && parts->count == 1)
        return an_expression_build(walk, parent, parts->first[0]);
    struct an_node *node = node_add(walk, parent, plain ? AN_LIST : AN_OTHER, cursor, typing->type);
    if (!plain)
        an_cxx_strange(walk, cursor, "a constructor is not followed");
    for (unsigned i = 0; i < parts->count; i++)
        an_expression_build(walk, node, parts->first[i]);
    return typing;
}

const struct an_typing *an_cxx_call_build(struct an_walk *walk, struct an_node *parent,
                                          CXCursor cursor)
{
    const struct an_clang *clang = walk->clang;
    CXCursor function = clang->clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = clang->clang_getCursorKind(function);
    struct an_cursors parts = an_walk_parts(walk, cursor);
    const struct an_typing *typing = an_typing(walk, clang->clang_getCursorType(cursor));
    if (kind == CXCursor_Constructor) {
        typing = constructor_build(walk, parent, cursor, &parts);
    } else {
        bool follows = an_cxx_is_reference(clang->clang_getCursorResultType(function));
        if (clang->clang_CXXMethod_isVirtual(function))
            an_cxx_strange(walk, cursor, "a virtual call is not followed");
        if (follows)
            parent = an_cxx_follow(walk, parent, cursor);
        struct an_node *call = node_add(walk, parent, AN_CALL, cursor, typing->type);
        call->by_macro = an_places_by_macro(
            walk, clang->clang_getRangeStart(clang->clang_getCursorExtent(cursor)));
        callee_name(walk, call, cursor, function);
        arguments_build(walk, call, function, &parts);
    }
    an_walk_release(walk, parts);
    return typing;
}

bool an_cxx_calls(struct an_walk *walk, CXCursor cursor)
{
    if (!walk->cxx)
        return false;
    CXCursor function = walk->clang->clang_getCursorReferenced(cursor);
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(function);
    if (an_cxx_is_method(kind))
        return true;
    return kind == CXCursor_FunctionDecl &&
           strncmp(an_entity(walk, function)->symbol, "c:@F@MPI_", 9) != 0 &&
           strncmp(an_entity(walk, function)->name, "__builtin_expect", 16) != 0;
}

/* ---- What is not C ---- */

/* Why an expression or statement of C++ is not followed, or NULL. */
static const char *why_strange(enum CXCursorKind kind)
{
    switch (kind) {
    case CXCursor_CXXThrowExpr:
    case CXCursor_CXXTryStmt:
    case CXCursor_CXXCatchStmt:
        return "an exception is not followed";
    case CXCursor_CXXNewExpr:
    case CXCursor_CXXDeleteExpr:
        return "new and delete are not followed";
    case CXCursor_LambdaExpr:
        return "a lambda is not followed";
    case CXCursor_CXXForRangeStmt:
        return "a loop over a range is not followed";
    case CXCursor_CXXDynamicCastExpr:
    case CXCursor_CXXTypeidExpr:
        return "types that are only known when the program runs are not followed";
    case CXCursor_PackExpansionExpr:
    case CXCursor_SizeOfPackExpr:
        return "a pack of arguments is not followed";
    default:
        return NULL;
    }
}

void an_cxx_look(struct an_walk *walk, CXCursor cursor)
{
    const char *why = walk->cxx ? why_strange(walk->clang->clang_getCursorKind(cursor)) : NULL;
    if (why)
        an_cxx_strange(walk, cursor, why);
}

/* Objects that are as in C have neither constructor nor destructor. */
void an_cxx_object_look(struct an_walk *walk, CXCursor variable)
{
    CXType type = walk->clang->clang_getCanonicalType(walk->clang->clang_getCursorType(variable));
    while (type.kind == CXType_ConstantArray)
        type = walk->clang->clang_getCanonicalType(walk->clang->clang_getArrayElementType(type));
    if (walk->cxx && type.kind == CXType_Record && !walk->clang->clang_isPODType(type))
        an_cxx_strange(walk, variable,
                       "an object with a constructor or destructor is not followed");
}

/* A declaration in a function that is no variable and does something: a structured binding. */
void an_cxx_declaration_look(struct an_walk *walk, CXCursor declaration)
{
    switch (walk->clang->clang_getCursorKind(declaration)) {
    case CXCursor_VarDecl:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_TypedefDecl:
    case CXCursor_TypeAliasDecl:
    case CXCursor_UsingDeclaration:
    case CXCursor_UsingDirective:
    case CXCursor_NamespaceAlias:
    case CXCursor_StaticAssert:
    case CXCursor_FunctionDecl:
        return;
    default:
        if (walk->cxx)
            an_cxx_strange(walk, declaration, "a declaration of this kind is not followed");
    }
}

bool an_cxx_declares(struct an_walk *walk, CXCursor statement)
{
    struct an_cursors children = an_walk_children(walk, statement);
    bool declares = false;
    for (unsigned i = 0; walk->cxx && i + 1 < children.count; i++) {
        enum CXCursorKind kind = walk->clang->clang_getCursorKind(children.first[i]);
        declares |= kind == CXCursor_VarDecl || kind == CXCursor_DeclStmt;
    }
    an_walk_release(walk, children);
    if (declares)
        an_cxx_strange(walk, statement, "a condition that declares something is not followed");
    return declares;
}

bool an_cxx_is_default(struct an_walk *walk, CXCursor initialiser)
{
    const struct an_clang *clang = walk->clang;
    if (!walk->cxx || clang->clang_getCursorKind(initialiser) != CXCursor_CallExpr ||
        clang->clang_getCursorKind(clang->clang_getCursorReferenced(initialiser)) !=
            CXCursor_Constructor)
        return false;
    struct an_cursors parts = an_walk_parts(walk, initialiser);
    bool nothing = parts.count == 0;
    an_walk_release(walk, parts);
    return nothing;
}
