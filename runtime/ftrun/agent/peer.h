/* peer: a connection between two agents, for pieces of images. Used by children of agents, which
 * have nothing else to do and wait: each request has one answer, so that one chunk of a piece is on
 * its way at a time, and the program's messages pass between them. The connection is a link
 * (host/link.h) with a secret of its own, made of the job's. */
#ifndef FT_PEER_H
#define FT_PEER_H

#include <stddef.h>
#include <stdint.h>
#include "host/link.h"

enum { FT_PEER_ADDRESS = 64, FT_PEER_WHY = 256 };

struct ft_peer_address {
    char address[FT_PEER_ADDRESS]; /* numeric */
    int32_t port;
};

enum ft_peer_type {
    FT_PEER_PUT = 1, /* a file begins: that of (checkpoint, rank, piece) */
    FT_PEER_CHUNK,   /* what follows in it, behind the head */
    FT_PEER_END,     /* that was all: it is to be on the disk */
    FT_PEER_GET,     /* a file is to be read */
    FT_PEER_NEXT,    /* the next `bytes` bytes of it */
    FT_PEER_ANSWER /* to each of these; code: 0 or -errno; of NEXT with the bytes behind the head */
};

struct ft_peer_head {
    uint32_t type, checkpoint;
    int32_t rank, piece, code, pad;
    uint64_t bytes;
};

struct ft_peer {
    struct ft_loop *loop;
    struct ft_link *link;
    int ready, got; /* 1; -1: the connection is over */
    char *message;  /* the last one, with its head */
    size_t length, room;
    char why[FT_PEER_WHY]; /* it is over */
    struct ft_timer patience;
};

/* Connects. 0, or -errno with peer->why. */
int ft_peer_connect(struct ft_peer *peer, const struct ft_peer_address *address,
                    const unsigned char *secret);
/* Takes the accepted socket. Likewise. */
int ft_peer_accept(struct ft_peer *peer, int fd, const unsigned char *secret);
void ft_peer_close(struct ft_peer *peer); /* zeros are allowed */
/* Sends one message. */
void ft_peer_send(struct ft_peer *peer, const struct ft_peer_head *head, const void *body,
                  size_t length);
/* Waits for one, for so long. 0: it is in peer->message; or -errno with peer->why. */
int ft_peer_wait(struct ft_peer *peer, double seconds);
/* Waits for an ANSWER. Its code; or as above. */
int ft_peer_answer(struct ft_peer *peer);

#endif
