/* wild: may an argument be a wildcard? Values are followed through constants, variables, fields,
 * parameters and results of functions, as far as the program shows them.
 *
 * Thread rule: one thread. */
#ifndef AN_WILD_H
#define AN_WILD_H

#include "analysis/program/program.h"

/* MPICH's; MPI_PROC_NULL is -1, too, so a value means something only with its argument's number. */
enum { AN_ANY_SOURCE = -2, AN_ANY_TAG = -1 };

enum an_wildness { AN_NEVER, AN_MAYBE, AN_ALWAYS };

/* Is argument `number` of MPI's call (what->receive.peer or .tag) the wildcard `wildcard`? MAYBE:
 * on some path or for some caller, or nothing better can be said. */
enum an_wildness an_wild_argument(const struct an_program *program, const struct an_mpi *mpi,
                                  int number, int64_t wildcard);

struct an_stored; /* an index of the program's stores, made when it is first needed */
void an_stored_destroy(struct an_stored *stored);

#endif
