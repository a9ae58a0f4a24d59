/* The runtime's own descriptors: out of the program's sight, at the upper end of the table. */
#include "files/files.h"
#include "files/own.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define RESERVED 128 /* numbers below the limit that the runtime uses; of a low limit half */
#define HIGHEST 4096 /* a larger table would cost kernel memory */
#define OWN_MAX 128

static int own[OWN_MAX]; /* 1 + descriptor; 0: free */

static int lowest_number(void)
{
    struct rlimit limit;
    int end = 1024;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        end = limit.rlim_cur > HIGHEST ? HIGHEST : (int)limit.rlim_cur;
    return end > 2 * RESERVED ? end - RESERVED : end / 2;
}

int files_own_copy(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, lowest_number());

    if (copy < 0)
        return -errno;
    for (int i = 0; i < OWN_MAX; i++)
        if (own[i] == 0 || own[i] == copy + 1 || fcntl(own[i] - 1, F_GETFD) < 0) {
            own[i] = copy + 1;
            return copy;
        }
    close(copy);
    return -EMFILE;
}

int ft_files_own(int fd)
{
    int copy = files_own_copy(fd);

    if (copy >= 0)
        close(fd);
    return copy;
}

int files_is_own(int fd)
{
    for (int i = 0; i < OWN_MAX; i++)
        if (own[i] == fd + 1)
            return 1;
    return 0;
}
