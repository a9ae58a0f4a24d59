#include "request/packed.h"
#include "handle/pack.h"
#include "stream/stream.h"

/* Can a rank of another cluster send on comm? */
static int has_foreign(const struct ft_rank *self, const struct ft_comm *comm)
{
    for (int i = 0; i < comm->peers; i++)
        if (self->spbc->foreign[comm->world[i]])
            return 1;
    return 0;
}

int ft_packed_foreign(struct ft_rank *self, const struct ft_request *request)
{
    if (request->peer == MPI_ANY_SOURCE)
        return has_foreign(self, request->comm);
    return ft_stream_foreign(self, request->comm, request->peer);
}

int ft_recv_check(struct ft_rank *self, const struct ft_request *request)
{
    MPI_Request real;
    int code = PMPI_Recv_init(request->buffer, request->count, ft_type_real(self, request->type),
                              request->peer, request->tag, request->comm->real, &real);

    if (code == MPI_SUCCESS)
        PMPI_Request_free(&real);
    return code;
}

static int room_of(struct ft_rank *self, const struct ft_request *request, MPI_Count *room)
{
    int code = PMPI_Type_size_x(ft_type_real(self, request->type), room);

    *room *= request->count;
    return code;
}

int ft_packed_post(struct ft_rank *self, struct ft_request *request)
{
    void *data = request->keep;
    MPI_Count room = 0;
    int code = ft_recv_check(self, request);

    if (code == MPI_SUCCESS)
        code = room_of(self, request, &room);
    if (code != MPI_SUCCESS)
        return code;
    if (!data)
        data = ft_image_alloc((size_t)room);
    code = PMPI_Irecv_c(data, room, MPI_BYTE, request->peer, request->tag, request->comm->real,
                        &request->real);
    if (code == MPI_SUCCESS)
        request->keep = data;
    else if (data != request->keep)
        ft_image_free(data);
    return code;
}

void ft_packed_deliver(struct ft_rank *self, struct ft_request *request)
{
    MPI_Count bytes = 0;

    if (request->code != MPI_SUCCESS)
        return;
    PMPI_Get_count_c(&request->status, MPI_BYTE, &bytes);
    request->code = ft_unpack_bytes(request->keep, bytes, request->buffer,
                                    ft_type_real(self, request->type), MPI_COMM_SELF);
}
