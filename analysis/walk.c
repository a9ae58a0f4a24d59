/* Idea: one pass over the syntax tree turns each function body into a tree of sequences, branches,
 * loops and calls, and notes the sites on the way; everything after it works on plain data.
 *
 * Places are those of the expansion: clang_Location_isFromMainFile is 0 for calls that a macro
 * makes, and would hide them. A place is editable when its spelling is the same place, so that no
 * macro made it. */
#include "analysis/walk.h"
#include "analysis/calls.h"

#include <string.h>
#include <utlist.h>

struct walk {
    const struct an_clang *clang;
    struct an_facts *facts;
    CXTranslationUnit unit;
    CXFile main_file;
    struct an_function *function; /* whose body is being built, or NULL */
    struct an_node *parent;       /* that the next node goes into */
    struct an_word **names;       /* collects the variables that are named, or NULL */
};

static void cursor_build(struct walk *walk, CXCursor cursor);

/* ---- Clang's strings, places, children ---- */

static const char *string_keep(struct walk *walk, CXString string)
{
    const char *text = walk->clang->clang_getCString(string);
    const char *copy = an_facts_string(walk->facts, text ? text : "");
    walk->clang->clang_disposeString(string);
    return copy;
}

struct an_place an_walk_place(const struct an_clang *clang, CXFile main_file,
                              CXSourceLocation location, struct an_facts *facts)
{
    CXFile file, spelled;
    unsigned line, column, offset, spelled_offset;
    clang->clang_getExpansionLocation(location, &file, &line, &column, &offset);
    clang->clang_getSpellingLocation(location, &spelled, NULL, NULL, &spelled_offset);
    struct an_place place = {.file = "", .line = line, .column = column, .offset = offset};
    if (!file)
        return place;
    if (main_file && clang->clang_File_isEqual(file, main_file)) {
        place.file = facts->path;
        place.editable =
            spelled && clang->clang_File_isEqual(spelled, main_file) && offset == spelled_offset;
        return place;
    }
    CXString name = clang->clang_getFileName(file);
    place.file = an_facts_string(facts, clang->clang_getCString(name));
    clang->clang_disposeString(name);
    return place;
}

static struct an_place place_of(struct walk *walk, CXSourceLocation location)
{
    return an_walk_place(walk->clang, walk->main_file, location, walk->facts);
}

static struct an_place start_of(struct walk *walk, CXCursor cursor)
{
    return place_of(walk,
                    walk->clang->clang_getRangeStart(walk->clang->clang_getCursorExtent(cursor)));
}

static struct an_place end_of(struct walk *walk, CXCursor cursor)
{
    return place_of(walk,
                    walk->clang->clang_getRangeEnd(walk->clang->clang_getCursorExtent(cursor)));
}

enum { CHILDREN = 5 }; /* more than any control statement of C has */

struct children {
    CXCursor cursors[CHILDREN]; /* the first ones */
    unsigned count;             /* of all */
};

static enum CXChildVisitResult child_note(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct children *children = data;
    if (children->count < CHILDREN)
        children->cursors[children->count] = cursor;
    children->count++;
    return CXChildVisit_Continue;
}

static struct children children_of(struct walk *walk, CXCursor cursor)
{
    struct children children = {.count = 0};
    walk->clang->clang_visitChildren(cursor, child_note, &children);
    return children;
}

static enum CXChildVisitResult child_build(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    cursor_build(data, cursor);
    return CXChildVisit_Continue;
}

static void children_build(struct walk *walk, CXCursor cursor)
{
    walk->clang->clang_visitChildren(cursor, child_build, walk);
}

static struct an_node *node_add(struct walk *walk, enum an_node_kind kind, CXCursor cursor)
{
    struct an_node *node = an_facts_alloc(walk->facts, sizeof *node);
    node->kind = kind;
    node->place = start_of(walk, cursor);
    if (walk->parent)
        LL_APPEND(walk->parent->children, node);
    return node;
}

/* Builds `cursor` as a child of `parent`. */
static void build_under(struct walk *walk, struct an_node *parent, CXCursor cursor)
{
    struct an_node *outer = walk->parent;
    walk->parent = parent;
    cursor_build(walk, cursor);
    walk->parent = outer;
}

/* ---- Values: which arguments are wildcards ---- */

/* The wildcards' values, the same in every MPICH: MPI_ANY_SOURCE and MPI_ANY_TAG. */
enum { ANY_SOURCE = -2, ANY_TAG = -1 };

static bool evaluates_to(struct walk *walk, CXCursor cursor, int expected)
{
    CXEvalResult result = walk->clang->clang_Cursor_Evaluate(cursor);
    if (!result)
        return false;
    bool is_int = walk->clang->clang_EvalResult_getKind(result) == CXEval_Int;
    int value = is_int ? walk->clang->clang_EvalResult_getAsInt(result) : 0;
    walk->clang->clang_EvalResult_dispose(result);
    return is_int && value == expected;
}

/* A wildcard that is written out is a negation, a constant, or these in parentheses or a macro. */
static bool may_be_wildcard(struct walk *walk, CXCursor cursor, int wildcard)
{
    switch (walk->clang->clang_getCursorKind(cursor)) {
    case CXCursor_UnaryOperator:
    case CXCursor_ParenExpr:
    case CXCursor_DeclRefExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
        return evaluates_to(walk, cursor, wildcard);
    case CXCursor_ConditionalOperator: {
        struct children parts = children_of(walk, cursor);
        return parts.count == 3 && (may_be_wildcard(walk, parts.cursors[1], wildcard) ||
                                    may_be_wildcard(walk, parts.cursors[2], wildcard));
    }
    default:
        return false;
    }
}

/* Notes that `variable` may hold a wildcard, when `value` is one. */
static void assignment_note(struct walk *walk, CXCursor variable, CXCursor value)
{
    bool source = may_be_wildcard(walk, value, ANY_SOURCE);
    bool tag = may_be_wildcard(walk, value, ANY_TAG);
    if (!source && !tag)
        return;
    const char *identity = string_keep(walk, walk->clang->clang_getCursorUSR(variable));
    if (source)
        an_facts_word_add(walk->facts, &walk->facts->sources, identity);
    if (tag)
        an_facts_word_add(walk->facts, &walk->facts->tags, identity);
}

/* Steps through parentheses, casts and conversions. */
static CXCursor expression_inner(struct walk *walk, CXCursor cursor)
{
    for (;;) {
        enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
        struct children parts = children_of(walk, cursor);
        if ((kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr &&
             kind != CXCursor_CStyleCastExpr) ||
            parts.count == 0 || parts.count > 2)
            return cursor;
        cursor = parts.cursors[parts.count - 1];
    }
}

struct argument {
    enum an_wild wild;
    const char *variable; /* that it names, or NULL */
    bool open;            /* a parameter of a function that other files can call */
};

static struct argument variable_judge(struct walk *walk, CXCursor expression)
{
    struct argument argument = {AN_WILD_NO, NULL, false};
    CXCursor variable = walk->clang->clang_getCursorReferenced(expression);
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(variable);
    if (kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl && kind != CXCursor_FieldDecl)
        return argument;
    argument.variable = string_keep(walk, walk->clang->clang_getCursorUSR(variable));
    argument.open = kind == CXCursor_ParmDecl && walk->function && !walk->function->internal;
    return argument;
}

static struct argument argument_judge(struct walk *walk, CXCursor call, int number, int wildcard)
{
    struct argument argument = {AN_WILD_NO, NULL, false};
    if (number < 0 || number >= walk->clang->clang_Cursor_getNumArguments(call))
        return argument;
    CXCursor cursor = walk->clang->clang_Cursor_getArgument(call, (unsigned)number);
    if (evaluates_to(walk, cursor, wildcard)) {
        argument.wild = AN_WILD_YES;
        return argument;
    }
    cursor = expression_inner(walk, cursor);
    if (walk->clang->clang_getCursorKind(cursor) == CXCursor_ConditionalOperator) {
        struct children parts = children_of(walk, cursor);
        for (unsigned i = 1; i < parts.count && i < CHILDREN; i++)
            if (evaluates_to(walk, parts.cursors[i], wildcard))
                argument.wild = AN_WILD_MAYBE;
        return argument;
    }
    return variable_judge(walk, cursor);
}

/* ---- Calls ---- */

static bool is_site(const struct an_site *site)
{
    switch (site->role) {
    case AN_POLL:
    case AN_PROBE:
    case AN_TEST:
    case AN_CHOICE:
        return true;
    case AN_RECEIVE:
    case AN_EXCHANGE:
        return site->source != AN_WILD_NO || site->tag != AN_WILD_NO || site->source_variable ||
               site->tag_variable;
    default:
        return false;
    }
}

static void site_note(struct walk *walk, CXCursor cursor, const struct an_node *node,
                      const struct an_call *call)
{
    struct an_site site = {.place = node->place, .call = node->name, .role = call->role};
    struct argument source = argument_judge(walk, cursor, call->source, ANY_SOURCE);
    struct argument tag = argument_judge(walk, cursor, call->tag, ANY_TAG);
    site.function = walk->function ? walk->function->name : "";
    site.source = source.wild;
    site.source_variable = source.variable;
    site.source_open = source.open;
    site.tag = tag.wild;
    site.tag_variable = tag.variable;
    site.tag_open = tag.open;
    site.reason = "not judged yet";
    if (!is_site(&site))
        return;
    struct an_site *copy = an_facts_alloc(walk->facts, sizeof *copy);
    *copy = site;
    LL_APPEND(walk->facts->sites, copy);
}

static enum CXChildVisitResult name_collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct walk *walk = data;
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
    if (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr) {
        CXCursor variable = walk->clang->clang_getCursorReferenced(cursor);
        const char *identity = string_keep(walk, walk->clang->clang_getCursorUSR(variable));
        an_facts_word_add(walk->facts, walk->names, identity);
    }
    return CXChildVisit_Recurse;
}

/* Adds the variables that `cursor` names to `list`. */
static void names_collect(struct walk *walk, CXCursor cursor, struct an_word **list)
{
    walk->names = list;
    name_collect(cursor, cursor, walk);
    walk->clang->clang_visitChildren(cursor, name_collect, walk);
}

/* A wildcard that is passed to a function of this unit makes the parameter one that may hold it. */
static void parameters_note(struct walk *walk, CXCursor call, CXCursor callee)
{
    int count = walk->clang->clang_Cursor_getNumArguments(call);
    int parameters = walk->clang->clang_Cursor_getNumArguments(callee);
    for (int i = 0; i < count && i < parameters; i++)
        assignment_note(walk, walk->clang->clang_Cursor_getArgument(callee, (unsigned)i),
                        walk->clang->clang_Cursor_getArgument(call, (unsigned)i));
}

static void call_note(struct walk *walk, CXCursor cursor, CXCursor callee, struct an_node *node)
{
    node->name = string_keep(walk, walk->clang->clang_getCursorSpelling(callee));
    const struct an_call *call = an_call_find(node->name);
    if (strcmp(node->name, "ft_hook") == 0)
        walk->facts->hooked_by_hand = true;
    if (!call) {
        CXSourceLocation location = walk->clang->clang_getCursorLocation(callee);
        node->foreign = !walk->clang->clang_Location_isInSystemHeader(location);
        parameters_note(walk, cursor, callee);
        return;
    }
    node->role = call->role;
    site_note(walk, cursor, node, call);
    if (strcmp(call->name, "Comm_size") == 0 &&
        walk->clang->clang_Cursor_getNumArguments(cursor) == 2)
        names_collect(walk, walk->clang->clang_Cursor_getArgument(cursor, 1), &walk->facts->sizes);
}

static void call_build(struct walk *walk, CXCursor cursor)
{
    children_build(walk, cursor);
    CXCursor callee = walk->clang->clang_getCursorReferenced(cursor);
    if (walk->clang->clang_getCursorKind(callee) == CXCursor_FunctionDecl)
        call_note(walk, cursor, callee, node_add(walk, AN_CALL, cursor));
}

/* ---- Statements ---- */

static void if_build(struct walk *walk, CXCursor cursor)
{
    struct children parts = children_of(walk, cursor);
    if (parts.count > 0)
        cursor_build(walk, parts.cursors[0]);
    struct an_node *branches = node_add(walk, AN_BRANCHES, cursor);
    for (unsigned i = 1; i < parts.count && i < CHILDREN; i++) {
        struct an_node *outer = walk->parent;
        walk->parent = branches;
        struct an_node *branch = node_add(walk, AN_SEQUENCE, parts.cursors[i]);
        walk->parent = outer;
        build_under(walk, branch, parts.cursors[i]);
    }
}

/* The statements of a switch: each label begins a branch. `parent` is the node of the branches. */
static enum CXChildVisitResult case_build(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct walk *walk = data;
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
    struct an_node *branches = walk->parent;
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt || !branches->children)
        node_add(walk, AN_SEQUENCE, cursor);
    struct an_node *branch = branches->children;
    while (branch->next)
        branch = branch->next;
    build_under(walk, branch, cursor);
    return CXChildVisit_Continue;
}

static void switch_build(struct walk *walk, CXCursor cursor)
{
    struct children parts = children_of(walk, cursor);
    if (parts.count < 2)
        return;
    cursor_build(walk, parts.cursors[0]);
    struct an_node *outer = walk->parent;
    walk->parent = node_add(walk, AN_BRANCHES, cursor);
    walk->clang->clang_visitChildren(parts.cursors[parts.count - 1], case_build, walk);
    walk->parent = outer;
}

struct leading {
    struct walk *walk;
    struct an_place end; /* behind the last leading declaration; no file when there is none */
};

static enum CXChildVisitResult leading_note(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct leading *leading = data;
    if (leading->walk->clang->clang_getCursorKind(cursor) != CXCursor_DeclStmt)
        return CXChildVisit_Break;
    leading->end = end_of(leading->walk, cursor);
    return CXChildVisit_Continue;
}

/* Where a loop's body begins. Behind the declarations that open a block, so that the block stays
 * valid C90 and -Wdeclaration-after-statement stays silent. */
static void loop_top_find(struct walk *walk, CXCursor body, struct an_node *loop)
{
    loop->braced = walk->clang->clang_getCursorKind(body) == CXCursor_CompoundStmt;
    loop->top = start_of(walk, body);
    struct an_place end = end_of(walk, body);
    loop->top.editable = loop->top.editable && end.editable;
    loop->body_end = end.offset;
    if (!loop->braced)
        return;
    loop->top.offset++;
    loop->top.column++;
    struct leading leading = {.walk = walk};
    walk->clang->clang_visitChildren(body, leading_note, &leading);
    if (leading.end.file && leading.end.editable)
        loop->top = leading.end;
}

/* `do { ... } while (0)` is no loop. */
static bool runs_once(struct walk *walk, enum CXCursorKind kind, const struct children *parts)
{
    return kind == CXCursor_DoStmt && parts->count == 2 && evaluates_to(walk, parts->cursors[1], 0);
}

static void loop_build(struct walk *walk, CXCursor cursor)
{
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
    struct children parts = children_of(walk, cursor);
    if (parts.count == 0 || parts.count > CHILDREN || runs_once(walk, kind, &parts)) {
        children_build(walk, cursor);
        return;
    }
    /* A `for` lacks the children that its header lacks, but the body is always the last. */
    unsigned body = kind == CXCursor_DoStmt ? 0 : parts.count - 1;
    struct an_node *loop = node_add(walk, AN_LOOP, cursor);
    loop_top_find(walk, parts.cursors[body], loop);
    for (unsigned i = 0; i < parts.count; i++) {
        build_under(walk, loop, parts.cursors[i]);
        if (i != body)
            names_collect(walk, parts.cursors[i], &loop->variables);
    }
}

static void variable_build(struct walk *walk, CXCursor cursor)
{
    struct children parts = children_of(walk, cursor);
    if (parts.count > 0 && parts.count <= CHILDREN)
        assignment_note(walk, cursor, parts.cursors[parts.count - 1]);
    children_build(walk, cursor);
}

static void assignment_build(struct walk *walk, CXCursor cursor)
{
    struct children parts = children_of(walk, cursor);
    if (parts.count == 2 &&
        walk->clang->clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign)
        assignment_note(
            walk, walk->clang->clang_getCursorReferenced(expression_inner(walk, parts.cursors[0])),
            parts.cursors[1]);
    children_build(walk, cursor);
}

static void parallel_build(struct walk *walk, CXCursor cursor)
{
    struct an_node *outer = walk->parent;
    walk->parent = node_add(walk, AN_PARALLEL, cursor);
    children_build(walk, cursor);
    walk->parent = outer;
}

static void cursor_build(struct walk *walk, CXCursor cursor)
{
    enum CXCursorKind kind = walk->clang->clang_getCursorKind(cursor);
    if (CXCursor_OMPParallelDirective <= kind && kind <= CXCursor_LastStmt) {
        parallel_build(walk, cursor);
        return;
    }
    switch (kind) {
    case CXCursor_IfStmt:
        if_build(walk, cursor);
        break;
    case CXCursor_SwitchStmt:
        switch_build(walk, cursor);
        break;
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        loop_build(walk, cursor);
        break;
    case CXCursor_CallExpr:
        call_build(walk, cursor);
        break;
    case CXCursor_VarDecl:
        variable_build(walk, cursor);
        break;
    case CXCursor_BinaryOperator:
        assignment_build(walk, cursor);
        break;
    default:
        children_build(walk, cursor);
        break;
    }
}

/* ---- The file ---- */

static void function_build(struct walk *walk, CXCursor cursor)
{
    struct an_function *function = an_facts_alloc(walk->facts, sizeof *function);
    function->name = string_keep(walk, walk->clang->clang_getCursorSpelling(cursor));
    function->place = place_of(walk, walk->clang->clang_getCursorLocation(cursor));
    function->internal = walk->clang->clang_Cursor_getStorageClass(cursor) == CX_SC_Static;
    LL_APPEND(walk->facts->functions, function);
    walk->function = function;
    walk->parent = NULL;
    function->body = node_add(walk, AN_SEQUENCE, cursor);
    walk->parent = function->body;
    children_build(walk, cursor);
    walk->function = NULL;
    walk->parent = NULL;
}

static enum CXChildVisitResult declaration_visit(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    (void)parent;
    struct walk *walk = data;
    const struct an_clang *clang = walk->clang;
    if (clang->clang_Location_isInSystemHeader(clang->clang_getCursorLocation(cursor)))
        return CXChildVisit_Continue;
    enum CXCursorKind kind = clang->clang_getCursorKind(cursor);
    if (CXCursor_FirstPreprocessing <= kind && kind <= CXCursor_LastPreprocessing)
        return CXChildVisit_Continue;
    struct an_place start = start_of(walk, cursor);
    if (start.file == walk->facts->path && start.offset < walk->facts->first_declaration)
        walk->facts->first_declaration = start.offset;
    if (kind == CXCursor_FunctionDecl && clang->clang_isCursorDefinition(cursor))
        function_build(walk, cursor);
    else if (kind == CXCursor_VarDecl)
        variable_build(walk, cursor);
    return CXChildVisit_Continue;
}

/* Binds each call to its definition in this unit. */
static void calls_bind(struct an_facts *facts, const struct an_function *caller,
                       struct an_node *node)
{
    if (node->kind == AN_CALL)
        node->callee = an_facts_function(facts, node->name);
    if (node->callee) {
        node->foreign = false;
        node->callee->called |= node->callee != caller;
    }
    struct an_node *child;
    LL_FOREACH (node->children, child)
        calls_bind(facts, caller, child);
}

static enum an_wild wild_resolve(const struct an_word *holders, enum an_wild wild,
                                 const char *variable, bool open)
{
    if (wild != AN_WILD_NO || !variable)
        return wild;
    return open || an_words_contain(holders, variable) ? AN_WILD_MAYBE : AN_WILD_NO;
}

/* Now that all assignments are known, the variables are judged, and named receives dropped. */
static void sites_resolve(struct an_facts *facts)
{
    struct an_site *site, *later;
    LL_FOREACH_SAFE (facts->sites, site, later) {
        site->source =
            wild_resolve(facts->sources, site->source, site->source_variable, site->source_open);
        site->tag = wild_resolve(facts->tags, site->tag, site->tag_variable, site->tag_open);
        bool named = site->source == AN_WILD_NO && site->tag == AN_WILD_NO;
        if (named && (site->role == AN_RECEIVE || site->role == AN_EXCHANGE))
            LL_DELETE(facts->sites, site);
    }
}

static void gaps_note(struct walk *walk)
{
    CXSourceRangeList *ranges = walk->clang->clang_getSkippedRanges(walk->unit, walk->main_file);
    for (unsigned i = 0; ranges && i < ranges->count; i++) {
        struct an_gap *gap = an_facts_alloc(walk->facts, sizeof *gap);
        gap->first = place_of(walk, walk->clang->clang_getRangeStart(ranges->ranges[i])).line;
        gap->last = place_of(walk, walk->clang->clang_getRangeEnd(ranges->ranges[i])).line;
        LL_APPEND(walk->facts->gaps, gap);
    }
    if (ranges)
        walk->clang->clang_disposeSourceRangeList(ranges);
}

void an_walk(const struct an_clang *clang, CXTranslationUnit unit, struct an_facts *facts)
{
    struct walk walk = {.clang = clang, .facts = facts, .unit = unit};
    walk.main_file = clang->clang_getFile(unit, facts->path);
    facts->first_declaration = (size_t)-1;
    clang->clang_visitChildren(clang->clang_getTranslationUnitCursor(unit), declaration_visit,
                               &walk);
    struct an_function *function;
    LL_FOREACH (facts->functions, function)
        calls_bind(facts, function, function->body);
    sites_resolve(facts);
    gaps_note(&walk);
}
