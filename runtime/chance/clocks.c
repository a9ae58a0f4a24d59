/* The clocks of libc. Time goes on while a rank is dead, so behind the last one that was given
 * again the machine's is never earlier. The processor's time begins anew in each process: there the
 * last one counts until it is reached. */
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#include "chance/ask.h"
#include "libc/libc.h"

#define SECOND 1000000000 /* nanoseconds */

static int64_t cpu_last[2]; /* CLOCK_PROCESS_CPUTIME_ID and CLOCK_THREAD_CPUTIME_ID, nanoseconds */
static int64_t clock_last;  /* clock() */

/* A clock that must not go back; *last is what it said in this life. */
static int64_t ask_later(struct ft_rank *self, enum ft_value_kind kind, int64_t live, int64_t *last)
{
    return *last = ask_number(self, kind, live > *last ? live : *last);
}

FT_EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(clock_gettime)(clock, now);
    int64_t moment;

    if (ft_likely(self == NULL) || code != 0)
        return code;
    moment = now->tv_sec * SECOND + now->tv_nsec;
    if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
        moment =
            ask_later(self, FT_VALUE_CLOCK, moment, &cpu_last[clock == CLOCK_THREAD_CPUTIME_ID]);
    else
        moment = ask_number(self, FT_VALUE_CLOCK, moment);
    *now = (struct timespec){moment / SECOND, moment % SECOND};
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
    int64_t moment;

    if (ft_likely(self == NULL) || code != 0 || is_null(now))
        return code;
    moment = ask_number(self, FT_VALUE_TIME, now->tv_sec * 1000000 + now->tv_usec);
    *now = (struct timeval){moment / 1000000, moment % 1000000};
    return 0;
}

FT_EXPORT time_t time(time_t *now)
{
    struct ft_rank *self = ASK_RECORDED();
    time_t moment = ASK_NEXT(time)(NULL);

    if (ft_unlikely(self != NULL))
        moment = ask_number(self, FT_VALUE_TIME, moment);
    if (now != NULL)
        *now = moment;
    return moment;
}

FT_EXPORT int timespec_get(struct timespec *now, int base)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(timespec_get)(now, base);
    int64_t moment;

    if (ft_likely(self == NULL) || code == 0)
        return code;
    moment = ask_number(self, FT_VALUE_TIME, now->tv_sec * SECOND + now->tv_nsec);
    *now = (struct timespec){moment / SECOND, moment % SECOND};
    return code;
}

FT_EXPORT clock_t clock(void)
{
    struct ft_rank *self = ASK_RECORDED();
    clock_t used = ft_libc_clock();

    return self ? ask_later(self, FT_VALUE_CPU, used, &clock_last) : used;
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
        ask_value(self, FT_VALUE_CPU, &all, sizeof all);
    if (used != NULL)
        *used = all.used;
    return all.now;
}

FT_EXPORT int getrusage(__rusage_who_t who, struct rusage *used)
{
    struct ft_rank *self = ASK_RECORDED();
    int code = ASK_NEXT(getrusage)(who, used);

    if (ft_unlikely(self != NULL) && code == 0)
        ask_value(self, FT_VALUE_CPU, used, sizeof *used);
    return code;
}
