/* typemap: where the bytes of a datatype's data lie, as MPI 4.0, section 5.1 defines the type map.
 *
 * Thread rule: as the whole runtime, one thread at a time. */
#ifndef FT_TYPEMAP_H
#define FT_TYPEMAP_H

#include "handle/handle.h"

struct ft_run {     /* bytes of data without a gap */
    int64_t at;     /* first byte, counted from the element's address */
    int64_t bytes;  /* > 0 */
    int64_t before; /* bytes of data in the runs before it */
};

struct ft_typemap {
    int64_t count; /* runs */
    int64_t room;  /* allocated */
    struct ft_run *run;
    int64_t bytes;  /* of data, in all runs */
    int64_t extent; /* from one element to the next */
};

/* Fills `map` with the runs of one element in the order of its type map; neighbours that touch are
 * one. The type is a valid one, the program's handle. The memory is the image's. */
void ft_typemap_make(struct ft_rank *self, MPI_Datatype type, struct ft_typemap *map);
/* Frees the runs. */
void ft_typemap_free(struct ft_typemap *map);

#endif
