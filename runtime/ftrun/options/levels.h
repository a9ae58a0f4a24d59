/* levels: where checkpoints of a run on several nodes lie (--local, --levels). Pure.
 *
 * An image on its node's own disk is cut into `data` pieces, and `pieces` of them, some of which
 * are of a Reed-Solomon code, go to one other node each: any `data` of them give the image back.
 * "partner" is one piece, which is the image, on one node. "rs:K+M" needs K + M nodes, of which any
 * M may be lost: the node of the image keeps all of it and sends no piece to itself. */
#ifndef FT_LEVELS_H
#define FT_LEVELS_H

#include <stddef.h>

enum { FT_LEVELS_NODES = 32 }; /* K + M, at most */

struct ft_levels {
    int data, pieces; /* 0: images lie in the store alone */
    int every;        /* of the checkpoints of all ranks this many-th is in the store; 0: none is */
};

#define FT_LEVELS_DEFAULT "partner,shared:10"

/* Reads "partner", "rs:K+M", each with or without ",shared:N". 0, or -EINVAL with a sentence in
 * why[size]. */
int ft_levels_read(const char *text, struct ft_levels *out, char *why, size_t size);
/* Do the options go together? 0, or -EINVAL with a sentence in why[size]. */
int ft_levels_check(const char *local, const char *levels, int restart, char *why, size_t size);
/* "partner", "rs:2+2"; of a checkpoint that is not on the nodes: "store". */
const char *ft_levels_name(const struct ft_levels *levels, int near);

#endif
