/* move: parts of collectives that move data: the steps of one rank in one group, appended to a
 * schedule. Ranks are those of the group.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_MOVE_H
#define FT_COLL_MOVE_H

#include "coll/blocks.h"

/* Nobody goes on before all have come: dissemination (Hensgen, Finkel, Manber 1988). */
void ft_move_barrier(struct ft_rank *self, struct ft_schedule *schedule,
                     const struct ft_group_view *group);
/* A binomial tree from root. An empty block is sent, too. */
void ft_move_bcast(struct ft_rank *self, struct ft_schedule *schedule,
                   const struct ft_group_view *group, struct ft_block block, int root);
/* Each rank i of the group sends `mine` to root, into block i of `all` there. mine.buffer
 * MPI_IN_PLACE at the root: it is there already. */
void ft_move_gather(struct ft_rank *self, struct ft_schedule *schedule,
                    const struct ft_group_view *group, struct ft_block mine,
                    const struct ft_blocks *all, int root);
/* The reverse. */
void ft_move_scatter(struct ft_rank *self, struct ft_schedule *schedule,
                     const struct ft_group_view *group, const struct ft_blocks *all,
                     struct ft_block mine, int root);

/* The groups of a communicator. */
struct ft_group_view ft_group_local(const struct ft_comm *on);

#endif
