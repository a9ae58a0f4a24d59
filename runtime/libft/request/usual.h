/* usual: requests that end in the shortest way, because nobody but the program waits for them.
 *
 * A receive of the usual kind has a named source and a basic datatype, with --protocol spbc also a
 * named tag and, from another cluster, its number, and was posted in this epoch. Its end needs no
 * status: it is counted, taken off the list, and destroyed, or INACTIVE when it is persistent.
 * Nothing but a handle is left of a send that the library took at once (FT_REQUEST_SENT).
 *
 * Half of the 550 instructions that a receive in a window of 64 took more than a native one were
 * the general end (ft_request_complete, ft_request_take) and the lists of requests for it. */
#ifndef FT_REQUEST_USUAL_H
#define FT_REQUEST_USUAL_H

#include "request/direct.h"

/* Values of request->sort, whose bytes are kind, state and special, the lowest first. */
#define FT_SORT_RECEIVE ((uint32_t)FT_REQUEST_RECV | (uint32_t)FT_REQUEST_ACTIVE << 8)
#define FT_SORT_PERSISTENT (1u << 16)

static inline int ft_receive_is_usual(const struct ft_request *request)
{
    return (request->sort & ~FT_SORT_PERSISTENT) == FT_SORT_RECEIVE;
}

/* May the library's answer be taken as it is? Otherwise somebody else has to be thought of between
 * two polls, or at the end: an earlier receive by wildcard, the trace, a dead rank. */
static inline int ft_usual_fits(const struct ft_rank *self)
{
    const struct ft_requests *requests = self->requests;

    return !self->trace && (requests->unnumbered | requests->kept) == 0 && !requests->held &&
           !ft_life.torn;
}

/* An entry for a receive that is posted next, described and in its state already, on no list. It
 * was a third of the posting to write what the library was given, and to read it for the call. */
static inline struct ft_request *ft_receive_create(struct ft_rank *self, struct ft_comm *comm,
                                                   void *buffer, int count, MPI_Datatype type,
                                                   int source, int tag)
{
    struct ft_request *request = ft_request_free_one(self);

    request->sort = FT_SORT_RECEIVE;
    request->mode = request->foreign = request->counted = 0;
    request->peer = source;
    request->tag = tag;
    request->count = count;
    request->type = type;
    request->buffer = buffer;
    request->comm = comm;
    request->traced = 0;
    request->number = 0;
    request->outcome = 0;
    if (ft_unlikely(comm->handle != MPI_COMM_WORLD))
        ft_comm_hold(self, comm);
    return request;
}

/* The counts that --protocol spbc keeps of a receive for which ft_direct_fits, and which the
 * library has accepted. */
FT_INLINE void ft_receive_count(struct ft_rank *self, struct ft_request *request,
                                const struct ft_comm *comm, int source, int tag)
{
    request->site = self->recorder->site;
    if (ft_stream_foreign(self, comm, source)) {
        request->stream = ft_stream_post(self, comm, source, tag);
        request->number = request->stream->last;
    }
    request->outcome = ft_determinant_receive_new(self);
}

/* Gives a receive that is not persistent back to the table. The caller clears its handle. */
static inline void ft_receive_destroy(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(request->comm->handle != MPI_COMM_WORLD))
        ft_comm_release(self, request->comm);
    ft_request_give_back(self, request);
}

/* The library has completed a receive with MPI_SUCCESS: it is counted, and the program's no more.
 */
static inline void ft_receive_take(struct ft_rank *self, struct ft_request *request,
                                   MPI_Request *handle)
{
    ft_active_delete(request);
    if (request->number)
        ft_stream_take(request->stream, request->number);
    else
        self->received[request->comm->world[request->peer]]++;
    if (ft_unlikely(request->persistent)) {
        request->state = FT_REQUEST_INACTIVE;
        return;
    }
    ft_receive_destroy(self, request);
    *handle = MPI_REQUEST_NULL;
}

/* The library has completed a receive into *status (MPI_STATUS_IGNORE: nowhere) with `code`, and it
 * ends as any request. */
void ft_receive_end(struct ft_rank *self, struct ft_request *request, const MPI_Status *status,
                    int code);

/* Waits for a receive. 1: it is taken, its status in *status (MPI_STATUS_IGNORE is let pass). */
static inline int ft_receive_wait(struct ft_rank *self, struct ft_request *request,
                                  MPI_Request *handle, MPI_Status *status)
{
    unsigned polls = 0;
    int ended = 0;
    int code = ft_library_look(&request->real, &ended, status);

    for (;;) {
        if (ft_unlikely(code != MPI_SUCCESS) || ft_unlikely(ft_life.torn && ended)) {
            ft_receive_end(self, request, status, code);
            return 0;
        }
        if (ft_likely(ended))
            break;
        if (ft_wait_pause(self, &polls))
            return 0;
        code = PMPI_Test(&request->real, &ended, status);
    }
    ft_receive_take(self, request, handle);
    return 1;
}

/* Waits for a request, which is that of *handle, and takes it into *status (MPI_STATUS_IGNORE:
 * nowhere) when it is one of them. 1: that is done. 0: it is another one, or has become one (it may
 * be complete): it is to be waited for and taken like any. */
static inline int ft_usual_wait(struct ft_rank *self, struct ft_request *request,
                                MPI_Request *handle, MPI_Status *status)
{
    if (*handle == FT_REQUEST_SENT) {
        if (status != MPI_STATUS_IGNORE)
            ft_status_empty(status);
        *handle = MPI_REQUEST_NULL;
        return 1;
    }
    return ft_receive_is_usual(request) && ft_likely(ft_usual_fits(self)) &&
           ft_receive_wait(self, request, handle, status);
}

#endif
