/* walk: from clang's syntax tree to the tree of tree.h. Private to this folder.
 *
 * walk.c visits the declarations of a file; statements.c, expressions.c and calls.c build nodes;
 * entities.c knows what references name; typing.c knows types, layouts.c records, extents.c
 * computed lengths of arrays; cleanups.c what is called at the end of a scope; fold.c computes
 * integer constants; places.c knows files and positions.
 *
 * Thread rule: one thread per walk. */
#ifndef AN_WALK_H
#define AN_WALK_H

#include "analysis/source/clang.h"
#include "analysis/tree/tree.h"

#include <obstack.h>
#include <uthash.h>

/* Where a statement begins that a directive of OpenMP concerns. */
struct an_start {
    unsigned offset;
    bool taken;                /* it has its node */
    struct an_place directive; /* the sharp sign */
    struct an_start *next;
};

/* A file that takes part in the compilation. */
struct an_file {
    CXFile handle;
    const char *name; /* as the compiler spells it; the unit's */
    const char *text; /* NULL until asked for; clang's */
    size_t length;
    bool own;                /* the main file, or a header beside or below it */
    bool system;             /* a system header, or MPI's */
    bool asked;              /* for its text */
    bool scanned;            /* for directives of OpenMP */
    struct an_start *starts; /* of the statements that they concern */
    struct an_file *next;
};

/* A type with what folding needs. */
struct an_typing {
    const void *key[2]; /* clang's identity of the type */
    const struct an_type *type;
    unsigned bits; /* of an integer, or 0 */
    bool is_unsigned;
    bool is_const; /* and not volatile */
    UT_hash_handle hh;
};

/* A declaration that is referred to. */
struct an_entity {
    unsigned hash;
    CXCursor declaration;
    const char *name, *symbol;
    const struct an_typing *typing;
    enum an_storage storage; /* AN_NO_STORAGE: an enumerator or a field */
    bool internal, system, noreturn;
    bool constant; /* always holds `value` */
    int64_t value;
    struct an_entity *twin; /* the next one with the same hash */
    UT_hash_handle hh;
};

/* A function with a body. */
struct an_definition {
    CXCursor cursor;
    unsigned hash; /* of the cursor */
    bool wanted;
    bool instance; /* of a template */
    struct an_node *node;
    struct an_definition *twin, *next, *next_wanted;
    UT_hash_handle hh;
};

/* A variable that is cleaned up when it goes out of scope. */
struct an_cleanup {
    const struct an_node *variable;
    const struct an_entity *function; /* NULL: not found */
    const struct an_cleanup *outer;
};

struct an_walk {
    const struct an_clang *clang;
    struct an_unit *unit;
    CXTranslationUnit tu;
    CXFile main_file;
    struct an_file *files, *last_file;
    struct an_typing *typings;
    struct an_entity *entities;
    struct an_definition *definitions, **definitions_end, *definitions_by_hash;
    struct an_definition *wanted, **wanted_end;      /* of those, to be built */
    struct an_node *function;                        /* that is being built, or NULL */
    unsigned locals;                                 /* declared in it so far */
    const struct an_cleanup *cleanups;               /* that are in scope, the innermost first */
    const struct an_cleanup *at_break, *at_continue; /* what is still in scope behind them */
    bool cxx;                                        /* the file is C++ */
    bool gives_reference;                            /* the function that is being built does */
    bool openmp;                                     /* its directives count */
    struct an_node *last_named;                      /* by a macro */
    unsigned choices;                                /* around the call that is being built */
    unsigned depth;                                  /* of the node that is being built */
    struct obstack scratch;                          /* cursors of children */
};

/* ---- walk.c ---- */

/* How a file is read. */
struct an_reading {
    bool openmp; /* its directives count */
    bool cxx;    /* it is C++ */
};

/* Effect: fills the unit from a translation unit without errors. */
void an_walk(const struct an_clang *clang, CXTranslationUnit tu, struct an_unit *unit,
             struct an_reading reading);
/* The cursors of `cursor`'s children; freed by an_walk_release(first). */
struct an_cursors {
    CXCursor *first;
    unsigned count;
};
struct an_cursors an_walk_children(struct an_walk *walk, CXCursor cursor);
/* The same without references, attributes and declarations: statements and expressions only. */
struct an_cursors an_walk_parts(struct an_walk *walk, CXCursor cursor);
void an_walk_release(struct an_walk *walk, struct an_cursors cursors);
/* Effect: a string of clang becomes one of the unit. */
const char *an_walk_string(struct an_walk *walk, CXString string);
/* Effect: one level deeper; false when that is too deep, which becomes the unit's problem. After
 * true the caller takes one from walk->depth in the end. */
bool an_walk_enter(struct an_walk *walk, struct an_node *parent);
/* Effect: a function that is named will be built, should it be one of a header. */
void an_walk_want(struct an_walk *walk, CXCursor function);

/* ---- places.c ---- */

struct an_file *an_places_file(struct an_walk *walk, CXFile handle);
/* The file's text, or NULL. */
const char *an_places_text(struct an_walk *walk, struct an_file *file);
/* Effect: sets place, end and editable; an expression that is all of a macro without arguments gets
 * its name. */
void an_places_set(struct an_walk *walk, struct an_node *node, CXCursor cursor);
struct an_place an_places_at(struct an_walk *walk, CXSourceLocation location);
/* The text of the number that is spelled at `location`, or NULL. */
const char *an_places_number(struct an_walk *walk, CXSourceLocation location);
/* Whether what begins at `location` was written by a macro's body. */
bool an_places_by_macro(struct an_walk *walk, CXSourceLocation location);
bool an_places_is_system(struct an_walk *walk, CXSourceLocation location);

/* ---- pragmas.c ---- */

/* The first directive of OpenMP that concerns the statement that begins at `location`, or NULL;
 * once. */
const struct an_start *an_pragmas_take(struct an_walk *walk, CXSourceLocation location);

/* ---- macros.c ---- */

/* Effect: gives an expression that begins at `start`, in the use of a macro in `file`, the macro's
 * name when it is all of that use. */
void an_macros_name(struct an_walk *walk, struct an_node *node, struct an_file *file,
                    CXSourceLocation start);

/* ---- typing.c, layouts.c, entities.c, fold.c ---- */

const struct an_typing *an_typing(struct an_walk *walk, CXType type);
/* The layout of a record, or NULL when it is not known. */
const struct an_layout *an_record_layout(struct an_walk *walk, CXType record);
/* The class of a type, by its kind alone. */
enum an_class an_typing_class(enum CXTypeKind kind);
struct an_entity *an_entity(struct an_walk *walk, CXCursor declaration);
/* Effect: `node`, whose children are complete, becomes a constant when they are. */
void an_fold(const struct an_typing *typing, struct an_node *node,
             const struct an_typing *const *operands);
int64_t an_fold_convert(const struct an_typing *typing, int64_t value);

/* ---- extents.c ---- */

/* Effect: what the lengths of arrays do that a DeclStmt declares becomes statements of `block`. */
void an_extents_build(struct an_walk *walk, struct an_node *block, CXCursor statement);
/* Does the length call or change something? */
bool an_extents_act(struct an_walk *walk, CXCursor length);
/* Effect: adds the lengths that the size of a sizeof's operand is computed from, if any, to the
 * children of `parent`. */
void an_extents_name(struct an_walk *walk, struct an_node *parent, CXCursor operand);

/* ---- cleanups.c ---- */

/* Effect: notes that a variable is in scope which is cleaned up, if it is one. */
void an_cleanups_note(struct an_walk *walk, struct an_node *variable, CXCursor cursor);
/* Whether a DeclStmt declares such a variable. */
bool an_cleanups_any(struct an_walk *walk, CXCursor statement);
/* Effect: calls of those in scope up to `outer` are added to the block. */
void an_cleanups_run(struct an_walk *walk, struct an_node *block, const struct an_cleanup *outer,
                     struct an_place place);
/* Effect: the same of those that a jump to `label` leaves; all, when it is not known. */
void an_cleanups_leave(struct an_walk *walk, struct an_node *block, struct an_place label);
/* Effect: a value is computed in the block. Returns the variable that has it; NULL for void. */
struct an_node *an_cleanups_keep(struct an_walk *walk, struct an_node *block, CXCursor value);
/* Effect: what was kept becomes a child of `parent`. */
void an_cleanups_give(struct an_walk *walk, struct an_node *parent, const struct an_node *kept);

/* ---- header.c ---- */

/* The parts of a `for`'s header. */
enum { AN_HEADER_INIT, AN_HEADER_CONDITION, AN_HEADER_STEP, AN_HEADER_PARTS };

/* Effect: sets those of `header` that are there. `parts`: the children of the loop, its body the
 * last of them. */
void an_header_sort(struct an_walk *walk, CXCursor loop, const struct an_cursors *parts,
                    const CXCursor *header[AN_HEADER_PARTS]);

/* ---- comments.c ---- */

/* Effect: adds the words of the user's files and the gaps of the main file, and its digest. */
void an_comments_read(struct an_walk *walk, struct an_file *main_file);

/* ---- statements.c, expressions.c ---- */

void an_statement_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor);
struct an_node *an_variable_build(struct an_walk *walk, struct an_node *parent, CXCursor cursor);
const struct an_typing *an_expression_build(struct an_walk *walk, struct an_node *parent,
                                            CXCursor cursor);
struct an_node *an_walk_empty(struct an_walk *walk, struct an_node *parent);

/* ---- cxx.c: nothing of it happens in a file of C ---- */

/* Effect: the unit holds something that is not followed; the first one is kept. */
void an_cxx_strange(struct an_walk *walk, CXCursor cursor, const char *what);
/* May declarations stand in it? */
bool an_cxx_is_scope(enum CXCursorKind kind);
bool an_cxx_is_method(enum CXCursorKind kind);
bool an_cxx_is_reference(CXType type);
/* Is it declared as a reference, so that its name stands for what it points to? */
bool an_cxx_names_object(struct an_walk *walk, CXCursor declaration);
/* Effect: adds the parameter `this` of a method. */
void an_cxx_this_build(struct an_walk *walk, struct an_node *function, CXCursor cursor);
const struct an_typing *an_cxx_this_name(struct an_walk *walk, struct an_node *parent,
                                         CXCursor cursor);
/* Effect: adds *, or &, whose operand is to be built, with the type of `cursor`. */
struct an_node *an_cxx_follow(struct an_walk *walk, struct an_node *parent, CXCursor cursor);
struct an_node *an_cxx_address(struct an_walk *walk, struct an_node *parent, CXCursor cursor);
/* Effect: adds what a reference, or a value, is initialised by. */
void an_cxx_bind(struct an_walk *walk, struct an_node *parent, CXCursor cursor, bool reference);
/* Is this CallExpr one of a function of C++? an_cxx_call_build builds those. */
bool an_cxx_calls(struct an_walk *walk, CXCursor cursor);
const struct an_typing *an_cxx_call_build(struct an_walk *walk, struct an_node *parent,
                                          CXCursor cursor);
/* Effect: notes what is strange: an expression or statement, a variable's type, a declaration. */
void an_cxx_look(struct an_walk *walk, CXCursor cursor);
void an_cxx_object_look(struct an_walk *walk, CXCursor variable);
void an_cxx_declaration_look(struct an_walk *walk, CXCursor declaration);
/* Does an `if`, `while` or `switch` declare something before its body? That is strange. */
bool an_cxx_declares(struct an_walk *walk, CXCursor statement);
/* Is it a constructor without arguments? */
bool an_cxx_is_default(struct an_walk *walk, CXCursor initialiser);

/* ---- calls.c ---- */

const struct an_typing *an_call_build(struct an_walk *walk, struct an_node *parent,
                                      CXCursor cursor);
/* Effect: a CALL whose callee is built gets the name of the function. */
void an_call_name(struct an_walk *walk, struct an_node *call);

#endif
