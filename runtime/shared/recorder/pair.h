/* pair: the words that the two copies of a rank share (ftrun --replicas): a page in a memfd, mapped
 * by ftrun and by both copies. The ring of determinants of copy 0's recorder is the rank's: the
 * copy that leads appends to it, and the other one, which follows, reads it.
 *
 * On several nodes each copy has a page and a ring of its own, which its agent keeps like the other
 * one's (ftrun/agent/pair.c).
 *
 * ftrun alone decides which copy leads, and changes it only when the copy that led is dead, or
 * has left its epoch: then it appends nothing any more. */
#ifndef FT_PAIR_H
#define FT_PAIR_H

#include <stdint.h>

#define FT_PAIR_BYTES 4096
#define FT_COPIES 2

struct ft_pair {
    uint64_t
        determinants; /* that the leader has recorded since the start of the job, by the leader */
    uint64_t pad_line[7];
    uint64_t kept;    /* determinants before this one belong to no kept checkpoint. By ftrun */
    uint32_t leads;   /* the copy that leads. By ftrun */
    uint32_t changes; /* how often that was changed. By ftrun */

    /* Changes of files, which the copies meet for (libft/request/act.c), are counted from 1. */
    uint64_t came[FT_COPIES]; /* the change that each copy has come to; by that copy. 0: it has
                                 died since; by ftrun */
    uint64_t begun;           /* the one that a leader has begun last; by the leader */
    uint64_t made;            /* the last one whose outcome is in the ring; by the leader */
    int64_t there, size; /* of the one that was begun: is the file there, and how long is it? */
    uint32_t alone;      /* 1: the other copy comes to no change any more. By ftrun */
};

_Static_assert(sizeof(struct ft_pair) <= FT_PAIR_BYTES, "one page");

#endif
