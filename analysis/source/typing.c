/* Idea: libclang's types are pointers to what clang has interned, so each is looked at once. The
 * class of MPI's handles, which are all `int`, is in the names of the typedefs on the way down. */
#include "analysis/source/walk.h"

#include <string.h>

static enum an_class handle_class(const char *name)
{
    static const struct {
        const char *name;
        enum an_class class;
    } handles[] = {
        {"MPI_Comm", AN_COMM},       {"MPI_Request", AN_REQUEST},   {"MPI_Status", AN_STATUS},
        {"MPI_Message", AN_MESSAGE}, {"MPI_Datatype", AN_DATATYPE},
    };
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (strcmp(name, handles[i].name) == 0)
            return handles[i].class;
    return AN_UNKNOWN_CLASS;
}

enum an_class an_typing_class(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Void:
        return AN_VOID;
    case CXType_Enum:
        return AN_INTEGER;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Float128:
    case CXType_Half:
    case CXType_Float16:
    case CXType_Complex:
    case CXType_Vector:
    case CXType_ExtVector:
        return AN_FLOATING;
    case CXType_Pointer:
    case CXType_BlockPointer:
    case CXType_LValueReference:
    case CXType_RValueReference:
        return AN_POINTER;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
    case CXType_DependentSizedArray:
        return AN_ARRAY;
    case CXType_Record:
        return AN_RECORD;
    case CXType_FunctionNoProto:
    case CXType_FunctionProto:
        return AN_FUNCTION_TYPE;
    default:
        return kind >= CXType_Bool && kind <= CXType_Int128 ? AN_INTEGER : AN_UNKNOWN_CLASS;
    }
}

static bool kind_is_unsigned(enum CXTypeKind kind)
{
    return kind == CXType_Bool || (kind >= CXType_Char_U && kind <= CXType_UInt128);
}

/* Steps through typedefs; the handle class of the first one that is MPI's. */
static enum an_class typedefs_open(struct an_walk *walk, CXType *type)
{
    const struct an_clang *clang = walk->clang;
    for (;;) {
        CXCursor declaration = clang->clang_getTypeDeclaration(*type);
        if (clang->clang_getCursorKind(declaration) != CXCursor_TypedefDecl)
            return AN_UNKNOWN_CLASS;
        CXString name = clang->clang_getCursorSpelling(declaration);
        enum an_class class = handle_class(clang->clang_getCString(name));
        clang->clang_disposeString(name);
        if (class != AN_UNKNOWN_CLASS)
            return class;
        *type = clang->clang_getTypedefDeclUnderlyingType(declaration);
    }
}

/* The type below a pointer or array; through sugar as far as it goes, for the typedefs' names. */
static CXType type_below(struct an_walk *walk, CXType type, CXType canonical, enum an_class class)
{
    const struct an_clang *clang = walk->clang;
    CXType below = class == AN_POINTER ? clang->clang_getPointeeType(type)
                                       : clang->clang_getArrayElementType(type);
    if (below.kind != CXType_Invalid)
        return below;
    return class == AN_POINTER ? clang->clang_getPointeeType(canonical)
                               : clang->clang_getArrayElementType(canonical);
}

static void integer_measure(struct an_walk *walk, CXType canonical, struct an_typing *typing)
{
    CXType integer = canonical;
    if (canonical.kind == CXType_Enum)
        integer = walk->clang->clang_getCanonicalType(walk->clang->clang_getEnumDeclIntegerType(
            walk->clang->clang_getTypeDeclaration(canonical)));
    long long size = walk->clang->clang_Type_getSizeOf(integer);
    if (size < 1 || size > 8)
        return;
    typing->bits = integer.kind == CXType_Bool ? 1 : (unsigned)size * 8;
    typing->is_unsigned = kind_is_unsigned(integer.kind);
}

static void type_open(struct an_walk *walk, CXType type, struct an_typing *typing)
{
    const struct an_clang *clang = walk->clang;
    CXType canonical = clang->clang_getCanonicalType(type);
    struct an_type made = {.name = an_walk_string(walk, clang->clang_getTypeSpelling(canonical))};
    enum an_class below = an_typing_class(canonical.kind);
    typing->is_const = clang->clang_isConstQualifiedType(canonical) &&
                       !clang->clang_isVolatileQualifiedType(canonical);
    made.class = typedefs_open(walk, &type);
    if (made.class == AN_UNKNOWN_CLASS)
        made.class = below;
    if (below == AN_INTEGER)
        integer_measure(walk, canonical, typing);
    if (made.class == AN_POINTER || made.class == AN_ARRAY)
        made.below = an_typing(walk, type_below(walk, type, canonical, made.class))->type;
    if (made.class == AN_RECORD)
        made.layout = an_record_layout(walk, canonical);
    typing->type = an_unit_type(walk->unit, made);
}

const struct an_typing *an_typing(struct an_walk *walk, CXType type)
{
    const void *key[2] = {type.data[0], type.data[1]};
    struct an_typing *typing;
    HASH_FIND(hh, walk->typings, key, sizeof key, typing);
    if (typing)
        return typing;
    typing = an_unit_alloc(walk->unit, sizeof *typing);
    memcpy(typing->key, key, sizeof key);
    type_open(walk, type, typing);
    HASH_ADD(hh, walk->typings, key, sizeof key, typing);
    return typing;
}
