#include "files/undo_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

char file[128];

int setup(void **state)
{
    int code = ranks_setup(state);

    strcpy(file, path_of("file"));
    return code;
}

void removed(int r, const char *path)
{
    act_as(r);
    assert_int_equal(remove(path), 0);
    act_as(-1);
}

void dated_finely(const char *path, time_t seconds, long more)
{
    struct timespec times[2] = {{.tv_sec = seconds, .tv_nsec = more},
                                {.tv_sec = seconds, .tv_nsec = more}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

void dated(const char *path, time_t seconds)
{
    dated_finely(path, seconds, 0);
}

void expect_misfit(int early, int late)
{
    assert_int_equal(fit(-1), 1);
    assert_int_equal(misfit.early, early);
    assert_int_equal(misfit.late, late);
    assert_string_equal(misfit.path, file);
}

void expect_misfit_of(int early, int late, uint64_t time)
{
    expect_misfit(early, late);
    assert_int_equal(misfit.time, time);
}
