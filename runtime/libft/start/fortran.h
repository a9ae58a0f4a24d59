/* fortran: MPI's Fortran bindings (libmpichfort) on top of the wrappers.
 *
 * Thread rule: called by the main thread only, before the program runs. */
#ifndef FT_FORTRAN_H
#define FT_FORTRAN_H

/* Effect: the calls of a loaded libmpichfort reach the wrappers of libft.so, and libmpich knows the
 * program's sentinels. Nothing where no libmpichfort is loaded. Once in each life, under ftrun
 * only. */
void ft_fortran_start(void);

#endif
