/* loop: the one event loop of ftrun: descriptors, timers and signals, without threads.
 *
 * A callback may add and remove watches and timers freely, its own included: an event that was
 * collected for a descriptor before it was forgotten is dropped. Thread rule: single threaded. */
#ifndef FT_LOOP_H
#define FT_LOOP_H

#include <stdint.h>

struct ft_loop;

struct ft_timer { /* owned by the caller; zeros: not armed */
    double due;   /* seconds of ft_loop_now */
    int armed;
    void (*fire)(void *context);
    void *context;
    struct ft_timer *next; /* the loop's */
};

/* 0 or -errno. */
int ft_loop_create(struct ft_loop **out);
void ft_loop_destroy(struct ft_loop *loop); /* NULL is allowed */
/* Calls ready(context, events) when fd has one of `events` (EPOLLIN, EPOLLOUT). A second call for
 * the same fd replaces the first. 0 or -errno; -EPERM: a regular file, which is always ready. */
int ft_loop_watch(struct ft_loop *loop, int fd, uint32_t events,
                  void (*ready)(void *context, uint32_t events), void *context);
void ft_loop_forget(struct ft_loop *loop, int fd); /* a fd that is not watched is allowed */
/* Arms the timer, or arms it anew. */
void ft_loop_after(struct ft_loop *loop, struct ft_timer *timer, double seconds,
                   void (*fire)(void *context), void *context);
void ft_loop_cancel(struct ft_loop *loop, struct ft_timer *timer);
/* Runs until *done is nonzero. 0 or -errno. */
int ft_loop_run(struct ft_loop *loop, const int *done);
double ft_loop_now(void); /* seconds of the monotonic clock */

#endif
