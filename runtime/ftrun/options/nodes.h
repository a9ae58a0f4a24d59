/* nodes: on which nodes the ranks run: what the options say, and the job of Slurm. */
#ifndef FT_OPTIONS_NODES_H
#define FT_OPTIONS_NODES_H

#include <stddef.h>

struct ft_options;

/* Notes whether the nodes of Slurm's job are used (options->allocated), and, where the job is this
 * machine alone, how many ranks there are if nobody has said so. `parts`: there are several
 * programs. Where the job has nodes that are not used, *note is a sentence in why[size], else NULL.
 * 0, or -EINVAL with a sentence in why. */
int ft_options_choose_nodes(struct ft_options *options, int parts, const char **note, char *why,
                            size_t size);
/* After that: do the options on nodes fit each other, and the others? 0, or -EINVAL with a sentence
 * in why[size]. */
int ft_options_check_nodes(const struct ft_options *options, char *why, size_t size);

#endif
