/* checks: what several options decide together. Thread rule: any thread. */
#ifndef FT_CHECKS_H
#define FT_CHECKS_H

struct ft_options;

/* Refuses options that contradict each other, and what is missing. 0, or -EINVAL after a message.
 */
int ft_options_check(const struct ft_options *options);
/* Takes several programs in one job, which have so many ranks behind the first `:`. Likewise. */
int ft_options_take_parts(struct ft_options *options, int ranks);

#endif
