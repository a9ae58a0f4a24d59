/* program: the units of a program, joined: functions by identity, calls bound to what they call,
 * MPI calls seen through wrappers, and what each function does to the outside.
 *
 * One unit alone is a program, too: the one that ftcc knows while it compiles.
 *
 * Thread rule: one thread. */
#ifndef AN_PROGRAM_H
#define AN_PROGRAM_H

#include "analysis/program/calls.h"
#include "analysis/tree/tree.h"

struct an_program; /* owns its units and everything below */

struct an_program *an_program_create(void);
void an_program_destroy(struct an_program *program);

/* Effect: the program takes the unit. A unit with the path, folder, digest and trees of an earlier
 * one is dropped. */
void an_program_add(struct an_program *program, struct an_unit *unit);

/* Effect: binds everything; called once, behind the last an_program_add. `whole` says that no other
 * unit will ever be linked in: what is not found then is a library's, and what no call names and no
 * address is taken of is never called. */
void an_program_join(struct an_program *program, bool whole);

bool an_program_is_whole(const struct an_program *program);
unsigned an_program_units(const struct an_program *program);
struct an_unit *an_program_unit(const struct an_program *program, unsigned number);
/* The unit that holds `node`. */
struct an_unit *an_program_unit_of(const struct an_program *program, const struct an_node *node);
/* The FUNCTION node "main", or NULL. */
struct an_node *an_program_main(const struct an_program *program);
/* The next FUNCTION behind `function` (NULL: the first), in the order of units and sources; each
 * function once, also when several units hold it (static inline in a header). */
struct an_node *an_program_next(const struct an_program *program, const struct an_node *function);

/* The functions that a CALL may enter: `count` FUNCTION nodes (owned by the program). `complete`
 * is false when it may also enter unseen code (an external function, a pointer that may hold
 * anything). Calls of MPI and of the C library enter nothing, and are complete unless they call
 * back. */
struct an_targets {
    struct an_node *const *functions;
    unsigned count;
    bool complete;
};
struct an_targets an_call_targets(const struct an_program *program, const struct an_node *call);

/* The CALL nodes that may enter `function`; `complete` is false when code that is not here may. */
struct an_callers {
    struct an_node *const *calls;
    unsigned count;
    bool complete;
};
struct an_callers an_function_callers(const struct an_program *program,
                                      const struct an_node *function);

/* The nodes that may change the variable of that symbol by its name, anywhere in the program:
 * ASSIGN nodes that name it as their target, UNARY nodes that take its address, its VARIABLE.
 * Owned by the program. */
struct an_nodes {
    struct an_node *const *items;
    unsigned count;
};
struct an_nodes an_program_changes(const struct an_program *program, const char *symbol);

/* A CALL as a call of MPI, directly (MPI_, PMPI_) or through forwarders: functions that do nothing
 * but make this one call with their own parameters, and macros. `argument(n)` is the expression at
 * the outermost call, NULL when the forwarder supplies it itself. */
struct an_mpi {
    const struct an_call *what;  /* the entry of calls.def */
    const struct an_node *call;  /* the call in the program's own words */
    const struct an_node *inner; /* the call of MPI itself; the same when there is no forwarder */
    bool provisional; /* in a part of a program: by its name and arguments alone it forwards */
};
/* Effect: fills *mpi; false when the call is none of MPI, or stands inside a forwarder itself. */
bool an_call_is_mpi(const struct an_program *program, const struct an_node *call,
                    struct an_mpi *mpi);
const struct an_node *an_mpi_argument(const struct an_program *program, const struct an_mpi *mpi,
                                      unsigned number);

/* The possible effects of a function, with all that it calls. */
struct an_effects {
    bool sends;        /* point-to-point, persistent starts included */
    bool receives;     /* point-to-point, of any kind */
    bool takes;        /* the same, as far as can be seen what a persistent request does */
    bool persists;     /* makes persistent requests */
    bool anonymous;    /* receives or probes a wildcard, perhaps */
    bool collective;   /* calls a blocking or non-blocking collective on some path */
    bool synchronises; /* on every path calls a collective that nobody leaves before all entered:
                          barrier, allreduce, allgather, alltoall, ... */
    bool polls;        /* Test, Iprobe, ... */
    bool clock;        /* reads a clock, random numbers, process ids */
    bool repoints;     /* gives a pointer that outlives it another value */
    bool hidden;       /* may call what is not here and might do any of the above */
};
const struct an_effects *an_function_effects(const struct an_program *program,
                                             const struct an_node *function);
/* The same for any node inside a function: a statement, an expression. */
struct an_effects an_node_effects(const struct an_program *program, const struct an_node *node);

/* Does the function call setjmp? */
bool an_function_jumps(const struct an_program *program, const struct an_node *function);

/* Stable identity of a node for the outside: a hash of the file (as compiled), the function and the
 * call or loop's kind and number in it; never 0. It survives edits elsewhere. */
uint32_t an_program_identity(const struct an_program *program, const struct an_node *node);

#endif
