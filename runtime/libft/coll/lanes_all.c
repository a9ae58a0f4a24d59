/* Collectives of all with all that move data: each pair exchanges its blocks directly, in one
 * round. The group is the remote one on an intercommunicator; rank i of it sends and gets block i.
 */
#include <string.h>
#include "coll/coll.h"
#include "coll/lanes.h"
#include "coll/move.h"
#include "coll/quick.h"

static void barrier_across(struct ft_rank *self, struct ft_schedule *schedule,
                           const struct ft_group_view *group)
{
    struct ft_comm *on = schedule->on;

    ft_move_barrier(self, schedule, group);
    if (on->rank == 0) {
        ft_schedule_receive(self, schedule, NULL, 0, MPI_BYTE, on->world[0]);
        ft_schedule_send(self, schedule, NULL, 0, MPI_BYTE, on->world[0]);
        ft_schedule_round(self, schedule);
    }
    ft_move_bcast(self, schedule, group, (struct ft_block){NULL, 0, MPI_BYTE}, 0);
}

int ft_lanes_barrier(struct ft_rank *self, struct ft_comm *on, MPI_Request *request)
{
    struct ft_group_view group;
    struct ft_schedule *schedule;
    int code = request ? FT_QUICK_NOT : ft_quick_barrier(self, on);

    if (code != FT_QUICK_NOT)
        return code;
    group = ft_group_local(on);
    schedule = ft_schedule_create(on);
    if (on->inter)
        barrier_across(self, schedule, &group);
    else
        ft_move_barrier(self, schedule, &group);
    return ft_schedule_start(self, schedule, request);
}

/* The rank whose blocks are this process's own, -1: it has none in the other group. */
static int own_rank(const struct ft_comm *on)
{
    return on->inter ? -1 : on->rank;
}

/* mine: what everybody gets of this process. */
static int allgather(struct ft_rank *self, struct ft_comm *on, struct ft_block mine,
                     const struct ft_blocks *all, MPI_Request *request)
{
    int own = own_rank(on);
    struct ft_schedule *schedule;

    if (ft_blocks_check(self, all, on->peers))
        return FT_LANES_NATIVE;
    if (mine.buffer == MPI_IN_PLACE && !on->inter)
        mine = ft_blocks_at(all, own);
    else if (ft_block_check(self, mine.buffer, mine.count, mine.type) ||
             (!on->inter && ft_blocks_check_own(self, mine, all, own)))
        return FT_LANES_NATIVE;
    schedule = ft_schedule_create(on);
    for (int i = 0; i < on->peers; i++)
        if (i != own)
            ft_block_receive(self, schedule, ft_blocks_at(all, i), on->world[i]);
    for (int i = 0; i < on->peers; i++)
        if (i != own)
            ft_block_send(self, schedule, mine, on->world[i]);
    if (own >= 0 && ft_blocks_at(all, own).buffer != mine.buffer)
        ft_block_copy(self, schedule, mine, ft_blocks_at(all, own));
    return ft_schedule_start(self, schedule, request);
}

int ft_lanes_allgather(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                       MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                       MPI_Request *request)
{
    struct ft_blocks all = ft_blocks_even(self, recvbuf, recvcount, recvtype);
    struct ft_block mine = {(char *)(uintptr_t)sendbuf, sendcount, sendtype};

    return allgather(self, on, mine, &all, request);
}

int ft_lanes_allgatherv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                        int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                        const int displs[], MPI_Datatype recvtype, MPI_Request *request)
{
    struct ft_blocks all = ft_blocks_uneven(self, recvbuf, recvcounts, displs, recvtype);
    struct ft_block mine = {(char *)(uintptr_t)sendbuf, sendcount, sendtype};

    return allgather(self, on, mine, &all, request);
}

/* In place: what is sent is copied out first. */
static void alltoall_copy(struct ft_rank *self, struct ft_schedule *schedule,
                          const struct ft_blocks *all)
{
    struct ft_comm *on = schedule->on;

    for (int i = 0; i < on->size; i++) {
        struct ft_block block = ft_blocks_at(all, i), copy = block;

        if (i == on->rank || ft_block_is_empty(self, block))
            continue;
        copy.buffer = ft_schedule_buffer(self, schedule, block.count, block.type);
        ft_block_copy(self, schedule, block, copy);
        ft_block_send(self, schedule, copy, on->world[i]);
    }
}

static int alltoall(struct ft_rank *self, struct ft_comm *on, const struct ft_blocks *out,
                    const struct ft_blocks *in, MPI_Request *request)
{
    int own = own_rank(on), in_place = out->base == MPI_IN_PLACE && !on->inter;
    struct ft_schedule *schedule;

    if (ft_blocks_check(self, in, on->peers) ||
        (!in_place && (ft_blocks_check(self, out, on->peers) ||
                       (!on->inter && ft_blocks_check_exchange(out, in)))))
        return FT_LANES_NATIVE;
    schedule = ft_schedule_create(on);
    if (in_place)
        alltoall_copy(self, schedule, in);
    for (int i = 0; i < on->peers; i++)
        if (i != own)
            ft_block_receive(self, schedule, ft_blocks_at(in, i), on->world[i]);
    for (int i = 0; i < on->peers && !in_place; i++)
        if (i != own)
            ft_block_send(self, schedule, ft_blocks_at(out, i), on->world[i]);
    if (own >= 0 && !in_place)
        ft_block_copy(self, schedule, ft_blocks_at(out, own), ft_blocks_at(in, own));
    return ft_schedule_start(self, schedule, request);
}

int ft_lanes_alltoall(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                      MPI_Request *request)
{
    struct ft_blocks in = ft_blocks_even(self, recvbuf, recvcount, recvtype), out = in;

    if (sendbuf == MPI_IN_PLACE)
        out.base = MPI_IN_PLACE;
    else
        out = ft_blocks_even(self, sendbuf, sendcount, sendtype);
    return alltoall(self, on, &out, &in, request);
}

int ft_lanes_alltoallv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                       const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void *recvbuf, const int recvcounts[], const int rdispls[],
                       MPI_Datatype recvtype, MPI_Request *request)
{
    struct ft_blocks in = ft_blocks_uneven(self, recvbuf, recvcounts, rdispls, recvtype), out = in;

    if (sendbuf == MPI_IN_PLACE)
        out.base = MPI_IN_PLACE;
    else
        out = ft_blocks_uneven(self, sendbuf, sendcounts, sdispls, sendtype);
    return alltoall(self, on, &out, &in, request);
}

int ft_lanes_alltoallw(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                       const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                       void *recvbuf, const int recvcounts[], const int rdispls[],
                       const MPI_Datatype recvtypes[], MPI_Request *request)
{
    struct ft_blocks in = ft_blocks_typed(recvbuf, recvcounts, rdispls, NULL, recvtypes), out = in;

    if (sendbuf == MPI_IN_PLACE)
        out.base = MPI_IN_PLACE;
    else
        out = ft_blocks_typed(sendbuf, sendcounts, sdispls, NULL, sendtypes);
    return alltoall(self, on, &out, &in, request);
}

int ft_coll_allgather(struct ft_rank *self, struct ft_comm *comm, const void *mine, int bytes,
                      void *all)
{
    return ft_lanes_allgather(self, comm, mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, NULL);
}

static void tell_group(struct ft_rank *self, struct ft_schedule *schedule, const int *world,
                       int size, const void *mine, int bytes, char *all)
{
    for (int i = 0; i < size; i++) {
        if (world[i] == self->rank)
            continue;
        ft_schedule_receive(self, schedule, all + (size_t)i * (size_t)bytes, bytes, MPI_BYTE,
                            world[i]);
        ft_schedule_send(self, schedule, mine, bytes, MPI_BYTE, world[i]);
    }
}

int ft_coll_tell(struct ft_rank *self, struct ft_comm *comm, const void *mine, int bytes, void *all,
                 MPI_Request *request)
{
    struct ft_schedule *schedule = ft_schedule_create(comm);
    char *own = (char *)all + (size_t)comm->rank * (size_t)bytes;

    memcpy(own, mine, (size_t)bytes);
    tell_group(self, schedule, comm->local, comm->size, own, bytes, all);
    if (comm->inter)
        tell_group(self, schedule, comm->world, comm->peers, own, bytes,
                   (char *)all + (size_t)comm->size * (size_t)bytes);
    return ft_schedule_start(self, schedule, request);
}
