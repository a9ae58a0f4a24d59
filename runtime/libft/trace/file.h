/* file: the records of one rank, written through a window of the file that is mapped: what is in it
 * survives the rank's death. Thread rule: one thread. */
#ifndef FT_TRACE_FILE_H
#define FT_TRACE_FILE_H

#include "trace/format.h"

struct ft_trace_file {
    int fd;
    struct ft_trace_record *window; /* [FT_TRACE_WINDOW] mapped */
    uint64_t first;                 /* index of window[0] */
    uint64_t count;                 /* records so far */
};

/* Opens a file on descriptor fd, which it owns from here on. 0 or -errno. */
int ft_trace_file_open(struct ft_trace_file *file, int fd);
/* The next record, zero, to be filled in at once; its index is file->count - 1 then. NULL with
 * errno set when the file cannot grow. */
struct ft_trace_record *ft_trace_file_add(struct ft_trace_file *file);
/* Copies record `index` out, and back in. 0 or -errno. */
int ft_trace_file_get(struct ft_trace_file *file, uint64_t index, struct ft_trace_record *out);
int ft_trace_file_put(struct ft_trace_file *file, uint64_t index,
                      const struct ft_trace_record *record);
void ft_trace_file_close(struct ft_trace_file *file);

#endif
