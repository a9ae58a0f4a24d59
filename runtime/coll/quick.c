/* Exchanges with one rank after the other. */
#include <string.h>
#include "coll/quick.h"
#include "coll/schedule.h"
#include "request/direct.h"

#define SMALL 128 /* bytes */

static int end(struct ft_rank *self, struct ft_request *request, int code)
{
    if (code != MPI_SUCCESS)
        return code;
    if (request->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, request);
    return request->code;
}

static int send_one(struct ft_rank *self, int tag, void *out, int to, int count, MPI_Datatype type)
{
    struct ft_request request;

    ft_request_begin(&request, FT_REQUEST_SEND, ft_comm_lanes(self), out, count, type, to, tag);
    return end(self, &request, ft_send_post(self, &request));
}

static int receive_one(struct ft_rank *self, int tag, void *in, int from, int count,
                       MPI_Datatype type)
{
    struct ft_direct direct = {.comm = ft_comm_lanes(self),
                               .buffer = in,
                               .count = count,
                               .source = from,
                               .tag = tag,
                               .type = type};
    struct ft_request request;
    int code;

    if (ft_likely(ft_direct_fits(self, type, from, tag))) {
        code = ft_direct_post(self, &direct);
        return code != MPI_SUCCESS ? code : ft_direct_wait(self, &direct, MPI_STATUS_IGNORE);
    }
    ft_request_begin(&request, FT_REQUEST_RECV, direct.comm, in, count, type, from, tag);
    return end(self, &request, ft_recv_post(self, &request));
}

/* Sends to one rank and receives from another one, or the same, by requests. */
__attribute__((noinline)) static int exchange_slowly(struct ft_rank *self, int tag, void *out,
                                                     int to, void *in, int from, int count,
                                                     MPI_Datatype type)
{
    struct ft_comm *lanes = ft_comm_lanes(self);
    struct ft_request receive, send;
    int received, sent;

    ft_request_begin(&receive, FT_REQUEST_RECV, lanes, in, count, type, from, tag);
    ft_request_begin(&send, FT_REQUEST_SEND, lanes, out, count, type, to, tag);
    received = ft_recv_post(self, &receive);
    sent = ft_send_post(self, &send);
    received = end(self, &receive, received);
    sent = end(self, &send, sent);
    return received != MPI_SUCCESS ? received : sent;
}

/* The same between world ranks, as directly as it goes. */
static int exchange(struct ft_rank *self, int tag, void *out, int to, void *in, int from, int count,
                    MPI_Datatype type)
{
    struct ft_direct receive = {.comm = ft_comm_lanes(self),
                                .buffer = in,
                                .count = count,
                                .source = from,
                                .tag = tag,
                                .type = type};
    struct ft_request send;
    int received, sent;

    if (ft_unlikely(!ft_direct_fits(self, type, from, tag)))
        return exchange_slowly(self, tag, out, to, in, from, count, type);
    ft_request_begin(&send, FT_REQUEST_SEND, receive.comm, out, count, type, to, tag);
    received = ft_direct_post(self, &receive);
    sent = ft_send_post(self, &send);
    if (ft_likely(received == MPI_SUCCESS))
        received = ft_direct_wait(self, &receive, MPI_STATUS_IGNORE);
    sent = end(self, &send, sent);
    return received != MPI_SUCCESS ? received : sent;
}

int ft_quick_barrier(struct ft_rank *self, struct ft_comm *on)
{
    int size = on->size, tag = ft_schedule_tag(on), code = MPI_SUCCESS;

    if (on->inter || self->requests->running)
        return FT_QUICK_NOT;
    for (int distance = 1; distance < size && code == MPI_SUCCESS; distance *= 2)
        code = exchange(self, tag, NULL, on->world[(on->rank + distance) % size], NULL,
                        on->world[(on->rank - distance + size) % size], 0, MPI_BYTE);
    return code;
}

int ft_quick_allreduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                       int count, MPI_Datatype type, MPI_Op op)
{
    _Alignas(16) char incoming[SMALL];
    struct ft_shape shape = ft_shape_of(self, type);
    size_t bytes = (size_t)count * (size_t)shape.size;
    int code = MPI_SUCCESS;

    if (on->inter || self->requests->running || !shape.plain || bytes == 0 || bytes > SMALL ||
        (uint32_t)op >> 24 == FT_OP_BYTE || (on->size & (on->size - 1)))
        return FT_QUICK_NOT;
    if (sendbuf != MPI_IN_PLACE)
        memcpy(recvbuf, sendbuf, bytes);
    for (int mask = 1; mask < on->size && code == MPI_SUCCESS; mask *= 2) {
        int other = on->world[on->rank ^ mask];

        code = exchange(self, ft_schedule_tag(on), recvbuf, other, incoming, other, count, type);
        if (code == MPI_SUCCESS)
            code = PMPI_Reduce_local(incoming, recvbuf, count, type, op);
    }
    return code;
}

/* The tree of ft_move_bcast. Who got an error passes it on, as there. */
int ft_quick_bcast(struct ft_rank *self, struct ft_comm *on, void *buffer, int count,
                   MPI_Datatype type, int root)
{
    int size = on->size, tag = ft_schedule_tag(on), mask = 1, code = MPI_SUCCESS, relative;
    struct ft_shape shape = ft_shape_of(self, type);
    size_t bytes = (size_t)count * (size_t)shape.size;

    if (on->inter || self->requests->running || !shape.plain || bytes == 0 || bytes > SMALL)
        return FT_QUICK_NOT;
    relative = (on->rank - root + size) % size;
    while (mask < size && !(relative & mask))
        mask *= 2;
    if (relative)
        code =
            receive_one(self, tag, buffer, on->world[(on->rank - mask + size) % size], count, type);
    for (mask /= 2; mask; mask /= 2) {
        int sent = MPI_SUCCESS;

        if (relative + mask < size)
            sent = send_one(self, tag, buffer, on->world[(on->rank + mask) % size], count, type);
        if (code == MPI_SUCCESS)
            code = sent;
    }
    return code;
}
