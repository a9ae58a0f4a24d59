/* Exchanges with one rank after the other. */
#include <string.h>
#include "coll/quick.h"
#include "coll/schedule.h"
#include "request/direct.h"
#include "request/outward.h"

/* Can a message go without a request, as long as the library takes it at once? */
static inline int is_direct(const struct ft_rank *self, int count, MPI_Datatype type, int tag)
{
    return !self->trace && ft_outward_is_plain(self, count, type, tag) && !ft_stream_lingers(self);
}

static inline int send_direct(struct ft_rank *self, int tag, const void *out, int to, int count,
                              MPI_Datatype type, MPI_Request *real)
{
    struct ft_comm *lanes = ft_comm_lanes(self);
    int code;

    if (self->spbc->foreign[to]) {
        code = ft_outward_send(self, FT_SEND_STANDARD, out, count, type, to, to, tag, lanes, real);
        if (ft_likely(code == MPI_SUCCESS))
            self->spbc->told += ft_stream_told_plain(
                FT_LANES_ID, to, tag, (uint64_t)count * ft_library_type_basic_size(type));
        return code;
    }
    code = ft_send_library(FT_SEND_STANDARD, out, count, type, to, tag, lanes->real, real);
    if (ft_likely(code == MPI_SUCCESS))
        self->sent[to]++;
    return code;
}

/* The library has not taken it at once: a request, because the gate may come before its end. */
__attribute__((noinline)) static void send_pends(struct ft_rank *self, struct ft_request *request,
                                                 int tag, const void *out, int to, int count,
                                                 MPI_Datatype type, MPI_Request real)
{
    ft_request_begin(request, FT_REQUEST_SEND, ft_comm_lanes(self), out, count, type, to, tag);
    request->real = real;
    request->foreign = self->spbc->foreign[to];
    ft_request_activate(self, request);
}

/* Begins a send. To be ended before the request leaves the stack. */
static inline void send_begin(struct ft_rank *self, struct ft_request *request, int tag,
                              const void *out, int to, int count, MPI_Datatype type)
{
    MPI_Request real;

    if (ft_unlikely(!is_direct(self, count, type, tag))) {
        (void)ft_stream_sends_again(self); /* if not, the next one is direct */
        ft_request_begin(request, FT_REQUEST_SEND, ft_comm_lanes(self), out, count, type, to, tag);
        request->code = ft_send_post(self, request);
        return;
    }
    request->state = FT_REQUEST_COMPLETE;
    request->code = send_direct(self, tag, out, to, count, type, &real);
    if (ft_unlikely(request->code == MPI_SUCCESS && real != ft_send_done))
        send_pends(self, request, tag, out, to, count, type, real);
}

static inline int end(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(request->state == FT_REQUEST_ACTIVE))
        ft_request_wait(self, request);
    return request->code;
}

static int send_one(struct ft_rank *self, int tag, void *out, int to, int count, MPI_Datatype type)
{
    struct ft_request request;

    send_begin(self, &request, tag, out, to, count, type);
    return end(self, &request);
}

static int receive_slowly(struct ft_rank *self, int tag, void *in, int from, int count,
                          MPI_Datatype type)
{
    struct ft_request request;
    int code;

    ft_request_begin(&request, FT_REQUEST_RECV, ft_comm_lanes(self), in, count, type, from, tag);
    code = ft_recv_post(self, &request);
    return code != MPI_SUCCESS ? code : end(self, &request);
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
    int code;

    if (ft_unlikely(!ft_direct_fits(self, type, from, tag)))
        return receive_slowly(self, tag, in, from, count, type);
    code = ft_direct_post(self, &direct);
    return code != MPI_SUCCESS ? code : ft_direct_wait(self, &direct, MPI_STATUS_IGNORE);
}

/* Sends to one world rank and receives from another one, or the same. The send begins first: the
 * other rank waits for it, and nobody waits for the posting of the receive. A message that is
 * there already is met by it all the same, because the library takes messages in only when it is
 * asked how the receive is going. */
static int exchange(struct ft_rank *self, int tag, void *out, int to, void *in, int from, int count,
                    MPI_Datatype type)
{
    struct ft_request send;
    int received, sent;

    send_begin(self, &send, tag, out, to, count, type);
    received = receive_one(self, tag, in, from, count, type);
    sent = end(self, &send);
    return received != MPI_SUCCESS ? received : sent;
}

/* Is nothing else under way, and one group concerned? */
static inline int is_quick(const struct ft_rank *self, const struct ft_comm *on)
{
    return !on->inter && !self->requests->running;
}

int ft_quick_barrier(struct ft_rank *self, struct ft_comm *on)
{
    int size = on->size, tag = ft_schedule_tag(on), code = MPI_SUCCESS;

    if (!is_quick(self, on))
        return FT_QUICK_NOT;
    for (int distance = 1; distance < size && code == MPI_SUCCESS; distance *= 2)
        code = exchange(self, tag, NULL, on->world[(on->rank + distance) % size], NULL,
                        on->world[(on->rank - distance + size) % size], 0, MPI_BYTE);
    return code;
}

/* Are the arguments right, the operation predefined, and the group a power of two? */
static inline int allreduce_is_quick(struct ft_rank *self, const struct ft_comm *on,
                                     const void *sendbuf, const void *recvbuf, MPI_Datatype type,
                                     MPI_Op op)
{
    return is_quick(self, on) && (on->size & (on->size - 1)) == 0 && sendbuf && recvbuf &&
           sendbuf != recvbuf && recvbuf != MPI_IN_PLACE &&
           ft_handle_bits(op) >> 24 != FT_OP_BYTE && ft_op_check(self, op, type) == MPI_SUCCESS;
}

int ft_quick_allreduce(struct ft_rank *self, struct ft_comm *on, const void *sendbuf, void *recvbuf,
                       int count, MPI_Datatype type, MPI_Op op)
{
    _Alignas(16) char incoming[FT_QUICK_BYTES];
    size_t bytes = ft_shape_plain_bytes(self, count, type);
    int code = MPI_SUCCESS;

    if (bytes == 0 || bytes > FT_QUICK_BYTES ||
        !allreduce_is_quick(self, on, sendbuf, recvbuf, type, op))
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

/* The tree of ft_move_bcast. A rank that got an error passes it on, as there. */
int ft_quick_bcast(struct ft_rank *self, struct ft_comm *on, void *buffer, int count,
                   MPI_Datatype type, int root)
{
    int size = on->size, tag = ft_schedule_tag(on), mask = 1, code = MPI_SUCCESS, relative;
    size_t bytes = ft_shape_plain_bytes(self, count, type);

    if (bytes == 0 || bytes > FT_QUICK_BYTES || !is_quick(self, on) || !buffer ||
        buffer == MPI_IN_PLACE || root < 0 || root >= size)
        return FT_QUICK_NOT;
    relative = on->rank - root + (on->rank < root ? size : 0);
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
