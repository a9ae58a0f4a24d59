/* output: exactly once.
 *
 * Invariant per stream: bytes written for the user = the stream up to `mark`; the buffer holds the
 * stream from `front` on. Lines are the unit because a re-executed line may differ in length (that
 * is reported); inside the line at the mark, bytes are counted. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "console/output.h"

enum {
    CHUNK = 4096,      /* a pipe that polls writable takes so much without blocking */
    PREFIX = 16,       /* of them for "[RANK] " */
    LONG_LINE = 65536, /* bytes after which a line goes out in pieces */
    FULL = 4 << 20,    /* bytes waiting for a slow reader */
    SCRATCH = CHUNK + LONG_LINE
};

struct printed {                   /* what was written of a stream, in any life of any copy */
    struct ft_mark mark;           /* so far */
    struct ft_mark_record *record; /* the mark in the store */
    uint64_t *lines;               /* hashes of written lines from `first` on; 0: not known */
    uint64_t first;
    size_t count, capacity;
};

struct stream {
    int rank, kind;          /* kind 0: stdout, 1: stderr */
    struct ft_mark front;    /* where buffer[gone] lies in the stream */
    struct printed *printed; /* the copies of a rank have the same */
    char *buffer;
    size_t length, room; /* bytes in the buffer, bytes allocated */
    size_t gone;         /* bytes in front of them that were taken */
    size_t ready;        /* bytes that may be written now */
    size_t frozen;       /* bytes that belong to the checkpoint being taken (hold) */
    int detained;        /* nothing becomes ready (ft_output_detain) */
    int torn;            /* there was no memory for what comes behind the buffer */
    size_t free;         /* bytes in the buffer that came before that */
    size_t kept;         /* likewise, before the output was stopped (ft_output_stop) */
    int fresh;           /* got bytes since the last idle call */
    int hashed;          /* `hash` covers the line at the front from its first byte */
    XXH3_state_t hash;   /* of the line at the front */
    char *line;          /* with --ignore: its bytes instead */
    size_t line_length, line_room;
};

struct readers {             /* what all outputs to the same descriptors share */
    struct printed *printed; /* [2 * size] */
    struct stream *open[2];  /* the stream whose line was cut by a slow reader, per descriptor */
    int slow[2];             /* the reader of fds[i] does not take more now */
    int broken[2];           /* the reader is gone */
    size_t waiting;          /* ready bytes of all streams */
};

struct ft_output {
    struct ft_output_options options;
    struct readers *readers;
    int owns;               /* the readers are its own */
    struct stream *streams; /* [2 * size] */
    int reported;           /* a difference was reported */
    int muted;              /* see ft_output_mute */
    int stopped;            /* nothing becomes ready in any stream */
    char scratch[SCRATCH];  /* one chunk with prefixes */
};

static struct stream *stream_of(const struct ft_output *output, int rank, int kind)
{
    return &output->streams[2 * rank + kind];
}

static void begin_line(struct stream *stream)
{
    XXH3_64bits_reset(&stream->hash);
    stream->hashed = stream->front.partial == 0;
    stream->line_length = 0;
}

static int begin_printed(struct printed *printed, int number, struct ft_mark_record *record)
{
    printed->record = record;
    if (ft_mark_read(record, number, &printed->mark))
        return -EBADMSG;
    printed->first = printed->mark.lines;
    return 0;
}

/* 0, -ENOMEM or -EBADMSG. */
static int make_readers(struct ft_output *output)
{
    int count = 2 * output->options.size, code = 0;

    output->owns = 1;
    output->readers = calloc(1, sizeof(*output->readers));
    if (output->readers)
        output->readers->printed = calloc((size_t)count, sizeof(*output->readers->printed));
    if (!output->readers || !output->readers->printed)
        return -ENOMEM;
    for (int i = 0; !code && i < count; i++)
        code = begin_printed(&output->readers->printed[i], i, &output->options.marks[i]);
    return code;
}

/* 0 or -ENOMEM. */
static int make_streams(struct ft_output *output)
{
    int count = 2 * output->options.size;
    size_t bytes = (size_t)count * sizeof(struct stream);

    output->streams = aligned_alloc(64, (bytes + 63) / 64 * 64); /* XXH3_state_t wants 64 */
    if (!output->streams)
        return -ENOMEM;
    memset(output->streams, 0, bytes);
    for (int i = 0; i < count; i++) {
        output->streams[i].rank = i / 2;
        output->streams[i].kind = i % 2;
        output->streams[i].printed = &output->readers->printed[i];
        begin_line(&output->streams[i]);
    }
    return 0;
}

/* 0 or a negative error number. */
static int make(const struct ft_output_options *options, struct readers *readers,
                struct ft_output **out)
{
    struct ft_output *output = calloc(1, sizeof(*output));
    int code = 0;

    if (!output)
        return -ENOMEM;
    output->options = *options;
    output->readers = readers;
    if (!readers)
        code = make_readers(output);
    if (!code)
        code = make_streams(output);
    if (code)
        ft_output_destroy(output);
    else
        *out = output;
    return code;
}

int ft_output_create(const struct ft_output_options *options, struct ft_output **out)
{
    return make(options, NULL, out);
}

int ft_output_copy(const struct ft_output *output, struct ft_output **out)
{
    return make(&output->options, output->readers, out);
}

static void destroy_readers(struct ft_output *output)
{
    if (!output->owns || !output->readers)
        return;
    for (int i = 0; output->readers->printed && i < 2 * output->options.size; i++)
        free(output->readers->printed[i].lines);
    free(output->readers->printed);
    free(output->readers);
}

void ft_output_destroy(struct ft_output *output)
{
    if (!output)
        return;
    for (int i = 0; output->streams && i < 2 * output->options.size; i++) {
        free(output->streams[i].buffer);
        free(output->streams[i].line);
    }
    destroy_readers(output);
    free(output->streams);
    free(output);
}

/* The bytes at the front. */
static char *front_of(const struct stream *stream)
{
    return stream->buffer + stream->gone;
}

static void set_ready(struct ft_output *output, struct stream *stream, size_t ready)
{
    output->readers->waiting += ready - stream->ready;
    stream->ready = ready;
}

/* Bytes of the first `length` that are complete lines, or all when the last line is very long. */
static size_t complete_lines(const struct stream *stream, size_t length)
{
    const char *newline = length ? memrchr(front_of(stream), '\n', length) : NULL;
    size_t complete = newline ? (size_t)(newline - front_of(stream)) + 1 : 0;

    return length - complete > LONG_LINE ? length : complete;
}

static void report_line(struct ft_output *output, const struct stream *stream)
{
    if (output->reported)
        return;
    output->reported = 1;
    output->options.differs(output->options.context, stream->rank, stream->kind,
                            stream->front.lines + 1);
}

/* With --ignore a line is hashed as a whole, without what may differ. */
static void keep_line(struct stream *stream, const char *bytes, size_t length)
{
    if (stream->line_length + length >= stream->line_room) {
        size_t room = 2 * (stream->line_length + length + 64);
        char *more = realloc(stream->line, room);

        if (!more) {
            stream->hashed = 0;
            return;
        }
        stream->line = more;
        stream->line_room = room;
    }
    memcpy(stream->line + stream->line_length, bytes, length);
    stream->line_length += length;
}

static void hash_kept(const struct ft_output *output, struct stream *stream)
{
    size_t matches = 0;

    if (!stream->line)
        return;
    stream->line[stream->line_length] = 0;
    stream->line_length =
        ft_ignore_apply(output->options.ignore, stream->line, stream->line_length, &matches);
    XXH3_64bits_update(&stream->hash, stream->line, stream->line_length);
}

/* A line was completed at the front: remembers its hash, or compares it with what was written. */
static void finish_line(struct ft_output *output, struct stream *stream)
{
    uint64_t line = stream->front.lines;

    if (output->options.ignore)
        hash_kept(output, stream);
    uint64_t hash = stream->hashed ? XXH3_64bits_digest(&stream->hash) | 1 : 0;

    if (line >= stream->printed->first && line - stream->printed->first < stream->printed->count) {
        uint64_t *known = &stream->printed->lines[line - stream->printed->first];

        if (*known && hash && *known != hash)
            report_line(output, stream);
        return;
    }
    if (output->muted) {
        report_line(output, stream);
        return;
    }
    if (line != stream->printed->first + stream->printed->count)
        return;
    if (stream->printed->count == stream->printed->capacity) {
        size_t capacity = stream->printed->capacity ? 2 * stream->printed->capacity : 64;
        uint64_t *lines = realloc(stream->printed->lines, capacity * sizeof(*lines));

        if (!lines)
            return;
        stream->printed->lines = lines;
        stream->printed->capacity = capacity;
    }
    stream->printed->lines[stream->printed->count++] = hash;
}

/* Moves the front over bytes of one line; the last may be its newline. */
static void advance_front(struct ft_output *output, struct stream *stream, const char *bytes,
                          size_t length)
{
    if (output->options.ignore)
        keep_line(stream, bytes, length);
    else
        XXH3_64bits_update(&stream->hash, bytes, length);
    stream->front.partial += length;
    if (bytes[length - 1] != '\n')
        return;
    finish_line(output, stream);
    stream->front.lines++;
    stream->front.partial = 0;
    begin_line(stream);
}

/* How many of the next bytes of the line at the front have been written before. */
static size_t swallowed(const struct stream *stream, size_t length)
{
    const struct ft_mark *front = &stream->front, *mark = &stream->printed->mark;

    if (front->lines < mark->lines)
        return length;
    if (front->lines > mark->lines || front->partial >= mark->partial)
        return 0;
    uint64_t before = mark->partial - front->partial;
    return before < length ? before : length;
}

/* Takes a piece of one line from the buffer into the scratch: what has been written before is left
 * out. Returns the new length of the scratch. */
static size_t take_piece(struct ft_output *output, struct stream *stream, const char *piece,
                         size_t length, size_t filled)
{
    size_t skip = output->muted ? length : swallowed(stream, length);

    if (skip < length) {
        if (output->options.prepend && stream->front.partial + skip == 0)
            filled += (size_t)sprintf(output->scratch + filled, "[%d] ", stream->rank);
        memcpy(output->scratch + filled, piece + skip, length - skip);
        filled += length - skip;
    }
    advance_front(output, stream, piece, length);
    return filled;
}

/* A reader that has gone may have been a disk that was full: it is a loss like any other. */
static void lose(struct ft_output *output, int index, int error)
{
    output->readers->broken[index] = 1;
    if (output->options.lost)
        output->options.lost(output->options.context, index, error);
}

/* The file of the stream, or -1. */
static int file_of(const struct ft_output *output, const struct stream *stream)
{
    return output->options.files ? output->options.files[2 * stream->rank + stream->kind] : -1;
}

static void write_scratch(struct ft_output *output, const struct stream *stream, size_t length)
{
    int index = stream->kind, file = file_of(output, stream);
    int fd = file >= 0 ? file : output->options.fds[index];
    size_t done = 0;

    while (done < length && !output->readers->broken[index]) {
        ssize_t written = write(fd, output->scratch + done, length - done);
        struct pollfd poller = {.fd = fd, .events = POLLOUT};

        if (written >= 0)
            done += (size_t)written;
        else if (errno == EAGAIN)
            poll(&poller, 1, -1);
        else if (errno != EINTR)
            lose(output, index, errno);
    }
}

static int can_write(struct ft_output *output, const struct stream *stream)
{
    int index = stream->kind;
    struct pollfd poller = {.fd = output->options.fds[index], .events = POLLOUT};

    if (output->readers->broken[index] || file_of(output, stream) >= 0)
        return 1;
    output->readers->slow[index] = poll(&poller, 1, 0) == 0;
    return !output->readers->slow[index];
}

static void raise_mark(struct stream *stream)
{
    if (!ft_mark_precedes(&stream->printed->mark, &stream->front))
        return;
    stream->printed->mark = stream->front;
    ft_mark_write(stream->printed->record, 2 * stream->rank + stream->kind, &stream->printed->mark);
}

static void drop_front(struct ft_output *output, struct stream *stream, size_t taken)
{
    stream->gone += taken;
    stream->length -= taken;
    if (stream->gone >= stream->length) { /* so no more bytes are moved than were taken */
        memmove(stream->buffer, front_of(stream), stream->length);
        stream->gone = 0;
    }
    stream->frozen -= taken < stream->frozen ? taken : stream->frozen;
    stream->free -= taken < stream->free ? taken : stream->free;
    stream->kept -= taken < stream->kept ? taken : stream->kept;
    set_ready(output, stream, stream->ready - taken);
}

/* Length of the next piece: to the end of its line, and with its rank not more than a chunk. */
static size_t next_piece(const char *bytes, size_t length)
{
    size_t piece = length < CHUNK - PREFIX ? length : CHUNK - PREFIX;
    const char *newline = memchr(bytes, '\n', piece);

    return newline ? (size_t)(newline - bytes) + 1 : piece;
}

/* Writes what is ready of one stream, chunk by chunk. Returns 0 when the reader is slow. */
static int pump_stream(struct ft_output *output, struct stream *stream)
{
    while (stream->ready) {
        size_t taken = 0, filled = 0;

        if (!can_write(output, stream))
            return 0;
        while (taken < stream->ready && filled < CHUNK / 2 && taken < FULL) {
            const char *bytes = front_of(stream) + taken;
            size_t piece = next_piece(bytes, stream->ready - taken);

            if (filled && filled + piece + PREFIX > CHUNK)
                break;
            filled = take_piece(output, stream, bytes, piece, filled);
            taken += piece;
        }
        write_scratch(output, stream, filled);
        if (!output->muted)
            raise_mark(stream);
        drop_front(output, stream, taken);
        output->readers->open[stream->kind] =
            stream->front.partial && stream->ready ? stream : NULL;
    }
    return 1;
}

int ft_output_pump(struct ft_output *output)
{
    for (int kind = 0; kind < 2; kind++) {
        if (output->readers->open[kind] && !pump_stream(output, output->readers->open[kind]))
            continue;
        for (int rank = 0; rank < output->options.size; rank++) {
            if (!pump_stream(output, stream_of(output, rank, kind)))
                break;
        }
    }
    return output->readers->waiting > 0;
}

int ft_output_waits(const struct ft_output *output, int fd_index)
{
    return output->readers->waiting && output->readers->slow[fd_index];
}

int ft_output_is_full(const struct ft_output *output)
{
    return output->readers->waiting > FULL;
}

static int append(struct stream *stream, const char *bytes, size_t length)
{
    size_t end = stream->gone + stream->length;

    if (end + length > stream->room) {
        size_t room = (end + length) * 2;
        char *buffer = realloc(stream->buffer, room);

        if (!buffer)
            return -ENOMEM;
        stream->buffer = buffer;
        stream->room = room;
    }
    if (length)
        memcpy(stream->buffer + end, bytes, length);
    stream->length += length;
    return 0;
}

static void lines_go(struct ft_output *output, struct stream *stream)
{
    set_ready(output, stream, complete_lines(stream, stream->length));
    if (!output->readers->open[stream->kind] || output->readers->open[stream->kind] == stream)
        pump_stream(output, stream);
}

void ft_output_feed(struct ft_output *output, int rank, int kind, const char *bytes, size_t length)
{
    struct stream *stream = stream_of(output, rank, kind);

    if (stream->torn)
        return;
    if (append(stream, bytes, length)) {
        stream->torn = 1;
        output->options.torn(output->options.context, rank);
        return;
    }
    stream->fresh = 1;
    if (!output->options.hold && !stream->detained && !output->stopped)
        lines_go(output, stream);
}

void ft_output_detain(struct ft_output *output, int rank, int kind, int on)
{
    struct stream *stream = stream_of(output, rank, kind);

    if (stream->detained == on)
        return;
    stream->detained = on;
    stream->free = stream->length;
    if (!on && !output->options.hold && !output->stopped)
        lines_go(output, stream);
}

void ft_output_stop(struct ft_output *output, int on)
{
    if (output->stopped == on)
        return;
    output->stopped = on;
    for (int i = 0; i < 2 * output->options.size; i++) {
        struct stream *stream = &output->streams[i];

        stream->kept = stream->length;
        if (!on && !output->options.hold && !stream->detained)
            lines_go(output, stream);
    }
}

void ft_output_discard(struct ft_output *output, int rank, int kind)
{
    struct stream *stream = stream_of(output, rank, kind);

    if (stream->detained)
        stream->length = stream->free;
    stream->detained = 0;
}

/* Are partial lines kept until they are complete? With a rank before each line others would be
 * mixed into them. */
static int is_whole_only(const struct ft_output *output)
{
    return output->options.hold || output->options.prepend;
}

int ft_output_idle(struct ft_output *output)
{
    int remain = 0;

    for (int i = 0; i < 2 * output->options.size && !is_whole_only(output); i++) {
        struct stream *stream = &output->streams[i];

        if (stream->fresh || stream->detained || output->stopped)
            remain |= stream->length > stream->ready;
        else
            set_ready(output, stream, stream->length);
        stream->fresh = 0;
    }
    ft_output_pump(output);
    return remain;
}

void ft_output_mute(struct ft_output *output)
{
    output->muted = 1;
    output->reported = 0;
}

int ft_output_is_short(const struct ft_output *output, int *rank, int *stream, uint64_t *line)
{
    for (int i = 0; i < 2 * output->options.size; i++) {
        const struct stream *one = &output->streams[i];

        if (one->front.lines >= one->printed->mark.lines)
            continue;
        *rank = one->rank;
        *stream = one->kind;
        *line = one->front.lines + 1;
        return 1;
    }
    return 0;
}

int ft_output_position(struct ft_output *output, int rank, int kind, struct ft_position *out)
{
    struct stream *stream = stream_of(output, rank, kind);
    struct ft_position now = {stream->front.lines, stream->front.partial, stream->length,
                              front_of(stream)};

    stream->frozen = stream->length;
    return stream->torn ? -ENOMEM : ft_position_copy(&now, out);
}

static void forget_lines(struct stream *stream, uint64_t before)
{
    if (before <= stream->printed->first)
        return;
    size_t gone = before - stream->printed->first < stream->printed->count
                      ? before - stream->printed->first
                      : stream->printed->count;
    memmove(stream->printed->lines, stream->printed->lines + gone,
            (stream->printed->count - gone) * sizeof(*stream->printed->lines));
    stream->printed->count -= gone;
    stream->printed->first += gone;
}

void ft_output_commit(struct ft_output *output, int rank, const struct ft_position *oldest)
{
    for (int i = 0; i < 2; i++) {
        struct stream *stream = stream_of(output, rank, i);

        forget_lines(stream, oldest[i].lines);
        if (output->options.hold)
            set_ready(output, stream, complete_lines(stream, stream->frozen));
        stream->frozen = 0;
    }
}

int ft_output_rollback(struct ft_output *output, int rank, int kind,
                       const struct ft_position *position, int released)
{
    struct stream *stream = stream_of(output, rank, kind);

    set_ready(output, stream, 0);
    stream->length = stream->gone = stream->frozen = 0;
    stream->detained = stream->torn = 0;
    stream->front = (struct ft_mark){0};
    if (output->readers->open[kind] == stream)
        output->readers->open[kind] = NULL;
    if (position) {
        int code = append(stream, position->text, position->pending);

        stream->torn = code != 0;
        if (code)
            return code;
        stream->front = (struct ft_mark){position->lines, position->partial};
    }
    begin_line(stream);
    if (!output->options.hold || released) {
        set_ready(output, stream, complete_lines(stream, stream->length));
        pump_stream(output, stream);
    }
    return 0;
}

void ft_output_end(struct ft_output *output, int continues)
{
    int waits = output->options.hold && continues;

    for (int i = waits; i < 2 * output->options.size; i += 1 + waits) { /* waits: stderr alone */
        struct stream *stream = &output->streams[i];

        if (output->stopped && stream->length > stream->kept)
            stream->length = stream->kept;
        set_ready(output, stream, stream->length);
    }
}
