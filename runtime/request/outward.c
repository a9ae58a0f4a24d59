/* Sends to other clusters: what the library is given, and what the log gets.
 *
 * A message of a basic datatype is sent out of the program's buffer, and copied behind the native
 * call, so a receiver may fetch a long one meanwhile; so is one of a type that is nothing but a run
 * of bytes. One of another type is packed once: into the log, which the library sends it out of, as
 * bytes, as it would be sent again. The receive of another cluster's message is one of bytes anyway
 * (packed.h), and the library packs in pieces, which the receiver waits for.
 */
#include <limits.h>

#include "determinant/trail.h"
#include "request/again.h"
#include "request/outward.h"

#define SHORT 1024 /* bytes that each transport takes out of the sender's buffer at once */

static int is_basic(const struct ft_message *message)
{
    return (uint32_t)message->type >> 24 == FT_BASIC_BYTE;
}

/* Its data or length, and its place. */
static void more_note(struct ft_rank *self, const struct ft_message *message)
{
    int world = message->comm->world[message->dest];

    if (self->spbc->noted & FT_NOTED_PLACE)
        ft_stream_placed(self, message->comm, world);
    if (self->spbc->noted & FT_NOTED_CONTENT || !is_basic(message))
        ft_trail_mark(self, ft_stream_told(self, world),
                      "the message of this call has another length or other data");
}

/* The message that was logged last, for the trail. That its length is the same is known already
 * where it follows from the call's arguments. */
static void told_note(struct ft_rank *self, const struct ft_message *message)
{
    const struct ft_comm *comm = message->comm;

    if (ft_comm_is_lanes(comm))
        self->spbc->told += ft_stream_told(self, comm->world[message->dest]);
    else if (self->spbc->noted || !is_basic(message))
        more_note(self, message);
}

static int send_library(const struct ft_message *message, enum ft_send_mode mode, MPI_Request *real)
{
    return ft_send_library(mode, message->buffer, message->count, message->type, message->dest,
                           message->tag, message->comm->real, real);
}

int ft_send_check(const void *buffer, int count, MPI_Datatype type, int dest, int tag,
                  MPI_Comm comm)
{
    MPI_Request real;
    int code = PMPI_Send_init(buffer, count, type, dest, tag, comm, &real);

    if (code == MPI_SUCCESS)
        PMPI_Request_free(&real);
    return code;
}

/* What the library says of a message that it is not given as it is. */
static int message_check(const struct ft_message *message)
{
    return ft_send_check(message->buffer, message->count, message->type, message->dest,
                         message->tag, message->comm->real);
}

/* One that the receiver has, or that goes later. */
static int send_logged(const struct ft_message *message, enum ft_send_mode mode,
                       const struct ft_stream *stream, MPI_Request *real)
{
    int met = mode != FT_SEND_SYNCHRONOUS || ft_stream_is_known(stream);

    *real = met ? ft_send_done : FT_SEND_AWAITED;
    return message_check(message);
}

static int is_longer(const struct ft_message *message, MPI_Count than)
{
    MPI_Count bytes = 0;

    return message->count > 0 && (PMPI_Type_size_x(message->type, &bytes) != MPI_SUCCESS ||
                                  bytes > than / message->count);
}

/* May the library end a send of so much without its receive? */
static int is_short(const struct ft_message *message)
{
    return !is_longer(message, SHORT);
}

/* One that is due and not of a basic datatype is packed once, into the log, and sent from there.
 * Not a synchronous one, whose end may have to be awaited by other means; and what is longer than
 * an int says the library packs itself. */
static int is_packed_once(const struct ft_message *message, enum ft_send_mode mode)
{
    return !is_basic(message) && mode != FT_SEND_SYNCHRONOUS && !is_longer(message, INT_MAX);
}

/* NULL may be MPI_BOTTOM, which MPI_Pack does not tell from it. */
static int message_pack(struct ft_rank *self, const struct ft_message *message,
                        struct ft_stream *stream, struct ft_entry **entry)
{
    int said = message->buffer ? MPI_SUCCESS : message_check(message), code;

    if (said != MPI_SUCCESS)
        return said;
    code = ft_stream_pack(self, message, stream, entry);
    if (code != MPI_SUCCESS)
        said = message_check(message); /* the program gets the library's word for it */
    return said != MPI_SUCCESS ? said : code;
}

static int send_packed(struct ft_rank *self, const struct ft_message *message,
                       enum ft_send_mode mode, struct ft_stream *stream, MPI_Request *real)
{
    struct ft_entry *entry;
    int code = message_pack(self, message, stream, &entry);

    if (code != MPI_SUCCESS)
        return code;
    code = ft_send_library(mode, entry->data, (int)entry->bytes, MPI_BYTE, message->dest,
                           message->tag, message->comm->real, real);
    if (code != MPI_SUCCESS && !ft_foreign_is_unreachable(self, code, mode, real)) {
        ft_entry_free(self, entry);
        return code;
    }
    ft_stream_log_packed(self, stream, entry, *real != ft_send_done);
    return MPI_SUCCESS;
}

/* One of a plain type is nothing but its bytes, which need no packing. */
static struct ft_message as_bytes(const struct ft_message *message)
{
    struct ft_message bytes = *message;
    MPI_Count size = 0;

    if (!message->plain || message->count <= 0 || is_longer(message, INT_MAX) ||
        PMPI_Type_size_x(message->type, &size) != MPI_SUCCESS)
        return bytes;
    bytes.count *= (int)size;
    bytes.type = MPI_BYTE;
    return bytes;
}

static int send_and_log(struct ft_rank *self, const struct ft_message *given,
                        enum ft_send_mode mode, struct ft_stream *stream, int due,
                        MPI_Request *real)
{
    struct ft_message message = as_bytes(given);
    int code;

    if (due && is_packed_once(&message, mode))
        return send_packed(self, &message, mode, stream, real);
    code = due ? send_library(&message, mode, real) : send_logged(&message, mode, stream, real);
    if (code != MPI_SUCCESS && !(due && ft_foreign_is_unreachable(self, code, mode, real)))
        return code;
    return ft_stream_log(self, &message, stream, due);
}

static int goes_from_log(struct ft_rank *self, const struct ft_message *message,
                         enum ft_send_mode mode)
{
    return ft_stream_sends_again(self) && (mode == FT_SEND_SYNCHRONOUS || !is_short(message));
}

int ft_foreign_send(struct ft_rank *self, const struct ft_message *message, enum ft_send_mode mode,
                    MPI_Request *real)
{
    struct ft_stream *stream;
    int code, due;

    if (message->tag < 0) /* which the library refuses */
        return send_library(message, mode, real);
    due = ft_stream_due(self, message, &stream) && !goes_from_log(self, message, mode);
    code = send_and_log(self, message, mode, stream, due, real);
    if (code != MPI_SUCCESS)
        return code;
    told_note(self, message);
    if (*real == ft_send_done)
        ft_streams_turn(self);
    return MPI_SUCCESS;
}

int ft_outward_known(struct ft_rank *self, struct ft_stream *stream, const void *buffer, int count,
                     MPI_Datatype type, int dest, int tag, const struct ft_comm *comm,
                     MPI_Request *real)
{
    int code = ft_send_check(buffer, count, type, dest, tag, comm->real);

    *real = ft_send_done;
    if (code == MPI_SUCCESS)
        ft_stream_log_plain(self, stream, stream->key.world, buffer,
                            (uint64_t)count * ft_type_basic_size(type));
    return code;
}

int ft_send_foreign(struct ft_rank *self, struct ft_request *request)
{
    struct ft_message message = {.comm = request->comm,
                                 .buffer = request->buffer,
                                 .count = request->count,
                                 .dest = request->peer,
                                 .tag = request->tag,
                                 .type = ft_type_real(self, request->type),
                                 .plain = ft_type_made_plain(self, request->type)};
    MPI_Request real;
    int code = ft_foreign_send(self, &message, request->mode, &real);

    if (code == MPI_SUCCESS)
        ft_foreign_begun(self, request, real);
    return code;
}
