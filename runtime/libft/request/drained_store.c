/* The drained store: a list in order of arrival, searched from its head. The program takes messages
 * about in the order in which they came, so the search is short. */
#include "handle/pack.h"
#include "request/meeting.h"
#include "request/store.h"

#define DELIVER_TAG 1 /* of messages to oneself on the runtime's communicator */

struct ft_drained *ft_drained_create(const struct ft_comm *comm, const MPI_Status *status)
{
    struct ft_drained *drained;
    MPI_Count bytes = 0;

    PMPI_Get_count_c(status, MPI_BYTE, &bytes);
    drained = ft_image_alloc(sizeof *drained + (size_t)bytes);
    drained->comm = comm->id;
    drained->source = status->MPI_SOURCE;
    drained->world = comm->world[drained->source];
    drained->tag = status->MPI_TAG;
    drained->bytes = bytes;
    return drained;
}

struct ft_drained *ft_drained_receive(struct ft_rank *self, struct ft_comm *comm,
                                      MPI_Message *message, const MPI_Status *status)
{
    struct ft_drained *drained = ft_drained_create(comm, status);
    int code = PMPI_Mrecv_c(drained->data, drained->bytes, MPI_BYTE, message, MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS)
        ft_panic("cannot receive a message of %lld bytes from rank %d into the image (code %d)",
                 (long long)drained->bytes, comm->world[drained->source], code);
    ft_count_received(self, comm, drained->source);
    return drained;
}

void ft_drained_append(struct ft_rank *self, struct ft_drained *drained)
{
    DL_APPEND(self->requests->drained, drained);
    self->requests->drained_count++;
}

struct ft_drained *ft_drained_match(struct ft_rank *self, const struct ft_comm *comm, int source,
                                    int tag)
{
    struct ft_drained *drained;

    DL_FOREACH (self->requests->drained, drained)
        if (drained->comm == comm->id && (source == MPI_ANY_SOURCE || source == drained->source) &&
            (tag == MPI_ANY_TAG || tag == drained->tag))
            return drained;
    return NULL;
}

void ft_drained_take(struct ft_rank *self, struct ft_drained *drained)
{
    DL_DELETE(self->requests->drained, drained);
    self->requests->drained_count--;
    if (drained->meeting)
        ft_meeting_tell(self, drained);
    drained->meeting = 0;
}

void ft_drained_status(const struct ft_drained *drained, MPI_Status *status)
{
    ft_status_empty(status);
    PMPI_Status_set_elements_x(status, MPI_BYTE, drained->bytes);
    status->MPI_SOURCE = drained->source;
    status->MPI_TAG = drained->tag;
}

static int fits(const struct ft_drained *drained, int count, MPI_Datatype real)
{
    MPI_Count size = 0;

    return PMPI_Type_size_x(real, &size) == MPI_SUCCESS && drained->bytes <= count * size;
}

/* The library itself handles a message that is too long. */
static int deliver_by_message(struct ft_rank *self, struct ft_drained *drained, void *buffer,
                              int count, MPI_Datatype real, MPI_Status *status)
{
    int code =
        PMPI_Sendrecv_c(drained->data, drained->bytes, MPI_BYTE, self->rank, DELIVER_TAG, buffer,
                        count, real, self->rank, DELIVER_TAG, ft_comm_runtime(self), status);

    status->MPI_SOURCE = drained->source;
    status->MPI_TAG = drained->tag;
    return code;
}

/* Not always by a message: MPICH 4.0.2 says "truncated" when more than 8 KB of bytes are received
 * into a type with gaps. */
int ft_drained_deliver(struct ft_rank *self, struct ft_drained *drained, void *buffer, int count,
                       MPI_Datatype type, MPI_Status *status)
{
    MPI_Datatype real = ft_type_real(self, type);
    int code;

    if (fits(drained, count, real)) {
        code = ft_unpack_bytes(drained->data, drained->bytes, buffer, real, MPI_COMM_SELF);
        ft_drained_status(drained, status);
    } else {
        code = deliver_by_message(self, drained, buffer, count, real, status);
    }
    ft_image_free(drained);
    return code;
}

static int comm_lives(struct ft_rank *self, uint64_t id)
{
    for (struct ft_comm *comm = ft_comm_first(self); comm; comm = comm->next)
        if (comm->id == id)
            return 1;
    for (struct ft_comm *comm = ft_comm_unborn(self); comm; comm = comm->next)
        if (comm->id == id)
            return 1;
    return 0;
}

void ft_drained_forget(struct ft_rank *self)
{
    struct ft_drained *drained, *next;

    DL_FOREACH_SAFE (self->requests->drained, drained, next)
        if (!comm_lives(self, drained->comm)) {
            ft_drained_take(self, drained);
            ft_image_free(drained);
        }
}
