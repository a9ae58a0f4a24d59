/* library: the MPI library that the runtime was built for. One header for each says what of it is
 * not MPI's: what a handle is, what a status holds, which calls of MPI 4.0 it lacks.
 *
 * A virtual handle is 32 bits (handle/handles.h): ft_handle_of makes the program's type of them,
 * and ft_handle_bits answers them; of a handle of the library the top byte is that of no kind. */
#ifndef FT_LIBRARY_H
#define FT_LIBRARY_H

#include <mpi.h>
#include <stdint.h>

#ifdef OPEN_MPI
#include "library/openmpi.h"
#else
#include "library/mpich.h"
#endif

/* The variables that the library needs at its start beside those of PMI: "NAME=VALUE", with NULL
 * at the end. They stay the library's. */
const char *const *ft_library_variables(void);
/* Is a global variable of this name the library's? Then its content is of one life. */
int ft_library_owns(const char *symbol);

#endif
