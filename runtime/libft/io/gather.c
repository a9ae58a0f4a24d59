/* Collective writes of many short runs, in two phases (Thakur, Gropp, Lusk: Data Sieving and
 * Collective I/O in ROMIO, Frontiers 1999): the ranks divide what lies between the first and the
 * last byte of all into domains, one each; they send each other what lies in them; then each writes
 * its domain in long stretches. A domain is gone through in windows.
 *
 * Bytes that nobody gives are neither read nor written. Where several ranks give one byte, the
 * highest one's stays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "io/gather.h"

#define WINDOW (16 << 20) /* bytes of a domain that are exchanged at a time */
#define SHORT (64 << 10)  /* runs that are longer on average are written as they are */

struct piece { /* a run in a window */
    int64_t at, bytes;
};

struct write { /* the collective write, seen from one rank */
    const struct ft_file *file;
    const char *data;
    int64_t from, size; /* of the view's data */
    int ranks;
    int64_t low, domain; /* first byte of all; bytes of a domain */
    int64_t rounds;
    int *counts[4], *places[4]; /* pieces and bytes sent, pieces and bytes received; [ranks] each */
    struct piece *piece;        /* sent, and room for them */
    int64_t pieces, room;
};

/* The extent that a rank tells the others first. */
struct extent {
    int64_t first, end, runs, bytes;
    int64_t usable; /* 1: its runs lie in ascending order */
};

static int is_ascending(const struct ft_file *file)
{
    const struct ft_typemap *map = &file->map;
    const struct ft_run *last = map->count ? &map->run[map->count - 1] : NULL;

    return last == NULL || last->at + last->bytes - map->run[0].at <= map->extent;
}

static struct extent extent_of(const struct ft_file *file, MPI_Offset position, int64_t size)
{
    const struct ft_typemap *map = &file->map;
    struct extent mine = {0, 0, 0, size, is_ascending(file)};

    if (size == 0)
        return mine;
    mine.first = ft_view_byte(file, position);
    mine.end = ft_view_byte(file, position + size / file->unit - 1) + file->unit;
    mine.runs = map->bytes == map->extent ? 1 : size / (map->bytes / map->count + 1) + 1;
    return mine;
}

/* Do the ranks write short runs among each other's? */
static int is_worthwhile(const struct extent *all, int ranks)
{
    int64_t runs = 0, bytes = 0, end = 0;
    int interleaved = 0;

    for (int r = 0; r < ranks; r++) {
        if (!all[r].usable)
            return 0;
        if (all[r].bytes == 0)
            continue;
        interleaved |= all[r].first < end;
        end = all[r].end > end ? all[r].end : end;
        runs += all[r].runs;
        bytes += all[r].bytes;
    }
    return interleaved && bytes / runs < SHORT;
}

/* The bytes of data that the view has in front of byte `at` of the file, as far as they are this
 * write's. */
static int64_t data_before(const struct write *write, int64_t at)
{
    int64_t data = ft_view_data(write->file, at) - write->from;

    if (data < 0)
        return 0;
    return data < write->size ? data : write->size;
}

static int piece_add(void *context, MPI_Offset at, int64_t bytes, int64_t done)
{
    struct write *write = context;

    (void)done;
    if (write->pieces == write->room) {
        write->room = 2 * write->room + 64;
        write->piece = realloc(write->piece, (size_t)write->room * sizeof *write->piece);
        if (write->piece == NULL)
            abort();
    }
    write->piece[write->pieces++] = (struct piece){at, bytes};
    return 0;
}

static int64_t window_begin(const struct write *write, int rank, int64_t round)
{
    int64_t offset = round * WINDOW;

    return write->low + rank * write->domain + (offset < write->domain ? offset : write->domain);
}

/* Lists what this rank has for each rank's window. The data are one stretch of the write's for
 * each. */
static void pieces_list(struct write *write, int64_t round)
{
    write->pieces = 0;
    for (int r = 0; r < write->ranks; r++) {
        int64_t begin = data_before(write, window_begin(write, r, round));
        int64_t end = data_before(write, window_begin(write, r, round + 1)), before = write->pieces;

        if (end > begin)
            ft_view_walk(write->file, write->from + begin, end - begin, piece_add, write);
        write->counts[0][r] = (int)((write->pieces - before) * (int64_t)sizeof(struct piece));
        write->places[0][r] = (int)(before * (int64_t)sizeof(struct piece));
        write->counts[1][r] = (int)(end - begin);
        write->places[1][r] = 0;
    }
}

/* Exchanges bytes of kind 0 (pieces) or 1 (data); what was received is to be freed. */
static char *exchange(struct write *write, int kind, const char *sent, int64_t *bytes)
{
    int *got = write->counts[kind + 2], *places = write->places[kind + 2];
    MPI_Comm comm = write->file->comm;
    char *received;

    MPI_Alltoall(write->counts[kind], 1, MPI_INT, got, 1, MPI_INT, comm);
    *bytes = 0;
    for (int r = 0; r < write->ranks; r++) {
        places[r] = (int)*bytes;
        *bytes += got[r];
    }
    received = malloc((size_t)*bytes + 1);
    MPI_Alltoallv(sent, write->counts[kind], write->places[kind], MPI_BYTE, received, got, places,
                  MPI_BYTE, comm);
    return received;
}

/* The data of a round are one stretch for each rank, one behind the other. */
static const char *round_data(struct write *write, int64_t round)
{
    int64_t first = -1;

    for (int r = 0; r < write->ranks; r++) {
        int64_t begin = data_before(write, window_begin(write, r, round));

        if (write->counts[1][r] == 0)
            continue;
        first = first < 0 ? begin : first;
        write->places[1][r] = (int)(begin - first);
    }
    return write->data + (first < 0 ? 0 : first);
}

static int piece_order(const void *a, const void *b)
{
    int64_t one = ((const struct piece *)a)->at, two = ((const struct piece *)b)->at;

    return one < two ? -1 : one > two;
}

static int stretch_write(int fd, const char *bytes, int64_t at, int64_t length)
{
    while (length > 0) {
        ssize_t part = pwrite(fd, bytes, (size_t)length, at);

        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return ft_file_class(errno);
        bytes += part;
        at += part;
        length -= part;
    }
    return MPI_SUCCESS;
}

/* Writes the window that begins at `begin`: the pieces' data stand one behind the other. */
static int window_write(const struct write *write, int64_t begin, struct piece *piece,
                        int64_t count, const char *data)
{
    char *window = malloc(WINDOW);
    int code = MPI_SUCCESS;

    for (int64_t i = 0; i < count; i++) {
        memcpy(window + (piece[i].at - begin), data, (size_t)piece[i].bytes);
        data += piece[i].bytes;
    }
    qsort(piece, (size_t)count, sizeof *piece, piece_order);
    for (int64_t i = 0, next; code == MPI_SUCCESS && i < count; i = next) {
        int64_t end = piece[i].at + piece[i].bytes;

        for (next = i + 1; next < count && piece[next].at <= end; next++)
            if (piece[next].at + piece[next].bytes > end)
                end = piece[next].at + piece[next].bytes;
        code = stretch_write(write->file->fd, window + (piece[i].at - begin), piece[i].at,
                             end - piece[i].at);
    }
    free(window);
    return code;
}

static int round_run(struct write *write, int64_t round)
{
    int64_t bytes, pieces;
    char *piece, *data;
    int code = MPI_SUCCESS;

    pieces_list(write, round);
    piece = exchange(write, 0, (const char *)write->piece, &pieces);
    data = exchange(write, 1, round_data(write, round), &bytes);
    if (bytes > 0)
        code = window_write(write, window_begin(write, write->file->rank, round),
                            (struct piece *)(void *)piece, pieces / (int64_t)sizeof(struct piece),
                            data);
    free(piece);
    free(data);
    return code;
}

static void domains_set(struct write *write, const struct extent *all)
{
    int64_t low = INT64_MAX, high = 0;

    for (int r = 0; r < write->ranks; r++) {
        if (all[r].bytes == 0)
            continue;
        low = all[r].first < low ? all[r].first : low;
        high = all[r].end > high ? all[r].end : high;
    }
    write->low = low;
    write->domain = ((high - low) / write->ranks + 4096) & ~(int64_t)4095;
    write->rounds = (write->domain + WINDOW - 1) / WINDOW;
}

static int rounds_run(struct write *write)
{
    int *numbers = malloc(8 * (size_t)write->ranks * sizeof *numbers);
    int code = MPI_SUCCESS, worst;

    for (int i = 0; i < 4; i++) {
        write->counts[i] = numbers + 2 * i * write->ranks;
        write->places[i] = numbers + (2 * i + 1) * write->ranks;
    }
    for (int64_t round = 0; round < write->rounds; round++) {
        int now = round_run(write, round);

        code = code == MPI_SUCCESS ? now : code;
    }
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, write->file->comm);
    free(numbers);
    free(write->piece);
    return worst;
}

int ft_gather_write(const struct ft_file *file, MPI_Offset position, const char *data, int64_t size,
                    int *code)
{
    struct write write = {.file = file, .data = data, .from = position * file->unit, .size = size};
    struct extent mine = extent_of(file, position, size), *all;
    int done;

    MPI_Comm_size(file->comm, &write.ranks);
    all = malloc((size_t)write.ranks * sizeof *all);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, file->comm);
    done = is_worthwhile(all, write.ranks);
    if (done) {
        domains_set(&write, all);
        *code = rounds_run(&write);
    }
    free(all);
    return done;
}
