/* usual: requests that end in the shortest way, because nobody but the program waits for them.
 *
 * A receive of the usual kind has a named source and a basic datatype, with --protocol spbc also a
 * named tag and, from another cluster, its number, and was posted in this epoch. Its end needs no
 * status: it is counted, taken off the list, and destroyed. Of a send that the library took at once
 * nothing is left to be done but that the program asks.
 *
 * Of the 550 instructions that a receive in a window of 64 took more than a native one, half
 * were the general end (ft_request_complete, ft_request_take) and the lists of requests for it. */
#ifndef FT_REQUEST_USUAL_H
#define FT_REQUEST_USUAL_H

#include "request/direct.h"

static inline int ft_receive_is_usual(const struct ft_request *request)
{
    return request->state == FT_REQUEST_ACTIVE && request->special == 0;
}

static inline int ft_send_is_usual(const struct ft_request *request)
{
    return request->state == FT_REQUEST_COMPLETE && request->kind == FT_REQUEST_SEND &&
           request->special == 0;
}

/* May the library's answer be taken as it is? Otherwise somebody else has to be thought of between
 * two polls, or at the end: an earlier receive by wildcard, the trace, a dead rank. */
static inline int ft_usual_fits(const struct ft_rank *self)
{
    const struct ft_requests *requests = self->requests;

    return !self->trace && (requests->unnumbered | requests->kept) == 0 && !requests->held &&
           !ft_life.torn;
}

/* A receive that was just posted becomes one of them: directly (ft_direct_fits), or without
 * --protocol spbc. */
static inline void ft_receive_direct(const struct ft_rank *self, struct ft_request *request)
{
    if (ft_likely(!self->spbc->identified))
        request->special = 0;
}
static inline void ft_receive_unwatched(struct ft_request *request)
{
    if (request->peer >= 0 && (uint32_t)request->type >> 24 == FT_BASIC_BYTE)
        request->special = 0;
}

/* So does a send without a description that has just begun, if it has ended. */
static inline void ft_send_direct(struct ft_request *request)
{
    if (ft_likely(request->state == FT_REQUEST_COMPLETE))
        request->special = 0;
}

/* Gives one of them back to the table. The caller clears its handle. */
static inline void ft_usual_destroy(struct ft_rank *self, struct ft_request *request)
{
    if (ft_unlikely(request->comm->handle != MPI_COMM_WORLD))
        ft_comm_release(self, request->comm);
    ft_request_give_back(self, request);
}

/* The library has completed a receive with MPI_SUCCESS: it is counted, and gone. */
static inline void ft_receive_take(struct ft_rank *self, struct ft_request *request)
{
    DL_DELETE(self->requests->active, request);
    if (request->number)
        ft_stream_take(request->stream, request->number);
    else
        self->received[request->comm->world[request->peer]]++;
    ft_usual_destroy(self, request);
}

/* Waits for a receive. 1: it is gone, its status in *status (MPI_STATUS_IGNORE is let pass). */
static inline int ft_receive_wait(struct ft_rank *self, struct ft_request *request,
                                  MPI_Status *status)
{
    unsigned polls = 0;
    int ended = 0;

    for (;;) {
        int code = PMPI_Test(&request->real, &ended, &request->status);

        if (ft_unlikely(code != MPI_SUCCESS) || ft_unlikely(ft_life.torn && ended)) {
            ft_request_end(self, request, code);
            return 0;
        }
        if (ft_likely(ended))
            break;
        if (ft_wait_pause(self, &polls))
            return 0;
    }
    if (status != MPI_STATUS_IGNORE)
        ft_status_copy(status, &request->status);
    ft_receive_take(self, request);
    return 1;
}

/* Waits for a request, and takes it into *status (MPI_STATUS_IGNORE: nowhere) when it is one of
 * them. 1: the caller clears its handle. 0: it is another one, or has become one (it may be
 * complete): it is to be waited for and taken like any. */
static inline int ft_usual_wait(struct ft_rank *self, struct ft_request *request,
                                MPI_Status *status)
{
    if (ft_send_is_usual(request)) {
        if (status != MPI_STATUS_IGNORE)
            ft_status_empty(status);
        ft_usual_destroy(self, request);
        return 1;
    }
    return ft_receive_is_usual(request) && ft_likely(ft_usual_fits(self)) &&
           ft_receive_wait(self, request, status);
}

#endif
