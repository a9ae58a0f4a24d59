/* large: calls with large counts, as those with ints (MPI 4.0, section 2.5.8): where a count is no
 * int, one element of a datatype that has so many takes its place. */
#ifndef FT_LARGE_H
#define FT_LARGE_H

#include "library/library.h"

struct ft_large { /* what the call with ints gets */
    int count;
    MPI_Datatype type;
    int made; /* 1: type is to be freed */
};

/* call, site: named where the run ends because such a count is not carried (--protocol spbc). The
 * caller is at depth 0. */
struct ft_large ft_large_begin(const char *call, MPI_Count count, MPI_Datatype type,
                               const void *site);
void ft_large_end(struct ft_large *large);

#endif
