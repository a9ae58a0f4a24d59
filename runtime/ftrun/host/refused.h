/* refused: calls of MPI in a program at which a run will end. Thread rule: pure. */
#ifndef FT_REFUSED_H
#define FT_REFUSED_H

#include <stddef.h>

/* Effect: writes the names of the functions that the program takes from a library and that ftrun
 * refuses ("MPI_Session_init, MPI_Open_port and 3 more"), by C or by Fortran. Returns how many. */
int ft_refused_find(const char *path, char *text, size_t size);
/* The same for the functions that make windows of one-sided communication. */
int ft_windows_find(const char *path, char *text, size_t size);

#endif
