/* marks: how far the output was written, in the file STORE/output: a record for each stream.
 *
 * The file is mapped, so what is written there survives ftrun itself. A record holds its mark
 * twice, each with a checksum: killed between the two, ftrun leaves one of them whole. */
#ifndef FT_MARKS_H
#define FT_MARKS_H

#include <stdint.h>

struct ft_mark {
    uint64_t lines, partial; /* complete lines, bytes of the line after them */
};

struct ft_mark_copy {
    struct ft_mark mark;
    uint64_t checksum; /* XXH3-64 of the mark, with the number of the stream as its seed */
};

struct ft_mark_record {
    struct ft_mark_copy copy[2];
};

/* The record of stream `number` gets this mark. */
void ft_mark_write(struct ft_mark_record *record, int number, const struct ft_mark *mark);
/* 0, or -EBADMSG: no copy is one that ft_mark_write has written for this stream. */
int ft_mark_read(const struct ft_mark_record *record, int number, struct ft_mark *mark);
/* Does a come before b in the stream? */
int ft_mark_precedes(const struct ft_mark *a, const struct ft_mark *b);

#endif
