/* shape: what datatypes and operations are to the collectives. What is known of predefined ones is
 * remembered for the life of the process, because asking costs more than a small collective.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_SHAPE_H
#define FT_COLL_SHAPE_H

#include "handle/handle.h"

struct ft_shape {
    MPI_Datatype type; /* the program's handle */
    int size;          /* bytes of data in an element; -1: no such datatype */
    int plain;         /* 1: predefined, without gaps */
    MPI_Aint extent;   /* bytes from element to element */
    MPI_Aint lower;    /* bytes from the address of an element to its first data */
    MPI_Aint room;     /* bytes that an element may need */
};

struct ft_shape ft_shape_of(struct ft_rank *self, MPI_Datatype type);

/* MPI_SUCCESS, or the class of error with which the library would refuse op on this datatype. */
int ft_op_check(struct ft_rank *self, MPI_Op op, MPI_Datatype type);
int ft_op_commutes(struct ft_rank *self, MPI_Op op);

#endif
