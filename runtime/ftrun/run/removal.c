/* removal: checkpoints that nobody needs any more are removed beside the run.
 *
 * A file system takes a quarter of a second and more for each GB of a file that is unlinked, and
 * ftrun has one thread, which sees deaths and passes output on. So a child removes what the store
 * has set aside. The next checkpoint waits for it: where there is room for --keep of them and one
 * more, that stays enough. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/spawn.h"
#include "run/run.h"

static void start(struct ft_run *run)
{
    pid_t child = ft_spawn_helper();

    run->removal.more = 0;
    if (child > 0) {
        run->removal.pid = child;
        return;
    }
    ft_store_clear(run->store); /* here where no process can be made for it */
    if (child == 0)
        _exit(0);
}

static void begin(struct ft_run *run)
{
    if (run->removal.pid > 0)
        run->removal.more = 1;
    else
        start(run);
}

void ft_removal_drop(struct ft_run *run, uint32_t checkpoint)
{
    ft_near_remove(run, checkpoint);
    if (ft_store_drop(run->store, checkpoint))
        begin(run);
}

void ft_removal_discard(struct ft_run *run, uint32_t checkpoint)
{
    ft_near_remove(run, checkpoint);
    if (ft_store_discard(run->store, checkpoint))
        begin(run);
}

int ft_removal_reaped(struct ft_run *run, pid_t pid)
{
    if (pid != run->removal.pid)
        return 0;
    run->removal.pid = 0;
    if (run->removal.more)
        start(run);
    return 1;
}

void ft_removal_end(struct ft_run *run)
{
    if (run->removal.pid <= 0)
        return;
    kill(run->removal.pid, SIGKILL);
    waitpid(run->removal.pid, NULL, 0);
    run->removal.pid = 0;
    ft_store_clear(run->store);
}
