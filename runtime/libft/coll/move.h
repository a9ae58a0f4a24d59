/* move: parts of collectives. Each function appends to a schedule the sends and receives of the
 * calling rank for one step of a collective in a group; it executes none. Ranks are those of the
 * group.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_MOVE_H
#define FT_COLL_MOVE_H

#include "coll/blocks.h"

/* No rank leaves before every rank has entered: dissemination (Hensgen, Finkel, Manber 1988). */
void ft_move_barrier(struct ft_rank *self, struct ft_schedule *schedule,
                     const struct ft_group_view *group);
/* A binomial tree from root. An empty block is sent, too. */
void ft_move_bcast(struct ft_rank *self, struct ft_schedule *schedule,
                   const struct ft_group_view *group, struct ft_block block, int root);
/* Each rank i of the group sends `mine` to root, into block i of `all` there. If mine.buffer
 * is MPI_IN_PLACE at the root, its block is in `all` already and is not copied. */
void ft_move_gather(struct ft_rank *self, struct ft_schedule *schedule,
                    const struct ft_group_view *group, struct ft_block mine,
                    const struct ft_blocks *all, int root);
/* The root sends block i of `all` to each rank i, which receives it in `mine`; MPI_IN_PLACE as in
 * ft_move_gather. */
void ft_move_scatter(struct ft_rank *self, struct ft_schedule *schedule,
                     const struct ft_group_view *group, const struct ft_blocks *all,
                     struct ft_block mine, int root);

/* The communicator's own group; of an intercommunicator the local one. */
struct ft_group_view ft_group_local(const struct ft_comm *on);

#endif
