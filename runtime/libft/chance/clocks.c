/* The clocks of libc. Time goes on while a rank is dead, so behind the last reading that was given
 * again the machine's is never earlier. The processor's time begins anew in each process: there it
 * goes on from the last reading (determinant/reading.h). */
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "chance/ask.h"
#include "libc/libc.h"

#define SECOND 1000000000 /* nanoseconds */
#define MICROSECOND 1000

static int64_t moment_of(const struct timespec *now)
{
    return now->tv_sec * SECOND + now->tv_nsec;
}

static struct timespec time_of(int64_t moment)
{
    int64_t rest = moment % SECOND;

    return (struct timespec){moment / SECOND - (rest < 0), rest + (rest < 0 ? SECOND : 0)};
}

static enum ft_clock clock_of(clockid_t clock)
{
    return clock >= 0 && clock < FT_CLOCK_OTHER ? (enum ft_clock)clock : FT_CLOCK_OTHER;
}

FT_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(clock_gettime)(clock, now);

    if (ft_likely(self == NULL) || code != 0)
        return code;
    *now = time_of(ask_clock(self, clock_of(clock), moment_of(now)));
    return 0;
}

/* libc's header says that it is not, and libc takes it. */
static int is_null(const struct timeval *volatile now)
{
    return now == NULL;
}

FT_EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(gettimeofday)(now, zone);
    struct timespec whole;

    if (ft_likely(self == NULL) || code != 0 || is_null(now))
        return code;
    whole =
        time_of(ask_clock(self, FT_CLOCK_DAY, now->tv_sec * SECOND + now->tv_usec * MICROSECOND));
    *now = (struct timeval){whole.tv_sec, whole.tv_nsec / MICROSECOND};
    return 0;
}

FT_EXPORT time_t time(time_t *now)
{
    struct ft_rank *self = ASK_RECORDED();
    time_t moment = ASK_NEXT(time)(NULL);

    if (ft_unlikely(self != NULL))
        moment = time_of(ask_clock(self, FT_CLOCK_TIME, moment * SECOND)).tv_sec;
    if (now != NULL)
        *now = moment;
    return moment;
}

FT_EXPORT int timespec_get(struct timespec *now, int base)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(timespec_get)(now, base);

    if (ft_likely(self == NULL) || code == 0)
        return code;
    *now = time_of(ask_clock(self, FT_CLOCK_FIRST + CLOCK_REALTIME, moment_of(now)));
    return code;
}

FT_EXPORT clock_t clock(void)
{
    struct ft_rank *self = ASK_RECORDED();
    clock_t used = ft_libc_clock();

    if (ft_likely(self == NULL) || used == (clock_t)-1)
        return used;
    return ask_clock(self, FT_CLOCK_CPU, used * MICROSECOND) / MICROSECOND;
}

FT_EXPORT clock_t times(struct tms *used)
{
    struct ft_rank *self = ASK_RECORDED();
    struct {
        clock_t now;
        struct tms used;
    } all;

    all.now = ASK_NEXT(times)(&all.used);
    if (ft_unlikely(self != NULL) && all.now != (clock_t)-1)
        ask_value(self, FT_VALUE_TIMES, &all, sizeof all);
    if (used != NULL)
        *used = all.used;
    return all.now;
}

FT_EXPORT int getrusage(__rusage_who_t who, struct rusage *used)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(getrusage)(who, used);

    if (ft_unlikely(self != NULL) && code == 0)
        ask_value(self, FT_VALUE_TIMES, used, sizeof *used);
    return code;
}
