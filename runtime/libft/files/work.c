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

static int remove_inside(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    return at->level == 0 ? 0 : remove(path);
}

int work_empty(void)
{
    return nftw(work, remove_inside, 8, FTW_DEPTH | FTW_PHYS);
}

int work_remove(void)
{
    return work_empty() == 0 ? remove(work) : -1;
}

const char *path_in(const char *folder, const char *name)
{
    static char path[8][512];
    static int next;

    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

const char *path_of(const char *name)
{
    return path_in(work, name);
}
