/* clusters: which ranks roll back together (--clusters), as a list of a cluster for each rank. Pure
 * but for the file that is read. */
#ifndef FT_CLUSTERS_H
#define FT_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

/* Ranks of a job with clusters: the list must fit into a BOOT message. */
enum { FT_CLUSTERS_RANKS = 16384 };

/* Reads the word of --clusters for `size` ranks into of[size]:
 *     K      K blocks of consecutive ranks, nearly equal in size
 *     node   one cluster for each node: all ranks, because all run on this machine
 *     FILE   one cluster a line: ranks and ranges ("0-3 8, 9"); what follows # is a comment
 * Returns how many there are, or -EINVAL with a sentence in why. */
int ft_clusters_read(const char *word, int size, int32_t *of, char *why, size_t room);

#endif
