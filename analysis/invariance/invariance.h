/* invariance: which values are the same on all ranks.
 *
 * A value is invariant when every rank that comes to an expression for the n-th time finds the same
 * value there. Invariant are constants, the arguments of main, the number of ranks, what a
 * collective gives to all its members, and what is computed from these alone under conditions that
 * are invariant, too. Everything else may differ.
 *
 * Assumed: memory does not run out, MPI functions return MPI_SUCCESS unless the program sets an
 * error handler, all ranks have the same arguments (ftrun starts one program), and no variable is
 * read before it is written.
 *
 * Thread rule: one thread. */
#ifndef AN_INVARIANCE_H
#define AN_INVARIANCE_H

#include "analysis/program/program.h"

/* The ranks' differences that a value depends on, as a set of bits; 0: on nothing that differs. Bit
 * AN_SOURCE_GROUP + n: it is the same only on the members of communicator n, because a collective
 * on it gave the value.
 */
enum { AN_DIFFERS = 1, AN_OF_RANK = 2, AN_SOURCE_GROUP = 2, AN_GROUPS = 61 };

struct an_invariance;

/* Effect: follows all values of the joined program. The caller destroys it before the program. */
struct an_invariance *an_invariance_create(struct an_program *program);
/* NULL is allowed. */
void an_invariance_destroy(struct an_invariance *invariance);

/* Returns the set of bits for `expression`, which must stand in a function of the program. */
uint64_t an_invariance_of(struct an_invariance *invariance, const struct an_node *expression);

/* The statement or call that makes the value of `expression` differ, as far as is known: one of
 * several, perhaps. NULL when it does not differ. */
const struct an_node *an_invariance_cause(struct an_invariance *invariance,
                                          const struct an_node *expression);

/* The expressions that name communicator `number` in calls of collectives, one after the other;
 * NULL behind the last. */
const struct an_node *an_invariance_group(const struct an_invariance *invariance, unsigned number,
                                          unsigned which);

#endif
