/* progress: on a terminal, what a long phase is waiting for. */
#ifndef FT_PROGRESS_H
#define FT_PROGRESS_H

struct ft_run;

/* Looks once a second from now on; does nothing when stderr is no terminal. */
void ft_progress_start(struct ft_run *run);

#endif
