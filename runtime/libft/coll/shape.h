/* shape: datatypes and operations as the collectives see them. Facts about predefined ones are
 * remembered for the life of the process, because asking costs more than a small collective.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_SHAPE_H
#define FT_COLL_SHAPE_H

#include "handle/handle.h"

struct ft_shape {
    MPI_Datatype type; /* the program's handle */
    MPI_Count size;    /* bytes of data in an element; -1: no such datatype */
    int plain;         /* 1: predefined, without gaps */
    MPI_Aint extent;   /* bytes from element to element; negative: they go down */
    MPI_Aint lower;    /* bytes from the address of an element to its first data */
    MPI_Aint first;    /* bytes from the address of an element to where it begins in memory, */
    MPI_Aint room;     /* and how many it takes there, gaps included */
};

/* Those of predefined datatypes, as far as they were asked for. */
#define FT_SHAPES 64u /* a power of two */
extern struct ft_shape ft_shape_known[FT_SHAPES];

struct ft_shape ft_shape_ask(struct ft_rank *self, MPI_Datatype type);
static inline struct ft_shape ft_shape_of(struct ft_rank *self, MPI_Datatype type)
{
    const struct ft_shape *shape = &ft_shape_known[ft_handle_number(type) % FT_SHAPES];

    if (ft_likely(shape->type == type) && type != 0)
        return *shape;
    return ft_shape_ask(self, type);
}
/* Bytes of data in `count` elements of a plain datatype; 0: there are none, or it is another. */
static inline size_t ft_shape_plain_bytes(struct ft_rank *self, int count, MPI_Datatype type)
{
    struct ft_shape shape = ft_shape_of(self, type);

    return shape.plain && count > 0 ? (size_t)count * (size_t)shape.size : 0;
}

/* MPI_SUCCESS, or the class of error with which the library would refuse op on this datatype. */
int ft_op_ask(struct ft_rank *self, MPI_Op op, MPI_Datatype type);
extern MPI_Op ft_op_known; /* the last predefined pair that was right */
extern MPI_Datatype ft_op_known_type;
static inline int ft_op_check(struct ft_rank *self, MPI_Op op, MPI_Datatype type)
{
    if (ft_likely(op == ft_op_known) && ft_likely(type == ft_op_known_type))
        return MPI_SUCCESS;
    return ft_op_ask(self, op, type);
}
int ft_op_commutes(struct ft_rank *self, MPI_Op op);

#endif
