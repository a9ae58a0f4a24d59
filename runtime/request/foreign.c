/* Requests between clusters. What such a request holds in the library may be lost at any time: a
 * send is in the log, a receive is pending in the image and its message will be sent again. So the
 * end of an epoch needs nothing but this: sends are complete, receives are posted again, in order.
 */
#include "request/foreign.h"
#include "determinant/trail.h"
#include "request/again.h"

/* Could `first`, pending, take a message that `request` is meant for? */
static int could_take(const struct ft_request *first, const struct ft_request *request)
{
    return first->kind == FT_REQUEST_RECV && first->order && !first->number &&
           first->comm == request->comm &&
           (first->peer == MPI_ANY_SOURCE || first->peer == request->peer) &&
           (first->tag == MPI_ANY_TAG || first->tag == request->tag);
}

static int is_overtaken(const struct ft_rank *self, const struct ft_request *request)
{
    const struct ft_request *first;

    if (ft_likely(self->requests->unnumbered == 0))
        return 0;
    DL_FOREACH (self->requests->active, first)
        if (could_take(first, request))
            return 1;
    return 0;
}

void ft_recv_number(struct ft_rank *self, struct ft_request *request)
{
    int named = request->peer != MPI_ANY_SOURCE;

    request->order = request->number = 0;
    if (named && !ft_stream_foreign(self, request->comm, request->peer))
        return;
    request->order = ft_stream_order(self);
    if (named && request->tag != MPI_ANY_TAG && !is_overtaken(self, request))
        request->number = ft_stream_posted(self, request->comm, request->peer, request->tag);
    else
        self->requests->unnumbered++;
}

/* A cancelled receive has met no message: those behind it have met earlier ones than it seemed. */
static void number_return(struct ft_rank *self, const struct ft_request *gone)
{
    struct ft_request *request;

    ft_stream_withdrawn(self, gone->comm, gone->peer, gone->tag, gone->number);
    DL_FOREACH (self->requests->active, request)
        if (request->kind == FT_REQUEST_RECV && request->number > gone->number &&
            request->comm == gone->comm && request->peer == gone->peer && request->tag == gone->tag)
            request->number--;
}

void ft_recv_count(struct ft_rank *self, struct ft_request *request, int cancelled)
{
    const MPI_Status *status = &request->status;

    if (request->order && !request->number)
        self->requests->unnumbered--;
    ft_recv_ended(self, request, cancelled);
    if (cancelled) {
        if (request->number)
            number_return(self, request);
    } else if (ft_stream_foreign(self, request->comm, status->MPI_SOURCE)) {
        ft_stream_received(self, request->comm, status->MPI_SOURCE, status->MPI_TAG,
                           request->number, request->order);
    } else {
        ft_count_received(self, request->comm, status->MPI_SOURCE);
    }
}

/* The message that was logged last, for the trail. That its length is the same is known already
 * where it follows from the call's arguments. */
static void told_note(struct ft_rank *self, const struct ft_request *request)
{
    int world = request->comm->world[request->peer];

    if (request->comm == ft_comm_lanes(self))
        self->spbc->told += ft_stream_told(self, world);
    else if (self->spbc->content || (uint32_t)request->type >> 24 == FT_TYPE_BYTE)
        ft_trail_mark(self, ft_stream_told(self, world),
                      "the message of this call has another length or other data");
}

int ft_send_foreign(struct ft_rank *self, struct ft_request *request)
{
    struct ft_comm *comm = request->comm;
    int due = request->tag < 0 || ft_stream_due(self, comm, request->peer, request->tag);
    int code = due ? ft_send_native(self, request) : MPI_SUCCESS;

    if (code == MPI_SUCCESS)
        code = ft_stream_log(self, comm, request->peer, request->tag, request->buffer,
                             request->count, ft_type_real(self, request->type));
    if (code != MPI_SUCCESS)
        return code;
    told_note(self, request);
    request->foreign = 1;
    if (due && request->real != ft_send_done) {
        ft_request_activate(self, request);
        return MPI_SUCCESS;
    }
    request->code = MPI_SUCCESS;
    request->state = FT_REQUEST_COMPLETE;
    ft_streams_turn(self);
    return MPI_SUCCESS;
}

/* What MPICH answers when its transport meets a process that is gone. */
static int is_death(int code)
{
    int class = MPI_SUCCESS;

    PMPI_Error_class(code, &class);
    return class == MPI_ERR_OTHER || class == MPI_ERR_INTERN || class == MPIX_ERR_PROC_FAILED;
}

int ft_death_meet(struct ft_rank *self, const struct ft_request *request, int code)
{
    if (!self->spbc || !is_death(code))
        return code;
    ft_life.torn = 1;
    return request->kind == FT_REQUEST_SEND && request->foreign ? MPI_SUCCESS : code;
}

int ft_request_withdraw(struct ft_rank *self, struct ft_request *request)
{
    if (request->kind != FT_REQUEST_RECV)
        return 0;
    if (!request->withdrawn && !ft_stream_foreign(self, request->comm, request->status.MPI_SOURCE))
        return 0;
    if (!request->withdrawn)
        ft_log_debug("request", "a receive from rank %d, tag %d, is taken back",
                     request->status.MPI_SOURCE, request->status.MPI_TAG);
    request->withdrawn = 1;
    request->real = MPI_REQUEST_NULL;
    return 1;
}

/* If the dead one is of the own cluster, ftrun ends this process before it calls it to the gate. */
int ft_request_withdraw_late(struct ft_rank *self, struct ft_request *request)
{
    ft_streams_mourn(self);
    return ft_request_withdraw(self, request);
}

static void check_certain(const struct ft_rank *self, const struct ft_request *request)
{
    int world, tag;

    if (!request->order || request->number ||
        !ft_stream_uncertain(self, request->comm, request->peer, request->tag, request->order,
                             &world, &tag))
        return;
    ft_panic("which messages of rank %d (communicator %llx, tag %d) were received is not certain: "
             "a receive by wildcard is pending, and a later one has taken such a message",
             world, (unsigned long long)request->comm->id, tag);
}

void ft_foreign_rebuild(struct ft_rank *self)
{
    struct ft_request *request, *next;

    DL_FOREACH_SAFE (self->requests->active, request, next) {
        if (request->kind == FT_REQUEST_SEND && request->foreign)
            ft_request_complete(self, request, MPI_SUCCESS);
        else if (request->kind == FT_REQUEST_RECV)
            check_certain(self, request);
    }
}
