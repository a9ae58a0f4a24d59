/* fiber: a function on a stack of its own, which may be left in the middle and entered again, or
 * never again. So a call of a library that waits for other processes can be left while it waits,
 * provided that it calls something of ours in its loop (start/polls.c).
 *
 * Neither the stack nor the fiber is in the image: in a new life there is none. Thread rule: one
 * thread at a time. */
#ifndef FT_OS_FIBER_H
#define FT_OS_FIBER_H

struct ft_fiber;

/* Will call run(argument) when it is first resumed. NULL: no memory. */
struct ft_fiber *ft_fiber_create(void (*run)(void *), void *argument);
/* Goes on until it pauses or ends. Not from inside of a fiber. Returns 1 when it has ended. */
int ft_fiber_resume(struct ft_fiber *fiber);
/* From inside: goes back to whom resumed it. Returns 1; outside of a fiber 0 at once. */
int ft_fiber_pause(void);
/* One that has ended. */
void ft_fiber_destroy(struct ft_fiber *fiber);

#endif
