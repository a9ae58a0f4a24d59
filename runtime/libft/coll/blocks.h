/* blocks: a buffer of a collective that has a part for each of several ranks, whatever its call
 * says about counts, displacements and datatypes; and the checks of such arguments.
 *
 * Thread rule: plain values. */
#ifndef FT_COLL_BLOCKS_H
#define FT_COLL_BLOCKS_H

#include "coll/schedule.h"
#include "coll/shape.h"

struct ft_blocks {
    char *base;
    int count;                 /* elements of each block, when counts is NULL */
    const int *counts;         /* of block i */
    const int *displs;         /* of block i, in extents of type; in bytes with types */
    const MPI_Aint *far;       /* likewise, of neighbourhoods with types */
    MPI_Datatype type;         /* when types is NULL */
    const MPI_Datatype *types; /* of block i */
    MPI_Aint extent;           /* of type */
};

/* One block. */
struct ft_block {
    char *buffer;
    int count;
    MPI_Datatype type;
};

struct ft_blocks ft_blocks_even(struct ft_rank *self, const void *base, int count,
                                MPI_Datatype type);
struct ft_blocks ft_blocks_uneven(struct ft_rank *self, const void *base, const int *counts,
                                  const int *displs, MPI_Datatype type);
struct ft_blocks ft_blocks_typed(const void *base, const int *counts, const int *displs,
                                 const MPI_Aint *far, const MPI_Datatype *types);
struct ft_block ft_blocks_at(const struct ft_blocks *blocks, int i);

/* Is a block without data? */
int ft_block_is_empty(struct ft_rank *self, struct ft_block block);
/* Steps for a block; nothing for one without data, of which both ends know. */
void ft_block_send(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block block,
                   int world);
void ft_block_receive(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block block,
                      int world);
void ft_block_copy(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block from,
                   struct ft_block to);

/* MPI_SUCCESS, or the class of error with which the library would refuse these arguments. All
 * `size` blocks; one block. */
int ft_blocks_check(struct ft_rank *self, const struct ft_blocks *blocks, int size);
int ft_block_check(struct ft_rank *self, const void *buffer, int count, MPI_Datatype type);
/* The same for what is sent and what is received: they may not be one. The library does not see
 * other overlaps, and a buffer that holds both, apart by their displacements, is right. */
int ft_blocks_check_apart(const void *one, const void *other, int count);
/* Where block `own` of all is the place for this process's part, or the other way round. */
int ft_blocks_check_own(struct ft_rank *self, struct ft_block mine, const struct ft_blocks *all,
                        int own);
/* Where all is exchanged with all. */
int ft_blocks_check_exchange(const struct ft_blocks *out, const struct ft_blocks *in);

#endif
