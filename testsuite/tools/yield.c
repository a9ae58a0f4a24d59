/* yield: in front of the MPI library of a native run (LD_PRELOAD), lets a rank that waits yield the
 * processor. MPICH's ranks poll without end, and where there are fewer cores than ranks each step of
 * a collective takes a time slice: a native run would take ten times as long as the same under ftrun.
 * Nothing but time changes. */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    unsigned found;

    if (!next)
        next = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    found = next(worker);
    if (!found)
        sched_yield();
    return found;
}
