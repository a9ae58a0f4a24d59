/* peer: see peer.h. */
#include "agent/peer.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const double meet_patience = 5;    /* seconds, for a connection and its keys */
static const double answer_patience = 60; /* for a disk that is busy */

static void end_with(struct ft_peer *peer, const char *why)
{
    peer->ready = peer->got = -1;
    if (!*peer->why)
        snprintf(peer->why, sizeof(peer->why), "%s", why);
}

static void on_ready(void *context)
{
    ((struct ft_peer *)context)->ready = 1;
}

static void on_ended(void *context, const char *why)
{
    end_with(context, why);
}

static void on_heard(void *context, const void *message, size_t length)
{
    struct ft_peer *peer = context;

    if (length < sizeof(struct ft_peer_head)) {
        end_with(peer, "it does not speak this protocol");
        return;
    }
    if (length > peer->room) {
        char *more = realloc(peer->message, length);

        if (!more) {
            end_with(peer, "no memory");
            return;
        }
        peer->message = more;
        peer->room = length;
    }
    memcpy(peer->message, message, length);
    peer->length = length;
    peer->got = 1;
}

static const struct ft_link_calls calls = {.ready = on_ready, .heard = on_heard, .ended = on_ended};

static void on_late(void *context)
{
    end_with(context, "it says nothing");
}

/* Runs the loop until *sign is set. 0 or -EIO. */
static int wait_for(struct ft_peer *peer, const int *sign, double seconds)
{
    ft_loop_after(peer->loop, &peer->patience, seconds, on_late, peer);
    if (!*sign)
        ft_loop_run(peer->loop, sign);
    ft_loop_cancel(peer->loop, &peer->patience);
    return *sign > 0 ? 0 : -EIO;
}

static int open_link(struct ft_peer *peer, int fd, const unsigned char *secret, int server)
{
    struct ft_link_calls own = calls;
    int code = ft_loop_create(&peer->loop);

    own.context = peer;
    if (code)
        close(fd);
    else
        code = ft_link_create(peer->loop, fd, secret, server, &own, &peer->link);
    if (code) {
        snprintf(peer->why, sizeof(peer->why), "%s", strerror(-code));
        return code;
    }
    return wait_for(peer, &peer->ready, meet_patience);
}

static int connect_socket(const struct ft_peer_address *address)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV},
                    *found = NULL;
    char port[16];
    int fd = -1, error = 0;
    socklen_t size = sizeof(error);

    snprintf(port, sizeof(port), "%d", address->port);
    if (getaddrinfo(address->address, port, &hints, &found))
        return -EHOSTUNREACH;
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || (connect(fd, found->ai_addr, found->ai_addrlen) && errno != EINPROGRESS))
        error = errno;
    freeaddrinfo(found);
    struct pollfd poller = {.fd = fd, .events = POLLOUT};
    if (!error && poll(&poller, 1, (int)(meet_patience * 1e3)) != 1)
        error = ETIMEDOUT;
    if (!error)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (!error)
        return fd;
    if (fd >= 0)
        close(fd);
    return -error;
}

int ft_peer_connect(struct ft_peer *peer, const struct ft_peer_address *address,
                    const unsigned char *secret)
{
    int fd = connect_socket(address), code;

    if (fd < 0) {
        snprintf(peer->why, sizeof(peer->why), "no connection to %s, port %d: %s (a firewall?)",
                 address->address, address->port, strerror(-fd));
        return fd;
    }
    if ((code = open_link(peer, fd, secret, 0)))
        return code;
    struct ft_link_calls own = calls;
    own.context = peer;
    ft_link_trust(peer->link, &own);
    return 0;
}

int ft_peer_accept(struct ft_peer *peer, int fd, const unsigned char *secret)
{
    struct ft_link_calls own = calls;
    int code = open_link(peer, fd, secret, 1);

    if (!code)
        code = wait_for(peer, &peer->got, meet_patience);
    own.context = peer;
    if (!code)
        ft_link_trust(peer->link, &own);
    return code;
}

void ft_peer_close(struct ft_peer *peer)
{
    ft_link_destroy(peer->link);
    if (peer->loop)
        ft_loop_destroy(peer->loop);
    free(peer->message);
    peer->link = NULL;
    peer->loop = NULL;
    peer->message = NULL;
}

void ft_peer_send(struct ft_peer *peer, const struct ft_peer_head *head, const void *body,
                  size_t length)
{
    if (peer->got < 0)
        return;
    peer->got = 0;
    if (ft_link_send(peer->link, head, sizeof(*head), body, length))
        end_with(peer, "no memory");
}

int ft_peer_wait(struct ft_peer *peer, double seconds)
{
    return wait_for(peer, &peer->got, seconds);
}

int ft_peer_answer(struct ft_peer *peer)
{
    const struct ft_peer_head *head;
    int code = wait_for(peer, &peer->got, answer_patience);

    if (code)
        return code;
    head = (const void *)peer->message;
    if (head->type != FT_PEER_ANSWER) {
        end_with(peer, "it does not speak this protocol");
        return -EPROTO;
    }
    if (head->code)
        snprintf(peer->why, sizeof(peer->why), "%s", strerror(-head->code));
    return head->code;
}
