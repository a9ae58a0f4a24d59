/* Runs: what of the log does not fit into memory lies in files, in the folder that ftrun has named.
 *
 * A run is the oldest messages to one rank that were in memory, in send order. Its file is written
 * once and never changed, so an image may refer to it as if it were memory: whoever rolls back to
 * the image finds it there. Memory keeps the file's name, and spans that say what is in it, so that
 * the exchange and the dropping read no file.
 *
 * Names are numbers that the image counts. Invariant: a file whose number is below
 * streams->files is of a run in the log, or was dropped from it and is needed by an older
 * checkpoint that is kept; all others were written after the image that this life began with,
 * and are removed at its beginning. docs/formats/log.md describes the file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "stream/streams.h"

enum { PATH_BYTES = FT_WIRE_PATH + 32 };

struct record { /* before the data of each message */
    uint32_t span, pad;
    uint64_t number, bytes;
};

struct out {
    int fd, code;
    uint64_t length;
    size_t used;
    XXH3_state_t hash;
    char buffer[1 << 16];
};

static void path_of(uint64_t file, char *path)
{
    snprintf(path, PATH_BYTES, "%s/%llu", ft_life.boot.log, (unsigned long long)file);
}

static void write_all(struct out *out, const char *at, size_t bytes)
{
    while (out->code == 0 && bytes > 0) {
        ssize_t done = write(out->fd, at, bytes);

        if (done > 0) {
            at += done;
            bytes -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            out->code = done == 0 ? -EIO : -errno;
        }
    }
}

static void flush(struct out *out)
{
    write_all(out, out->buffer, out->used);
    out->used = 0;
}

static void put(struct out *out, const void *data, size_t bytes)
{
    XXH3_64bits_update(&out->hash, data, bytes);
    out->length += bytes;
    if (out->used + bytes > sizeof out->buffer)
        flush(out);
    if (bytes > sizeof out->buffer) {
        write_all(out, data, bytes);
    } else {
        memcpy(out->buffer + out->used, data, bytes);
        out->used += bytes;
    }
}

/* The span that the entry, which comes next, belongs to. */
static uint32_t span_of(struct ft_run *run, const struct ft_entry *entry)
{
    struct ft_stream *stream = entry->stream;
    struct ft_span *latest = stream->span < run->spans ? &run->span[stream->span] : NULL;

    if (latest && latest->stream == stream && latest->first + latest->count == entry->number) {
        latest->count++;
        return stream->span;
    }
    if ((run->spans & (run->spans - 1)) == 0) /* 0, or a power of two: all are in use */
        run->span = ft_image_realloc(run->span, 2 * (run->spans + 1) * sizeof *run->span);
    run->span[run->spans] = (struct ft_span){stream, entry->number, 1};
    return stream->span = run->spans++;
}

/* Writes entries until there are `room` bytes; answers the first that is not written. */
static struct ft_entry *put_entries(struct out *out, struct ft_run *run, struct ft_entry *entry,
                                    uint64_t room)
{
    while (entry && out->code == 0 && out->length < room) {
        struct record record = {span_of(run, entry), 0, entry->number, entry->bytes};

        put(out, &record, sizeof record);
        put(out, entry->data, entry->bytes);
        run->bytes += entry->bytes;
        entry = entry->next;
    }
    flush(out);
    return entry;
}

static void run_free(struct ft_run *run)
{
    ft_image_free(run->span);
    ft_image_free(run);
}

/* Puts the run where its entries were, all before `rest`. */
static void replace(struct ft_rank *self, struct ft_peer *peer, struct ft_run *run,
                    const struct ft_entry *rest)
{
    uint64_t at = 0;

    while (peer->first != rest) {
        struct ft_entry *entry = peer->first;

        if (peer->again == entry) {
            peer->again = NULL;
            peer->again_run = run;
            peer->again_at = at;
        }
        at += sizeof(struct record) + entry->bytes;
        peer->first = entry->next;
        ft_log_shrunk(self, entry);
        if (!ft_replay_keeps(peer, entry))
            ft_entry_free(self, entry);
    }
    if (!rest)
        peer->end = NULL;
    if (peer->run_end)
        peer->run_end->next = run;
    else
        peer->run = run;
    peer->run_end = run;
}

/* The descriptor of a new file, or -1. One of that name is of a life that is gone, and could not be
 * removed at the beginning of this one. */
static int file_create(const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, fd = open(path, flags, 0600);

    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, 0600);
    return fd;
}

int ft_run_write(struct ft_rank *self, struct ft_peer *peer, uint64_t room)
{
    static struct out out;
    struct ft_streams *streams = self->spbc->streams;
    struct ft_run *run = ft_image_alloc(sizeof *run);
    struct ft_entry *rest;
    char path[PATH_BYTES];

    path_of(streams->files, path);
    out.fd = file_create(path);
    out.code = out.fd < 0 ? -errno : 0;
    if (ft_fault_point(FT_POINT_LOG_SPILL, peer - streams->peer) == FT_FAULT_FULL)
        out.code = -ENOSPC;
    out.length = out.used = 0;
    XXH3_64bits_reset(&out.hash);
    rest = put_entries(&out, run, peer->first, room);
    if (out.fd >= 0 && close(out.fd) != 0 && out.code == 0)
        out.code = -errno;
    if (out.code != 0) {
        if (out.fd >= 0)
            unlink(path);
        run_free(run);
        return out.code;
    }
    run->file = streams->files++;
    run->length = out.length;
    run->checksum = XXH3_64bits_digest(&out.hash);
    run->gone = -1;
    self->recorder->log_spilled += run->bytes;
    for (uint32_t i = 0; i < run->spans; i++)
        run->span[i].stream->spans++;
    replace(self, peer, run, rest);
    return 0;
}

/* How many of the span are in the set. */
static uint64_t span_in(const struct ft_span *span, const struct ft_numbers *numbers)
{
    return ft_numbers_until(numbers, span->first + span->count - 1) -
           ft_numbers_until(numbers, span->first - 1);
}

uint64_t ft_span_lacks(const struct ft_span *span)
{
    if (span->stream->lost)
        return 0;
    return span->count - span_in(span, &span->stream->have);
}

static int run_lacks(const struct ft_run *run)
{
    for (uint32_t i = 0; i < run->spans; i++)
        if (ft_span_lacks(&run->span[i]))
            return 1;
    return 0;
}

struct ft_run *ft_run_lacking(struct ft_run *run)
{
    while (run && !run_lacks(run))
        run = run->next;
    return run;
}

/* Is each of its messages one that the receiver has for good, or that nobody will receive? */
static int is_done(const struct ft_run *run)
{
    for (uint32_t i = 0; i < run->spans; i++)
        if (!run->span[i].stream->gone &&
            span_in(&run->span[i], &run->span[i].stream->safe) < run->span[i].count)
            return 0;
    return 1;
}

static void run_drop(struct ft_rank *self, struct ft_run *run)
{
    struct ft_streams *streams = self->spbc->streams;

    self->recorder->log_dropped += run->bytes;
    for (uint32_t i = 0; i < run->spans; i++)
        run->span[i].stream->spans--;
    run->next = streams->dropped;
    streams->dropped = run;
}

void ft_runs_drop(struct ft_rank *self, struct ft_peer *peer)
{
    struct ft_run **link = &peer->run, *last = NULL;

    while (*link) {
        struct ft_run *run = *link;

        if (!is_done(run)) {
            last = run;
            link = &run->next;
            continue;
        }
        *link = run->next;
        run_drop(self, run);
    }
    peer->run_end = last;
}

/* 0; -ENOENT or -ENODATA: so much is not there; or another -errno: nobody knows. */
static int read_file(const char *path, char *content, size_t length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = fd < 0 ? -errno : 0;

    for (size_t have = 0; !code && have < length;) {
        ssize_t got = read(fd, content + have, length - have);

        if (got > 0)
            have += (size_t)got;
        else if (!got)
            code = -ENODATA;
        else if (errno != EINTR)
            code = -errno;
    }
    if (fd >= 0)
        close(fd);
    return code;
}

char *ft_run_read(const struct ft_run *run)
{
    char path[PATH_BYTES], *content = malloc(run->length);

    if (!content)
        ft_panic("no memory for %.1f MB of its log, which have to be resent",
                 (double)run->length / 1e6);
    path_of(run->file, path);
    int code = read_file(path, content, run->length);
    if (code && code != -ENOENT && code != -ENODATA)
        ft_panic("%s, a part of its log that has to be resent, cannot be read: %s", path,
                 strerror(-code));
    if (code || XXH3_64bits(content, run->length) != run->checksum)
        ft_panic("%s, a part of its log that has to be resent, is missing or damaged: nothing "
                 "may change a store while ftrun uses it (another disk: --store)",
                 path);
    return content;
}

const char *ft_run_message(const struct ft_run *run, const char *content, uint64_t at,
                           struct ft_stream **stream, uint64_t *number, uint64_t *bytes)
{
    struct record record;

    memcpy(&record, content + at, sizeof record);
    *stream = run->span[record.span].stream;
    *number = record.number;
    *bytes = record.bytes;
    return content + at + sizeof record;
}

void ft_runs_begin(struct ft_rank *self)
{
    DIR *folder = ft_life.boot.log[0] ? opendir(ft_life.boot.log) : NULL;
    struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' &&
            strtoull(entry->d_name, NULL, 10) >= self->spbc->streams->files)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

void ft_streams_settle(struct ft_rank *self, int32_t checkpoint, int32_t oldest)
{
    struct ft_run **link = &self->spbc->streams->dropped;
    char path[PATH_BYTES];

    ft_stones_lay(self, checkpoint);
    while (*link) {
        struct ft_run *run = *link;

        if (run->gone < 0)
            run->gone = checkpoint;
        if (run->gone > oldest) {
            link = &run->next;
            continue;
        }
        *link = run->next;
        path_of(run->file, path);
        unlink(path);
        run_free(run);
    }
    ft_log_marks(self);
    ft_segments_settle(self);
}

static int file_sync(uint64_t file)
{
    char path[PATH_BYTES];
    int fd, code;

    path_of(file, path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    code = fd < 0 || fsync(fd) != 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return code;
}

int ft_streams_sync(const struct ft_rank *self)
{
    int code = 0;

    for (int i = 0; i < self->size; i++)
        for (const struct ft_run *run = self->spbc->streams->peer[i].run; run && code == 0;
             run = run->next)
            code = file_sync(run->file);
    return code;
}
