/* Signal handlers, the mask, the alternate stack and the interval timers of the program.
 *
 * Only what the program installed is carried: the MPI library and the runtime install their own in
 * each life. The state of the save is in force after the restore. The time that is left on a timer
 * is that of the save.
 *
 * A process that leaves its epoch blocks all signals before it saves: signals that come then are
 * pending over the exec. A timer would go off once there and once more after the restore, so it
 * is stopped. */
#include "libc/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

sighandler_t __sysv_signal(int number, sighandler_t handler);

/* Notes the action that is in force for a signal as the program's wish. */
static void action_note(struct ft_libc *libc, int number)
{
    struct libc_signals *signals = &libc->signals;

    if (LIBC_NEXT(sigaction)(number, NULL, &signals->action[number]) == 0)
        signals->installed |= 1UL << (number - 1);
}

/* A signal that the program handles itself is none of ours (checkpoint/interrupt.c). Before its
 * handler is there. */
static void signal_take(int number)
{
    if (number == ft_life.signal && ft_self != NULL)
        ft_self->recorder->signal = 0;
}

FT_EXPORT int sigaction(int number, const struct sigaction *restrict action,
                        struct sigaction *restrict old)
{
    int code;

    if (action != NULL && libc_asks() != NULL)
        signal_take(number);
    code = LIBC_NEXT(sigaction)(number, action, old);

    if (code == 0 && action != NULL && libc_asks() != NULL)
        action_note(ft_libc_state, number);
    return code;
}

/* signal and its relatives: same shape, other flags. */
#define SIGNAL(name)                                                                               \
    FT_EXPORT sighandler_t name(int number, sighandler_t handler)                                  \
    {                                                                                              \
        sighandler_t old;                                                                          \
                                                                                                   \
        if (libc_asks() != NULL)                                                                   \
            signal_take(number);                                                                   \
        old = LIBC_NEXT(name)(number, handler);                                                    \
        if (old != SIG_ERR && libc_asks() != NULL)                                                 \
            action_note(ft_libc_state, number);                                                    \
        return old;                                                                                \
    }

SIGNAL(signal)
SIGNAL(ssignal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
sighandler_t bsd_signal(int number, sighandler_t handler);
SIGNAL(bsd_signal)
SIGNAL(sigset)

FT_EXPORT int sigignore(int number)
{
    int code;

    if (libc_asks() != NULL)
        signal_take(number);
    code = LIBC_NEXT(sigignore)(number);
    if (code == 0 && libc_asks() != NULL)
        action_note(ft_libc_state, number);
    return code;
}

FT_EXPORT int siginterrupt(int number, int interrupt)
{
    int code = LIBC_NEXT(siginterrupt)(number, interrupt);

    if (code == 0 && libc_asks() != NULL)
        action_note(ft_libc_state, number);
    return code;
}
#pragma GCC diagnostic pop

FT_EXPORT int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
    int code = LIBC_NEXT(sigaltstack)(stack, old);

    if (code == 0 && stack != NULL && libc_asks() != NULL) {
        ft_libc_state->signals.stack = *stack;
        ft_libc_state->signals.stack_set = 1;
    }
    return code;
}

FT_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value,
                        struct itimerval *restrict old)
{
    int code = LIBC_NEXT(setitimer)(which, value, old);

    if (code == 0 && libc_asks() != NULL)
        ft_libc_state->signals.timers |= 1 << (int)which;
    return code;
}

FT_EXPORT unsigned alarm(unsigned seconds)
{
    if (libc_asks() != NULL)
        ft_libc_state->signals.timers |= 1 << ITIMER_REAL;
    return LIBC_NEXT(alarm)(seconds);
}

FT_EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
    if (libc_asks() != NULL)
        ft_libc_state->signals.timers |= 1 << ITIMER_REAL;
    return LIBC_NEXT(ualarm)(value, interval);
}

static int actions_equal(const struct sigaction *a, const struct sigaction *b)
{
    return a->sa_sigaction == b->sa_sigaction && a->sa_flags == b->sa_flags;
}

/* The mask and the timers, as they are or as they are stopped. */
static void timers_save(struct libc_signals *signals, int leaving)
{
    static const struct itimerval none;
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, leaving ? &all : NULL, &signals->mask);
    for (int which = 0; which < 3; which++)
        if (signals->timers >> which & 1 && leaving)
            LIBC_NEXT(setitimer)((__itimer_which_t)which, &none, &signals->timer[which]);
        else if (signals->timers >> which & 1)
            getitimer((__itimer_which_t)which, &signals->timer[which]);
}

void libc_signals_save(struct ft_libc *libc, int leaving)
{
    struct libc_signals *signals = &libc->signals;
    struct sigaction now;

    timers_save(signals, leaving);
    signals->active = 0;
    for (int number = 1; number < LIBC_SIGNALS; number++)
        if ((signals->installed >> (number - 1) & 1) &&
            LIBC_NEXT(sigaction)(number, NULL, &now) == 0 &&
            actions_equal(&now, &signals->action[number]))
            signals->active |= 1UL << (number - 1);
}

int libc_signals_restore(struct ft_libc *libc)
{
    struct libc_signals *signals = &libc->signals;

    if (signals->stack_set)
        LIBC_NEXT(sigaltstack)(&signals->stack, NULL);
    for (int number = 1; number < LIBC_SIGNALS; number++) {
        if (!(signals->active >> (number - 1) & 1))
            continue;
        signal_take(number);
        if (LIBC_NEXT(sigaction)(number, &signals->action[number], NULL) != 0)
            return -errno;
    }
    for (int which = 0; which < 3; which++)
        if (signals->timers >> which & 1)
            LIBC_NEXT(setitimer)((__itimer_which_t)which, &signals->timer[which], NULL);
    return sigprocmask(SIG_SETMASK, &signals->mask, NULL) == 0 ? 0 : -errno;
}
