/* link: a connection between ftrun and an agent over TCP: whole messages, authenticated and
 * encrypted.
 *
 * Both ends know a secret of the job. Each sends 8 bytes of magic and 32 random ones; from the
 * secret and both random numbers each direction gets a key of its own (BLAKE2b), with which
 * libsodium's secretstream (XChaCha20-Poly1305) seals the messages in their order. So an end
 * without the secret, a changed, repeated or missing message, or one of an earlier connection ends
 * the link. Thread rule: single threaded. */
#ifndef FT_LINK_H
#define FT_LINK_H

#include <stddef.h>
#include "host/loop.h"

enum {
    FT_LINK_SECRET = 32,    /* bytes */
    FT_LINK_MAX = 64 << 20, /* bytes of a message */
    FT_LINK_LONE = 4096     /* bytes of the first message: its sender is not known before it */
};

struct ft_link;

struct ft_link_calls {
    void (*ready)(
        void *context); /* from now on messages may be sent; the link must not be destroyed in it */
    /* A message has come; it may destroy the link. */
    void (*heard)(void *context, const void *message, size_t length);
    /* The connection is over; the link is to be destroyed. why: for the log */
    void (*ended)(void *context, const char *why);
    void *context;
};

/* A link over the connected socket fd, which it owns from now on, also when this fails. server: 1
 * at one of the ends. 0 or -errno. */
int ft_link_create(struct ft_loop *loop, int fd, const unsigned char *secret, int server,
                   const struct ft_link_calls *calls, struct ft_link **out);
void ft_link_destroy(struct ft_link *link); /* what is not sent yet is lost; NULL is allowed */
/* Injects a fault: the connection ends at both sides, which hear of it as of any other end. */
void ft_link_break(struct ft_link *link);
/* The peer is known now: from here on long messages are taken, and these calls are told. */
void ft_link_trust(struct ft_link *link, const struct ft_link_calls *calls);
/* Sends head and body as one message, in the background. 0, or -ENOMEM, -EMSGSIZE: nothing is sent.
 * After the connection's end it does nothing. */
int ft_link_send(struct ft_link *link, const void *head, size_t head_length, const void *body,
                 size_t body_length);
/* Waits until all is sent, for `seconds` at most. */
void ft_link_flush(struct ft_link *link, double seconds);
size_t ft_link_waiting(const struct ft_link *link); /* bytes that are not sent yet */

#endif
