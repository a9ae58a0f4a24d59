/* Sends to other clusters: what the library is given, and what the log gets.
 *
 * A message of a basic datatype is sent out of the program's buffer, and copied behind the
 * native call, so a receiver may fetch a long one meanwhile; so is one of a type that is nothing
 * but a run of bytes. One of another type is packed once: into the log, which the library sends
 * it out of, as bytes, as it would be resent. The receive of another cluster's message is one of
 * bytes anyway (packed.h), and the library packs in pieces, which the receiver waits for.
 */
#include <limits.h>
#include <stdlib.h>

#include "determinant/trail.h"
#include "handle/pack.h"
#include "request/again.h"
#include "request/outward.h"
#include "stream/carried.h"
#include "stream/orphans.h"

#define SHORT 1024 /* bytes that each transport takes out of the sender's buffer at once */

static int is_basic(const struct ft_message *message)
{
    return ft_library_type_is_basic(message->type);
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

/* The library's answer about a message that it is not given as it is. */
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

/* The hash of a message of another type, which is packed for that. 0: it cannot be told. */
static uint64_t packed_hash(const struct ft_message *message)
{
    MPI_Count room = 0, used = 0;
    uint64_t hash = 0;
    char *data;

    if (PMPI_Pack_size_c(message->count, message->type, MPI_COMM_SELF, &room) != MPI_SUCCESS)
        return 0;
    data = malloc((size_t)room + 1);
    if (!data)
        ft_panic("no memory for a hash of a message");
    if (ft_pack(message->buffer, message->count, message->type, data, room, &used, MPI_COMM_SELF) ==
        MPI_SUCCESS)
        hash = ft_contents_hash(data, (uint64_t)used);
    free(data);
    return hash;
}

/* The data of a message that is being sent, with --trust (stream/contents.h). */
struct content {
    uint64_t key, hash;
    int known;
};

static uint64_t key_of(const struct ft_stream *stream)
{
    return ft_contents_key(stream->key.comm, stream->key.world, stream->key.tag);
}

static struct content content_note(struct ft_rank *self, const struct ft_message *message,
                                   const struct ft_stream *stream)
{
    struct content content = {.key = key_of(stream), .known = ft_stream_is_known(stream)};

    if (!is_basic(message))
        content.hash = packed_hash(message);
    else if (message->count > 0)
        content.hash = ft_contents_hash(
            message->buffer, (uint64_t)message->count * ft_library_type_basic_size(message->type));
    ft_contents_note(self, content.key, content.hash);
    return content;
}

/* The send has ended with `code`. */
static int content_end(struct ft_rank *self, const struct ft_stream *stream,
                       const struct content *content, int code)
{
    if (code == MPI_SUCCESS)
        ft_contents_check(self, stream, content->key, content->hash, content->known);
    else
        ft_contents_withdraw(self, content->key);
    return code;
}

/* One that is due: nobody has it. */
static int send_packed(struct ft_rank *self, const struct ft_message *message,
                       enum ft_send_mode mode, struct ft_stream *stream, MPI_Request *real)
{
    int noted = self->spbc->noted & FT_NOTED_PLACE;
    struct content content = {.key = key_of(stream)};
    struct ft_entry *entry;
    int code = message_pack(self, message, stream, &entry);

    if (code != MPI_SUCCESS)
        return code;
    if (noted) {
        content.hash = ft_contents_hash(entry->data, entry->bytes);
        ft_contents_note(self, content.key, content.hash);
    }
    code = ft_send_library(mode, entry->data, (int)entry->bytes, MPI_BYTE, message->dest,
                           message->tag, message->comm->real, real);
    if (code != MPI_SUCCESS && !ft_foreign_is_unreachable(self, code, mode, real)) {
        ft_entry_free(self, entry);
        return noted ? content_end(self, stream, &content, code) : code;
    }
    ft_stream_log_packed(self, stream, entry, *real != ft_send_done);
    return noted ? content_end(self, stream, &content, MPI_SUCCESS) : MPI_SUCCESS;
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

static int give_and_log(struct ft_rank *self, const struct ft_message *message,
                        enum ft_send_mode mode, struct ft_stream *stream, int due,
                        MPI_Request *real)
{
    int code = due ? send_library(message, mode, real) : send_logged(message, mode, stream, real);

    if (code != MPI_SUCCESS && !(due && ft_foreign_is_unreachable(self, code, mode, real)))
        return code;
    return ft_stream_log(self, message, stream, due);
}

static int send_and_log(struct ft_rank *self, const struct ft_message *given,
                        enum ft_send_mode mode, struct ft_stream *stream, int due,
                        MPI_Request *real)
{
    struct ft_message message = as_bytes(given);
    struct content content;

    if (due && is_packed_once(&message, mode))
        return send_packed(self, &message, mode, stream, real);
    if (ft_likely(!(self->spbc->noted & FT_NOTED_PLACE)))
        return give_and_log(self, &message, mode, stream, due, real);
    content = content_note(self, &message, stream);
    return content_end(self, stream, &content,
                       give_and_log(self, &message, mode, stream, due, real));
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
    if (self->spbc->noted & FT_NOTED_LOGGED)
        ft_carried_send(self, message->comm->world[message->dest]);
    due = ft_stream_due(self, message, &stream) && !goes_from_log(self, message, mode);
    if (self->spbc->noted & FT_NOTED_PHASE)
        ft_phases_send(self, stream);
    code = send_and_log(self, message, mode, stream, due, real);
    if (code != MPI_SUCCESS)
        return code;
    told_note(self, message);
    if (ft_unlikely(self->spbc->noted & FT_NOTED_DOUBTED))
        ft_orphans_look(self);
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
                            (uint64_t)count * ft_library_type_basic_size(type));
    return code;
}

int ft_outward_watched(struct ft_rank *self, enum ft_send_mode mode, const void *buffer, int count,
                       MPI_Datatype type, int dest, struct ft_stream *stream,
                       const struct ft_comm *comm, MPI_Request *real)
{
    const struct ft_stream_key *to = &stream->key;
    uint64_t bytes = (uint64_t)count * ft_library_type_basic_size(type), key, hash;
    int code, known = ft_stream_is_known(stream);

    if (self->spbc->noted & FT_NOTED_LOGGED)
        ft_carried_send(self, to->world);
    if (self->spbc->noted & FT_NOTED_PHASE)
        ft_phases_send(self, stream);
    if (!(self->spbc->noted & FT_NOTED_PLACE))
        return ft_outward_plainly(self, mode, buffer, count, type, dest, stream, comm, real);
    key = key_of(stream);
    hash = ft_contents_hash(buffer, bytes);
    ft_contents_note(self, key, hash);
    if (ft_unlikely(known))
        code = ft_send_check(buffer, count, type, dest, to->tag, comm->real);
    else
        code = ft_send_library(mode, buffer, count, type, dest, to->tag, comm->real, real);
    if (ft_unlikely(code != MPI_SUCCESS) &&
        (known || !ft_foreign_is_unreachable(self, code, mode, real))) {
        ft_contents_withdraw(self, key);
        return code;
    }
    if (ft_unlikely(known))
        *real = ft_send_done;
    ft_stream_log_plain(self, stream, to->world, buffer, bytes);
    ft_outward_noted(self, stream, comm, key, hash, known);
    return MPI_SUCCESS;
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
