/* Meetings by links in ftrun's private folder (nameless.h). */
#include "files/nameless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

enum { LINK = sizeof ft_life.boot.folder + 96, TARGET = 64 };

static void link_of(const struct stat *status, char *link)
{
    snprintf(link, LINK, "%s/nameless-%u-%d-%llx-%llx", ft_life.boot.folder, ft_life.boot.epoch,
             ft_life.boot.restore, (unsigned long long)status->st_dev,
             (unsigned long long)status->st_ino);
}

/* Makes fd one of the file that `met` is open for, which it closes. */
static int take_over(int fd, int met)
{
    struct stat own, theirs;
    int code = 0;

    if (fstat(fd, &own) != 0 || fstat(met, &theirs) != 0 ||
        ((own.st_ino != theirs.st_ino || own.st_dev != theirs.st_dev) &&
         (lseek(met, lseek(fd, 0, SEEK_CUR), SEEK_SET) < 0 || dup3(met, fd, O_CLOEXEC) < 0)))
        code = -errno;
    close(met);
    return code;
}

int files_nameless_meet(int fd, int flags, const struct stat *status)
{
    char link[LINK], target[TARGET];
    int met;

    link_of(status, link);
    snprintf(target, TARGET, "/proc/%d/fd/%d", (int)getpid(), fd);
    if (symlink(target, link) == 0)
        return 0;
    if (errno != EEXIST)
        return -errno;
    met = open(link, flags | O_CLOEXEC);
    if (met < 0)
        return errno == ENOENT ? 0 : -errno;
    return take_over(fd, met);
}

void files_nameless_met(const struct stat *status)
{
    char link[LINK], target[TARGET], own[TARGET];
    int length = snprintf(own, TARGET, "/proc/%d/", (int)getpid());
    ssize_t got;

    link_of(status, link);
    got = readlink(link, target, TARGET);
    if (got >= length && memcmp(target, own, (size_t)length) == 0)
        unlink(link);
}
