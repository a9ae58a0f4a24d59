/* Waiting for ranks that rolled back (settle.h). */
#include "files/settle.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "os/os.h"

static const double patience = 60; /* seconds */

static int has_to_wait(const struct ft_rank *self)
{
    const struct ft_recorder *recorder = self->recorder;

    return __atomic_load_n(&recorder->unsettled, __ATOMIC_ACQUIRE) && ft_is_where_it_was(recorder);
}

/* Another thread of the program may be in MPI now, and need not come out; and so is the library
 * while it calls the program. As long as calls are entered, others get what they need from this
 * rank. */
static void wait_beside_mpi(const struct ft_rank *self, const char *call, const void *site)
{
    static const struct timespec nap = {.tv_nsec = 1000000};
    double since = ft_os_now();
    uint64_t calls = __atomic_load_n(&self->calls, __ATOMIC_RELAXED);

    while (has_to_wait(self)) {
        uint64_t now = __atomic_load_n(&self->calls, __ATOMIC_RELAXED);

        since = now == calls ? since : ft_os_now();
        calls = now;
        if (ft_os_now() - since > patience)
            ft_refuse(
                call, site,
                "its file calls have to wait until ranks that rolled back have caught up, and "
                "these may wait for this rank: access files from the thread that calls MPI "
                "and outside of its callbacks, or use --protocol coordinated");
        nanosleep(&nap, NULL);
    }
}

void files_settle(struct ft_rank *self, const char *call, const void *site)
{
    struct ft_recorder *recorder = self->recorder;
    uint32_t where = recorder->where;
    int error = errno;

    if (self->mpi_state != 1 || !has_to_wait(self))
        return;
    ft_depth++;
    if (getpid() != gettid() || self->in_callback) {
        wait_beside_mpi(self, call, site);
    } else {
        recorder->where = FT_WHERE_CALL;
        for (unsigned pass = 0; has_to_wait(self); pass++)
            ft_gate_pass(self, pass);
        recorder->where = where;
    }
    ft_depth--;
    errno = error;
}
