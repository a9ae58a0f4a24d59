/* Requests between clusters. The library's part of such a request may be lost at any time: a send
 * is in the log, a receive is pending in the image and its message will be resent. So the end of an
 * epoch needs nothing but this: sends are complete, receives are posted again, in order.
 *
 * But a synchronous send ends when its message has met a receive, and what the program does next
 * may depend on that: which message an anonymous receive gets, or that nothing is under way any
 * more. A send that the library does not have, or has no more, is awaited: it is ACTIVE, with an
 * `advance` of its own, until the message has landed (stream/landing.c), unless the program has
 * given the request up: nobody would ask about it, and the message comes anyway. While the rank
 * repeats what it did, nobody waits for that: the send had ended, or the rank had gone on
 * without its end. Nor does it wait in the library: its receiver may repeat, too, and hold the
 * receive back (again.h) until it has what this rank sends next. So what may wait for its
 * receive goes from the log then, although nothing is resent to that rank.
 */
#include "determinant/trail.h"
#include "request/again.h"
#include "request/failed.h"
#include "request/outward.h"
#include "request/overtake.h"

void ft_recv_number(struct ft_rank *self, struct ft_request *request)
{
    int named = request->peer != MPI_ANY_SOURCE && request->tag != MPI_ANY_TAG;

    if (named && !ft_stream_foreign(self, request->comm, request->peer))
        return;
    if (named && !ft_overtaken(self, request->comm, request->peer, request->tag, NULL)) {
        request->number = ft_stream_posted(self, request->comm, request->peer, request->tag);
    } else {
        request->unnumbered = 1;
        self->requests->unnumbered++;
    }
}

void ft_recv_number_return(struct ft_rank *self, struct ft_request *gone)
{
    struct ft_request *request;

    if (!gone->number)
        return;
    ft_stream_withdrawn(self, gone->comm, gone->peer, gone->tag, gone->number);
    FT_ACTIVE_FOREACH (self->requests, request)
        if (request->kind == FT_REQUEST_RECV && request->number > gone->number &&
            request->comm == gone->comm && request->peer == gone->peer && request->tag == gone->tag)
            request->number--;
    gone->number = 0;
}

void ft_recv_count(struct ft_rank *self, struct ft_request *request, int cancelled)
{
    const MPI_Status *status = &request->status;

    ft_recv_unnumber(self, request);
    ft_recv_ended(self, request, cancelled);
    if (cancelled) {
        ft_recv_number_return(self, request);
    } else if (ft_stream_foreign(self, request->comm, status->MPI_SOURCE)) {
        ft_stream_received(self, request->comm, status->MPI_SOURCE, status->MPI_TAG,
                           request->number);
    } else if (!request->kept) {
        ft_count_received(self, request->comm, status->MPI_SOURCE);
    }
    self->requests->kept -= request->kept;
    request->kept = 0;
}

/* MPICH's answers when its transport meets a process that is gone. */
static int is_death(int code)
{
    int class = MPI_SUCCESS;

    PMPI_Error_class(code, &class);
    return class == MPI_ERR_OTHER || class == MPI_ERR_INTERN || class == MPIX_ERR_PROC_FAILED;
}

/* That the rank is dead ftrun will say in a moment. */
int ft_foreign_is_unreachable(struct ft_rank *self, int code, enum ft_send_mode mode,
                              MPI_Request *real)
{
    if (!is_death(code))
        return 0;
    ft_life.torn = 1;
    ft_streams_mourn(self);
    *real = mode == FT_SEND_SYNCHRONOUS ? FT_SEND_AWAITED : ft_send_done;
    return 1;
}

static void awaited_turn(struct ft_rank *self, struct ft_request *request)
{
    if (!ft_landing_ended(request->argument) && !ft_stream_repeats(self) && !request->detached)
        return;
    ft_landing_release(self, request->argument);
    request->argument = NULL;
    request->advance = NULL;
    request->awaited = 0;
    self->requests->kept--;
    ft_request_complete(self, request, MPI_SUCCESS);
}

/* The library does not have it any more. */
static int await(struct ft_rank *self, struct ft_request *request)
{
    request->real = MPI_REQUEST_NULL;
    request->withdrawn = 0;
    request->awaited = 1;
    request->advance = awaited_turn;
    request->argument =
        ft_landing_await(self, request->comm, request->peer, request->tag, request->number);
    self->requests->kept++;
    return 1;
}

void ft_send_borrow(struct ft_rank *self, struct ft_request *request)
{
    void *lent = ft_stream_lent(self);

    if (!lent)
        return;
    request->done = ft_stream_returned;
    request->argument = lent;
}

/* An awaited send may go at once. */
void ft_foreign_begun(struct ft_rank *self, struct ft_request *request, MPI_Request real)
{
    const struct ft_comm *comm = request->comm;

    request->real = real;
    request->foreign = 1;
    request->number = 0;
    ft_send_borrow(self, request);
    if (request->mode == FT_SEND_SYNCHRONOUS)
        request->number =
            ft_stream_out(self, comm->id, comm->world[request->peer], request->tag)->last;
    ft_send_begun(self, request);
    if (real != FT_SEND_AWAITED)
        return;
    await(self, request);
    ft_streams_turn(self);
}

static int is_foreign_send(const struct ft_request *request)
{
    return request->kind == FT_REQUEST_SEND && request->foreign;
}

/* The status of a wildcard receive that failed need not name the sender: that one is dead, and
 * the own cluster lives, or this process ends (ft_request_withdraw_late). */
int ft_death_meet(struct ft_rank *self, struct ft_request *request, int code)
{
    if (ft_ulfm_of(self))
        return ft_failed_code(self, request, code);
    if (!self->spbc || !is_death(code))
        return code;
    ft_life.torn = 1;
    if (request->kind == FT_REQUEST_RECV)
        request->withdrawn = request->peer == MPI_ANY_SOURCE;
    if (!is_foreign_send(request))
        return code;
    request->withdrawn = request->mode == FT_SEND_SYNCHRONOUS;
    return MPI_SUCCESS;
}

int ft_request_withdraw(struct ft_rank *self, struct ft_request *request)
{
    int named = request->peer != MPI_ANY_SOURCE;
    int source = named ? request->peer : request->status.MPI_SOURCE;

    if (request->kind != FT_REQUEST_RECV)
        return request->withdrawn && !request->detached && await(self, request);
    if (ft_request_cancelled(request))
        return 0; /* it has no message, and its status no source */
    if (!request->withdrawn && !ft_stream_foreign(self, request->comm, source))
        return 0;
    ft_log_debug("request", "a receive from rank %d, tag %d, is taken back", source, request->tag);
    request->withdrawn = 1;
    request->real = MPI_REQUEST_NULL;
    return 1;
}

/* If the dead one is of the own cluster, ftrun ends this process before it calls it to the gate. */
int ft_request_withdraw_late(struct ft_rank *self, struct ft_request *request)
{
    if (ft_ulfm_of(self))
        return ft_failed_torn(self, request);
    ft_streams_mourn(self);
    return ft_request_withdraw(self, request);
}

void ft_foreign_rebuild(struct ft_rank *self)
{
    struct ft_request *request;

    FT_ACTIVE_FOREACH (self->requests, request)
        if (is_foreign_send(request) && !request->awaited && !request->detached &&
            request->mode == FT_SEND_SYNCHRONOUS)
            await(self, request);
}

void ft_foreign_end(struct ft_rank *self)
{
    struct ft_request *request, *next;

    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next)
        if (is_foreign_send(request) && !request->awaited)
            ft_request_complete(self, request, MPI_SUCCESS);
}
