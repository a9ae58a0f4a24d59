/* Where the MPI library waits. MPICH's blocking calls poll its transport, UCX, by one function. A
 * call that is made in a fiber (the making of communicators, handle/making.c) pauses there when the
 * poll has found nothing: the rank can answer ftrun, resend what others lack, and go on.
 *
 * With a library that polls by something else, such a call is not left before it ends.
 *
 * A blocking collective waits there, too, and so do the start of the library and the making of
 * communicators in a new epoch. They yield the processor as the runtime's own wait loops do:
 * otherwise, with more ranks than cores, each of their steps would take a time slice (a
 * communicator of 8 ranks on 2 cores 60 ms instead of 10). */
#include "base/base.h"
#include "os/fiber.h"
#include "os/os.h"
#include "request/virtual.h"

unsigned ucp_worker_progress(void *worker);

FT_EXPORT unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static unsigned polls;
    unsigned found;

    if (ft_unlikely(!next))
        next = (unsigned (*)(void *))ft_os_next_symbol("ucp_worker_progress");
    found = next(worker);
    if (!found && !ft_fiber_pause())
        ft_wait_spin(&polls);
    return found;
}
