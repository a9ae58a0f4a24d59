/* Functions that libc answers from static memory: strtok, the calendar, hsearch.
 *
 * For the program the static memory lies in the image, so a pointer that it kept stays good and a
 * strtok under way goes on. The time zone's own strings come from the image because libc allocates
 * them on the program's behalf (ft_libc_start and ft_libc_restore call tzset for it). */
#include "libc/state.h"

#include <stdio.h>
#include <string.h>

FT_EXPORT char *strtok(char *restrict string, const char *restrict separators)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(strtok)(string, separators);
    return strtok_r(string, separators, &libc->statics.strtok_rest);
}

FT_EXPORT struct tm *localtime(const time_t *when)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(localtime)(when);
    tzset();
    return localtime_r(when, &libc->statics.broken_down);
}

FT_EXPORT struct tm *gmtime(const time_t *when)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(gmtime)(when);
    return gmtime_r(when, &libc->statics.broken_down);
}

FT_EXPORT char *asctime(const struct tm *time)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(asctime)(time);
    return asctime_r(time, libc->statics.time_text);
}

FT_EXPORT char *ctime(const time_t *when)
{
    struct tm *time = localtime(when);

    return time == NULL ? NULL : asctime(time);
}

FT_EXPORT int hcreate(size_t count)
{
    struct ft_libc *libc = libc_asks();

    return libc ? hcreate_r(count, &libc->statics.search) : LIBC_NEXT(hcreate)(count);
}

FT_EXPORT ENTRY *hsearch(ENTRY item, ACTION action)
{
    struct ft_libc *libc = libc_asks();
    ENTRY *found;

    if (libc == NULL)
        return LIBC_NEXT(hsearch)(item, action);
    return hsearch_r(item, action, &found, &libc->statics.search) ? found : NULL;
}

FT_EXPORT void hdestroy(void)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        LIBC_NEXT(hdestroy)();
    else
        hdestroy_r(&libc->statics.search);
}
