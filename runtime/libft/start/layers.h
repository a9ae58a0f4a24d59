/* layers: profiling layers (MPI 4.0, section 15.2) between the program and the wrappers.
 *
 * Thread rule: called by the main thread only, before the program runs. */
#ifndef FT_LAYERS_H
#define FT_LAYERS_H

/* Effect: MPI_X, called by the program, is the layer's; PMPI_X, called by anybody but the MPI
 * library and libft.so, is the wrapper MPI_X of libft.so; and MPI_X, called by libft.so, is its
 * own. Once in each life, under ftrun only. */
void ft_layers_start(void);

#endif
