/* kept: checkpoints leave the store when no cluster rolls back to them any more, and the job
 * would not be continued from them. */
#include "run/run.h"

static int is_kept_by(const struct ft_cluster *cluster, uint32_t checkpoint)
{
    for (int i = 0; i < cluster->kept_count; i++) {
        if (cluster->kept[i]->checkpoint == checkpoint)
            return 1;
    }
    return 0;
}

void ft_kept_release(struct ft_run *run, uint32_t checkpoint)
{
    if (run->restarting)
        return;
    for (int i = 0; i < run->whole.count; i++) {
        if (run->whole.list[i]->checkpoint == checkpoint)
            return;
    }
    for (int i = 0; i < run->parts; i++) {
        if (is_kept_by(run->part[i], checkpoint))
            return;
    }
    ft_removal_drop(run, checkpoint);
}
