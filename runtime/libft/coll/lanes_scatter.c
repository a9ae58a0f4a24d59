/* MPI_Reduce_scatter and MPI_Reduce_scatter_block. Where the operation does not commute, or between
 * groups: a reduction to rank 0, which then scatters. */
#include "coll/combine.h"
#include "coll/lanes.h"
#include "coll/move.h"

static int scatter_is_wrong(struct ft_rank *self, const struct ft_comm *on, const void *sendbuf,
                            void *recvbuf, const int *counts, MPI_Datatype datatype, MPI_Op op)
{
    struct ft_blocks blocks = ft_blocks_uneven(self, recvbuf, counts, NULL, datatype);

    return (on->inter && sendbuf == MPI_IN_PLACE) || ft_blocks_check(self, &blocks, on->size) ||
           (!on->inter && ft_blocks_check_apart(sendbuf, recvbuf, counts[on->rank])) ||
           ft_op_check(self, op, datatype);
}

static int sum(const int *counts, int size)
{
    int total = 0;

    for (int i = 0; i < size; i++)
        total += counts[i];
    return total;
}

/* From acc of rank 0, combined, into everybody's result. */
static void spread(struct ft_rank *self, struct ft_combine *combine, void *acc, void *result,
                   const int *counts)
{
    struct ft_comm *on = combine->schedule->on;
    int *displs = ft_image_alloc((size_t)on->size * sizeof(*displs));
    struct ft_blocks all = ft_blocks_uneven(self, acc, counts, displs, combine->type);
    struct ft_block mine = {result, counts[on->rank], combine->type};

    for (int i = 1; i < on->size; i++)
        displs[i] = displs[i - 1] + counts[i - 1];
    ft_schedule_round(self, combine->schedule);
    ft_move_scatter(self, combine->schedule, &combine->group, &all, mine, 0);
    ft_image_free(displs);
}

static void by_root(struct ft_rank *self, struct ft_combine *combine, const void *from,
                    void *result, const int *counts)
{
    struct ft_schedule *schedule = combine->schedule;
    struct ft_comm *on = schedule->on;
    void *acc = ft_schedule_buffer(self, schedule, combine->count, combine->type), *theirs = acc;

    ft_schedule_copy(self, schedule, from, combine->count, combine->type, acc, combine->count,
                     combine->type);
    ft_combine_root(self, combine, acc, 0, 1);
    if (on->inter && on->rank == 0) {
        theirs = ft_schedule_buffer(self, schedule, combine->count, combine->type);
        ft_schedule_round(self, schedule);
        ft_schedule_receive(self, schedule, theirs, combine->count, combine->type, on->world[0]);
        ft_schedule_send(self, schedule, acc, combine->count, combine->type, on->world[0]);
    }
    spread(self, combine, theirs, result, counts);
}

/* in_elements: the library chooses by the number of elements, not by the number of bytes. */
static int reduce_scatter(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                          void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                          MPI_Request *request, int in_elements)
{
    struct ft_group_view group = ft_group_local(on);
    const void *from = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
    struct ft_combine combine;

    if (scatter_is_wrong(self, on, sendbuf, recvbuf, recvcounts, datatype, op))
        return FT_LANES_NATIVE;
    combine = ft_combine_make(self, ft_schedule_create(on), &group, sum(recvcounts, on->size),
                              datatype, op);
    if (combine.bytes && combine.commutes && !on->inter)
        ft_combine_scatter(self, &combine, from, recvbuf, recvcounts,
                           in_elements ? combine.count : combine.bytes);
    else if (combine.bytes)
        by_root(self, &combine, from, recvbuf, recvcounts);
    return ft_schedule_start(self, combine.schedule, request);
}

int ft_lanes_reduce_scatter(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                            void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                            MPI_Request *request)
{
    return reduce_scatter(self, on, sendbuf, recvbuf, recvcounts, datatype, op, request, 0);
}

/* MPICH forgets the size of an element when it chooses the order of the non-blocking call
 * (src/mpi/coll/src/csel.c, get_total_msgsize, IREDUCE_SCATTER_BLOCK). */
int ft_lanes_reduce_scatter_block(struct ft_rank *self, struct ft_comm *on, const void *sendbuf,
                                  void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                                  MPI_Request *request)
{
    int *counts = ft_image_alloc((size_t)on->size * sizeof(*counts)), code;

    for (int i = 0; i < on->size; i++)
        counts[i] = recvcount;
    code =
        reduce_scatter(self, on, sendbuf, recvbuf, counts, datatype, op, request, request != NULL);
    ft_image_free(counts);
    return code;
}
