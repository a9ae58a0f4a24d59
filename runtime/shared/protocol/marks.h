/* marks: with --protocol coordinated:nonblocking, the words that ftrun and all ranks share, in a
 * memfd of ftrun. They stand for the markers on channels (Chandy and Lamport, 1985): a rank has
 * passed its marker of a checkpoint when its image of it is taken. */
#ifndef FT_MARKS_H
#define FT_MARKS_H

#include <stdint.h>

struct ft_mark {
    uint32_t passed;  /* 1 + the newest checkpoint whose image the rank has taken in this epoch, by
                         the rank; 0: none, by ftrun when an epoch begins */
    uint32_t pad[15]; /* a cache line each */
};

struct ft_marks {
    struct ft_mark of_rank[1]; /* in truth [size] */
};

#define FT_MARKS_BYTES(size) ((uint64_t)(size) * sizeof(struct ft_mark))

#endif
