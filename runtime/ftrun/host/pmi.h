/* pmi: the process manager that the ranks' MPI library talks to when it starts: version 1.1 of PMI,
 * as MPICH's library speaks it (src/pmi/simple/simple_pmi.c).
 *
 * Each rank has a connection, a stream socket, in each epoch. The library puts addresses of the
 * rank into the epoch's key-value space, enters a barrier, and gets the addresses of others.
 * Nothing else of PMI is answered: a request that is not known closes the connection, so that the
 * library fails loudly. Thread rule: single threaded. */
#ifndef FT_PMI_H
#define FT_PMI_H

#include <stddef.h>
#include "host/loop.h"

struct ft_pmi;

enum { FT_PMI_VARIABLES = 256 }; /* bytes that are enough for ft_pmi_variables */

/* A process manager for `size` ranks, which listens on `loop`. The caller destroys it. 0 or
 * -ENOMEM. */
int ft_pmi_create(struct ft_loop *loop, int size, struct ft_pmi **out);
void ft_pmi_destroy(struct ft_pmi *pmi); /* NULL is allowed */
/* Begins an epoch: closes all connections, and the key-value space is empty. */
void ft_pmi_begin(struct ft_pmi *pmi);
/* All ranks of a node are in the barrier, and have put this since the last one: `length` bytes of
 * lines "KEY VALUE". ft_pmi_share answers, now or later. */
typedef void ft_pmi_full(void *context, const char *puts, size_t length);
/* Begins an epoch in which other process managers serve other ranks, and this one `ranks` of them.
 * mapping: the value of PMI_process_mapping; "": the library compares host names. */
void ft_pmi_begin_part(struct ft_pmi *pmi, int ranks, const char *mapping, ft_pmi_full *full,
                       void *context);
/* All ranks of all nodes are in the barrier: takes what others have put, and ends it. 0, -EPROTO or
 * -ENOMEM: then nobody leaves the barrier. */
int ft_pmi_share(struct ft_pmi *pmi, const char *puts, size_t length);
/* Opens the connection of `rank`; an older one is closed. Returns the rank's end, which the caller
 * owns, or -errno. */
int ft_pmi_open(struct ft_pmi *pmi, int rank);
/* Writes the variables that the library of `rank` needs beside PMI_FD, as "NAME=VALUE\0" strings,
 * into text[FT_PMI_VARIABLES]. local: its number among the ranks that this process manager serves.
 * Returns their length; *count is their number. */
size_t ft_pmi_variables(const struct ft_pmi *pmi, int rank, int local, char *text, unsigned *count);

#endif
