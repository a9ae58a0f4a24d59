/* Sleeps of the program. A rank that sleeps between two looks at another rank's work comes to no
 * call of MPI, and no signal may end its sleep early (recover/interrupt.c). So a sleep begins with
 * a safe point, and a long one is made of short ones. The time at the gate does not count.
 *
 * Left as they are: a sleep until a moment of a clock, and one that a processor's clock
 * measures. */
#include <errno.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "libc/state.h"

#define SITE __builtin_return_address(0)
#define SECOND INT64_C(1000000000) /* nanoseconds */
#define PART (SECOND / 20)         /* the longest sleep between two safe points */

static struct timespec timespec_of(int64_t time)
{
    return (struct timespec){time / SECOND, time % SECOND};
}

/* Handlers of the program may run while it sleeps, and are part of it; asking for the time is not.
 */
static double time_now(void)
{
    double now;

    ft_depth++;
    now = ft_os_now();
    ft_depth--;
    return now;
}

/* A sleep of `time` nanoseconds; *left loses what it took. 0, or -1 with errno. */
static int sleep_once(int64_t time, int64_t *left)
{
    struct timespec part = timespec_of(time), rest = {0};
    double begin = time_now();
    int code = LIBC_NEXT(nanosleep)(&part, &rest);
    int64_t slept = (int64_t)((time_now() - begin) * (double)SECOND);

    if (code == 0)
        *left -= slept < *left ? slept : *left;
    else if (errno == EINTR)
        *left -= time - (rest.tv_sec * SECOND + rest.tv_nsec);
    return code;
}

/* The same in parts, with safe points. */
static int sleep_long(int64_t *left, const void *site)
{
    int code = 0;

    do {
        ft_outside_point(site);
        code = sleep_once(*left < PART ? *left : PART, left);
    } while (code == 0 && *left > 0);
    return code;
}

/* As nanosleep. */
static int sleep_for(const struct timespec *time, struct timespec *rest, const void *site)
{
    int64_t left;
    int code;

    if (ft_self == NULL || ft_depth > 0 || time == NULL || time->tv_sec < 0 || time->tv_nsec < 0 ||
        time->tv_nsec >= SECOND || time->tv_sec >= INT64_MAX / SECOND)
        return LIBC_NEXT(nanosleep)(time, rest);
    left = time->tv_sec * SECOND + time->tv_nsec;
    code = sleep_long(&left, site);
    if (code != 0 && errno == EINTR && rest != NULL)
        *rest = timespec_of(left);
    return code;
}

FT_EXPORT int nanosleep(const struct timespec *time, struct timespec *rest)
{
    return sleep_for(time, rest, SITE);
}

FT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                              struct timespec *rest)
{
    int error = errno, code;

    if (flags != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return LIBC_NEXT(clock_nanosleep)(clock, flags, time, rest);
    code = sleep_for(time, rest, SITE) == 0 ? 0 : errno;
    errno = error;
    return code;
}

FT_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *rest)
{
    int error = errno, code;

    code = sleep_for(time, rest, SITE) == 0 ? 0 : errno == EINTR ? -1 : -2;
    errno = error;
    return code;
}

FT_EXPORT int usleep(useconds_t time)
{
    struct timespec whole = timespec_of(time * INT64_C(1000));

    return sleep_for(&whole, NULL, SITE);
}

FT_EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec rest = {.tv_sec = seconds};
    int error = errno;

    if (sleep_for(&rest, &rest, SITE) != 0)
        return (unsigned)rest.tv_sec;
    errno = error;
    return 0;
}
