/* ft.h: all that an application may call. Nothing here is needed: ftcc inserts the hooks itself.
 *
 * ft_hook: a safe point, where a checkpoint may be taken. Put it at the top of the main loop, where
 * it runs once an iteration on every rank. Outside ftrun it does nothing (a few nanoseconds). Call
 * it from the thread that calls MPI, and not from a callback of MPI. */
#ifndef FT_H
#define FT_H

#ifdef __cplusplus
extern "C" {
#endif

void ft_hook(void);

#ifdef __cplusplus
}
#endif

#endif
