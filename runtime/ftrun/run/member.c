/* member: a rank that is ordered to the gate and let go, and what its recorder shows. Its process
 * is recover/rank.c's. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "run/run.h"

void ft_rank_order(struct ft_member *member, uint32_t generation)
{
    __atomic_store_n(&member->recorder->order, generation, __ATOMIC_RELEASE);
    ft_rank_tell(member);
}

void ft_rank_release(struct ft_member *member)
{
    ft_rank_send(member, FT_WIRE_RELEASE, NULL, 0, NULL, 0, -1);
}

struct ft_gather_block ft_rank_block(const struct ft_member *member)
{
    const struct ft_recorder *recorder = member->recorder;
    uint32_t where = __atomic_load_n(&recorder->where, __ATOMIC_ACQUIRE);

    return (struct ft_gather_block){where == FT_WHERE_BLOCK, where == FT_WHERE_USER,
                                    recorder->block_comm, recorder->block_clock};
}

int ft_rank_any_ended(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        if (run->members[i].ended)
            return 1;
    }
    return 0;
}

/* A rank that has left processes running is examined again when they have ended. */
void ft_rank_forget_groups(struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        struct ft_member *member = &run->members[i];

        if (member->node || !member->ended || member->group <= 0 || !kill(-member->group, 0) ||
            errno != ESRCH)
            continue;
        member->group = 0;
        ft_shm_forget(run->shm, i);
    }
}

void ft_rank_drop_image(struct ft_member *member)
{
    if (member->image_fd >= 0)
        close(member->image_fd);
    member->image_fd = -1;
    member->crossed = 0;
    if (member->left)
        ft_node_tell(member->node, FT_AGENT_FORGET, member->rank, member->life, 0, NULL, 0);
    member->left = 0;
    member->lent = FT_LENT_NOT;
}
