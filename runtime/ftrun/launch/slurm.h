/* slurm: what ftrun asks the batch system of its job. Thread rule: single threaded, before the loop
 * runs. */
#ifndef FT_SLURM_H
#define FT_SLURM_H

#include <stddef.h>
#include "options/hosts.h"

/* The nodes of the job, with their slots. 0 or -errno with a sentence in why[size]. */
int ft_slurm_hosts(struct ft_hosts *out, char *why, size_t size);
/* Seconds until ftrun has to take its last checkpoint, so that it is done when the time of the job
 * is over; 0: the job has no limit. 0, or the exit code after a message. */
int ft_slurm_limit(double *seconds);
/* Warns if the loss of a node would end the job, as far as one can know it: Slurm keeps it, but
 * does not tell. */
void ft_slurm_warn(void);

#endif
