/* probe: which program a command starts that is not the program itself (numactl, env, a script).
 *
 * Thread rule: single threaded, before the loop runs. */
#ifndef FT_PROBE_H
#define FT_PROBE_H

#include <stddef.h>

#include "host/spawn.h"

/* Effect: runs the command once, up to the first program in it that is linked with ftcc, which ends
 * there (libft/start/probe.c). Returns the path of that program, which the caller frees; NULL after
 * a sentence in `why`: there is none within 10 seconds, or it is not the process that was started,
 * so that ftrun could not see its end. Nothing goes on afterwards. */
char *ft_probe_run(struct ft_spawn command, char *why, size_t size);

#endif
