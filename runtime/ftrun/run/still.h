/* still: notices that nothing moves while ranks are called to the gate. Thread rule: single
 * threaded. */
#ifndef FT_STILL_H
#define FT_STILL_H

struct ft_run;
struct ft_still;

/* Seconds without any movement after which a run is given up: FT_PATIENCE, or 60. */
double ft_still_patience(void);
/* 0, or -EINVAL: FT_PATIENCE is no number of seconds above 0. */
int ft_still_check(void);

int ft_still_create(int size, struct ft_still **out); /* of so many ranks; 0 or -ENOMEM */
void ft_still_destroy(struct ft_still *still);        /* NULL is let pass */

/* Forgets what was before. */
void ft_still_begin(struct ft_still *still);
/* Looks at the recorders: for how many seconds has no rank come to another MPI call, or been in the
 * program's own code? To be called often. Ranks that are to end do not count. */
double ft_still_look(struct ft_still *still, const struct ft_run *run);

#endif
