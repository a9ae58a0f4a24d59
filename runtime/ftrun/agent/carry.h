/* carry: what a child of an agent does with images: sends their pieces to other nodes, takes pieces
 * or gives them, brings an image together. All of it waits, and none of it returns before it is
 * done. */
#ifndef FT_CARRY_H
#define FT_CARRY_H

#include "agent/peer.h"
#include "agent/pieces.h"

struct ft_carry_copy { /* body of COPY, with int32_t ranks[count] behind it */
    int32_t data, pieces, count, pad;
    struct ft_peer_address to[FT_LEVELS_NODES]; /* [pieces] */
};

struct ft_carry_fetch { /* body of FETCH: where `data` pieces of an image are */
    int32_t data, pieces;
    uint64_t bytes; /* of the image */
    struct {
        int32_t piece, here; /* here: 1, on the node itself */
        struct ft_peer_address at;
    } from[FT_LEVELS_NODES]; /* [data]; or the first one has the whole image (FT_PIECE_WHOLE) */
};

struct ft_carry {                /* who does it, for whom */
    const char *folder;          /* of this node */
    const unsigned char *secret; /* of connections between agents */
    char why[FT_PEER_WHY];       /* it failed */
};

/* Sends the pieces of the node's images. 0 or -errno with a sentence. */
int ft_carry_copy(struct ft_carry *carry, uint32_t checkpoint, const struct ft_carry_copy *copy);
/* Makes the image of the rank. Likewise. */
int ft_carry_fetch(struct ft_carry *carry, uint32_t checkpoint, int rank,
                   const struct ft_carry_fetch *fetch);
/* Serves a peer until it closes the connection. Likewise. */
int ft_carry_serve(struct ft_carry *carry, int fd);

#endif
