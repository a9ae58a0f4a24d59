/* apart: how two calls lie to each other in the program: whether any rank runs both, and whether
 * each turn of one loop does.
 *
 * Thread rule: one thread. */
#ifndef AN_APART_H
#define AN_APART_H

#include "analysis/judgement/judgement.h"

/* Does no rank run both the call of MPI and `other`? Shown by the branches in which they, or the
 * calls that lead to them, stand: branches of one condition that never changes, or conditions on
 * the rank in the call's communicator. */
bool an_are_apart(struct an_judgement *judgement, const struct an_mpi *mpi,
                  const struct an_node *other);

/* The statement of which a run of the function enters one branch only, with one of the two calls in
 * it, or the outermost loop around that; NULL when the calls do not stand in two such branches. */
const struct an_node *an_branches_around(const struct an_node *one, const struct an_node *other);
/* Do the two calls, wherever they are reached from one function, stand in the same innermost loop
 * there, or both in none? */
bool an_are_in_one_loop(const struct an_program *program, const struct an_node *one,
                        const struct an_node *other);
/* The innermost loop around the node in its function, or NULL. */
const struct an_node *an_loop_around(const struct an_node *node);

#endif
