/* prepare: a run that can start. Thread rule: single threaded. */
#ifndef FT_PREPARE_H
#define FT_PREPARE_H

struct ft_run;

int ft_prepare(struct ft_run *run); /* 0, or the exit code after a message */
/* --replicas: the team of the ranks' second copies, once the first one is prepared. Likewise. */
int ft_prepare_copies(struct ft_run *run, struct ft_run *second);

#endif
