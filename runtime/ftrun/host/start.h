/* start: a rank's process, and what connects it with its parent.
 *
 * Every life of a rank is started with the same words (arguments, environment, descriptors 0 to 4),
 * because a restore needs the same layout: 3 is the control socket, 4 the recorder. Thread rule:
 * single threaded. */
#ifndef FT_START_H
#define FT_START_H

#include "host/program.h"
#include "host/zygote.h"

enum { FT_RANK_CONTROL = 3, FT_RANK_RECORDER = 4 }; /* descriptors of a new process */

struct ft_ends { /* [0] for reading or for the parent, [1] for writing or for the rank; -1: none */
    int control[2], in[2], out[2], err[2];
};

struct ft_starter {           /* zeros: no process was started yet */
    struct ft_zygote *zygote; /* NULL: processes are started directly. The owner destroys it */
    int fixed;                /* a life goes on in another process: no zygote will do */
    int restart;              /* likewise, from another run */
};

/* A socket pair for control, pipes for output, and for input where it is wanted (else /dev/null). 0
 * or -errno, and none is open. */
int ft_ends_open(struct ft_ends *ends, int input);
void ft_ends_close(struct ft_ends *ends);
/* Starts a rank: of the program, or of its part in a job of several programs. Returns its pid, or
 * -errno with a sentence in why[size]. note: see ft_spawn. */
pid_t ft_starter_start(struct ft_starter *starter, const struct ft_program *program, int rank,
                       const struct ft_ends *ends, int recorder, pid_t *note, char *why,
                       size_t size);

#endif
