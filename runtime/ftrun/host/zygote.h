/* zygote: starts ranks where address randomisation cannot be switched off
 * (runtime/libft/start/zygote.h).
 *
 * One process of the program per run, started once, forks all ranks of all epochs, so that they
 * share one layout. Thread rule: single threaded. */
#ifndef FT_HOST_ZYGOTE_H
#define FT_HOST_ZYGOTE_H

#include "host/spawn.h"

struct ft_zygote;

/* Starts the zygote as `spawn` describes a rank; its descriptors are ignored, and addresses stay
 * randomised. Returns 0, or -errno with `why` filled; then there is none. */
int ft_zygote_start(const struct ft_spawn *spawn, struct ft_zygote **out, char *why, size_t size);

/* Forks a rank with the descriptors of `spawn` (0, 1, 2, unused, the recorder); `control` is
 * ftrun's end of its socket, spawn->fds[3] the rank's. Returns its pid, or -errno with `why`
 * filled; then nothing runs. */
pid_t ft_zygote_fork(struct ft_zygote *zygote, const struct ft_spawn *spawn, int control, char *why,
                     size_t size);
/* A child was reaped: was it the zygote? Then no rank can be forked any more. NULL is allowed. */
int ft_zygote_reaped(struct ft_zygote *zygote, pid_t pid);

/* Ends the zygote; ranks go on. NULL is allowed. */
void ft_zygote_destroy(struct ft_zygote *zygote);

#endif
