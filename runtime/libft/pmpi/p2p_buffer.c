/* The buffer of buffered sends: an account of bytes (see request_post.c). */
#include "pmpi/p2p.h"

FT_EXPORT int MPI_Buffer_attach(void *buffer, int size)
{
    P2P_ENTER(MPI_Buffer_attach, (buffer, size));
    struct ft_requests *requests = self->requests;

    if (size < 0)
        P2P_LEAVE(NULL, MPI_ERR_ARG, MPI_Buffer_attach);
    if (requests->buffer)
        P2P_LEAVE(NULL, MPI_ERR_BUFFER, MPI_Buffer_attach);
    requests->buffer = buffer;
    requests->buffer_size = size;
    return ft_leave(self, MPI_SUCCESS);
}

static struct ft_request *buffered_first(struct ft_rank *self)
{
    struct ft_request *request;

    FT_ACTIVE_FOREACH (self->requests, request)
        if (request->charge > 0)
            return request;
    return NULL;
}

/* Waits until all buffered messages have been sent, as the standard wants it, and hands the buffer
 * back; NULL and 0 when there is none. */
FT_EXPORT int MPI_Buffer_detach(void *address, int *size)
{
    P2P_ENTER(MPI_Buffer_detach, (address, size));
    struct ft_requests *requests = self->requests;
    struct ft_request *request;

    while ((request = buffered_first(self)))
        ft_request_wait(self, request);
    *(void **)address = requests->buffer;
    *size = requests->buffer_size;
    requests->buffer = NULL;
    requests->buffer_size = 0;
    return ft_leave(self, MPI_SUCCESS);
}
