/* Trees and stars. */
#include "coll/move.h"

struct ft_group_view ft_group_local(const struct ft_comm *on)
{
    return (struct ft_group_view){on->rank, on->size, on->local};
}

void ft_move_barrier(struct ft_rank *self, struct ft_schedule *schedule,
                     const struct ft_group_view *group)
{
    int size = group->size;

    for (int distance = 1; distance < size; distance *= 2) {
        ft_schedule_receive(self, schedule, NULL, 0, MPI_BYTE,
                            group->world[(group->rank - distance + size) % size]);
        ft_schedule_send(self, schedule, NULL, 0, MPI_BYTE,
                         group->world[(group->rank + distance) % size]);
        ft_schedule_round(self, schedule);
    }
}

void ft_move_bcast(struct ft_rank *self, struct ft_schedule *schedule,
                   const struct ft_group_view *group, struct ft_block block, int root)
{
    int size = group->size, relative = (group->rank - root + size) % size, mask = 1;

    while (mask < size && !(relative & mask))
        mask *= 2;
    if (relative) {
        int parent = (group->rank - mask + size) % size;

        ft_schedule_receive(self, schedule, block.buffer, block.count, block.type,
                            group->world[parent]);
        ft_schedule_round(self, schedule);
    }
    for (mask /= 2; mask; mask /= 2)
        if (relative + mask < size)
            ft_schedule_send(self, schedule, block.buffer, block.count, block.type,
                             group->world[(group->rank + mask) % size]);
    ft_schedule_round(self, schedule);
}

void ft_move_gather(struct ft_rank *self, struct ft_schedule *schedule,
                    const struct ft_group_view *group, struct ft_block mine,
                    const struct ft_blocks *all, int root)
{
    if (group->rank != root) {
        ft_block_send(self, schedule, mine, group->world[root]);
        return;
    }
    for (int i = 0; i < group->size; i++)
        if (i != root)
            ft_block_receive(self, schedule, ft_blocks_at(all, i), group->world[i]);
    if (mine.buffer != MPI_IN_PLACE)
        ft_block_copy(self, schedule, mine, ft_blocks_at(all, root));
}

void ft_move_scatter(struct ft_rank *self, struct ft_schedule *schedule,
                     const struct ft_group_view *group, const struct ft_blocks *all,
                     struct ft_block mine, int root)
{
    if (group->rank != root) {
        ft_block_receive(self, schedule, mine, group->world[root]);
        return;
    }
    for (int i = 0; i < group->size; i++)
        if (i != root)
            ft_block_send(self, schedule, ft_blocks_at(all, i), group->world[i]);
    if (mine.buffer != MPI_IN_PLACE)
        ft_block_copy(self, schedule, ft_blocks_at(all, root), mine);
}
