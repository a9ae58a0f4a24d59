/* Invariant: window = records [first, first + FT_TRACE_WINDOW) of the file, whose blocks exist, so
 * that a full disk is an error of a call and not a SIGBUS later. Records before the window are
 * changed through the descriptor. */
#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/os.h"

#define BYTES (FT_TRACE_WINDOW * sizeof(struct ft_trace_record))
#define SIZE sizeof(struct ft_trace_record)

static int window_move(struct ft_trace_file *file, uint64_t first)
{
    off_t offset = (off_t)(first * SIZE);
    int code = posix_fallocate(file->fd, offset, BYTES);
    void *at;

    if (code != 0)
        return -code;
    at = ft_os_map(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd, offset);
    if (at == MAP_FAILED)
        return -errno;
    if (file->window)
        ft_os_unmap(file->window, BYTES);
    file->window = at;
    file->first = first;
    return 0;
}

int ft_trace_file_open(struct ft_trace_file *file, int fd)
{
    *file = (struct ft_trace_file){.fd = fd};
    return window_move(file, 0);
}

struct ft_trace_record *ft_trace_file_add(struct ft_trace_file *file)
{
    if (file->count == file->first + FT_TRACE_WINDOW) {
        int code = window_move(file, file->count);

        if (code != 0) {
            errno = -code;
            return NULL;
        }
    }
    return &file->window[file->count++ - file->first];
}

int ft_trace_file_get(struct ft_trace_file *file, uint64_t index, struct ft_trace_record *out)
{
    if (index >= file->first) {
        *out = file->window[index - file->first];
        return 0;
    }
    return pread(file->fd, out, SIZE, (off_t)(index * SIZE)) == SIZE ? 0 : -EIO;
}

int ft_trace_file_put(struct ft_trace_file *file, uint64_t index,
                      const struct ft_trace_record *record)
{
    if (index >= file->first) {
        file->window[index - file->first] = *record;
        return 0;
    }
    return pwrite(file->fd, record, SIZE, (off_t)(index * SIZE)) == SIZE ? 0 : -EIO;
}

void ft_trace_file_close(struct ft_trace_file *file)
{
    if (file->window)
        ft_os_unmap(file->window, BYTES);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct ft_trace_file){.fd = -1};
}
