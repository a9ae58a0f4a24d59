/* Collectives that reduce. On an intercommunicator each group reduces to its rank 0, and what the
 * other group gets crosses once. */
#include "coll/combine.h"
#include "coll/lanes.h"
#include "coll/move.h"
#include "coll/quick.h"

/* The error of one process's arguments; `gives` and `gets`: is the buffer significant? */
static int data_check(struct ft_rank *self, const struct ft_comm *on, const void *sendbuf,
                      int gives, void *recvbuf, int gets, int count, MPI_Datatype type, MPI_Op op)
{
    int code = MPI_SUCCESS;

    if (gives && sendbuf != MPI_IN_PLACE)
        code = ft_block_check(self, sendbuf, count, type);
    if (code == MPI_SUCCESS && gets)
        code = ft_block_check(self, recvbuf, count, type);
    if (code == MPI_SUCCESS && gives && gets && !on->inter)
        code = ft_blocks_check_apart(sendbuf, recvbuf, count);
    return code == MPI_SUCCESS ? ft_op_check(self, op, type) : code;
}

static void copy(struct ft_rank *self, struct ft_combine *combine, const void *from, void *to)
{
    if (combine->bytes)
        ft_schedule_copy(self, combine->schedule, from, combine->count, combine->type, to,
                         combine->count, combine->type);
}

/* A copy of what this process gives, to be combined in. */
static void *copy_made(struct ft_rank *self, struct ft_combine *combine, const void *from)
{
    void *acc = ft_schedule_buffer(self, combine->schedule, combine->count, combine->type);

    copy(self, combine, from, acc);
    return acc;
}

/* The reduction of this group ends in acc of its rank 0, that of the other group in theirs. */
static void exchange(struct ft_rank *self, struct ft_combine *combine, const void *acc,
                     void *theirs)
{
    struct ft_schedule *schedule = combine->schedule;

    if (combine->group.rank != 0 || !combine->bytes)
        return;
    ft_schedule_round(self, schedule);
    ft_schedule_receive(self, schedule, theirs, combine->count, combine->type,
                        schedule->on->world[0]);
    ft_schedule_send(self, schedule, acc, combine->count, combine->type, schedule->on->world[0]);
    ft_schedule_round(self, schedule);
}

int ft_lanes_allreduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                       int count, MPI_Datatype datatype, MPI_Op op, MPI_Request *request)
{
    int code = request ? FT_QUICK_NOT
                       : ft_quick_allreduce(self, on, sendbuf, recvbuf, count, datatype, op);
    struct ft_group_view group;
    struct ft_combine combine;
    void *acc;

    if (code != FT_QUICK_NOT)
        return code;
    if ((on->inter && sendbuf == MPI_IN_PLACE) ||
        data_check(self, on, sendbuf, 1, recvbuf, 1, count, datatype, op))
        return FT_LANES_NATIVE;
    group = ft_group_local(on);
    combine = ft_combine_make(self, ft_schedule_create(on), &group, count, datatype, op);
    if (!on->inter) {
        if (sendbuf != MPI_IN_PLACE)
            copy(self, &combine, sendbuf, recvbuf);
        ft_combine_all(self, &combine, recvbuf);
    } else if (combine.bytes) {
        acc = copy_made(self, &combine, sendbuf);
        ft_combine_root(self, &combine, acc, 0, 1);
        exchange(self, &combine, acc, recvbuf);
        ft_move_bcast(self, combine.schedule, &group, (struct ft_block){recvbuf, count, datatype},
                      0);
    }
    return ft_schedule_start(self, combine.schedule, request);
}

static void reduce_across(struct ft_rank *self, struct ft_combine *combine, const void *sendbuf,
                          void *recvbuf, int root)
{
    struct ft_schedule *schedule = combine->schedule;
    struct ft_comm *on = schedule->on;
    void *acc;

    if (root == MPI_PROC_NULL || !combine->bytes)
        return;
    if (root == MPI_ROOT) {
        ft_schedule_receive(self, schedule, recvbuf, combine->count, combine->type, on->world[0]);
        return;
    }
    acc = copy_made(self, combine, sendbuf);
    ft_combine_root(self, combine, acc, 0, 1);
    ft_schedule_round(self, schedule);
    if (on->rank == 0)
        ft_schedule_send(self, schedule, acc, combine->count, combine->type, on->world[root]);
}

/* Inside one group. */
static void reduce_within(struct ft_rank *self, struct ft_combine *combine, const void *sendbuf,
                          void *recvbuf, int root, int high)
{
    void *acc = recvbuf;

    if (!combine->bytes)
        return;
    if (combine->group.rank != root)
        acc = copy_made(self, combine, sendbuf);
    else if (sendbuf != MPI_IN_PLACE)
        copy(self, combine, sendbuf, recvbuf);
    ft_combine_root(self, combine, acc, root, high);
}

static int reduce_is_wrong(struct ft_rank *self, const struct ft_comm *on, const void *sendbuf,
                           void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root)
{
    int gives = root != MPI_ROOT && root != MPI_PROC_NULL;
    int gets = on->inter ? root == MPI_ROOT : root == on->rank;

    if (on->inter && root == MPI_PROC_NULL)
        return 0;
    if ((on->inter && root == MPI_ROOT ? 0 : root) < 0 || root >= on->peers)
        return 1;
    if (sendbuf == MPI_IN_PLACE && gives && (on->inter || !gets))
        return 1;
    return data_check(self, on, sendbuf, gives, recvbuf, gets, count, datatype, op);
}

int ft_lanes_reduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                    int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Request *request)
{
    struct ft_group_view group = ft_group_local(on);
    struct ft_schedule *schedule;
    struct ft_combine combine;

    if (reduce_is_wrong(self, on, sendbuf, recvbuf, count, datatype, op, root))
        return FT_LANES_NATIVE;
    schedule = ft_schedule_create(on);
    if (root == MPI_PROC_NULL)
        return ft_schedule_start(self, schedule, request);
    combine = ft_combine_make(self, schedule, &group, count, datatype, op);
    if (on->inter)
        reduce_across(self, &combine, sendbuf, recvbuf, root);
    else
        reduce_within(self, &combine, sendbuf, recvbuf, root, request == NULL);
    return ft_schedule_start(self, schedule, request);
}

static int scan(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                int count, MPI_Datatype datatype, MPI_Op op, int exclusive, MPI_Request *request)
{
    struct ft_group_view group = ft_group_local(on);
    struct ft_combine combine;
    void *acc;

    if (on->inter || data_check(self, on, sendbuf, 1, recvbuf, 1, count, datatype, op))
        return FT_LANES_NATIVE;
    combine = ft_combine_make(self, ft_schedule_create(on), &group, count, datatype, op);
    if (combine.bytes) {
        acc = copy_made(self, &combine, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf);
        if (!exclusive && sendbuf != MPI_IN_PLACE)
            copy(self, &combine, sendbuf, recvbuf);
        ft_combine_scan(self, &combine, acc, recvbuf, exclusive);
    }
    return ft_schedule_start(self, combine.schedule, request);
}

int ft_lanes_scan(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                  int count, MPI_Datatype datatype, MPI_Op op, MPI_Request *request)
{
    return scan(self, on, sendbuf, recvbuf, count, datatype, op, 0, request);
}

int ft_lanes_exscan(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                    int count, MPI_Datatype datatype, MPI_Op op, MPI_Request *request)
{
    return scan(self, on, sendbuf, recvbuf, count, datatype, op, 1, request);
}
