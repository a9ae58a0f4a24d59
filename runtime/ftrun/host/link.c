/* link: TCP carries, in each direction: magic, random number, the header of a secretstream, and
 * then frames: the length of what follows, little-endian, and a sealed message.
 *
 * The length is not sealed: a stranger in the network can make a reader wait or end the link, as it
 * could by cutting the connection, and no more. */
#include "host/link.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    NONCE = 32,
    HEADER = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
    SEAL = crypto_secretstream_xchacha20poly1305_ABYTES,
    READ = 65536
};

static const char magic[8] = "ftlink1";

struct hello {
    char magic[8];
    unsigned char nonce[NONCE];
};

struct bytes { /* a queue */
    unsigned char *data;
    size_t from, to, room; /* data[from..to) is in it */
};

enum state { MAGIC, STREAM, FRAMES }; /* what is expected next */

struct ft_link {
    struct ft_loop *loop;
    int fd; /* -1: over */
    int server, trusted;
    enum state state;
    unsigned char secret[FT_LINK_SECRET];
    unsigned char key_push[crypto_secretstream_xchacha20poly1305_KEYBYTES];
    unsigned char key_pull[crypto_secretstream_xchacha20poly1305_KEYBYTES];
    struct hello own;
    struct ft_link_calls calls;
    struct bytes in, out;
    int watching;   /* 1: for room to send, too */
    int busy, dead; /* a call is being made; it has destroyed the link, which is freed behind it */
    crypto_secretstream_xchacha20poly1305_state push, pull;
};

static int make_room(struct bytes *bytes, size_t length)
{
    if (bytes->room - bytes->to >= length)
        return 0;
    if (bytes->from) {
        memmove(bytes->data, bytes->data + bytes->from, bytes->to - bytes->from);
        bytes->to -= bytes->from;
        bytes->from = 0;
    }
    if (bytes->room - bytes->to >= length)
        return 0;
    size_t room = 2 * bytes->room + length;
    unsigned char *data = realloc(bytes->data, room);

    if (!data)
        return -ENOMEM;
    bytes->data = data;
    bytes->room = room;
    return 0;
}

static int append(struct bytes *bytes, const void *data, size_t length)
{
    int code = make_room(bytes, length);

    if (code)
        return code;
    memcpy(bytes->data + bytes->to, data, length);
    bytes->to += length;
    return 0;
}

static void end(struct ft_link *link, const char *why)
{
    if (link->fd < 0)
        return;
    ft_loop_forget(link->loop, link->fd);
    close(link->fd);
    link->fd = -1;
    link->calls.ended(link->calls.context, why);
}

void ft_link_break(struct ft_link *link)
{
    if (link && link->fd >= 0)
        shutdown(link->fd, SHUT_RDWR);
}

/* Sends what the socket takes now. 0 or -errno. */
static int pump(struct ft_link *link)
{
    struct bytes *out = &link->out;

    while (out->from < out->to) {
        ssize_t sent =
            send(link->fd, out->data + out->from, out->to - out->from, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN ? 0 : -errno;
        out->from += (size_t)sent;
    }
    out->from = out->to = 0;
    return 0;
}

/* The key of one direction: from server to client, or back. */
static void derive(const struct ft_link *link, const struct hello *other, int to_server,
                   unsigned char *key)
{
    const struct hello *client = link->server ? other : &link->own;
    const struct hello *server = link->server ? &link->own : other;
    const unsigned char direction[] = {to_server ? 'u' : 'd'};
    crypto_generichash_state state;

    crypto_generichash_init(&state, link->secret, FT_LINK_SECRET,
                            crypto_secretstream_xchacha20poly1305_KEYBYTES);
    crypto_generichash_update(&state, client->nonce, NONCE);
    crypto_generichash_update(&state, server->nonce, NONCE);
    crypto_generichash_update(&state, direction, sizeof(direction));
    crypto_generichash_final(&state, key, crypto_secretstream_xchacha20poly1305_KEYBYTES);
}

/* The other end's random number has come: the own direction begins. NULL, or why not. */
static const char *take_hello(struct ft_link *link, const struct hello *other)
{
    unsigned char header[HEADER];

    if (memcmp(other->magic, magic, sizeof(magic)) != 0)
        return "it does not speak this protocol, or another version of it";
    derive(link, other, !link->server, link->key_push);
    derive(link, other, link->server, link->key_pull);
    crypto_secretstream_xchacha20poly1305_init_push(&link->push, header, link->key_push);
    link->state = STREAM;
    if (append(&link->out, header, HEADER) || pump(link))
        return "the connection broke";
    link->calls.ready(link->calls.context);
    return NULL;
}

static const char *take_stream(struct ft_link *link, const unsigned char *header)
{
    link->state = FRAMES;
    return crypto_secretstream_xchacha20poly1305_init_pull(&link->pull, header, link->key_pull)
               ? "its stream does not begin as one"
               : NULL;
}

/* One sealed message. NULL, or why not. */
static const char *take_frame(struct ft_link *link, const unsigned char *sealed, size_t length)
{
    unsigned char *plain = malloc(length);
    const char *why = plain ? NULL : "no memory";

    if (!why && crypto_secretstream_xchacha20poly1305_pull(&link->pull, plain, NULL, NULL, sealed,
                                                           length, NULL, 0))
        why = link->trusted ? "a message was changed on its way"
                            : "it does not have the secret of this job";
    if (!why)
        link->calls.heard(link->calls.context, plain, length - SEAL);
    free(plain);
    return why;
}

static size_t expected(const struct ft_link *link)
{
    return link->state == MAGIC    ? sizeof(struct hello)
           : link->state == STREAM ? HEADER
                                   : sizeof(uint32_t);
}

/* Takes what the queue begins with. 1: there may be more; 0: it is not complete. */
static int take_one(struct ft_link *link, const char **why)
{
    struct bytes *in = &link->in;
    size_t need = expected(link), have = in->to - in->from;
    const unsigned char *at = in->data + in->from;
    enum state state = link->state;
    uint32_t length = 0;

    if (have < need)
        return 0;
    if (state == FRAMES) {
        memcpy(&length, at, sizeof(length));
        if (length < SEAL || length > SEAL + (link->trusted ? FT_LINK_MAX : FT_LINK_LONE)) {
            *why = link->trusted ? "a message was changed on its way"
                                 : "it does not have the secret of this job";
            return 0;
        }
        if (have < (need += length)) {
            if (make_room(in, need - have))
                *why = "no memory";
            return 0;
        }
    }
    in->from += need;
    if (state == MAGIC)
        *why = take_hello(link, (const void *)at);
    else if (state == STREAM)
        *why = take_stream(link, at);
    else
        *why = take_frame(link, at + sizeof(length), length);
    return !*why;
}

static void release(struct ft_link *link)
{
    free(link->in.data);
    free(link->out.data);
    sodium_memzero(link, sizeof(*link));
    free(link);
}

/* Takes all complete messages. One of them may destroy the link: then it answers 1. */
static int take_all(struct ft_link *link, const char **why)
{
    link->busy = 1;
    while (!link->dead && link->fd >= 0 && take_one(link, why))
        continue;
    link->busy = 0;
    if (!link->dead)
        return 0;
    release(link);
    return 1;
}

static void watch(struct ft_link *link);

static const char closed[] = "the connection was closed";

/* The text for an error of the socket. When the peer has closed the connection, the kernel answers
 * with no bytes, EPIPE or ECONNRESET, as the peer had read all or not: one text for all three. */
static const char *why_of(int code)
{
    return code == EPIPE || code == ECONNRESET ? closed : strerror(code);
}

static void on_ready(void *context, uint32_t events)
{
    struct ft_link *link = context;
    const char *why = NULL;
    ssize_t got = 0;

    if (events & EPOLLOUT && pump(link))
        why = why_of(errno);
    while (!why && !make_room(&link->in, READ)) {
        got = recv(link->fd, link->in.data + link->in.to, READ, MSG_DONTWAIT);
        if (got <= 0)
            break;
        link->in.to += (size_t)got;
        if (take_all(link, &why))
            return;
        if (link->fd < 0)
            return;
        if (got < READ)
            break;
    }
    if (!why && got == 0)
        why = closed;
    if (!why && got < 0 && errno != EAGAIN && errno != EINTR)
        why = why_of(errno);
    if (why)
        end(link, why);
    else
        watch(link);
}

static void watch(struct ft_link *link)
{
    int waits = link->out.from < link->out.to;

    if (link->fd < 0 || waits == link->watching)
        return;
    link->watching = waits;
    ft_loop_watch(link->loop, link->fd, EPOLLIN | (waits ? EPOLLOUT : 0), on_ready, link);
}

int ft_link_create(struct ft_loop *loop, int fd, const unsigned char *secret, int server,
                   const struct ft_link_calls *calls, struct ft_link **out)
{
    struct ft_link *link = sodium_init() < 0 ? NULL : calloc(1, sizeof(*link));
    int on = 1, code = link ? 0 : -ENOMEM;

    if (code) {
        close(fd);
        return code;
    }
    link->loop = loop;
    link->fd = fd;
    link->server = server;
    link->calls = *calls;
    memcpy(link->secret, secret, FT_LINK_SECRET);
    memcpy(link->own.magic, magic, sizeof(magic));
    randombytes_buf(link->own.nonce, NONCE);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    code = append(&link->out, &link->own, sizeof(link->own));
    if (!code)
        code = pump(link);
    if (!code)
        code = ft_loop_watch(loop, fd, EPOLLIN, on_ready, link);
    if (code) {
        ft_link_destroy(link);
        return code;
    }
    watch(link);
    *out = link;
    return 0;
}

void ft_link_destroy(struct ft_link *link)
{
    if (!link)
        return;
    if (link->fd >= 0) {
        ft_loop_forget(link->loop, link->fd);
        close(link->fd);
    }
    link->fd = -1;
    if (link->busy)
        link->dead = 1;
    else
        release(link);
}

void ft_link_trust(struct ft_link *link, const struct ft_link_calls *calls)
{
    link->trusted = 1;
    link->calls = *calls;
}

int ft_link_send(struct ft_link *link, const void *head, size_t head_length, const void *body,
                 size_t body_length)
{
    size_t length = head_length + body_length;
    uint32_t sealed = (uint32_t)(length + SEAL);
    struct bytes *out = &link->out;
    unsigned char *plain;

    if (link->fd < 0)
        return 0;
    if (length > FT_LINK_MAX)
        return -EMSGSIZE;
    if (!(plain = malloc(length + 1)) || make_room(out, sizeof(sealed) + sealed)) {
        free(plain);
        return -ENOMEM;
    }
    memcpy(plain, head, head_length);
    if (body_length)
        memcpy(plain + head_length, body, body_length);
    memcpy(out->data + out->to, &sealed, sizeof(sealed));
    crypto_secretstream_xchacha20poly1305_push(&link->push, out->data + out->to + sizeof(sealed),
                                               NULL, plain, length, NULL, 0, 0);
    out->to += sizeof(sealed) + sealed;
    free(plain);
    if (!link->watching && !pump(link)) /* an error is noticed by the loop */
        watch(link);
    return 0;
}

void ft_link_flush(struct ft_link *link, double seconds)
{
    double until = ft_loop_now() + seconds;
    struct pollfd poller = {.fd = link->fd, .events = POLLOUT};

    while (link->fd >= 0 && link->out.from < link->out.to && ft_loop_now() < until && !pump(link))
        poll(&poller, 1, 10);
}

size_t ft_link_waiting(const struct ft_link *link)
{
    return link->out.to - link->out.from;
}
