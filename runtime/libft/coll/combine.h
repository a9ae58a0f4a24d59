/* combine: parts of collectives that reduce: the steps of one rank in one group, appended to a
 * schedule. Ranks are those of the group.
 *
 * The pairs and sides of each combination are those of MPICH 4.0.2 (src/mpi/coll) on one node, so
 * that floating-point results have the library's bits; it depends on rank, size, the amount of data
 * and whether the operation commutes. Operations that do not are applied in the order of ranks.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_COMBINE_H
#define FT_COLL_COMBINE_H

#include "coll/blocks.h"

struct ft_combine {
    struct ft_schedule *schedule;
    struct ft_group_view group;
    int count;         /* elements that each rank gives */
    MPI_Datatype type; /* the program's handles */
    MPI_Op op;
    MPI_Aint extent; /* bytes from element to element */
    long long bytes; /* of data */
    int commutes;    /* 1: operands may change sides */
    int splits;      /* 1: a part of the elements may be combined alone: predefined operations */
    void *incoming;  /* room for what another rank sends: all elements; made on demand */
};

struct ft_combine ft_combine_make(struct ft_rank *self, struct ft_schedule *schedule,
                                  const struct ft_group_view *group, int count, MPI_Datatype type,
                                  MPI_Op op);

/* acc holds what this rank gives; in the end, on all ranks, the result. */
void ft_combine_all(struct ft_rank *self, struct ft_combine *combine, void *acc);
/* The same for one rank; on the others acc is spoiled. high: a large reduction goes to rank 0
 * first, as the library's blocking call does. */
void ft_combine_root(struct ft_rank *self, struct ft_combine *combine, void *acc, int root,
                     int high);
/* acc holds what this rank gives; result gets what ranks 0 to its own give, or, exclusive, to the
 * one before it (rank 0: untouched). Inclusive: result is a copy of acc already. */
void ft_combine_scan(struct ft_rank *self, struct ft_combine *combine, void *acc, void *result,
                     int exclusive);
/* Each rank gets its counts[rank] elements of the result of commuting operations. from: what this
 * rank gives; it is not written, and may overlap `result`. size: what the library takes for the
 * bytes of the data when it chooses the order. */
void ft_combine_scatter(struct ft_rank *self, struct ft_combine *combine, const void *from,
                        void *result, const int *counts, long long size);

#endif
