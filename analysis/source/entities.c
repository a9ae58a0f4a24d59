/* Idea: what a reference names is looked at once per declaration, because identities (clang's USR)
 * and attributes are dear. libclang's own hash finds the declaration again.
 *
 * Locals get an identity of their own, "function@name@number": clang's would be the same for two
 * variables that one macro declares in two blocks. */
#include "analysis/source/walk.h"

#include <string.h>

/* Functions of the system that do not return although their declaration need not say so. A program
 * may have its own err, which comes back. */
static bool is_known_noreturn(const struct an_entity *entity)
{
    static const char *const names[] = {"exit",
                                        "_exit",
                                        "_Exit",
                                        "abort",
                                        "quick_exit",
                                        "longjmp",
                                        "_longjmp",
                                        "siglongjmp",
                                        "err",
                                        "errx",
                                        "verr",
                                        "verrx",
                                        "pthread_exit",
                                        "__assert_fail",
                                        "__builtin_unreachable",
                                        "__builtin_trap",
                                        "__builtin_abort",
                                        NULL};
    if (strcmp(entity->name, "MPI_Abort") == 0 || strcmp(entity->name, "PMPI_Abort") == 0)
        return true;
    for (size_t i = 0; entity->system && names[i]; i++)
        if (strcmp(entity->name, names[i]) == 0)
            return true;
    return false;
}

/* The attribute of the function itself stands behind its type; before that, it is a parameter's,
 * and behind a pointer it is that of a result. */
static bool is_noreturn_type(const char *type)
{
    static const char attribute[] = "__attribute__((noreturn))";
    size_t length = strlen(type), tail = sizeof attribute - 1;
    return length >= tail && strcmp(type + length - tail, attribute) == 0 && !strstr(type, "(*(");
}

struct attribute {
    struct an_walk *walk;
    bool noreturn;
};

/* `_Noreturn` is an attribute whose name libclang does not tell, so its text is read. */
static enum CXChildVisitResult attribute_note(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct attribute *attribute = data;
    struct an_walk *walk = attribute->walk;
    if (walk->clang->clang_getCursorKind(cursor) != CXCursor_UnexposedAttr)
        return CXChildVisit_Continue;
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    CXFile handle;
    unsigned offset;
    walk->clang->clang_getSpellingLocation(walk->clang->clang_getRangeStart(range), &handle, NULL,
                                           NULL, &offset);
    struct an_file *file = an_places_file(walk, handle);
    const char *text = an_places_text(walk, file);
    if (text && offset < file->length && file->length - offset >= 12 &&
        (strncmp(text + offset, "_Noreturn", 9) == 0 ||
         strncmp(text + offset, "noreturn", 8) == 0 ||
         strncmp(text + offset, "__noreturn__", 12) == 0))
        attribute->noreturn = true;
    return CXChildVisit_Continue;
}

static bool is_noreturn(struct an_walk *walk, CXCursor declaration, const struct an_entity *entity)
{
    if (is_known_noreturn(entity) || is_noreturn_type(entity->typing->type->name))
        return true;
    struct attribute attribute = {walk, false};
    walk->clang->clang_visitChildren(declaration, attribute_note, &attribute);
    return attribute.noreturn;
}

static const char *local_symbol(struct an_walk *walk, const char *name)
{
    const char *outer = walk->function ? walk->function->symbol : "";
    return an_unit_printf(walk->unit, "%s@%s@%u", outer, name, walk->locals++);
}

static const char *global_symbol(struct an_walk *walk, CXCursor declaration)
{
    return an_walk_string(walk, walk->clang->clang_getCursorUSR(declaration));
}

/* The value of a variable that never holds another one. */
static void variable_value(struct an_walk *walk, CXCursor declaration, struct an_entity *entity)
{
    if (!entity->typing->is_const || !entity->typing->bits)
        return;
    CXCursor initialiser = walk->clang->clang_Cursor_getVarDeclInitializer(declaration);
    CXEvalResult result = walk->clang->clang_Cursor_Evaluate(initialiser);
    if (!result)
        return;
    if (walk->clang->clang_EvalResult_getKind(result) == CXEval_Int) {
        entity->constant = true;
        entity->value =
            an_fold_convert(entity->typing, walk->clang->clang_EvalResult_getAsLongLong(result));
    }
    walk->clang->clang_EvalResult_dispose(result);
}

static void variable_open(struct an_walk *walk, CXCursor declaration, struct an_entity *entity)
{
    const struct an_clang *clang = walk->clang;
    enum CX_StorageClass class = clang->clang_Cursor_getStorageClass(declaration);
    enum CXCursorKind around =
        clang->clang_getCursorKind(clang->clang_getCursorSemanticParent(declaration));
    bool local = (around == CXCursor_FunctionDecl || (walk->cxx && an_cxx_is_method(around))) &&
                 class != CX_SC_Extern;
    if (!local)
        entity->storage = AN_GLOBAL;
    else
        entity->storage = class == CX_SC_Static ? AN_STATIC_LOCAL : AN_LOCAL_VARIABLE;
    entity->internal =
        class == CX_SC_Static || clang->clang_getCursorLinkage(declaration) == CXLinkage_Internal;
    entity->symbol = local ? local_symbol(walk, entity->name) : global_symbol(walk, declaration);
    variable_value(walk, declaration, entity);
}

static void function_open(struct an_walk *walk, CXCursor declaration, struct an_entity *entity)
{
    entity->storage = AN_FUNCTION_NAME;
    entity->symbol = global_symbol(walk, declaration);
    entity->internal = walk->clang->clang_getCursorLinkage(declaration) == CXLinkage_Internal;
    entity->noreturn = is_noreturn(walk, declaration, entity);
}

/* The type of a parameter that is declared as an array; libclang shows it as one. */
static const struct an_typing *pointer_typing(struct an_walk *walk, const struct an_typing *array)
{
    const struct an_type *below = array->type->below;
    const char *name = below->name;
    size_t before = strcspn(name, "[");
    struct an_type pointer = {.class = AN_POINTER, .below = below};
    if (name[before])
        pointer.name = an_unit_printf(walk->unit, "%.*s (*)%s", (int)before, name, name + before);
    else
        pointer.name =
            an_unit_printf(walk->unit, "%s%s*", name, before && name[before - 1] == '*' ? "" : " ");
    struct an_typing *typing = an_unit_alloc(walk->unit, sizeof *typing);
    typing->type = an_unit_type(walk->unit, pointer);
    return typing;
}

static void entity_open(struct an_walk *walk, CXCursor declaration, struct an_entity *entity)
{
    const struct an_clang *clang = walk->clang;
    entity->declaration = declaration;
    entity->name = an_walk_string(walk, clang->clang_getCursorSpelling(declaration));
    entity->typing = an_typing(walk, clang->clang_getCursorType(declaration));
    entity->system = an_places_is_system(walk, clang->clang_getCursorLocation(declaration)) ||
                     strncmp(entity->name, "__builtin_", 10) == 0;
    switch (clang->clang_getCursorKind(declaration)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
        function_open(walk, declaration, entity);
        break;
    case CXCursor_VarDecl:
        variable_open(walk, declaration, entity);
        break;
    case CXCursor_ParmDecl:
        if (entity->typing->type->class == AN_ARRAY)
            entity->typing = pointer_typing(walk, entity->typing);
        entity->storage = AN_PARAMETER_VARIABLE;
        entity->symbol = local_symbol(walk, entity->name);
        break;
    case CXCursor_EnumConstantDecl:
        entity->symbol = global_symbol(walk, declaration);
        entity->constant = true;
        entity->value = clang->clang_getEnumConstantDeclValue(declaration);
        break;
    default:
        entity->symbol = global_symbol(walk, declaration);
        break;
    }
}

struct an_entity *an_entity(struct an_walk *walk, CXCursor declaration)
{
    unsigned hash = walk->clang->clang_hashCursor(declaration);
    struct an_entity *first, *entity;
    HASH_FIND(hh, walk->entities, &hash, sizeof hash, first);
    for (entity = first; entity; entity = entity->twin)
        if (walk->clang->clang_equalCursors(entity->declaration, declaration))
            return entity;
    entity = an_unit_alloc(walk->unit, sizeof *entity);
    entity->hash = hash;
    if (first) {
        entity->twin = first->twin;
        first->twin = entity;
    } else {
        HASH_ADD(hh, walk->entities, hash, sizeof entity->hash, entity);
    }
    entity_open(walk, declaration, entity);
    return entity;
}
