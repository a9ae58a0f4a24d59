/* Reading and writing (MPI 4.0, sections 14.4.2 to 14.4.5).
 *
 * The data of a call is one stream of bytes: the program's buffer where its datatype has no gaps,
 * else a packed copy. The view says where in the file each part of the stream lies. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/gather.h"

/* A read of short runs that lie close together reads so much of the file at once. */
#define SIEVE_BYTES (1 << 20)

struct stream {   /* the data of one call */
    char *bytes;  /* the program's buffer, or packed */
    int64_t size; /* of the call */
    int64_t done; /* transferred */
    int owned;    /* 1: packed, to be freed */
    int write;
    int fd;
    char *sieve; /* what of the file was read last, SIEVE_BYTES of room */
    MPI_Offset sieve_at;
    int64_t sieve_bytes;
};

/* The program's bytes where the datatype lies in memory as in the stream, else NULL. */
static char *bytes_of(struct ft_rank *self, const struct ft_access *access)
{
    MPI_Count low, extent, size;

    if (!ft_type_is_plain(self, access->type))
        return NULL;
    MPI_Type_get_true_extent_x(access->type, &low, &size);
    MPI_Type_get_extent_x(access->type, &extent, &extent);
    if (access->count > 1 && extent != size)
        return NULL;
    return (char *)access->buffer + low;
}

static void pack(const struct ft_file *file, const struct ft_access *access, struct stream *stream)
{
    MPI_Count place = 0;
    MPI_Aint at = 0;

    if (file->external32)
        MPI_Pack_external("external32", access->buffer, (int)access->count, access->type,
                          stream->bytes, (MPI_Aint)stream->size, &at);
    else
        MPI_Pack_c(access->buffer, access->count, access->type, stream->bytes, stream->size, &place,
                   MPI_COMM_SELF);
}

/* Bytes that the file did not deliver stay in the program's buffer as they are. */
static void unpack(const struct ft_file *file, const struct ft_access *access,
                   struct stream *stream)
{
    MPI_Count place = 0;
    MPI_Aint at = 0;

    if (file->external32)
        MPI_Unpack_external("external32", stream->bytes, (MPI_Aint)stream->size, &at,
                            access->buffer, (int)access->count, access->type);
    else
        MPI_Unpack_c(stream->bytes, stream->size, &place, access->buffer, access->count,
                     access->type, MPI_COMM_SELF);
}

static int stream_open(struct ft_rank *self, const struct ft_file *file, int write,
                       const struct ft_access *access, struct stream *stream)
{
    MPI_Count size;

    MPI_Type_size_x(access->type, &size);
    *stream = (struct stream){.size = size * access->count, .write = write != 0, .fd = file->fd};
    if (file->external32 && access->count > INT_MAX)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    if (!file->external32)
        stream->bytes = bytes_of(self, access);
    if (stream->bytes != NULL || stream->size == 0)
        return MPI_SUCCESS;
    stream->owned = 1;
    stream->bytes = malloc((size_t)stream->size);
    if (stream->bytes == NULL)
        return MPI_ERR_NO_MEM;
    pack(file, access, stream);
    return MPI_SUCCESS;
}

static void stream_close(const struct ft_file *file, const struct ft_access *access,
                         struct stream *stream)
{
    if (stream->owned) {
        if (!stream->write && stream->done > 0)
            unpack(file, access, stream);
        free(stream->bytes);
    }
    free(stream->sieve);
}

/* Transfers one run. Answers 0; an error class; or -1 where the file ends, which is none. */
static int run_transfer(struct stream *stream, char *bytes, MPI_Offset at, int64_t length)
{
    while (length > 0) {
        ssize_t part = stream->write ? pwrite(stream->fd, bytes, (size_t)length, at)
                                     : pread(stream->fd, bytes, (size_t)length, at);

        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return ft_file_class(errno);
        if (part == 0)
            return -1;
        bytes += part;
        at += part;
        length -= part;
        stream->done += part;
    }
    return 0;
}

static int run_visit(void *context, MPI_Offset at, int64_t length, int64_t done)
{
    struct stream *stream = context;

    return run_transfer(stream, stream->bytes + done, at, length);
}

/* The same for a read of many short runs: one system call for all that lie close together. */
static int sieve_visit(void *context, MPI_Offset at, int64_t length, int64_t done)
{
    struct stream *stream = context;
    ssize_t part;

    if (length >= SIEVE_BYTES)
        return run_transfer(stream, stream->bytes + done, at, length);
    if (at < stream->sieve_at || at + length > stream->sieve_at + stream->sieve_bytes) {
        part = pread(stream->fd, stream->sieve, SIEVE_BYTES, at);
        if (part < 0)
            return ft_file_class(errno);
        stream->sieve_at = at;
        stream->sieve_bytes = part;
    }
    part = stream->sieve_at + stream->sieve_bytes - at;
    if (part > length)
        part = length;
    if (part > 0) {
        memcpy(stream->bytes + done, stream->sieve + (at - stream->sieve_at), (size_t)part);
        stream->done += part;
    }
    return part < length ? -1 : 0;
}

/* Before runs from `first` on are written: what undoes the writes is put on record once for all of
 * them, as if the program wrote at the first, lowest place. Then, at a depth, no write is looked
 * at. With two copies of the rank (--replicas) each write is looked at: one of them makes it. */
static int writes_begin(const struct stream *stream, MPI_Offset first)
{
    if (ft_life.pair != NULL)
        return MPI_SUCCESS;
    if (pwrite(stream->fd, "", 0, first) < 0)
        return ft_file_class(errno);
    ft_depth++;
    return MPI_SUCCESS;
}

/* Are the view's runs so close together that reading what lies between them costs less than a call
 * each? */
static int is_dense(const struct ft_file *file)
{
    return file->map.count > 1 && 16 * file->map.bytes > file->map.extent;
}

/* `first`: where the run of etype `position` begins. */
static int runs_transfer(const struct ft_file *file, MPI_Offset position, MPI_Offset first,
                         struct stream *stream)
{
    ft_view_visit *visit = run_visit;
    int code;

    if (stream->write && (code = writes_begin(stream, first)) != MPI_SUCCESS)
        return code;
    if (!stream->write && is_dense(file) && (stream->sieve = malloc(SIEVE_BYTES)) != NULL)
        visit = sieve_visit;
    code = ft_view_walk(file, position * file->unit, stream->size, visit, stream);
    ft_depth -= stream->write && ft_life.pair == NULL;
    return code;
}

static int stream_transfer(const struct ft_file *file, MPI_Offset position, struct stream *stream)
{
    MPI_Offset first = ft_view_byte(file, position);
    MPI_Offset bytes;
    int code;

    if (stream->size == 0)
        return MPI_SUCCESS;
    bytes = ft_view_byte(file, position + stream->size / file->unit - 1) + file->unit - first;
    if (file->atomic && (code = ft_lock(file->fd, first, bytes)) != 0)
        return code;
    code = runs_transfer(file, position, first, stream);
    if (file->atomic)
        ft_unlock(file->fd, first, bytes);
    return code < 0 ? MPI_SUCCESS : code;
}

static int type_check(MPI_Datatype type)
{
    int bytes;

    if (type == MPI_DATATYPE_NULL || MPI_Pack_size(0, type, MPI_COMM_SELF, &bytes) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    return MPI_SUCCESS;
}

/* In the order of ROMIO's questions. */
static int access_check(const struct ft_file *file, int kind, const struct ft_access *access)
{
    int shared = kind & (FT_TRANSFER_SHARED | FT_TRANSFER_ORDERED);
    MPI_Count size;

    if (access->count < 0)
        return MPI_ERR_COUNT;
    if (type_check(access->type) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    if (kind & FT_TRANSFER_AT && access->offset < 0)
        return MPI_ERR_ARG;
    MPI_Type_size_x(access->type, &size);
    if (size * access->count == 0)
        return MPI_SUCCESS;
    if (size * access->count % file->unit != 0)
        return MPI_ERR_IO;
    if (kind & FT_TRANSFER_WRITE && file->amode & MPI_MODE_RDONLY)
        return MPI_ERR_READ_ONLY;
    if (!(kind & FT_TRANSFER_WRITE) && file->amode & MPI_MODE_WRONLY)
        return MPI_ERR_ACCESS;
    return file->amode & MPI_MODE_SEQUENTIAL && !shared ? MPI_ERR_UNSUPPORTED_OPERATION
                                                        : MPI_SUCCESS;
}

/* Sets *position to the etype at which the transfer begins. The file's pointer, own or shared,
 * moves over all bytes that the call asked for, as in ROMIO, also where the file has fewer. */
static int position_take(struct ft_file *file, int kind, const struct ft_access *access,
                         int64_t bytes, MPI_Offset *position)
{
    MPI_Offset etypes = bytes / file->unit;

    if (kind & FT_TRANSFER_ORDERED)
        return ft_shared_take_ordered(file, etypes, position);
    if (kind & FT_TRANSFER_SHARED)
        return ft_shared_take(file, etypes, position);
    *position = kind & FT_TRANSFER_AT ? access->offset : file->position;
    return MPI_SUCCESS;
}

/* Do the ranks meet in this call, whatever is wrong with it on one of them? */
static int is_gathered(const struct ft_file *file, int kind, const struct ft_access *access)
{
    return kind & FT_TRANSFER_WRITE && kind & (FT_TRANSFER_ALL | FT_TRANSFER_ORDERED) &&
           access->request == NULL && !file->atomic;
}

/* `code` is what is wrong on this rank. */
static int gather(const struct ft_file *file, MPI_Offset position, int code, struct stream *stream)
{
    int64_t size = code == MPI_SUCCESS ? stream->size : 0;
    int gathered = MPI_SUCCESS;

    if (!ft_gather_write(file, position, stream->bytes, size, &gathered))
        return code == MPI_SUCCESS ? stream_transfer(file, position, stream) : code;
    if (code == MPI_SUCCESS && gathered == MPI_SUCCESS)
        stream->done = size;
    return code == MPI_SUCCESS ? gathered : code;
}

static int transfer(struct ft_rank *self, struct ft_file *file, int kind,
                    const struct ft_access *access, MPI_Status *status)
{
    int refused = access_check(file, kind, access), code = refused;
    MPI_Offset position = 0;
    struct stream stream = {0};

    if (refused == MPI_SUCCESS)
        code = stream_open(self, file, kind & FT_TRANSFER_WRITE, access, &stream);
    /* The others of an ordered call are in the same collectives. */
    if (code == MPI_SUCCESS || kind & FT_TRANSFER_ORDERED) {
        int taken =
            position_take(file, kind, access, code == MPI_SUCCESS ? stream.size : 0, &position);

        code = code == MPI_SUCCESS ? taken : code;
    }
    if (is_gathered(file, kind, access))
        code = gather(file, position, code, &stream);
    else if (code == MPI_SUCCESS)
        code = stream_transfer(file, position, &stream);
    if (code == MPI_SUCCESS &&
        !(kind & (FT_TRANSFER_AT | FT_TRANSFER_SHARED | FT_TRANSFER_ORDERED)))
        file->position += (kind & FT_TRANSFER_WRITE ? stream.size : stream.done) / file->unit;
    if (refused == MPI_SUCCESS)
        stream_close(file, access, &stream);
    if (status != MPI_STATUS_IGNORE && code == MPI_SUCCESS)
        MPI_Status_set_elements_x(status, MPI_BYTE, stream.done);
    return code;
}

static int split_begin(struct ft_rank *self, struct ft_file *file, int kind,
                       const struct ft_access *access)
{
    int code;

    if (file->split)
        return MPI_ERR_IO;
    code = transfer(self, file, kind, access, &file->split_status);
    if (code == MPI_SUCCESS)
        file->split = kind;
    return code;
}

static int split_end(struct ft_file *file, MPI_Status *status)
{
    if (!file->split)
        return MPI_ERR_IO;
    file->split = 0;
    if (status != MPI_STATUS_IGNORE)
        *status = file->split_status;
    return MPI_SUCCESS;
}

int ft_file_transfer(struct ft_rank *self, struct ft_file *file, int kind,
                     const struct ft_access *access)
{
    MPI_Status status = {0};
    int code;

    if (kind & FT_TRANSFER_BEGIN)
        return split_begin(self, file, kind, access);
    if (kind & FT_TRANSFER_END)
        return split_end(file, access->status);
    if (access->request == NULL)
        return transfer(self, file, kind, access, access->status);
    code = transfer(self, file, kind, access, &status);
    if (code == MPI_SUCCESS)
        *access->request = ft_request_done(self, &status);
    return code;
}
