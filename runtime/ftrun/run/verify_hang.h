/* verify_hang: where the ranks of a run are that does not go on. Thread rule: single threaded. */
#ifndef FT_VERIFY_HANG_H
#define FT_VERIFY_HANG_H

#include <stdint.h>

struct ft_run;

/* "ranks 0, 2-3 wait in MPI_Recv at halo.c:31; rank 1 polls with MPI_Test at halo.c:40", to be
 * freed by the caller; NULL: no memory. before: [size] calls of the ranks (ft_recorder.calls) some
 * time ago, which tell who polls; NULL: nobody does. */
char *ft_hang_text(const struct ft_run *run, const uint64_t *before);
/* The same of one rank that does not poll. */
char *ft_hang_rank(const struct ft_run *run, int rank);

#endif
