/* Answers the MPI library when another rank has died in the middle of a transfer.
 *
 * UCX reads a peer's memory with process_vm_readv, and answers an error of it by printing into the
 * program's stderr and aborting the process (uct/sm/cma). The peer's death is ftrun's business: it
 * ends this process, too, in a moment. So a call that fails because the peer is gone waits for that
 * instead of returning. The wait is bounded: an error of another cause comes through after it.
 *
 * With --protocol spbc this process may live on, if the peer was of another cluster. Then the
 * call answers as if it had been done. The library goes on and may complete a receive with torn
 * data: ft_life.torn says so, and such a receive is taken back (request/foreign.c). */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

#define PATIENCE 5 /* seconds; ftrun needs milliseconds */

/* A peer that is gone, or whose memory is being taken down. (At its start UCX tries the call on the
 * process itself, to see whether the system allows it: that must not wait.) */
static int is_death(int code)
{
    return code == ESRCH || code == EFAULT || code == EPERM;
}

static ssize_t bytes_of(const struct iovec *part, unsigned long parts)
{
    size_t bytes = 0;

    for (unsigned long i = 0; i < parts; i++)
        bytes += part[i].iov_len;
    return (ssize_t)bytes;
}

static ssize_t transfer(long number, pid_t pid, const struct iovec *local, unsigned long locals,
                        const struct iovec *remote, unsigned long remotes, unsigned long flags)
{
    ssize_t done = syscall(number, pid, local, locals, remote, remotes, flags);
    int code = errno;

    if (ft_likely(done >= 0) || ft_self == NULL || pid == getpid() || !is_death(code))
        return done;
    if (ft_self->spbc != NULL) {
        if (!ft_life.torn)
            ft_log_debug("start", "process %d is gone in the middle of a transfer", (int)pid);
        ft_life.torn = 1;
        ft_life.torn_pid = (int)pid;
        return bytes_of(remote, remotes);
    }
    for (struct timespec left = {.tv_sec = PATIENCE}; nanosleep(&left, &left) != 0;)
        ;
    errno = code;
    return done;
}

FT_EXPORT ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long locals,
                                   const struct iovec *remote, unsigned long remotes,
                                   unsigned long flags)
{
    return transfer(SYS_process_vm_readv, pid, local, locals, remote, remotes, flags);
}

FT_EXPORT ssize_t process_vm_writev(pid_t pid, const struct iovec *local, unsigned long locals,
                                    const struct iovec *remote, unsigned long remotes,
                                    unsigned long flags)
{
    return transfer(SYS_process_vm_writev, pid, local, locals, remote, remotes, flags);
}
