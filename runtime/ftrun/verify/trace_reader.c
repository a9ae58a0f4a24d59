/* The head is checked when the file is opened; END, or the file's end, ends it. */
#include "verify/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static int block_read(struct ft_reader *reader)
{
    size_t bytes = 0;

    while (reader->fd >= 0 && bytes < sizeof reader->block) {
        ssize_t got = read(reader->fd, (char *)reader->block + bytes, sizeof reader->block - bytes);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            reader->error = errno;
        if (got <= 0)
            break;
        bytes += (size_t)got;
    }
    reader->at = 0;
    reader->count = bytes / sizeof reader->block[0];
    return reader->count > 0;
}

const struct ft_trace_record *ft_reader_next(struct ft_reader *reader)
{
    const struct ft_trace_record *record;

    if (reader->at == reader->count && !block_read(reader))
        return NULL;
    record = &reader->block[reader->at];
    if (record->kind == FT_TRACE_END || reader->final)
        return NULL;
    reader->at++;
    reader->index++;
    reader->final = record->kind == FT_TRACE_COLLECTIVE && record->flags & FT_TRACE_FINAL;
    return record;
}

void ft_reader_open(struct ft_reader *reader, const char *folder, int rank)
{
    const struct ft_trace_record *head;
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/rank-%d", folder, rank);
    reader->fd = open(path, O_RDONLY | O_CLOEXEC);
    reader->final = reader->error = 0;
    reader->index = 0;
    reader->count = reader->at = 0;
    head = ft_reader_next(reader);
    if (!head || head->kind != FT_TRACE_HEAD || head->size != FT_TRACE_VERSION)
        ft_reader_close(reader);
    reader->index = 0;
}

void ft_reader_close(struct ft_reader *reader)
{
    if (reader->fd >= 0)
        close(reader->fd);
    reader->fd = -1;
    reader->count = reader->at = 0;
}
