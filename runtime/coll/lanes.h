/* lanes: the program's collectives as schedules: MPI's arguments with the program's handles, the
 * communicator looked up. request NULL: the blocking call; otherwise *request is the virtual
 * request.
 *
 * They answer an MPI code, or FT_LANES_NATIVE when an argument is wrong: then the caller calls the
 * library with the same arguments, which reports the error in its own words without communicating.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_LANES_H
#define FT_COLL_LANES_H

#include <limits.h>
#include "handle/handle.h"

#define FT_LANES_NATIVE (-1)
/* Why a call with MPI_Count arguments ends the run. */
#define FT_LANES_LARGE                                                                             \
    "counts this large, or in arrays, are not carried with --protocol spbc yet: use the call "     \
    "without _c"
static inline int ft_lanes_large(MPI_Count count)
{
    return count > INT_MAX;
}

/* Are collectives on `on` made of messages? Alone, the library talks to nobody, and keeps its ways.
 * (Neighbourhoods always are, because the library knows of no topology.) */
static inline int ft_lanes_carry(const struct ft_rank *self, const struct ft_comm *on)
{
    return self->spbc != NULL && (on->size > 1 || on->inter);
}

int ft_lanes_barrier(struct ft_rank *self, struct ft_comm *on, MPI_Request *request);
int ft_lanes_bcast(struct ft_rank *self, struct ft_comm *on, void *buffer, int count,
                   MPI_Datatype datatype, int root, MPI_Request *request);
int ft_lanes_gather(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                    MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                    int root, MPI_Request *request);
int ft_lanes_gatherv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                     const int displs[], MPI_Datatype recvtype, int root, MPI_Request *request);
int ft_lanes_scatter(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                     MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                     int root, MPI_Request *request);
int ft_lanes_scatterv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                      const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                      void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                      MPI_Request *request);
int ft_lanes_allgather(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                       MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                       MPI_Request *request);
int ft_lanes_allgatherv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                        int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                        const int displs[], MPI_Datatype recvtype, MPI_Request *request);
int ft_lanes_alltoall(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, int sendcount,
                      MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                      MPI_Request *request);
int ft_lanes_alltoallv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                       const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                       void *recvbuf, const int recvcounts[], const int rdispls[],
                       MPI_Datatype recvtype, MPI_Request *request);
int ft_lanes_alltoallw(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                       const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                       void *recvbuf, const int recvcounts[], const int rdispls[],
                       const MPI_Datatype recvtypes[], MPI_Request *request);
int ft_lanes_reduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                    int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Request *request);
int ft_lanes_allreduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                       int count, MPI_Datatype datatype, MPI_Op op, MPI_Request *request);
int ft_lanes_reduce_scatter(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                            void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                            MPI_Request *request);
int ft_lanes_reduce_scatter_block(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                  void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Request *request);
int ft_lanes_scan(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                  int count, MPI_Datatype datatype, MPI_Op op, MPI_Request *request);
int ft_lanes_exscan(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                    int count, MPI_Datatype datatype, MPI_Op op, MPI_Request *request);
int ft_lanes_neighbor_allgather(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Request *request);
int ft_lanes_neighbor_allgatherv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                 int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                 const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                 MPI_Request *request);
int ft_lanes_neighbor_alltoall(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                               int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Request *request);
int ft_lanes_neighbor_alltoallv(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                                void *recvbuf, const int recvcounts[], const int rdispls[],
                                MPI_Datatype recvtype, MPI_Request *request);
int ft_lanes_neighbor_alltoallw(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                const int sendcounts[], const MPI_Aint sdispls[],
                                const MPI_Datatype sendtypes[], void *recvbuf,
                                const int recvcounts[], const MPI_Aint rdispls[],
                                const MPI_Datatype recvtypes[], MPI_Request *request);

#endif
