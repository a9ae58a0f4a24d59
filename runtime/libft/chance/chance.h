/* chance: what the program reads of clocks and of random devices. With --protocol spbc it is
 * recorded and given again like all that time decides (determinant/determinant.h); with the other
 * protocols, where everybody goes back, the call is libc's own behind one branch.
 *
 * The wrappers stand in front of libc's for the whole process, as those of runtime/libft/libc, so
 * code that was not compiled with ftcc, and libraries of the program, are recorded, too. Recorded
 * is what the program asks between MPI_Init and MPI_Finalize, in the thread of main; not what the
 * MPI library, libmimalloc, the runtime and other threads ask. docs/libc.md has the list. */
#ifndef FT_CHANCE_H
#define FT_CHANCE_H

/* In each life, by the thread of main, before the program goes on. */
void ft_chance_start(void);

#endif
