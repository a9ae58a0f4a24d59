/* carry: see carry.h. A file that is not complete has another name, so that whoever lists the
 * folder later takes it for nothing. */
#include "agent/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Behind ranks that use all processors, and yet a quarter of one where ranks only poll: with the
 * lowest priority, 19, no checkpoint would ever be committed there. */
enum { MOST = FT_LEVELS_NODES, PATH = PATH_MAX, NICE = 5 };
static const char unfinished[] = ".part";

static int fail(struct ft_carry *carry, int code, const char *what)
{
    if (!*carry->why)
        snprintf(carry->why, sizeof(carry->why), "%.160s: %s", what, strerror(-code));
    return code;
}

/* Reads so many bytes, or fewer at the end, which it answers; or -errno. */
static ssize_t read_some(int fd, void *to, size_t length)
{
    size_t have = 0;

    while (have < length) {
        ssize_t got = read(fd, (char *)to + have, length - have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

static int write_all(int fd, const void *from, size_t length)
{
    while (length) {
        ssize_t done = write(fd, from, length);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -ENOSPC;
        from = (const char *)from + done;
        length -= (size_t)done;
    }
    return 0;
}

/* Opens the file of a piece under its unfinished name. The descriptor or -errno. */
static int begin_file(const struct ft_carry *carry, uint32_t checkpoint, int rank, int piece,
                      char *path, size_t size)
{
    int code =
        ft_piece_path(carry->folder, checkpoint, rank, piece, path, size - sizeof(unfinished));
    int fd;

    if (code)
        return code;
    strcat(path, unfinished);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd < 0 ? -errno : fd;
}

/* The file is complete. Closes it. 0 or -errno. */
static int end_file(int fd, const char *path, int sync)
{
    char name[PATH];
    int code = sync && fsync(fd) ? -errno : 0;

    if (close(fd) && !code)
        code = -errno;
    snprintf(name, sizeof(name), "%.*s", (int)(strlen(path) - strlen(unfinished)), path);
    if (!code && rename(path, name))
        code = -errno;
    return code;
}

/* ---- Sending ---- */

struct sender {
    struct ft_carry *carry;
    const struct ft_carry_copy *copy;
    struct ft_peer peer[MOST];
    struct ft_piece_code code;
    unsigned char *chunk[2 * MOST]; /* [pieces], each of FT_PIECE_CHUNK bytes */
};

/* Hears each peer's answer to what was sent to it. */
static int hear_all(struct sender *sender)
{
    for (int i = 0; i < sender->copy->pieces; i++) {
        int code = ft_peer_answer(&sender->peer[i]);

        if (code) {
            snprintf(sender->carry->why, sizeof(sender->carry->why), "%s: %.180s",
                     sender->copy->to[i].address, sender->peer[i].why);
            return code;
        }
    }
    return 0;
}

/* The same request to all peers, each about its own piece. */
static int ask_all(struct sender *sender, enum ft_peer_type type, uint32_t checkpoint, int rank)
{
    for (int i = 0; i < sender->copy->pieces; i++) {
        const struct ft_peer_head head = {
            .type = type, .checkpoint = checkpoint, .rank = rank, .piece = i};

        ft_peer_send(&sender->peer[i], &head, NULL, 0);
    }
    return hear_all(sender);
}

static int send_block(struct sender *sender, size_t block)
{
    const struct ft_carry_copy *copy = sender->copy;
    size_t bytes = ft_piece_chunk(block, copy->data);
    const struct ft_peer_head head = {.type = FT_PEER_CHUNK};

    ft_piece_make(&sender->code, bytes, sender->chunk, sender->chunk + copy->data);
    for (int i = 0; i < copy->pieces; i++)
        ft_peer_send(&sender->peer[i], &head, sender->chunk[i], bytes);
    return hear_all(sender);
}

/* Reads a block of the image, as chunks. How many bytes it has, or -errno. */
static ssize_t read_block(struct sender *sender, int fd, char *block)
{
    int data = sender->copy->data;
    ssize_t got = read_some(fd, block, (size_t)data * FT_PIECE_CHUNK);
    size_t bytes = got > 0 ? ft_piece_chunk((uint64_t)got, data) : 0;

    if (got <= 0)
        return got;
    memset(block + got, 0, bytes * (size_t)data - (size_t)got);
    for (int i = 0; i < data; i++)
        sender->chunk[i] = (unsigned char *)block + (size_t)i * bytes;
    return got;
}

static int send_image(struct sender *sender, uint32_t checkpoint, int rank, char *block)
{
    char path[PATH];
    ssize_t got = 0;
    int code =
        ft_piece_path(sender->carry->folder, checkpoint, rank, FT_PIECE_WHOLE, path, sizeof(path));
    int fd = code ? code : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return fail(sender->carry, code ? code : -errno, path);
    code = ask_all(sender, FT_PEER_PUT, checkpoint, rank);
    while (!code && (got = read_block(sender, fd, block)) > 0)
        code = send_block(sender, (size_t)got);
    if (got < 0)
        code = fail(sender->carry, (int)got, path);
    close(fd);
    return code ? code : ask_all(sender, FT_PEER_END, checkpoint, rank);
}

static int meet_all(struct sender *sender)
{
    const struct ft_carry_copy *copy = sender->copy;

    for (int i = 0; i < copy->pieces; i++) {
        int code = ft_peer_connect(&sender->peer[i], &copy->to[i], sender->carry->secret);

        if (code) {
            snprintf(sender->carry->why, sizeof(sender->carry->why), "%s", sender->peer[i].why);
            return code;
        }
    }
    return 0;
}

int ft_carry_copy(struct ft_carry *carry, uint32_t checkpoint, const struct ft_carry_copy *copy)
{
    static struct sender sender;
    const int32_t *ranks = (const int32_t *)(const void *)(copy + 1);
    char *block = malloc((size_t)copy->data * FT_PIECE_CHUNK);
    char *coded = malloc((size_t)copy->pieces * FT_PIECE_CHUNK);
    int code = block && coded ? 0 : fail(carry, -ENOMEM, "a copy");

    setpriority(PRIO_PROCESS, 0, NICE);
    sender = (struct sender){.carry = carry, .copy = copy};
    if (!code) {
        ft_piece_encoder(copy->data, copy->pieces, &sender.code);
        for (int i = copy->data; i < copy->pieces; i++)
            sender.chunk[i] = (unsigned char *)coded + (size_t)(i - copy->data) * FT_PIECE_CHUNK;
        code = meet_all(&sender);
    }
    for (int i = 0; !code && i < copy->count; i++)
        code = send_image(&sender, checkpoint, ranks[i], block);
    for (int i = 0; i < copy->pieces; i++)
        ft_peer_close(&sender.peer[i]);
    free(block);
    free(coded);
    return code;
}

/* ---- Serving ---- */

struct served { /* the file that a peer writes or reads */
    int fd;
    char path[PATH]; /* of one that is written */
};

static int begin_put(struct ft_carry *carry, struct served *served, const struct ft_peer_head *head)
{
    setpriority(PRIO_PROCESS, 0, NICE);
    served->fd = begin_file(carry, head->checkpoint, head->rank, head->piece, served->path,
                            sizeof(served->path));
    return served->fd < 0 ? served->fd : 0;
}

static int begin_get(struct ft_carry *carry, struct served *served, const struct ft_peer_head *head)
{
    char path[PATH];
    int code =
        ft_piece_path(carry->folder, head->checkpoint, head->rank, head->piece, path, sizeof(path));

    served->fd = code ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    return code ? code : served->fd < 0 ? -errno : 0;
}

static void answer(struct ft_peer *peer, int code, const void *body, size_t length)
{
    const struct ft_peer_head head = {.type = FT_PEER_ANSWER, .code = code, .bytes = length};

    ft_peer_send(peer, &head, body, length);
}

static void give_next(struct ft_peer *peer, int fd, uint64_t bytes)
{
    static char block[FT_PIECE_CHUNK];
    ssize_t got = bytes > sizeof(block) ? -EINVAL : read_some(fd, block, bytes);

    if (got >= 0 && (uint64_t)got < bytes)
        got = -ENODATA;
    answer(peer, got < 0 ? (int)got : 0, block, got < 0 ? 0 : (size_t)got);
}

static void serve_one(struct ft_carry *carry, struct ft_peer *peer, struct served *served)
{
    const struct ft_peer_head *head = (const void *)peer->message;
    int code = -EPROTO;

    if (served->fd >= 0 && (head->type == FT_PEER_PUT || head->type == FT_PEER_GET)) {
        close(served->fd);
        served->fd = -1;
    }
    switch (head->type) {
    case FT_PEER_PUT:
        code = begin_put(carry, served, head);
        break;
    case FT_PEER_CHUNK:
        code = write_all(served->fd, head + 1, peer->length - sizeof(*head));
        break;
    case FT_PEER_END:
        code = end_file(served->fd, served->path, 1);
        served->fd = -1;
        break;
    case FT_PEER_GET:
        code = begin_get(carry, served, head);
        break;
    case FT_PEER_NEXT:
        give_next(peer, served->fd, head->bytes);
        return;
    }
    answer(peer, code, NULL, 0);
}

int ft_carry_serve(struct ft_carry *carry, int fd)
{
    struct served served = {.fd = -1};
    struct ft_peer peer = {0};
    int code = ft_peer_accept(&peer, fd, carry->secret);

    if (code)
        snprintf(carry->why, sizeof(carry->why), "%s", peer.why);
    while (!code && !ft_peer_wait(&peer, 600))
        serve_one(carry, &peer, &served);
    if (served.fd >= 0)
        close(served.fd);
    ft_peer_close(&peer);
    return code;
}

/* ---- Bringing together ---- */

struct source { /* of one piece */
    int fd;     /* -1: the peer has it */
    struct ft_peer peer;
};

static int open_source(struct ft_carry *carry, uint32_t checkpoint, int rank, int piece,
                       const struct ft_peer_address *at, struct source *source)
{
    const struct ft_peer_head head = {
        .type = FT_PEER_GET, .checkpoint = checkpoint, .rank = rank, .piece = piece};
    char path[PATH];
    int code;

    source->fd = -1;
    if (at) {
        code = ft_peer_connect(&source->peer, at, carry->secret);
        ft_peer_send(&source->peer, &head, NULL, 0);
        if (!code)
            code = ft_peer_answer(&source->peer);
        return code ? fail(carry, code, source->peer.why) : 0;
    }
    code = ft_piece_path(carry->folder, checkpoint, rank, piece, path, sizeof(path));
    if (!code && (source->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        code = -errno;
    return code ? fail(carry, code, path) : 0;
}

static void ask_chunk(struct source *source, size_t bytes)
{
    const struct ft_peer_head head = {.type = FT_PEER_NEXT, .bytes = bytes};

    if (source->fd < 0)
        ft_peer_send(&source->peer, &head, NULL, 0);
}

static int take_chunk(struct ft_carry *carry, struct source *source, char *to, size_t bytes)
{
    int code;

    if (source->fd >= 0) {
        ssize_t got = read_some(source->fd, to, bytes);

        code = got < 0 ? (int)got : (size_t)got < bytes ? -ENODATA : 0;
        return code ? fail(carry, code, "a piece") : 0;
    }
    if ((code = ft_peer_answer(&source->peer)))
        return fail(carry, code, source->peer.why);
    if (source->peer.length != sizeof(struct ft_peer_head) + bytes)
        return fail(carry, -EPROTO, "a piece");
    memcpy(to, source->peer.message + sizeof(struct ft_peer_head), bytes);
    return 0;
}

struct fetcher {
    struct ft_carry *carry;
    int data, decodes;
    struct source source[MOST];
    struct ft_piece_code code;
    char *in, *out; /* [data] chunks */
};

/* The next block of the image, to the file. */
static int fetch_block(struct fetcher *fetcher, int fd, size_t block)
{
    size_t bytes = ft_piece_chunk(block, fetcher->data);
    unsigned char *in[MOST], *out[MOST];
    int code = 0;

    for (int i = 0; i < fetcher->data; i++)
        ask_chunk(&fetcher->source[i], bytes);
    for (int i = 0; i < fetcher->data && !code; i++) {
        in[i] = (unsigned char *)fetcher->in + (size_t)i * bytes;
        out[i] = (unsigned char *)fetcher->out + (size_t)i * bytes;
        code = take_chunk(fetcher->carry, &fetcher->source[i], (char *)in[i], bytes);
    }
    if (code)
        return code;
    if (fetcher->decodes)
        ft_piece_make(&fetcher->code, bytes, in, out);
    code = write_all(fd, fetcher->decodes ? fetcher->out : fetcher->in, block);
    return code ? fail(fetcher->carry, code, fetcher->carry->folder) : 0;
}

static int open_sources(struct fetcher *fetcher, uint32_t checkpoint, int rank,
                        const struct ft_carry_fetch *fetch)
{
    int has[MOST], code = 0;

    for (int i = 0; i < fetcher->data && !code; i++) {
        has[i] = fetch->from[i].piece;
        code = open_source(fetcher->carry, checkpoint, rank, has[i],
                           fetch->from[i].here ? NULL : &fetch->from[i].at, &fetcher->source[i]);
    }
    if (code || !fetcher->decodes)
        return code;
    code = ft_piece_decoder(fetcher->data, fetch->pieces, has, &fetcher->code);
    return code ? fail(fetcher->carry, code, "the pieces") : 0;
}

static int fetch_image(struct fetcher *fetcher, uint32_t checkpoint, int rank, uint64_t bytes)
{
    uint64_t most = (uint64_t)fetcher->data * FT_PIECE_CHUNK;
    char path[PATH];
    int fd = begin_file(fetcher->carry, checkpoint, rank, FT_PIECE_WHOLE, path, sizeof(path));
    int code = fd < 0 ? fail(fetcher->carry, fd, fetcher->carry->folder) : 0;

    while (!code && bytes) {
        uint64_t block = bytes < most ? bytes : most;

        code = fetch_block(fetcher, fd, (size_t)block);
        bytes -= block;
    }
    if (!code && (code = end_file(fd, path, 0))) /* a restart looks at its checksums */
        return fail(fetcher->carry, code, path);
    if (code && fd >= 0) {
        close(fd);
        unlink(path);
    }
    return code;
}

/* A partner's copy is the image. 0 or -errno. */
static int link_copy(const struct ft_carry *carry, uint32_t checkpoint, int rank)
{
    char from[PATH], to[PATH];
    int code = ft_piece_path(carry->folder, checkpoint, rank, 0, from, sizeof(from));

    if (!code)
        code = ft_piece_path(carry->folder, checkpoint, rank, FT_PIECE_WHOLE, to, sizeof(to));
    return code ? code : link(from, to) && errno != EEXIST ? -errno : 0;
}

int ft_carry_fetch(struct ft_carry *carry, uint32_t checkpoint, int rank,
                   const struct ft_carry_fetch *fetch)
{
    static struct fetcher fetcher;
    int whole = fetch->from[0].piece == FT_PIECE_WHOLE, code;

    if (fetch->data == 1 && fetch->from[0].here && fetch->from[0].piece == 0 &&
        !link_copy(carry, checkpoint, rank))
        return 0;
    fetcher = (struct fetcher){.carry = carry, .data = whole ? 1 : fetch->data, .decodes = !whole};
    fetcher.in = malloc((size_t)fetcher.data * FT_PIECE_CHUNK);
    fetcher.out = malloc((size_t)fetcher.data * FT_PIECE_CHUNK);
    code = fetcher.in && fetcher.out ? 0 : fail(carry, -ENOMEM, "an image");
    if (!code)
        code = open_sources(&fetcher, checkpoint, rank, fetch);
    if (!code)
        code = fetch_image(&fetcher, checkpoint, rank, fetch->bytes);
    for (int i = 0; i < fetcher.data; i++) {
        ft_peer_close(&fetcher.source[i].peer);
        if (fetcher.source[i].fd > 0)
            close(fetcher.source[i].fd);
    }
    free(fetcher.in);
    free(fetcher.out);
    return code;
}
