/* Exchanges with one rank after the other. */
#include <string.h>
#include "coll/quick.h"
#include "coll/schedule.h"

#define SMALL 128 /* bytes */

static struct ft_request request_of(struct ft_rank *self, const struct ft_comm *on,
                                    enum ft_request_kind kind, void *buffer, int count,
                                    MPI_Datatype type, int rank)
{
    return (struct ft_request){.kind = (uint8_t)kind,
                               .buffer = buffer,
                               .count = count,
                               .type = type,
                               .peer = on->world[rank],
                               .tag = ft_schedule_tag(on),
                               .comm = ft_comm_lanes(self)};
}

static int end(struct ft_rank *self, struct ft_request *request, int code)
{
    if (code != MPI_SUCCESS)
        return code;
    if (request->state == FT_REQUEST_ACTIVE)
        ft_request_wait(self, request);
    return request->code;
}

/* Sends to one rank and receives from another one, or the same. */
static int exchange(struct ft_rank *self, const struct ft_comm *on, void *out, int to, void *in,
                    int from, int count, MPI_Datatype type)
{
    struct ft_request receive = request_of(self, on, FT_REQUEST_RECV, in, count, type, from);
    struct ft_request send = request_of(self, on, FT_REQUEST_SEND, out, count, type, to);
    int received = ft_recv_post(self, &receive), sent = ft_send_post(self, &send);

    received = end(self, &receive, received);
    sent = end(self, &send, sent);
    return received != MPI_SUCCESS ? received : sent;
}

int ft_quick_barrier(struct ft_rank *self, struct ft_comm *on)
{
    int size = on->size, code = MPI_SUCCESS;

    if (on->inter || self->requests->running)
        return FT_QUICK_NOT;
    for (int distance = 1; distance < size && code == MPI_SUCCESS; distance *= 2)
        code = exchange(self, on, NULL, (on->rank + distance) % size, NULL,
                        (on->rank - distance + size) % size, 0, MPI_BYTE);
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
        code = exchange(self, on, recvbuf, on->rank ^ mask, incoming, on->rank ^ mask, count, type);
        if (code == MPI_SUCCESS)
            code = PMPI_Reduce_local(incoming, recvbuf, count, type, op);
    }
    return code;
}
