/* loop: epoll, and a list of timers that is short enough to be searched.
 *
 * An event carries (generation << 32 | fd); the generation of a watch changes when it is forgotten,
 * so events of a closed descriptor never reach the one that got its number. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>
#include "host/loop.h"

struct watch {
    uint32_t generation;
    int active;
    void (*ready)(void *context, uint32_t events);
    void *context;
};

struct ft_loop {
    int epoll;
    struct watch *watches; /* by descriptor */
    int room;              /* entries of watches */
    struct ft_timer *timers;
};

double ft_loop_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int ft_loop_create(struct ft_loop **out)
{
    struct ft_loop *loop = calloc(1, sizeof(*loop));

    if (!loop)
        return -ENOMEM;
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (loop->epoll < 0) {
        free(loop);
        return -errno;
    }
    *out = loop;
    return 0;
}

void ft_loop_destroy(struct ft_loop *loop)
{
    if (!loop)
        return;
    close(loop->epoll);
    free(loop->watches);
    free(loop);
}

static int make_room(struct ft_loop *loop, int fd)
{
    if (fd < loop->room)
        return 0;
    int room = fd + 64;
    struct watch *watches = realloc(loop->watches, (size_t)room * sizeof(*watches));

    if (!watches)
        return -ENOMEM;
    memset(watches + loop->room, 0, (size_t)(room - loop->room) * sizeof(*watches));
    loop->watches = watches;
    loop->room = room;
    return 0;
}

int ft_loop_watch(struct ft_loop *loop, int fd, uint32_t events,
                  void (*ready)(void *context, uint32_t events), void *context)
{
    int code = make_room(loop, fd);

    if (code)
        return code;
    struct watch *watch = &loop->watches[fd];
    struct epoll_event event = {.events = events,
                                .data.u64 = (uint64_t)watch->generation << 32 | (uint32_t)fd};

    if (epoll_ctl(loop->epoll, watch->active ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event))
        return -errno;
    watch->active = 1;
    watch->ready = ready;
    watch->context = context;
    return 0;
}

void ft_loop_forget(struct ft_loop *loop, int fd)
{
    if (fd < 0 || fd >= loop->room || !loop->watches[fd].active)
        return;
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
    loop->watches[fd].active = 0;
    loop->watches[fd].generation++;
}

void ft_loop_cancel(struct ft_loop *loop, struct ft_timer *timer)
{
    if (timer->armed)
        LL_DELETE(loop->timers, timer);
    timer->armed = 0;
}

void ft_loop_after(struct ft_loop *loop, struct ft_timer *timer, double seconds,
                   void (*fire)(void *context), void *context)
{
    ft_loop_cancel(loop, timer);
    timer->due = ft_loop_now() + seconds;
    timer->fire = fire;
    timer->context = context;
    timer->armed = 1;
    LL_PREPEND(loop->timers, timer);
}

static struct ft_timer *earliest(struct ft_loop *loop)
{
    struct ft_timer *first = loop->timers, *timer;

    LL_FOREACH (loop->timers, timer) {
        if (timer->due < first->due)
            first = timer;
    }
    return first;
}

/* Waits for descriptors, or the next timer. epoll_wait would round to milliseconds. */
static void wait_once(struct ft_loop *loop)
{
    const struct ft_timer *first = earliest(loop);
    double seconds = first ? fmax(0, fmin(first->due - ft_loop_now(), 1e6)) : 0;
    struct timespec time = {.tv_sec = (time_t)seconds};
    struct pollfd ready = {.fd = loop->epoll, .events = POLLIN};

    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    ppoll(&ready, 1, first ? &time : NULL, NULL);
}

static void fire_timers(struct ft_loop *loop, const int *done)
{
    double now = ft_loop_now();
    struct ft_timer *timer;

    while (!*done && (timer = earliest(loop)) && timer->due <= now) {
        ft_loop_cancel(loop, timer);
        timer->fire(timer->context);
    }
}

static void dispatch(struct ft_loop *loop, const struct epoll_event *event)
{
    int fd = (int)(uint32_t)event->data.u64;
    const struct watch *watch = &loop->watches[fd];

    if (watch->active && watch->generation == event->data.u64 >> 32)
        watch->ready(watch->context, event->events);
}

int ft_loop_run(struct ft_loop *loop, const int *done)
{
    struct epoll_event events[32];

    while (!*done) {
        int count;

        wait_once(loop);
        count = epoll_wait(loop->epoll, events, 32, 0);
        if (count < 0 && errno != EINTR)
            return -errno;
        for (int i = 0; i < count && !*done; i++)
            dispatch(loop, &events[i]);
        fire_timers(loop, done);
    }
    return 0;
}
