/* The descriptors between a rank and the clone that reads its pages (apart.h).
 *
 * The clone holds the only writing side of a pipe. So its end is the end of the reading, whatever
 * it dies of, and nobody has to tell. */
#include "image/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "os/os.h"

static int watched = -1;

int ft_apart_open(struct ft_apart *apart)
{
    int both[2];

    apart->memory = ft_os_memory();
    if (apart->memory < 0)
        return apart->memory;
    if (pipe2(both, O_CLOEXEC) != 0) {
        int code = -errno;

        close(apart->memory);
        return code;
    }
    apart->until = both[0];
    apart->end = both[1];
    return 0;
}

void ft_apart_close(struct ft_apart *apart)
{
    close(apart->memory);
    close(apart->end);
}

void ft_apart_watch(int until)
{
    if (watched >= 0)
        close(watched);
    watched = until;
}

void ft_apart_wait(double seconds)
{
    struct pollfd end = {.fd = watched};
    double begin = ft_os_now(), left = seconds;

    while (watched >= 0 && left >= 0) {
        if (poll(&end, 1, (int)(left * 1e3)) > 0)
            ft_apart_watch(-1);
        if (seconds == 0)
            return;
        left = seconds - (ft_os_now() - begin);
    }
}

int ft_apart_is_read(void)
{
    ft_apart_wait(0);
    return watched < 0;
}
