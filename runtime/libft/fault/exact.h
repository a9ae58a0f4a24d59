/* exact: deaths at a moment that no point names. Both only arm something: the process goes on, and
 * dies wherever it is then. Thread rule: the thread that calls MPI, once in a process. */
#ifndef FT_EXACT_H
#define FT_EXACT_H

#include <stdint.h>

/* A timer of the kernel sends the signal in so many nanoseconds. */
void ft_exact_timer(uint64_t nanoseconds, int signal);
/* The signal is raised behind so many instructions of this thread (the processor's trap flag). */
void ft_exact_step(uint64_t instructions, int signal);

#endif
