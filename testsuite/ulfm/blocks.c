/* Rows dealt out in blocks (blocks.h). */
#include "blocks.h"
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "ft.h"

struct header { /* of what a rank saves: these rows, after this step */
    long step, first, count;
};

void blocks_fail(const struct blocks *blocks, const char *what, int code)
{
    printf("rank %d: %s: code %d\n", blocks->world_rank, what, code);
    fflush(stdout);
    _exit(9);
}

static void make_room(struct blocks *blocks)
{
    blocks->first = blocks->rows * blocks->rank / blocks->size;
    blocks->count = blocks->rows * (blocks->rank + 1) / blocks->size - blocks->first;
    free(blocks->data);
    blocks->data = calloc((size_t)((blocks->count + 2) * blocks->width), sizeof(double));
}

static void look_around(struct blocks *blocks)
{
    MPI_Comm_set_errhandler(blocks->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(blocks->comm, &blocks->rank);
    MPI_Comm_size(blocks->comm, &blocks->size);
}

void blocks_create(struct blocks *blocks, long rows, long width, enum ft_saver_strategy strategy,
                   int parts, int parity)
{
    *blocks = (struct blocks){.rows = rows, .width = width};
    MPI_Comm_dup(MPI_COMM_WORLD, &blocks->comm);
    look_around(blocks);
    blocks->world_rank = blocks->rank;
    blocks->world_size = blocks->size;
    blocks->saved_by = calloc((size_t)blocks->size, 1);
    blocks->now = calloc((size_t)blocks->size, 1);
    if (ft_saver_init(&blocks->saver, blocks->comm, strategy, parts, parity) != MPI_SUCCESS)
        blocks_fail(blocks, "no saver", 0);
    make_room(blocks);
}

int blocks_halo(struct blocks *blocks, long column, long width)
{
    int up = blocks->rank ? blocks->rank - 1 : MPI_PROC_NULL;
    int down = blocks->rank + 1 < blocks->size ? blocks->rank + 1 : MPI_PROC_NULL;
    double *data = blocks->data + column, *last = data + blocks->count * blocks->width;
    int code =
        MPI_Sendrecv(data + blocks->width, (int)width, MPI_DOUBLE, up, 1, last + blocks->width,
                     (int)width, MPI_DOUBLE, down, 1, blocks->comm, MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS)
        return code;
    return MPI_Sendrecv(last, (int)width, MPI_DOUBLE, down, 2, data, (int)width, MPI_DOUBLE, up, 2,
                        blocks->comm, MPI_STATUS_IGNORE);
}

static int save(struct blocks *blocks)
{
    size_t numbers = (size_t)(blocks->count * blocks->width) * sizeof(double);
    struct header header = {blocks->step, blocks->first, blocks->count};
    char *data = malloc(sizeof(header) + numbers);
    int code;

    memcpy(data, &header, sizeof(header));
    memcpy(data + sizeof(header), blocks->data + blocks->width, numbers);
    code = ft_saver_save(blocks->saver, 1, data, sizeof(header) + numbers);
    free(data);
    return code;
}

/* Takes the rows of a saved block that are this rank's now. */
static long take(struct blocks *blocks, const char *data)
{
    size_t bytes = (size_t)blocks->width * sizeof(double);
    struct header header;
    long taken = 0;

    memcpy(&header, data, sizeof(header));
    for (long row = header.first; row < header.first + header.count; row++)
        if (row >= blocks->first && row < blocks->first + blocks->count) {
            memcpy(blocks->data + (row - blocks->first + 1) * blocks->width,
                   data + sizeof(header) + (size_t)(row - header.first) * bytes, bytes);
            taken++;
        }
    blocks->step = header.step;
    return taken;
}

/* All look at the blocks of all owners of the last save, one after the other. 1: a failure. */
static int load(struct blocks *blocks)
{
    long taken = 0;

    make_room(blocks);
    for (int owner = 0; owner < blocks->world_size; owner++) {
        size_t bytes;
        char *data;
        int code;

        if (!blocks->saved_by[owner])
            continue;
        code = ft_saver_size(blocks->saver, 1, owner, &bytes);
        if (code == FT_SAVER_LOST)
            blocks_fail(blocks, "rows are lost", owner);
        if (code != MPI_SUCCESS)
            return 1;
        data = malloc(bytes);
        code = ft_saver_load(blocks->saver, 1, owner, data, &bytes);
        if (code == MPI_SUCCESS)
            taken += take(blocks, data);
        free(data);
        if (code != MPI_SUCCESS)
            return 1;
    }
    if (taken != blocks->count)
        blocks_fail(blocks, "rows are missing", (int)taken);
    return 0;
}

/* Marks the ranks in the communicator: they save next. */
static void mark_members(const struct blocks *blocks, char *is_member)
{
    MPI_Group group, world;
    int *mine = malloc((size_t)blocks->size * 2 * sizeof(int));

    MPI_Comm_group(blocks->comm, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < blocks->size; i++)
        mine[i] = i;
    MPI_Group_translate_ranks(group, blocks->size, mine, world, mine + blocks->size);
    memset(is_member, 0, (size_t)blocks->world_size);
    for (int i = 0; i < blocks->size; i++)
        is_member[mine[blocks->size + i]] = 1;
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    free(mine);
}

/* Shrinks until a load comes through. */
static void recover(struct blocks *blocks)
{
    do {
        MPI_Comm smaller;

        MPIX_Comm_revoke(blocks->comm);
        if (MPIX_Comm_shrink(blocks->comm, &smaller) != MPI_SUCCESS)
            blocks_fail(blocks, "shrink", 0);
        blocks->comm = smaller;
        look_around(blocks);
    } while (ft_saver_move(blocks->saver, blocks->comm) != MPI_SUCCESS || load(blocks));
}

/* All come here, whatever has happened to them; a rank that waits for one that is here already is
 * told. */
static int all_agree(const struct blocks *blocks, int code)
{
    int good = code == MPI_SUCCESS;

    if (!good)
        MPIX_Comm_revoke(blocks->comm);
    return MPIX_Comm_agree(blocks->comm, &good) == MPI_SUCCESS && good;
}

void blocks_save_first(struct blocks *blocks)
{
    mark_members(blocks, blocks->saved_by);
    if (save(blocks) != MPI_SUCCESS)
        blocks_fail(blocks, "the first save", 0);
}

int blocks_save(struct blocks *blocks, int code)
{
    if (all_agree(blocks, code)) {
        mark_members(blocks, blocks->now);
        if (save(blocks) == MPI_SUCCESS) {
            memcpy(blocks->saved_by, blocks->now, (size_t)blocks->world_size);
            return 1;
        }
    }
    recover(blocks);
    return 0;
}

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

void blocks_order_deaths(const struct blocks *blocks, unsigned seed, int deaths)
{
    int rank = blocks->world_rank;
    uint64_t state = seed * 6364136223846793005ull + (uint64_t)rank * 1442695040888963407ull;
    struct itimerval value = {{0, 0}, {0, 0}};

    state ^= state >> 29;
    state *= 0xbf58476d1ce4e5b9u;
    if (rank < 1 || rank > deaths)
        return;
    value.it_value.tv_usec = (suseconds_t)(1000 + (state >> 33) % 400000);
    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &value, NULL);
}
