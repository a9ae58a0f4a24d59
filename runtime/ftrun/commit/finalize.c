/* finalize: all ranks leave the MPI library together, and not in the middle of a checkpoint. */
#include "commit/commit.h"

void ft_finalize_all(struct ft_run *run)
{
    if (run->finalized || run->state >= FT_RUN_LEAVING || ft_checkpoint_is_open(run))
        return;
    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].finalizing && !run->members[i].mourned)
            return;
    }
    run->finalized = 1;
    for (int i = 0; i < run->size; i++)
        if (!run->members[i].mourned)
            ft_rank_send(&run->members[i], FT_WIRE_FINALIZE, NULL, 0, NULL, 0, -1);
}
