/* allocation: the job of Slurm in which ftrun was started, as its environment tells it.
 *
 * An environment may be older than what it tells: that the job is still there, srun finds out.
 * Thread rule: pure, but for the environment. */
#ifndef FT_ALLOCATION_H
#define FT_ALLOCATION_H

#include <stddef.h>
#include "options/hosts.h"

struct ft_allocation {
    const char *job; /* its number; NULL: this is no job of Slurm */
    int nodes;       /* that it has */
    int tasks;       /* that were asked for (salloc -n); 0: that was not said */
    int here;        /* its only node is this machine */
    int parts;       /* components of a heterogeneous job; 0: it is none */
    int copies;      /* tasks of the step in which this process is one; 0: it is in none */
};

void ft_allocation_look(struct ft_allocation *out);
/* Its nodes and how many ranks each takes: `names` is a name on each line, `tasks` are numbers as
 * in "2(x3),1". 0, or -EINVAL or -ENOMEM with a sentence in why[size], and nothing is kept. */
int ft_allocation_hosts(const char *names, const char *tasks, struct ft_hosts *out, char *why,
                        size_t size);
/* Reads a time as squeue prints it ("1-02:03:04", "59:30", "30"), in seconds. 0; -ENOENT: the job
 * has no limit; or -EINVAL. */
int ft_allocation_time(const char *text, double *seconds);

/* The engine that starts the agent on a node of the allocation. The agent's step shares all that
 * the job has on the node, and outlives other nodes and other steps. */
extern const char ft_allocation_launcher[];

#endif
