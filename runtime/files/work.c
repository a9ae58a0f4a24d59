#include "files/work.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

char work[64];

int work_make(const char *test)
{
    snprintf(work, sizeof work, "/tmp/%s.XXXXXX", test);
    return mkdtemp(work) == NULL ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

int work_remove(void)
{
    return nftw(work, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *path_of(const char *name)
{
    static char path[8][128];
    static int next;

    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", work, name);
    return path[next];
}
