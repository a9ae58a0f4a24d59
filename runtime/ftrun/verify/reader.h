/* reader: the records of one rank's trace, from the first to the last (trace/format.h). Reading
 * ends with any content. Thread rule: one thread per reader. */
#ifndef FT_VERIFY_READER_H
#define FT_VERIFY_READER_H

#include <stddef.h>
#include "trace/format.h"

enum { FT_READER_BLOCK = 1024 }; /* records in memory */

struct ft_reader {
    int fd;
    int final;      /* the last record of a complete trace was passed */
    int error;      /* errno of a failed read; 0: none */
    uint64_t index; /* of the record that was given last */
    size_t count, at;
    struct ft_trace_record block[FT_READER_BLOCK];
};

/* Opens FOLDER/rank-RANK. A file that is not there or not a trace is an empty one. */
void ft_reader_open(struct ft_reader *reader, const char *folder, int rank);
/* The next record, valid until the next call; NULL: that was all. */
const struct ft_trace_record *ft_reader_next(struct ft_reader *reader);
void ft_reader_close(struct ft_reader *reader);

#endif
