/* tree: a C file as the analysis sees it: one uniform tree of declarations, statements and
 * expressions, with types and places, and nothing of libclang.
 *
 * A unit is made by source/source.h, travels in the section ".ftcc.facts" of an object file
 * (tree/store.h, docs/formats/facts.md), and is joined with others by program/program.h. Everything
 * after parsing works on it, so that what ftcc knows about one file at compile time and about a
 * whole program at link time is computed by the same code.
 *
 * Strings are interned: within one unit equal strings are equal pointers. All memory belongs to the
 * unit and dies with an_unit_destroy.
 *
 * Thread rule: one thread per unit; a finished unit may be read by several. */
#ifndef AN_TREE_H
#define AN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum an_kind {
#define AN_KIND(name, children) AN_##name,
#include "analysis/tree/kinds.def"
#undef AN_KIND
    AN_KINDS,
};

/* Operators of UNARY, BINARY and compound ASSIGN nodes. */
enum an_operator {
    AN_OP_NONE,
    AN_OP_ADD,
    AN_OP_SUB,
    AN_OP_MUL,
    AN_OP_DIV,
    AN_OP_REM,
    AN_OP_SHL,
    AN_OP_SHR,
    AN_OP_AND,
    AN_OP_OR,
    AN_OP_XOR,
    AN_OP_LT,
    AN_OP_GT,
    AN_OP_LE,
    AN_OP_GE,
    AN_OP_EQ,
    AN_OP_NE,
    AN_OP_LOGICAL_AND,
    AN_OP_LOGICAL_OR,
    AN_OP_COMMA,
    AN_OP_PLUS,
    AN_OP_MINUS,
    AN_OP_NOT,
    AN_OP_INVERT, /* unary + - ! ~ */
    AN_OP_ADDRESS,
    AN_OP_DEREF, /* unary & * */
    AN_OP_PRE_INC,
    AN_OP_PRE_DEC,
    AN_OP_POST_INC,
    AN_OP_POST_DEC,
    AN_OPERATORS,
};

enum an_storage {
    AN_NO_STORAGE,
    AN_LOCAL_VARIABLE,
    AN_STATIC_LOCAL,
    AN_PARAMETER_VARIABLE,
    AN_GLOBAL,
    AN_FUNCTION_NAME
};

/* The class of an expression's or a declaration's value. */
enum an_class {
    AN_VOID,
    AN_INTEGER,
    AN_FLOATING,
    AN_POINTER,
    AN_ARRAY,
    AN_RECORD,
    AN_FUNCTION_TYPE,
    AN_COMM,
    AN_REQUEST,
    AN_STATUS,
    AN_MESSAGE,
    AN_DATATYPE, /* MPI's, by the names of the typedefs */
    AN_UNKNOWN_CLASS,
};

struct an_type {
    enum an_class class;
    const char *name;               /* canonical spelling: "double *", "int (void *, int)" */
    const struct an_type *below;    /* of a pointer or array: what it points to; otherwise NULL */
    const struct an_layout *layout; /* of a RECORD whose members are known; otherwise NULL */
};

/* A member of a record. Numbers are bits. */
struct an_field {
    const char *name;      /* "" for an anonymous record */
    uint64_t offset, size; /* an array without a length reaches to the end of the record */
    enum an_class class;   /* of an array: of its elements */
    const struct an_type
        *record; /* with a layout: the field's type, or that of its elements; or NULL */
};

/* How a record lies in memory. */
struct an_layout {
    uint64_t size; /* in bits */
    uint64_t hole; /* first bits of no field, before all fields excepted; `size`: none */
    const struct an_field *before; /* the field that they follow, or that holds them; or NULL */
    const struct an_field *fields; /* in the order of their declarations */
    unsigned count;
};

/* A position, after macro expansion. Line and column count from 1, columns in bytes. */
struct an_place {
    const char *file; /* as the compiler spells it; interned */
    unsigned line, column;
    unsigned offset; /* in bytes from the start of the file */
};

struct an_node {
    enum an_kind kind;
    enum an_operator op;
    enum an_storage storage; /* REFERENCE, VARIABLE, PARAMETER */
    bool editable; /* starts and ends in one file of the unit, outside of macros and system headers;
                      also a statement of such a BLOCK that is all that one use of a macro makes:
                      what is put before its place and behind its end is outside of the macro */
    bool constant; /* an expression with the integer value `value` */
    bool arrow;    /* MEMBER: base->name */
    bool internal; /* FUNCTION, VARIABLE, REFERENCE: static, so no other unit means the same */
    bool variadic; /* FUNCTION */
    bool noreturn; /* CALL, FUNCTION: never comes back */
    bool system;   /* CALL, REFERENCE: declared in a system header (mpi.h is one); NUMBER: its
                      digits stand in one, also through macros of the user's */
    bool by_macro; /* CALL: the call is made by a macro's body */
    int64_t value; /* of a constant; the label of a CASE; of a SIZEOF, or 0 when it is not known */
    const char *name;   /* see kinds.def; NULL when there is none */
    const char *symbol; /* identity of what is named: clang's USR; NULL when there is none */
    const struct an_type *type;   /* of expressions and declarations; never NULL there */
    struct an_place place, end;   /* first byte; behind the last byte (no semicolon included) */
    struct an_node *parent;       /* NULL for top-level nodes */
    struct an_node *child, *next; /* the first child; the next child of the parent */
    unsigned mark;                /* scratch of whoever walks; no meaning between functions */
};

/* Lines that the preprocessor left out. */
struct an_gap {
    const char *file;
    unsigned first, last;
    const char *calls; /* MPI functions whose names stand there, "MPI_Send MPI_Recv", or "" */
    struct an_gap *next;
};

/* A comment that begins with "ftcc:". */
struct an_word {
    const char *file;
    unsigned line;    /* the comment's last line */
    bool alone;       /* nothing but blanks before it in its line: it speaks of the next line */
    const char *text; /* behind "ftcc:", blanks trimmed: "send-deterministic", "pattern NAME" */
    struct an_word *next;
};

struct an_unit {
    struct an_memory *memory; /* private to tree.c */
    const char *path;         /* of the analysed file, as given to the compiler */
    const char *folder;       /* the working directory of that command */
    const char *problem;      /* why there is no tree, or NULL; "file:line:column: text" */
    const char
        *strange; /* the first thing of C++ that the tree does not say in full, or NULL; likewise */
    struct an_node *functions; /* with a body, in order, those of non-system headers included */
    struct an_node *variables; /* file-scope VARIABLE nodes, in order; not those of mere extern */
    struct an_gap *gaps;
    struct an_word *words;
    unsigned first_declaration; /* offset of the first declaration in the file itself */
    bool hooked_by_hand;        /* the file calls ft_hook itself */
    uint64_t digest;            /* of the file's text, so that a report can say it has changed */
};

struct an_unit *an_unit_create(const char *path);
/* Effect: frees the unit and all that it owns; NULL is allowed. */
void an_unit_destroy(struct an_unit *unit);

/* Memory and strings that live as long as the unit; the memory is zero. No memory ends the process.
 */
void *an_unit_alloc(struct an_unit *unit, size_t bytes);
const char *an_unit_string(struct an_unit *unit, const char *text);
const char *an_unit_printf(struct an_unit *unit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The one type that is equal to `type`. */
const struct an_type *an_unit_type(struct an_unit *unit, struct an_type type);
/* The one layout of `size` bits with these fields, which are copied. */
const struct an_layout *an_unit_layout(struct an_unit *unit, uint64_t size,
                                       const struct an_field *fields, unsigned count);

/* Effect: a new node, appended to the children of `parent` (NULL: to nothing). */
struct an_node *an_node_create(struct an_unit *unit, struct an_node *parent, enum an_kind kind);

/* How deep a tree may be; what is deeper is a problem of its unit, so that walking it by recursion
 * is safe. */
enum { AN_DEPTH = 1000 };

/* Child number `n` from 0, or NULL. Constant time for the first, linear in `n`. */
struct an_node *an_child(const struct an_node *node, unsigned n);
unsigned an_children(const struct an_node *node);
/* A FUNCTION's body. */
struct an_node *an_body(const struct an_node *function);
/* A CALL's argument number `n` from 0, or NULL. */
struct an_node *an_argument(const struct an_node *call, unsigned n);
unsigned an_arguments(const struct an_node *call);
/* The FUNCTION that holds `node`; NULL for file scope. */
struct an_node *an_function_of(const struct an_node *node);
/* Steps through casts, and through comma operators to their last operand. */
struct an_node *an_plain(const struct an_node *node);
/* The user of the value of `node`: its parent; the statement expression whose last statement it
 * is. */
const struct an_node *an_user(const struct an_node *node);
bool an_is_expression(const struct an_node *node);
const char *an_kind_name(enum an_kind kind);
/* The next node in preorder inside `root`, or NULL; `skip` leaves the children of `node` out. */
struct an_node *an_next(const struct an_node *root, const struct an_node *node, bool skip);

/* The C text of an expression, written again from the tree ("s.MPI_SOURCE", "n + 1"), for reasons
 * and for arguments of annotations; owned by the unit. */
const char *an_text(struct an_unit *unit, const struct an_node *expression);

#endif
