/* Posting: the native non-blocking call, the count of sends, and the two answers that need no
 * library: a receive that the drained store satisfies, and a buffered send, whose data is copied.
 *
 * Bsend is the runtime's own: the message is packed into the image and sent in the background by a
 * detached request. The attached buffer of the program is only an account: a message occupies its
 * packed size and MPI_BSEND_OVERHEAD until the library has sent it. So every sequence of sends that
 * the standard's model accepts (MPI-4.0, section 3.6.1) is accepted, and one that exceeds the
 * buffer is MPI_ERR_BUFFER. One inside the cluster that is made again is not in the account, like
 * any other one (send_behind): MPI_Buffer_detach waits for nobody then.
 *
 * Rsend is a standard send, which the standard permits.
 *
 * A receive from MPI_PROC_NULL is done on the spot by the blocking call: MPICH 4.0.2 answers a
 * non-blocking one with source 0 and tag 0. */
#include <limits.h>
#include "determinant/trail.h"
#include "handle/pack.h"
#include "request/again.h"
#include "request/failed.h"
#include "request/foreign.h"
#include "request/meeting.h"
#include "request/overtake.h"
#include "request/packed.h"
#include "request/store.h"
#include "request/trusted.h"
#include "trace/trace.h"

MPI_Request ft_send_done = MPI_REQUEST_NULL;

enum { COPIED_MOST = 1 << 28 }; /* bytes */

/* Two sends to nobody: when both have the same handle at the same time, nobody owns it. */
void ft_send_done_learn(void)
{
    MPI_Request first = MPI_REQUEST_NULL, second = MPI_REQUEST_NULL;

    PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &first);
    PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &second);
    ft_send_done = first == second ? first : MPI_REQUEST_NULL;
    PMPI_Wait(&first, MPI_STATUS_IGNORE);
    PMPI_Wait(&second, MPI_STATUS_IGNORE);
}

static int send_now(struct ft_rank *self, struct ft_request *request)
{
    int code;

    if (ft_unlikely(self->spbc != NULL)) {
        if (ft_stream_foreign(self, request->comm, request->peer))
            return ft_send_foreign(self, request);
        ft_stream_linger(self);
    }
    code = ft_send_library(request->mode, request->buffer, request->count,
                           ft_type_real(self, request->type), request->peer, request->tag,
                           request->comm->real, &request->real);
    if (ft_unlikely(code != MPI_SUCCESS))
        return code;
    if (ft_unlikely(self->spbc != NULL))
        ft_trusted_sent(self, request->comm, request->peer, request->tag);
    ft_send_accepted(self, request, request->peer);
    return MPI_SUCCESS;
}

/* Lets completed buffered sends give their room back. */
static void buffered_poll(struct ft_rank *self)
{
    struct ft_request *request, *next;

    FT_ACTIVE_FOREACH_SAFE (self->requests, request, next)
        if (request->charge)
            ft_request_poll(self, request);
}

static int buffer_reserve(struct ft_rank *self, int bytes)
{
    struct ft_requests *requests = self->requests;

    if (requests->buffer_size - requests->buffer_used < bytes)
        buffered_poll(self);
    return requests->buffer_size - requests->buffer_used < bytes ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

/* Makes a background send of a description whose data are a copy, `data`, which is freed with it.
 * charge: what it occupies until it has ended. `asked`, if it is synchronous, waits for its end. */
static int send_copy(struct ft_rank *self, struct ft_request *asked, struct ft_request *copy,
                     char *data, int charge)
{
    int code = send_now(self, copy);

    if (code != MPI_SUCCESS) {
        ft_image_free(data);
        ft_request_destroy(self, copy);
        return code;
    }
    if (copy->state == FT_REQUEST_COMPLETE) {
        ft_image_free(data);
    } else {
        copy->keep = data;
        copy->charge = charge;
        if (charge > 0)
            self->requests->buffer_used += charge;
        else
            self->requests->copied -= charge;
        if (asked->mode == FT_SEND_SYNCHRONOUS)
            ft_meeting_behind(self, asked, copy);
    }
    ft_request_detach(self, copy);
    return MPI_SUCCESS;
}

static int send_packed(struct ft_rank *self, struct ft_request *asked, int room)
{
    struct ft_request *copy;
    char *data = ft_image_alloc((size_t)room);
    MPI_Count bytes = 0;
    int code = ft_pack(asked->buffer, asked->count, ft_type_real(self, asked->type), data, room,
                       &bytes, asked->comm->real);

    if (code != MPI_SUCCESS) {
        ft_image_free(data);
        return code;
    }
    copy = ft_request_create(self, FT_REQUEST_SEND, asked->comm);
    ft_request_describe(self, copy, data, (int)bytes, MPI_PACKED, asked->peer, asked->tag);
    return send_copy(self, asked, copy, data, room + MPI_BSEND_OVERHEAD);
}

/* Where data are read before the library is given the send. */
static int send_check(struct ft_rank *self, const struct ft_request *request)
{
    return ft_send_check(request->buffer, request->count, ft_type_real(self, request->type),
                         request->peer, request->tag, request->comm->real);
}

/* A message that cannot be counted fits no buffer. */
static int packed_size(struct ft_rank *self, const struct ft_request *request, int *room)
{
    MPI_Count bytes = 0;
    int code = PMPI_Pack_size_c(request->count, ft_type_real(self, request->type),
                                request->comm->real, &bytes);

    *room = (int)bytes;
    return code == MPI_SUCCESS && bytes > INT_MAX - MPI_BSEND_OVERHEAD ? MPI_ERR_BUFFER : code;
}

static int send_buffered(struct ft_rank *self, struct ft_request *request)
{
    int room = 0;
    int code = packed_size(self, request, &room);

    if (code == MPI_SUCCESS && !request->buffer)
        code = send_check(self, request);
    if (code == MPI_SUCCESS)
        code = buffer_reserve(self, room + MPI_BSEND_OVERHEAD);
    if (code == MPI_SUCCESS)
        code = send_packed(self, request, room);
    if (code == MPI_SUCCESS) {
        request->code = MPI_SUCCESS;
        request->state = FT_REQUEST_COMPLETE;
    }
    return code;
}

static int send_directly(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(request->mode == FT_SEND_BUFFERED && request->peer != MPI_PROC_NULL))
        return send_buffered(self, request);
    return send_now(self, request);
}

/* A send inside the cluster that had ended, or that the rank had left behind, when the cluster
 * rolled back: the receive that took its message may be one by wildcard that never ended then,
 * and is held back now (again.c) until the receiver is as far as it was, for which it may need
 * what this rank sends next. So nobody waits for it. Only so much memory is lent for that. */
static int is_sent_behind(struct ft_rank *self, const struct ft_request *request)
{
    return ft_unlikely(self->spbc != NULL) && ft_stream_repeats(self) &&
           request->peer != MPI_PROC_NULL && request->count >= 0 &&
           !ft_comm_is_lanes(request->comm) &&
           !ft_stream_foreign(self, request->comm, request->peer) &&
           self->requests->copied < COPIED_MOST;
}

/* A buffered send that is made again had found room among others that are gone, or take longer now.
 * So it is refused only if it never had any. */
static int buffer_fits(struct ft_rank *self, const struct ft_request *request)
{
    int room = 0;
    int code = packed_size(self, request, &room);

    if (code == MPI_SUCCESS && self->requests->buffer_size - room < MPI_BSEND_OVERHEAD)
        code = MPI_ERR_BUFFER;
    return code;
}

static int behind_check(struct ft_rank *self, const struct ft_request *request)
{
    int code = send_check(self, request);

    if (code == MPI_SUCCESS && request->mode == FT_SEND_BUFFERED)
        code = buffer_fits(self, request);
    return code;
}

/* The copy is of the original's own type, because packed data do not fit all receives (packed.h).
 */
static int send_behind(struct ft_rank *self, struct ft_request *request)
{
    MPI_Datatype real = ft_type_real(self, request->type);
    struct ft_request *copy;
    MPI_Count low, room;
    char *data;
    int code = behind_check(self, request);

    if (code == MPI_SUCCESS)
        code = ft_elements_span(real, request->count, &low, &room);
    if (code != MPI_SUCCESS)
        return code;
    if (room > COPIED_MOST)
        return send_directly(self, request);
    data = ft_image_room((size_t)room + 1);
    code = ft_elements_copy(request->buffer, request->count, real,
                            ft_type_is_plain(self, request->type), data - low, request->comm->real);
    if (code != MPI_SUCCESS) {
        ft_image_free(data);
        return code;
    }
    copy = ft_request_create(self, FT_REQUEST_SEND, request->comm);
    ft_request_describe(self, copy, data - low, request->count, request->type, request->peer,
                        request->tag);
    if (request->mode == FT_SEND_SYNCHRONOUS)
        copy->mode = FT_SEND_SYNCHRONOUS;
    code = send_copy(self, request, copy, data, -(int)room - 1);
    if (code == MPI_SUCCESS && request->state != FT_REQUEST_ACTIVE) {
        request->code = MPI_SUCCESS;
        request->state = FT_REQUEST_COMPLETE;
    }
    return code;
}

static int send_post(struct ft_rank *self, struct ft_request *request)
{
    if (is_sent_behind(self, request))
        return send_behind(self, request);
    return send_directly(self, request);
}

int ft_send_post(struct ft_rank *self, struct ft_request *request)
{
    int code;

    if (ft_unlikely(self->spbc != NULL) && self->spbc->ulfm) {
        code = ft_failed_peer(self, request->comm, request->peer, request->tag);
        if (code != MPI_SUCCESS)
            return ft_failed_post(request, code);
    }
    if (ft_unlikely(self->spbc != NULL) && !ft_comm_is_lanes(request->comm))
        ft_trail_call(self, request->comm->id, request->peer, request->tag, request->count,
                      request->type);
    if (ft_likely(!self->trace))
        return send_post(self, request);
    ft_trace_send(self, request->comm, request->buffer, request->count, request->type,
                  request->peer, request->tag);
    code = send_post(self, request);
    if (code != MPI_SUCCESS)
        ft_trace_unsend(self);
    return code;
}

/* Answers from the drained store, if it can. */
static int recv_from_store(struct ft_rank *self, struct ft_request *request)
{
    struct ft_drained *drained = ft_drained_match(self, request->comm, request->peer, request->tag);

    if (!drained)
        return 0;
    ft_drained_take(self, drained);
    ft_image_free(request->keep);
    request->keep = NULL;
    request->code = ft_drained_deliver(self, drained, request->buffer, request->count,
                                       request->type, &request->status);
    request->state = FT_REQUEST_COMPLETE;
    if (ft_unlikely(self->spbc != NULL))
        ft_recv_keep_stored(self, request);
    return 1;
}

static int recv_from_nobody(struct ft_rank *self, struct ft_request *request)
{
    int code = PMPI_Recv(request->buffer, request->count, ft_type_real(self, request->type),
                         MPI_PROC_NULL, request->tag, request->comm->real, &request->status);

    if (code != MPI_SUCCESS)
        return code;
    request->code = MPI_SUCCESS;
    request->state = FT_REQUEST_COMPLETE;
    return MPI_SUCCESS;
}

int ft_recv_native(struct ft_rank *self, struct ft_request *request)
{
    int source = request->peer, code;

    if (ft_unlikely(self->requests->drained_count) && recv_from_store(self, request))
        return MPI_SUCCESS;
    if (ft_unlikely(self->trace != NULL))
        source = ft_trace_recv(self, request->comm, source, request->tag, &request->traced);
    if (ft_unlikely(self->spbc != NULL) && ft_packed_wanted(self, request))
        code = ft_packed_post(self, request);
    else
        code = PMPI_Irecv(request->buffer, request->count, ft_type_real(self, request->type),
                          source, request->tag, request->comm->real, &request->real);
    if (ft_unlikely(code != MPI_SUCCESS)) {
        ft_trace_match(self, request->comm, request->traced, NULL, 0);
        return code;
    }
    if (ft_unlikely(self->spbc != NULL)) {
        if (ft_unlikely(self->spbc->identified))
            ft_trusted_posted(self, request);
        if (!request->number && !request->unnumbered)
            ft_recv_number(self, request);
    }
    ft_request_activate(self, request);
    return MPI_SUCCESS;
}

int ft_recv_post(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(request->peer == MPI_PROC_NULL))
        return recv_from_nobody(self, request);
    if (ft_unlikely(self->spbc != NULL))
        return self->spbc->ulfm ? ft_failed_recv(self, request) : ft_recv_recorded(self, request);
    return ft_recv_native(self, request);
}
