/* libc: state that the C library keeps on the program's behalf and that must follow the image.
 *
 * docs/libc.md has the table of families: for each, wrapped and rebuilt, or refused. The wrappers
 * in this room are exported from libft.so and stand in front of libc's for the whole process; each
 * acts only for the program (ft_depth == 0 and ft_self != NULL) and is the plain libc call
 * otherwise. State lies in struct ft_libc, in the image. */
#ifndef FT_LIBC_H
#define FT_LIBC_H

#include <time.h>

#include "process.h"

/* At the start of a first life, before the program's constructors: takes over (gives stdio buffers
 * from the image, own random state, environment copied into the image, ...). */
void ft_libc_start(struct ft_rank *self);
/* At a safe point, right before the image is taken: copies what lies outside the image into it.
 * leaving: this process does nothing for the program any more; the signals that come from now on
 * wait, blocked, for its next life, and the timers stand still. */
void ft_libc_save(struct ft_rank *self, int leaving);
/* In a new life, after the memory is in and before PMPI_Init: puts everything back. 0 or -errno. */
int ft_libc_restore(struct ft_rank *self);
/* In a new life, after PMPI_Init and before the jump back into the program: handlers, mask and
 * timers, which the MPI library must not overwrite. 0 or -errno. */
int ft_libc_resume(struct ft_rank *self);
/* clock(). For the program it never goes back: the time of earlier lives, up to the image, is
 * added. */
clock_t ft_libc_clock(void);
/* Lets libgomp's idle threads go; then: a reason why no image can be taken now (a state that the
 * table refuses), or NULL. */
const char *ft_libc_obstacle(struct ft_rank *self);
/* 1: the calling thread is main, no other thread of the program is at work, and main is in no
 * parallel region of OpenMP. */
int ft_libc_is_alone(void);
/* Before an image is put in: waits for the threads that constructors of this life have started, and
 * forgets them: the image knows of none. Panics when one stays. */
void ft_libc_settle(void);
/* In a rank that was forked by the zygote: panics when threads were lost with that. */
void ft_libc_forked(void);
/* May the program hold addresses in its registers that libc will have elsewhere in the next life?
 * Those of a locale other than C. It matters only between two calls. */
int ft_libc_moves(void);

#endif
