/* inside: what the files of this folder share; private to it.
 *
 * A cell is a place for a value: a variable, a field of a record (one cell for all records of the
 * type), memory that pointers lead to, the result of a function, a condition. An edge says that the
 * value of the one cell depends on that of the other. Cells that one pointer may lead to are
 * united.
 *
 * NULL stands for a cell that never differs. */
#ifndef AN_INVARIANCE_INSIDE_H
#define AN_INVARIANCE_INSIDE_H

#include "analysis/invariance/invariance.h"

#include <uthash.h>

struct an_edge {
    struct an_place_cell *to;
    struct an_edge *next;
};

/* The record types that are kept in a cell. */
struct an_held {
    struct an_record *record;
    struct an_held *next;
};

struct an_place_cell {
    struct an_place_cell *up;      /* the cell that it is united with, or NULL */
    struct an_place_cell *pointee; /* what the value points to, or NULL: not asked yet */
    struct an_edge *edges, *last;
    struct an_held *held, *held_last;
    uint64_t marks;              /* what it depends on */
    const struct an_node *cause; /* the statement that marked it, or what it depends on, first */
    bool raw_read, raw_written;  /* without regard to the fields of records */
    bool queued;
    struct an_place_cell *next; /* of the queue */
};

/* A type of records. */
struct an_record {
    const char *name;
    struct an_place_cell *in;  /* flows into every field */
    struct an_place_cell *out; /* every field flows into it */
    struct an_record_field {
        struct an_place_cell *cell;
        bool pointer;
        struct an_record_field *next;
    } * fields;
    struct an_held *below; /* types of records in it */
    UT_hash_handle hh;
};

/* A variable, a field, a function: found by its text. */
struct an_named {
    const char *text;
    struct an_place_cell *cell;    /* its value, a function's result */
    struct an_place_cell *dirty;   /* of a variable: its value before a collective overwrites it */
    struct an_place_cell *context; /* of a function: whether it is called alike on all ranks */
    bool numbers, pointers;        /* of a field: the kinds of members that it is known by */
    bool escapes;                  /* of a variable: its address is kept */
    bool defined;                  /* of a variable: the program has it */
    bool declared;                 /* of a variable: not one of the C library */
    char pure, allocates;          /* of a function: 0: not asked, 1: yes, 2: no, 3: being asked */
    char kept; /* of a parameter that is a pointer, likewise: its function uses what it points to */
    UT_hash_handle hh;
};

/* A node that reads or writes a variable before a collective overwrites it. */
struct an_dirty {
    const struct an_node *node;
    UT_hash_handle hh;
};

/* A record in memory is read or written without regard to its fields. */
struct an_raw {
    struct an_place_cell *cell;
    bool writes;
    struct an_raw *next;
};

struct an_group_of {
    const char *key;
    const struct an_node *nodes[16];
    unsigned count;
};

struct an_invariance {
    struct an_program *program;
    struct an_block *blocks; /* memory */
    struct an_named *names;
    struct an_record *records;
    struct an_dirty *dirty;
    struct an_raw *raws;
    struct an_place_cell *queue;
    struct an_place_cell
        *foreign; /* what code that is not here may reach: differs, points to itself */
    struct an_place_cell *wild; /* what a number as a pointer leads to */
    bool wild_written;
    struct an_place_cell *codes; /* what functions of MPI return */
    struct an_group_of groups[AN_GROUPS];
    unsigned group_count;
    unsigned unions;          /* of cells, so far */
    bool complete;            /* the program has flowed */
    const struct an_node *at; /* the statement or call that flows */
};

/* A walk through one function. */
struct an_flow {
    struct an_invariance *i;
    const struct an_node *function; /* NULL: at file scope */
    struct an_place_cell
        *context;               /* whether the function is called alike; NULL: it is, or asks not */
    struct an_place_cell *body; /* the condition that all of the body stands under */
    unsigned jumps;             /* AN_JUMP_*, since the loop began */
};
enum { AN_JUMP_BREAK = 1, AN_JUMP_CONTINUE = 2, AN_JUMP_OUT = 4 };

/* cells.c */
void *an_invariance_alloc(struct an_invariance *i, size_t bytes);
struct an_place_cell *an_cell_make(struct an_invariance *i);
/* Effect: frees what an_invariance_alloc gave. */
void an_blocks_free(struct an_invariance *i);
/* The cell that stands for all that it is united with. */
struct an_place_cell *an_cell_root(struct an_place_cell *cell);
void an_cell_mark(struct an_invariance *i, struct an_place_cell *cell, uint64_t marks);
/* Effect: `to` depends on `from`. */
void an_cell_flow(struct an_invariance *i, struct an_place_cell *from, struct an_place_cell *to);
void an_cell_unite(struct an_invariance *i, struct an_place_cell *a, struct an_place_cell *b);
struct an_place_cell *an_cell_pointee(struct an_invariance *i, struct an_place_cell *cell);
/* Effect: the values of the two point to the same. */
void an_cell_alias(struct an_invariance *i, struct an_place_cell *a, struct an_place_cell *b);
/* A cell that depends on both. */
struct an_place_cell *an_cell_join(struct an_invariance *i, struct an_place_cell *a,
                                   struct an_place_cell *b);
/* Effect: marks flow along the edges until nothing changes. */
void an_cells_settle(struct an_invariance *i);
/* The entry of that text; made when there is none. */
struct an_named *an_named(struct an_invariance *i, char kind, const char *text);

/* records.c */
bool an_points(const struct an_type *type);
/* The type of records that is below arrays (and, with `pointers`, pointers), or NULL. */
const struct an_type *an_record_type(const struct an_type *type, bool pointers);
struct an_record *an_record_of(struct an_invariance *i, const struct an_type *type);
/* The cell of a MEMBER's field. */
struct an_place_cell *an_field_cell(struct an_invariance *i, const struct an_node *member);
/* Effect: the cell holds records of the type. */
void an_cell_hold(struct an_invariance *i, struct an_place_cell *cell,
                  const struct an_type *record);
/* Effect: the memory is written (or read) without regard to the fields that it holds. */
void an_cell_raw(struct an_invariance *i, struct an_place_cell *cell, bool writes);
/* Effect: what initialises a record of the type: the value goes to all fields of its kind. */
void an_record_fill(struct an_invariance *i, const struct an_type *record,
                    const struct an_type *type, struct an_place_cell *value);
/* Effect: connects records with the memory that holds them. */
void an_raws_settle(struct an_invariance *i);

/* value.c */
/* The cell that an lvalue names; *address: what decides which one it is. */
struct an_place_cell *an_place_of(struct an_flow *w, const struct an_node *node,
                                  struct an_place_cell *pc, struct an_place_cell **address);
/* The value of an expression; its side effects flow, under the condition `pc`. */
struct an_place_cell *an_value_of(struct an_flow *w, const struct an_node *node,
                                  struct an_place_cell *pc);
/* Effect: `value` of the expression `source` goes to the lvalue. */
void an_store(struct an_flow *w, const struct an_node *target, struct an_place_cell *value,
              struct an_place_cell *pc);
/* Effect: `initialiser` goes to the variable. */
void an_initialise(struct an_flow *w, const struct an_node *variable, struct an_place_cell *pc);
/* The cell of a variable, as the node (NULL: any) sees it. */
struct an_place_cell *an_variable_cell(struct an_invariance *i, const struct an_node *name);
bool an_is_own_local(const struct an_node *node);

/* walk.c */
/* Effect: a statement flows; returns the condition that what follows it stands under. */
struct an_place_cell *an_statement_flow(struct an_flow *w, const struct an_node *node,
                                        struct an_place_cell *pc);
/* A walk through the function. */
struct an_flow an_flow_of(struct an_invariance *i, const struct an_node *function);
void an_function_flow(struct an_invariance *i, const struct an_node *function);

/* call.c */
struct an_place_cell *an_call_flow(struct an_flow *w, const struct an_node *call,
                                   struct an_place_cell *pc);
/* Effect: code that is not here gets the value. */
void an_foreign_gets(struct an_invariance *i, const struct an_type *type,
                     struct an_place_cell *value);
struct an_named *an_function_named(struct an_invariance *i, const struct an_node *function);
/* Does the function compute its result and nothing else? */
bool an_function_is_pure(struct an_invariance *i, const struct an_node *function);
/* Does the function return new memory, which nobody else points to? */
bool an_function_allocates(struct an_invariance *i, const struct an_node *function);

/* library.c */
/* Effect: a call of the C library flows; false when nothing is known of the function. */
bool an_library_flow(struct an_flow *w, const struct an_node *call, struct an_place_cell **values,
                     unsigned count, struct an_place_cell *pc, struct an_place_cell **result);
bool an_library_is_pure(const char *name);
bool an_library_allocates(const char *name);

/* mpi.c */
struct an_place_cell *an_mpi_flow(struct an_flow *w, const struct an_mpi *mpi,
                                  struct an_place_cell *pc);
/* The argument of a call that a collective overwrites with the same on all ranks, or NULL. */
const struct an_node *an_mpi_given(const struct an_program *program, const struct an_mpi *mpi);

/* clean.c */
/* Effect: finds where variables are read and written before a collective overwrites them. */
void an_clean_find(struct an_invariance *i);
bool an_is_dirty(const struct an_invariance *i, const struct an_node *node);

#endif
