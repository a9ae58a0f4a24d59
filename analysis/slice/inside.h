/* inside: what the files of this folder share; private to it.
 *
 * A graph is made in two walks over the program. The first finds what pointers may lead to: places
 * are united (after B. Steensgaard, "Points-to analysis in almost linear time", POPL 1996). The
 * second adds the edges between places, conditions, functions and sends.
 *
 * Fields belong to their record type, not to an object. As the C standard has it, an object is read
 * and written through its own type only; what is not (message buffers, memcpy, char *) goes to all
 * fields of all record types that a pointer was ever made of. */
#ifndef AN_SLICE_INSIDE_H
#define AN_SLICE_INSIDE_H

#include "analysis/slice/slice.h"

#define uthash_fatal(msg) abort()
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum sl_kind { SL_PLACE, SL_VALUE, SL_CONTROL, SL_SEND, SL_HIDDEN };

struct sl_edge {
    struct sl_vertex *to;
    const struct an_node *node; /* the expression that is read, or NULL */
    struct sl_edge *next;
};

struct sl_record;

struct sl_part { /* of a place: a record type that lies there */
    struct sl_record *record;
    struct sl_part *next;
};

struct sl_vertex {
    enum sl_kind kind;
    unsigned number;            /* from zero on, by age */
    unsigned distance;          /* 1 of a send, 2 of what it depends on, ...; 0: to no send */
    struct sl_edge *edges;      /* to what depends on it */
    const struct an_node *node; /* of a send, a condition, a call */
    struct sl_vertex *from;     /* on the way to a send */
    const struct an_node *by;   /* that edge's expression */
    struct sl_vertex *older;
    /* Members of places. */
    struct sl_vertex *up;    /* that it is united with, or NULL */
    struct sl_vertex *leads; /* what pointers in it lead to, or NULL */
    struct sl_part *parts;
    struct sl_vertex *in, *out; /* all that lies there, to be written and read; or NULL */
    bool bytes;                 /* is copied as bytes, pointers included */
};

/* A record type. A union is one place. */
struct sl_record {
    const char *name;
    const struct an_type *type;
    struct sl_vertex *whole;   /* what pointers to it lead to */
    struct sl_vertex *values;  /* pointers in initialisers lead to what this leads to; or NULL */
    struct sl_vertex *overlay; /* of a union: all its fields */
    struct sl_field *fields;
    struct sl_part *nested;
    struct sl_vertex *in, *out; /* all fields, to be written and read */
    bool bytes;
    UT_hash_handle hh;
};

struct sl_field {
    struct sl_vertex *place;
    struct sl_field *next;
};

struct sl_key { /* of two strings of one unit, or a node */
    const void *one, *other;
};

struct sl_name {
    struct sl_key key;
    struct sl_vertex *place;
    bool known; /* of a node's value: `place` is it */
    UT_hash_handle hh;
};

struct sl_text {
    const char *text;
    struct sl_vertex *place;
    UT_hash_handle hh;
};

struct sl_function {
    const struct an_node *node;
    struct sl_vertex *entry; /* whether it is called */
    struct sl_vertex *body;  /* and how far it gets */
    struct sl_vertex *result;
    UT_hash_handle hh;
};

struct sl_start {               /* the vertex nearest to a send among those that a call gives */
    struct sl_vertex *vertex;   /* NULL: none leads to a send */
    const struct an_node *call; /* that gives it */
    unsigned order;             /* of a receive among all */
};

struct sl_tag {
    int64_t number;
    struct sl_start start; /* of the receives with this tag */
    UT_hash_handle hh;
};

struct an_slice {
    struct an_judgement *judgement;
    struct an_program *program;
    struct sl_name *names;
    struct sl_text *texts;
    struct sl_record *records;
    struct sl_function *functions;
    struct sl_vertex *loose;       /* places that nothing names, arguments behind the parameters */
    struct sl_vertex *addressed;   /* places whose addresses datatypes may hold */
    bool addresses;                /* there are any */
    const struct an_node *nowhere; /* a message at addresses that nobody has asked for, or NULL */
    struct sl_vertex *outside;     /* code that is not here, and what it holds */
    struct sl_vertex *kept;        /* files, pipes, the environment */
    struct sl_vertex *numbers;     /* integers that are addresses lead to what this leads to */
    struct sl_vertex *goes_on;     /* whether the program does, as far as exit has a say */
    struct sl_vertex **queue;      /* pairs to be united */
    unsigned queued, room;
    const struct an_node **receives; /* calls that take or find a message */
    unsigned receives_count, receives_room;
    struct sl_vertex *newest;
    unsigned vertices;            /* how many there are */
    unsigned changes;             /* vertices and edges that were made */
    unsigned settled;             /* `changes` when the distances were found */
    struct sl_start any, tagless; /* of all receives, of those without a number as tag */
    struct sl_tag *tags;
};

/* ---- graph.c ---- */
struct sl_vertex *sl_vertex_create(struct an_slice *slice, enum sl_kind kind,
                                   const struct an_node *node);
/* The place that stands for all that it is united with. */
struct sl_vertex *sl_find(struct sl_vertex *place);
/* Effect: the two are one place from now on; NULL is allowed. */
void sl_unite(struct an_slice *slice, struct sl_vertex *one, struct sl_vertex *other);
/* The place to which pointers in this place lead; made when it is first asked. */
struct sl_vertex *sl_leads(struct an_slice *slice, struct sl_vertex *place);
/* Effect: `to` depends on `from`; NULL is allowed. */
void sl_edge_add(struct an_slice *slice, struct sl_vertex *from, struct sl_vertex *to,
                 const struct an_node *node);
/* A vertex that depends on both; NULL: on nothing. */
struct sl_vertex *sl_both(struct an_slice *slice, struct sl_vertex *one, struct sl_vertex *other);

/* ---- places.c ---- */
struct sl_vertex *sl_variable(struct an_slice *slice, const struct an_node *variable);
struct sl_vertex *sl_field(struct an_slice *slice, const struct an_node *member);
struct sl_record *sl_record(struct an_slice *slice, const struct an_type *type);
struct sl_function *sl_function(struct an_slice *slice, const struct an_node *function);
/* The entry of a pair of strings, of a node and what is kept about it. */
struct sl_name *sl_name_of(struct an_slice *slice, const void *one, const void *other);
/* A place for a node alone: what an allocation gives, a literal. */
struct sl_vertex *sl_own(struct an_slice *slice, const struct an_node *node);
/* The place that an lvalue names. */
struct sl_vertex *sl_place_of(struct an_slice *slice, const struct an_node *lvalue);
/* The place to which an expression leads, as a pointer; NULL: it is none. */
struct sl_vertex *sl_pointee(struct an_slice *slice, const struct an_node *expression);
/* The record type that a type is, or points to; NULL for none. A status is none: it is one place.
 */
const struct an_type *sl_record_of(const struct an_type *type);
const struct an_type *sl_record_behind(const struct an_type *type);
/* All that lies at a place, for bytes that come in or go out; asked in the second walk. */
struct sl_vertex *sl_in(struct an_slice *slice, struct sl_vertex *place);
struct sl_vertex *sl_out(struct an_slice *slice, struct sl_vertex *place);
struct sl_vertex *sl_pointed_in(struct an_slice *slice, const struct an_node *pointer);
struct sl_vertex *sl_record_in(struct an_slice *slice, struct sl_record *record);

/* ---- point.c ---- */
void sl_point(struct an_slice *slice);

/* ---- calls.c ---- */
enum sl_what { SL_ENTERS, SL_ALLOCATES, SL_FREES, SL_SYSTEM, SL_MPI };
enum sl_what sl_call_is(struct an_slice *slice, const struct an_node *call, struct an_mpi *mpi);
/* Argument `number` of MPI's call, that of a forwarder in its own words; NULL: there is none. */
const struct an_node *sl_mpi_argument(struct an_slice *slice, const struct an_mpi *mpi, int number);
bool sl_gives_away(const struct an_node *call);
bool sl_gets_back(const struct an_node *call);
/* Whether the call ends the program as a failure. */
bool sl_fails(const struct an_node *call);
bool sl_is_one_of(const char *name, const char *const *names);

/* Whether a message may be where the addresses in its datatype say; notes one whose addresses come
 * from nowhere. `arguments` are those of the side that is asked about. */
bool sl_is_by_address(struct an_slice *slice, const struct an_mpi *mpi,
                      const struct an_message_arguments *arguments);
/* The record around the field whose address an expression is, or NULL: a message may go on behind
 * that field. */
struct sl_record *sl_around(struct an_slice *slice, const struct an_node *expression);

/* ---- near.c ---- */
/* The nearest to a send of what the site and the receives give that may take its messages. */
struct sl_start sl_nearest(struct an_slice *slice, const struct an_site *site);
/* The send nearest to a start with a vertex. Effect: `from` and `by` lead back from there. */
struct sl_vertex *sl_way(struct sl_start start);

/* ---- depend.c ---- */
void sl_depend(struct an_slice *slice);

#endif
