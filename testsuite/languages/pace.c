/* pace: a step of a program in C++ or Fortran takes FT_TEST_PACE microseconds, so that a run lasts
 * for some checkpoints; natively it takes none. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C"
#endif
    void
    test_pace_(void);

void test_pace_(void)
{
    const char *pace = getenv("FT_TEST_PACE");
    struct timespec time = {0, pace ? atol(pace) * 1000 : 0};

    if (pace && !getenv("FT_TEST_UNPACED"))
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
}
