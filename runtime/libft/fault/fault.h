/* fault: carries out the orders of a fault plan (ftrun --faults, --kill) at the points of
 * shared/points/points.def.
 *
 * An order is marked as done in the recorder, and told to ftrun, before it is carried out: it
 * happens as often as it says, in all lives together. The inline halves are in process.h: a point
 * that no order names costs one branch.
 *
 * Thread rule: the thread that calls MPI; checkpoint:write and its kin: the writer. */
#ifndef FT_LIBFT_FAULT_H
#define FT_LIBFT_FAULT_H

#include "process.h"

/* Arms the points that the orders of BOOT name. Once in a process, when the recorder is mapped. */
void ft_fault_start(void);
/* Sets self->fault_call and self->fault_hook to the next calls and hooks that orders name;
 * fault_call to 0 where an order names a kind of call, for --call-events and several threads, and
 * before MPI_Init and behind MPI_Finalize, where each call is looked at (ft_outside). To be called
 * again when that changes. */
void ft_fault_arm(struct ft_rank *self);

#endif
