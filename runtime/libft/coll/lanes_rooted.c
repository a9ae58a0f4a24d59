/* Collectives with a root that move data. On an intercommunicator the root says MPI_ROOT, the
 * others of its group MPI_PROC_NULL, and the other group gives the root's rank; data crosses once.
 */
#include "coll/lanes.h"
#include "coll/move.h"
#include "coll/quick.h"

/* Is there no such root? */
static int root_is_wrong(const struct ft_comm *on, int root)
{
    if (on->inter && (root == MPI_ROOT || root == MPI_PROC_NULL))
        return 0;
    return root < 0 || root >= on->peers;
}

static void bcast_across(struct ft_rank *self, struct ft_schedule *schedule, struct ft_block block,
                         int root)
{
    struct ft_comm *on = schedule->on;
    struct ft_group_view group = ft_group_local(on);

    if (root == MPI_ROOT) {
        ft_schedule_send(self, schedule, block.buffer, block.count, block.type, on->world[0]);
        return;
    }
    if (on->rank == 0) {
        ft_schedule_receive(self, schedule, block.buffer, block.count, block.type, on->world[root]);
        ft_schedule_round(self, schedule);
    }
    ft_move_bcast(self, schedule, &group, block, 0);
}

int ft_lanes_bcast(struct ft_rank *self, struct ft_comm *on, void *buffer, int count,
                   MPI_Datatype datatype, int root, MPI_Request *request)
{
    int code = request ? FT_QUICK_NOT : ft_quick_bcast(self, on, buffer, count, datatype, root);
    struct ft_block block = {buffer, count, datatype};
    struct ft_group_view group;
    struct ft_schedule *schedule;

    if (code != FT_QUICK_NOT)
        return code;
    if (root_is_wrong(on, root) ||
        (root != MPI_PROC_NULL && ft_block_check(self, buffer, count, datatype)))
        return FT_LANES_NATIVE;
    group = ft_group_local(on);
    schedule = ft_schedule_create(on);
    if (root != MPI_PROC_NULL && !ft_block_is_empty(self, block)) {
        if (on->inter)
            bcast_across(self, schedule, block, root);
        else
            ft_move_bcast(self, schedule, &group, block, root);
    }
    return ft_schedule_start(self, schedule, request);
}

enum direction { TO_ROOT, FROM_ROOT };

/* mine: the part of this process; all: those of all, at the root. */
static int parts_are_wrong(struct ft_rank *self, struct ft_comm *on, struct ft_block mine,
                           const struct ft_blocks *all, int root)
{
    if (root_is_wrong(on, root) ||
        (ft_lanes_is_root(on, root) && ft_blocks_check(self, all, on->peers)))
        return 1;
    if (root != MPI_ROOT && root != MPI_PROC_NULL &&
        !(mine.buffer == MPI_IN_PLACE && ft_lanes_is_root(on, root)) &&
        ft_block_check(self, mine.buffer, mine.count, mine.type))
        return 1;
    return !on->inter && ft_lanes_is_root(on, root) && ft_blocks_check_own(self, mine, all, root);
}

/* Between the groups of an intercommunicator. */
static void parts_across(struct ft_rank *self, struct ft_schedule *schedule,
                         enum direction direction, struct ft_block mine,
                         const struct ft_blocks *all, int root)
{
    struct ft_comm *on = schedule->on;

    for (int i = 0; root == MPI_ROOT && i < on->peers; i++)
        if (direction == TO_ROOT)
            ft_block_receive(self, schedule, ft_blocks_at(all, i), on->world[i]);
        else
            ft_block_send(self, schedule, ft_blocks_at(all, i), on->world[i]);
    if (root == MPI_ROOT || root == MPI_PROC_NULL)
        return;
    if (direction == TO_ROOT)
        ft_block_send(self, schedule, mine, on->world[root]);
    else
        ft_block_receive(self, schedule, mine, on->world[root]);
}

/* Moves the part of each process to the root, or back. */
static int parts_move(struct ft_rank *self, struct ft_comm *on, enum direction direction,
                      struct ft_block mine, const struct ft_blocks *all, int root,
                      MPI_Request *request)
{
    struct ft_group_view group = ft_group_local(on);
    struct ft_schedule *schedule;

    if (parts_are_wrong(self, on, mine, all, root))
        return FT_LANES_NATIVE;
    schedule = ft_schedule_create(on);
    if (on->inter)
        parts_across(self, schedule, direction, mine, all, root);
    else if (direction == TO_ROOT)
        ft_move_gather(self, schedule, &group, mine, all, root);
    else
        ft_move_scatter(self, schedule, &group, all, mine, root);
    return ft_schedule_start(self, schedule, request);
}

int ft_lanes_gather(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                    MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                    int root, MPI_Request *request)
{
    struct ft_block mine = {(char *)(uintptr_t)sendbuf, sendcount, sendtype};
    struct ft_blocks all = {0};

    if (ft_lanes_is_root(on, root))
        all = ft_blocks_even(self, recvbuf, recvcount, recvtype);
    return parts_move(self, on, TO_ROOT, mine, &all, root, request);
}

int ft_lanes_gatherv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                     const int displs[], MPI_Datatype recvtype, int root, MPI_Request *request)
{
    struct ft_block mine = {(char *)(uintptr_t)sendbuf, sendcount, sendtype};
    struct ft_blocks all = {0};

    if (ft_lanes_is_root(on, root))
        all = ft_blocks_uneven(self, recvbuf, recvcounts, displs, recvtype);
    return parts_move(self, on, TO_ROOT, mine, &all, root, request);
}

int ft_lanes_scatter(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                     int root, MPI_Request *request)
{
    struct ft_block mine = {recvbuf, recvcount, recvtype};
    struct ft_blocks all = {0};

    if (ft_lanes_is_root(on, root))
        all = ft_blocks_even(self, sendbuf, sendcount, sendtype);
    return parts_move(self, on, FROM_ROOT, mine, &all, root, request);
}

int ft_lanes_scatterv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                      const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                      void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                      MPI_Request *request)
{
    struct ft_block mine = {recvbuf, recvcount, recvtype};
    struct ft_blocks all = {0};

    if (ft_lanes_is_root(on, root))
        all = ft_blocks_uneven(self, sendbuf, sendcounts, displs, sendtype);
    return parts_move(self, on, FROM_ROOT, mine, &all, root, request);
}
