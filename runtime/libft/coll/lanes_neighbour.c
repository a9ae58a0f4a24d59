/* Neighbourhood collectives: one message along each edge of the topology. Where two edges join the
 * same two processes their messages meet in the order in which MPICH 4.0.2 sends and receives. */
#include "coll/blocks.h"
#include "coll/lanes.h"

struct neighbours {
    int in, out;
    int *sources, *targets; /* [in], [out] ranks or MPI_PROC_NULL; from the image */
};

static struct neighbours neighbours_of(const struct ft_comm *on)
{
    struct neighbours found;

    ft_topology_neighbours(on, &found.in, NULL, &found.out, NULL);
    found.sources = ft_image_alloc((size_t)(found.in + found.out + 1) * sizeof(int));
    found.targets = found.sources + found.in;
    ft_topology_neighbours(on, &found.in, found.sources, &found.out, found.targets);
    return found;
}

/* Errors are told here: the library knows of no topology and would tell another. all: everybody
 * gets the first block of `out`. backwards: blocks are received from the last on. */
static int exchange(struct ft_rank *self, struct ft_comm *on, const struct ft_blocks *out, int all,
                    const struct ft_blocks *in, int backwards, MPI_Request *request)
{
    struct neighbours peers;
    struct ft_schedule *schedule;
    int code;

    if (ft_topology_kind(on) == MPI_UNDEFINED)
        return FT_LANES_NATIVE;
    peers = neighbours_of(on);
    code = ft_blocks_check(self, out, all ? peers.out > 0 : peers.out);
    if (code == MPI_SUCCESS)
        code = ft_blocks_check(self, in, peers.in);
    if (code == MPI_SUCCESS) {
        schedule = ft_schedule_create(on);
        for (int n = 0; n < peers.in; n++) {
            int i = backwards ? peers.in - 1 - n : n;

            if (peers.sources[i] != MPI_PROC_NULL)
                ft_block_receive(self, schedule, ft_blocks_at(in, i), on->world[peers.sources[i]]);
        }
        for (int i = 0; i < peers.out; i++)
            if (peers.targets[i] != MPI_PROC_NULL)
                ft_block_send(self, schedule, ft_blocks_at(out, all ? 0 : i),
                              on->world[peers.targets[i]]);
        code = ft_schedule_start(self, schedule, request);
    } else {
        on->clock--; /* the others did not enter it */
    }
    ft_image_free(peers.sources);
    return code;
}

int ft_lanes_neighbor_allgather(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Request *request)
{
    struct ft_blocks out = ft_blocks_even(self, sendbuf, sendcount, sendtype);
    struct ft_blocks in = ft_blocks_even(self, recvbuf, recvcount, recvtype);

    return exchange(self, on, &out, 1, &in, 0, request);
}

int ft_lanes_neighbor_allgatherv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                 int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                 const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                 MPI_Request *request)
{
    struct ft_blocks out = ft_blocks_even(self, sendbuf, sendcount, sendtype);
    struct ft_blocks in = ft_blocks_uneven(self, recvbuf, recvcounts, displs, recvtype);

    return exchange(self, on, &out, 1, &in, 0, request);
}

int ft_lanes_neighbor_alltoall(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                               int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Request *request)
{
    struct ft_blocks out = ft_blocks_even(self, sendbuf, sendcount, sendtype);
    struct ft_blocks in = ft_blocks_even(self, recvbuf, recvcount, recvtype);

    return exchange(self, on, &out, 0, &in, 1, request);
}

int ft_lanes_neighbor_alltoallv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                                void *recvbuf, const int recvcounts[], const int rdispls[],
                                MPI_Datatype recvtype, MPI_Request *request)
{
    struct ft_blocks out = ft_blocks_uneven(self, sendbuf, sendcounts, sdispls, sendtype);
    struct ft_blocks in = ft_blocks_uneven(self, recvbuf, recvcounts, rdispls, recvtype);

    return exchange(self, on, &out, 0, &in, 0, request);
}

int ft_lanes_neighbor_alltoallw(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                const int sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void *recvbuf,
                                const int recvcounts[], const MPI_Aint rdispls[],
                                const MPI_Datatype recvtypes[], MPI_Request *request)
{
    struct ft_blocks out = ft_blocks_typed(sendbuf, sendcounts, NULL, sdispls, sendtypes);
    struct ft_blocks in = ft_blocks_typed(recvbuf, recvcounts, NULL, rdispls, recvtypes);

    return exchange(self, on, &out, 0, &in, 0, request);
}
