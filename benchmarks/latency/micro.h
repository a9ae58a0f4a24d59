/* micro: what the micro-benchmarks share. A point is measured by repeating an operation for about
 * --ms milliseconds after a warm-up of a quarter of that; rank 0 prints "NAME BYTES SECONDS", the
 * time of one operation: the median over up to 15 blocks of repetitions, because a
 * hypervisor that takes the processor away for some milliseconds is in a few of them only. The
 * number of repetitions is the same on all ranks: it is found by doubling, and rank 0's clock
 * decides.
 *
 * Thread rule: the main thread. */
#ifndef MICRO_H
#define MICRO_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

extern int micro_rank, micro_ranks;
extern const char *micro_events; /* of --warm; NULL: not asked for */

/* One operation; `bytes` and `state` are those of micro_measure. */
typedef void (*micro_operation)(size_t bytes, void *state);

/* Effect: initialises MPI and reads "--ms N", "--only NAME", and "--warm FILE" where the program
 * has it. */
void micro_start(int argc, char **argv);

/* Effect: measures and prints, on all ranks of MPI_COMM_WORLD; nothing when --only names another.
 */
void micro_measure(const char *name, size_t bytes, micro_operation operation, void *state);

/* The same for an operation that does what is measured `each` times. */
void micro_measure_each(const char *name, size_t bytes, long each, micro_operation operation,
                        void *state);

/* Sizes from 0 to 8 MB; returns their number. */
int micro_sizes(const size_t **sizes);

/* Memory that has been touched; none ends the program. */
void *micro_alloc(size_t bytes);

#endif
