/* fault: carries out the kill orders of ftrun --kill, at the rank's n-th hook or call, or its n-th
 * call of a function.
 *
 * Counters of hooks and calls are logical (they roll back with the image), so an order is marked in
 * the recorder before it is carried out and never happens twice. Thread rule: the thread that calls
 * MPI. */
#ifndef FT_FAULT_H
#define FT_FAULT_H

#include "process.h"

/* Sets self->kill_call and self->kill_hook to the next orders that have not fired; kill_call to 0
 * where calls are to be counted by kind, and before MPI_Init and behind MPI_Finalize, where each is
 * looked at (ft_outside). To be called again when that changes. */
void ft_fault_arm(struct ft_rank *self);

#endif
