/* slow_word: in front of libc (LD_PRELOAD), a rank that has renamed a file loses its processor
 * before it says so: before the runtime looks at the clock for that. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static __thread const char *moving; /* the name that a file is losing */

__attribute__((visibility("default"))) int rename(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    const char *outer = moving; /* the runtime renames its own, too */
    int code;

    if (!next)
        next = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    moving = from;
    code = next(from, to);
    moving = outer;
    return code;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*next)(clockid_t, struct timespec *);
    struct stat status;

    if (!next)
        next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (moving && lstat(moving, &status) != 0)
        usleep(8000);
    return next(clock, time);
}
