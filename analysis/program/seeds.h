/* seeds: can the wildcards of mpi.h get into memory (fields, globals, elements of arrays, results)?
 * In most programs they stand where they are used, and then no array of ranks can hold one. Private
 * to this folder.
 *
 * Thread rule: one thread. */
#ifndef AN_SEEDS_H
#define AN_SEEDS_H

#include "analysis/program/inside.h"

/* Is `expression` a constant that mpi.h spells (MPI_ANY_SOURCE, also through other macros), an
 * enumerator or a constant variable? Others are numbers that only happen to have its value. */
bool an_seed_is_spelled(const struct an_node *expression);

/* May memory hold `wildcard` (AN_ANY_SOURCE, AN_ANY_TAG), as far as the program is here? */
bool an_seeds_reach_memory(const struct an_program *program, int64_t wildcard);

#endif
