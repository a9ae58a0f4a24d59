/* cells: the places of a program that may hold a pointer to a function, and what flows between
 * them; pointers.c fills them. Private to this folder.
 *
 * Thread rule: one thread. */
#ifndef AN_CELLS_H
#define AN_CELLS_H

#include "analysis/program/inside.h"

enum an_cell_kind { AN_OF_SYMBOL, AN_OF_RESULT, AN_OF_RECORD, AN_OF_CALLEE, AN_LOOSE, AN_OUTSIDE };

struct key {
    const void *what;
    enum an_cell_kind kind;
    unsigned unused;
};

struct edge {
    struct cell *to;
    struct edge *next;
};

struct cell {
    struct key key;
    uint64_t *set; /* functions, by number */
    bool open;     /* may hold functions that are not here */
    bool queued;
    struct edge *edges;   /* what it flows into */
    struct an_list calls; /* AN_OF_CALLEE: the bond that calls through it */
    struct cell *next;    /* of the queue */
    UT_hash_handle hh;
};

struct name {
    const char *text;
    UT_hash_handle hh;
};

struct points {
    struct an_program *program;
    struct an_list taken; /* functions by number */
    unsigned words;       /* of a set */
    struct cell *cells;
    struct cell *loose, *outside;
    struct cell *queue;
    struct name *names;
    struct name *leaving; /* record types whose objects are passed to code that is not here */
};

struct cell *an_cell_get(struct points *points, enum an_cell_kind kind, const void *what);
/* Effect: what it holds will flow on. */
void an_cell_queue(struct points *points, struct cell *cell);
/* Effect: it may hold the function of that number. */
void an_cell_put(struct points *points, struct cell *cell, unsigned number);
/* Effect: it may hold functions that are not here. */
void an_cell_open(struct points *points, struct cell *cell);
/* Effect: whatever `from` holds, `to` may hold. */
void an_cell_link(struct points *points, struct cell *from, struct cell *to);

struct cell *an_cell_of_variable(struct points *points, const struct an_node *variable);
/* The cell that an lvalue names, or NULL. Elements are their array, what a pointer points to is the
 * pointer. */
struct cell *an_cell_of_place(struct points *points, const struct an_node *place);
/* The cell of all initialisers of one record type that are pointers to one type of function. */
struct cell *an_cell_of_record(struct points *points, const struct an_type *record,
                               const struct an_type *function);
/* Effect: objects that the call hands to foreign code are no longer the program's alone; asked for
 * every call before the first cell of a field is made. */
void an_records_leave(struct points *points, const struct an_bond *bond);

#endif
