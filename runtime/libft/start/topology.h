/* topology: what hwloc finds out about the machine, from the first epoch to later ones.
 *
 * Thread rule: begin and end are called in the thread that starts the MPI library, around that. */
#ifndef FT_TOPOLOGY_H
#define FT_TOPOLOGY_H

/* From now on hwloc is given what the file `path` holds, or, when that is empty and `finds` is
 * nonzero, leaves there what it finds. `path` must last until ft_topology_end; "": no file. */
void ft_topology_begin(const char *path, int finds);
void ft_topology_end(void);

#endif
