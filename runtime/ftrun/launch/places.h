/* places: on which node each rank begins (--hosts, --hostfile, a job of Slurm). Thread rule: single
 * threaded, before the loop runs. */
#ifndef FT_PLACES_H
#define FT_PLACES_H

struct ft_run;

/* Sets run->hosts and run->at, and run->size where the number of ranks is that of the job's slots.
 * Nothing, where all ranks are on the machine of ftrun. 0, or the exit code after a message. */
int ft_places_take(struct ft_run *run);
/* Gives the team of second copies its nodes, if there are nodes: none of them has a first copy.
 * 0 or -ENOMEM. */
int ft_places_second(struct ft_run *run, struct ft_run *second);
/* The ranks that begin on one node are a cluster (run->of). Answers how many there are. */
int ft_places_clusters(struct ft_run *run);
/* The first rank that begins on the node, or -1; and which copy of it, if there are two. */
int ft_places_first_rank(const struct ft_run *run, const char *node, int *copy);
/* Names the folder in which the ranks put their shared memory: ftrun's own folder, or one that each
 * agent makes on its node. A continued job keeps its folder's name, `old`, or NULL. */
void ft_places_folder(struct ft_run *run, const char *old);

#endif
