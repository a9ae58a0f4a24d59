/* gather: collective writes of runs that lie among each other. Thread rule: as the room. */
#ifndef FT_IO_GATHER_H
#define FT_IO_GATHER_H

#include "io/io.h"

/* Collective over the file's ranks: each gives `size` bytes of the view's data from etype
 * `position` on. Answers 0: the ranks write them alone, nothing was done; or 1, the same on all:
 * they are written, and *code is MPI_SUCCESS or an error class. */
int ft_gather_write(const struct ft_file *file, MPI_Offset position, const char *data, int64_t size,
                    int *code);

#endif
