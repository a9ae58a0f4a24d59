/* inside: what the files of this folder share; private to it.
 *
 * A program is joined in steps, each of which reads what the earlier ones left:
 * scan (one walk over every tree) -> bind (direct calls) -> pointers (indirect calls) ->
 * forward (wrappers of MPI) -> effects. */
#ifndef AN_PROGRAM_INSIDE_H
#define AN_PROGRAM_INSIDE_H

#include "analysis/program/program.h"

#include <uthash.h>

/* A growing array of pointers; zero is empty. */
struct an_list {
    void **items;
    unsigned count, room;
};
void an_list_add(struct an_list *list, void *item);
void an_list_free(struct an_list *list);

struct an_function;

/* A CALL of the program. */
struct an_bond {
    struct an_node *node;
    struct an_function *from;   /* the function that holds it */
    const struct an_call *mpi;  /* when it names a function of MPI, otherwise NULL */
    struct an_function *direct; /* the first of the functions that it names, or NULL */
    struct an_node **targets;   /* the program's memory */
    unsigned count;
    bool complete;
    bool indirect;         /* through a pointer */
    bool quiet;            /* of the C library: enters only what is passed to it */
    bool foreign;          /* names a function that is neither here nor the C library's */
    bool affected;         /* `own` is known */
    struct an_effects own; /* what it does, but for what its targets do */
    unsigned char
        wild[2]; /* answers of wild.c about the source and the tag: 1 + the answer, or 0 */
};

/* How a function forwards: argument n of MPI's call is argument map[n] of its own callers, or is
 * supplied by it (-1). */
enum { AN_MAPPED = 16 };
struct an_forward {
    const struct an_call *what;
    const struct an_node *inner; /* the call of MPI */
    signed char map[AN_MAPPED];
};

/* A FUNCTION of the program, once. */
struct an_function {
    struct an_node *node;
    struct an_unit *unit;
    struct an_bond *bonds; /* its calls, in the order of the source */
    unsigned bonds_count;
    unsigned parameters;
    struct an_node **callers; /* the program's memory */
    unsigned callers_count;
    bool callers_complete;
    bool taken;                 /* its address is taken */
    bool called_back;           /* code that is not here may call it */
    bool jumps;                 /* calls setjmp */
    bool touches;               /* reaches a call of MPI, or what cannot be seen */
    unsigned place_in_order;    /* among the functions of the program */
    unsigned number;            /* of taken functions: its bit in the sets of pointers.c */
    struct an_forward *forward; /* or NULL */
    struct an_effects effects;
    struct an_function *same; /* another definition of the same external name, or NULL */
};

/* From an identity to what has it: external ones by text, internal ones by the unit's string. */
struct an_symbol {
    const char *text;
    struct an_function *function; /* or NULL */
    bool variable;                /* a file-scope variable that is defined here */
    UT_hash_handle hh;
};

/* Every top-level node, sorted by address. */
struct an_root {
    const struct an_node *node;
    struct an_unit *unit;
    struct an_function *function; /* of a FUNCTION: that which stands for it */
};

enum an_spread { AN_SPREAD_UNASKED, AN_SPREADS, AN_SPREADS_NOT };

struct an_program {
    struct an_unit *memory; /* for what lives as long as the program */
    struct an_list units;
    struct an_list functions; /* struct an_function, in order */
    struct an_root *roots;
    unsigned roots_count;
    struct an_bond *bonds; /* in order, those of a function behind each other */
    unsigned bonds_count, bonds_room;
    struct an_bond **by_node; /* sorted by node */
    struct an_symbol *external, *internal;
    struct an_list stores; /* ASSIGN, ++ and --, & and VARIABLE nodes: what may change a variable */
    struct an_list flows;  /* nodes that may carry a pointer to a function */
    struct an_list names;  /* REFERENCE nodes of functions that are not just called */
    struct an_list numbers; /* NUMBER nodes that system headers spell and that may be wildcards */
    struct an_list lists;   /* LIST nodes of records */
    struct an_change *changes; /* by symbol, made when they are first asked for (changes.c) */
    bool changes_known;
    struct an_stored *stored; /* index over `stores`, made when it is first asked (wild.c) */
    enum an_spread spread[2]; /* answers of seeds.c: for tags, for sources */
    bool whole, joined;
    /* The kinds of calls from which persistent requests are made. */
    bool starts_receive, starts_send, starts_anonymous, starts_collective, starts_unseen;
};

/* scan.c */
void an_program_scan(struct an_program *program);
/* Both trees in step: are they the same code, seen by two units? */
bool an_tree_equal(const struct an_node *one, const struct an_node *other);
/* Depth of pointers and arrays around a function type, 0 for the function itself; -1: no function.
 */
int an_type_leads_to_function(const struct an_type *type);
/* The type of what is stored to: a pointer to a function stays one when it is written through
 * another type, as in `*(void **)&function = dlsym(...)`. */
const struct an_type *an_type_stored(const struct an_node *place);

/* records.c */
/* The type below all pointers and arrays. */
const struct an_type *an_type_innermost(const struct an_type *type);
/* A record's name without qualifiers. */
const char *an_record_name(const struct an_type *record);
/* Is `inner` the record `outer`, or does it lie in it? `anonymous`: as one without a name, whose
 * members are those of `outer`. */
bool an_record_holds(const struct an_type *outer, const struct an_type *inner, bool anonymous);
/* May the LIST have a value for a member of `record`, other than in a list in it that is a
 * record's? */
bool an_list_initialises(const struct an_node *list, const struct an_type *record);

/* bind.c */
void an_program_bind(struct an_program *program);
struct an_function *an_program_named(const struct an_program *program, const char *symbol,
                                     bool internal);
struct an_function *an_program_function(const struct an_program *program,
                                        const struct an_node *function);
struct an_bond *an_program_bond(const struct an_program *program, const struct an_node *call);
void an_program_callers(struct an_program *program);

/* changes.c */
struct an_change;
void an_changes_destroy(struct an_change *changes);

/* quiet.c */
/* Is it a function of the C library, of compilers, or of another library that neither communicates
 * nor enters anything but what is passed to it? `system`: a system header declares it. */
bool an_is_quiet(const char *name, bool system, bool whole);
/* Is it one of the C library that writes what stands elsewhere: memcpy, __builtin___memmove_chk,
 * bcopy, ...? */
bool an_copies_memory(const char *name);

/* pointers.c */
void an_program_point(struct an_program *program);

/* forward.c */
void an_program_forward(struct an_program *program);
/* The forwarder that `bond` calls, or NULL. */
const struct an_forward *an_bond_forward(const struct an_bond *bond);

/* effects.c */
void an_program_affect(struct an_program *program);

#endif
