/* lanes: the program's collectives as schedules: MPI's arguments with the program's handles, the
 * communicator looked up. request NULL: the blocking call; otherwise *request is the virtual
 * request.
 *
 * They answer an MPI code, or FT_LANES_NATIVE when an argument is wrong: then the caller calls the
 * library with the same arguments, which reports the error in its own words without communicating.
 * Where it would not, this rank would be alone in the library: so nothing else may be answered so.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_LANES_H
#define FT_COLL_LANES_H

#include <limits.h>
#include "handle/handle.h"

#define FT_LANES_NATIVE (-1)

/* Calls with large counts are carried where everything fits into an int. */
static inline int ft_lanes_large(MPI_Count count)
{
    return count > INT_MAX;
}

/* Ends the run because `call`, by name, has a count or a displacement that does not. */
_Noreturn void ft_lanes_refuse(const char *call);
/* `size` counts or displacements as ints, from the image, to be freed; NULL where there are
 * none. A value that fits no int ends the run, as above. */
int *ft_lanes_narrow(const char *call, const MPI_Count *wide, int size);
/* The length of the arrays of a neighbourhood collective: of those for sending, or for receiving.
 */
int ft_lanes_neighbours(const struct ft_comm *on, int sending);

/* Does this process have the data of all, in a collective with this root? */
static inline int ft_lanes_is_root(const struct ft_comm *on, int root)
{
    return on->inter ? root == MPI_ROOT : root == on->rank;
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
