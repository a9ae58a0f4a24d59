/* Reed-Solomon over groups of `parts` consecutive ranks, by ISA-L. The parity blocks of a group are
 * on the ranks behind it, in a ring; so `parity` deaths lose at most as many blocks of a group. */
#include <isa-l/erasure_code.h>
#include <stdlib.h>
#include <string.h>
#include "saver/saver.h"

enum { CHUNK = 1 << 30, TABLE = 32 };

struct group { /* of the ranks of a layout */
    int first, count;
    uint64_t longest;
};

static struct group group_of(const struct ft_layout *layout, int rank)
{
    struct group group = {.first = rank / layout->parts * layout->parts};

    group.count = layout->size - group.first;
    if (group.count > layout->parts)
        group.count = layout->parts;
    for (int i = 0; i < group.count; i++)
        if (layout->owner[group.first + i].bytes > group.longest)
            group.longest = layout->owner[group.first + i].bytes;
    return group;
}

static int keeper(const struct ft_layout *layout, const struct group *group, int parity)
{
    return (group->first + group->count + parity) % layout->size;
}

static struct ft_layout *layout_find(const struct ft_saver *saver, int id)
{
    struct ft_layout *layout = saver->layouts;

    while (layout && layout->id != id)
        layout = layout->next;
    return layout;
}

void ft_layout_keep(struct ft_saver *saver, struct ft_layout *layout)
{
    struct ft_layout **at = &saver->layouts, *old;

    if (!layout)
        return;
    while (*at && (*at)->id != layout->id)
        at = &(*at)->next;
    if ((old = *at)) {
        *at = old->next;
        free(old);
    }
    layout->next = saver->layouts;
    saver->layouts = layout;
}

void ft_layouts_free(struct ft_saver *saver)
{
    while (saver->layouts) {
        struct ft_layout *next = saver->layouts->next;

        free(saver->layouts);
        saver->layouts = next;
    }
}

static int layout_make(const struct ft_saver *saver, const struct ft_piece *mine,
                       struct ft_layout **out)
{
    uint64_t *bytes = malloc((size_t)saver->size * sizeof(*bytes));
    struct ft_layout *layout =
        malloc(sizeof(*layout) + (size_t)saver->size * sizeof(layout->owner[0]));
    int code = bytes && layout ? MPI_SUCCESS : FT_SAVER_MEMORY;

    *out = layout;
    if (code == MPI_SUCCESS)
        code =
            MPI_Allgather(&mine->about.bytes, 1, MPI_UINT64_T, bytes, 1, MPI_UINT64_T, saver->comm);
    if (code == MPI_SUCCESS) {
        layout->id = mine->about.id;
        layout->size = saver->size;
        /* With fewer ranks than at the beginning a group is smaller. */
        layout->parts =
            saver->size - saver->parity < saver->parts ? saver->size - saver->parity : saver->parts;
        if (layout->parts < 1)
            layout->parts = 1;
        for (int i = 0; i < saver->size; i++) {
            layout->owner[i].number = saver->numbers[i];
            layout->owner[i].bytes = bytes[i];
        }
    }
    free(bytes);
    return code;
}

/* Adds the data of one owner to a parity block. */
static void block_add(const struct group *group, int member, int parity, const char *data,
                      char *block)
{
    unsigned char matrix[2 * FT_CODE_MOST * FT_CODE_MOST], tables[TABLE * FT_CODE_MOST];

    gf_gen_cauchy1_matrix(matrix, group->count + parity + 1, group->count);
    ec_init_tables(group->count, 1, matrix + group->count * (group->count + parity), tables);
    for (uint64_t done = 0; done < group->longest; done += CHUNK) {
        uint64_t left = group->longest - done;
        unsigned char *to = (unsigned char *)block + done;

        ec_encode_data_update(left > CHUNK ? CHUNK : (int)left, group->count, 1, member, tables,
                              (unsigned char *)(uintptr_t)data + done, &to);
    }
}

static struct ft_piece *parity_piece(const struct ft_layout *layout, const struct group *group,
                                     int parity, struct ft_piece **fresh)
{
    struct ft_piece *piece = *fresh;
    int owner = layout->owner[group->first].number;

    for (; piece; piece = piece->next)
        if (piece->about.place == parity && piece->about.owner == owner)
            return piece;
    piece = ft_piece_new(layout->id, owner, parity, group->longest);
    if (!piece)
        return NULL;
    memset(piece->data, 0, group->longest);
    piece->next = *fresh;
    *fresh = piece;
    return piece;
}

/* One owner's data for one parity block: all ranks go through these in one order. */
static int block_pass(const struct ft_saver *saver, const struct ft_layout *layout, int owner,
                      int parity, const struct ft_piece *mine, struct ft_piece **fresh)
{
    struct group group = group_of(layout, owner);
    int to = keeper(layout, &group, parity), code = MPI_SUCCESS;
    uint64_t bytes = layout->owner[owner].bytes;
    struct ft_piece *piece;
    char *data;

    if (saver->rank == owner && to != owner)
        return ft_saver_send(saver, mine->data, bytes, to);
    if (saver->rank != to)
        return MPI_SUCCESS;
    data = calloc(group.longest + 1, 1);
    piece = parity_piece(layout, &group, parity, fresh);
    if (!data || !piece) {
        free(data);
        return FT_SAVER_MEMORY;
    }
    if (to == owner)
        memcpy(data, mine->data, bytes);
    else
        code = ft_saver_receive(saver, data, bytes, owner);
    if (code == MPI_SUCCESS)
        block_add(&group, owner - group.first, parity, data, piece->data);
    free(data);
    return code;
}

int ft_code_save(struct ft_saver *saver, const struct ft_piece *mine, struct ft_piece **fresh,
                 struct ft_layout **layout)
{
    int code = layout_make(saver, mine, layout);

    for (int owner = 0; owner < saver->size && code == MPI_SUCCESS; owner++)
        for (int parity = 0; parity < saver->parity && code == MPI_SUCCESS; parity++)
            code = block_pass(saver, *layout, owner, parity, mine, fresh);
    return code;
}

/* ---- What is left of a group ---- */

struct block {
    int row;    /* of the matrix: a member, or behind them a parity block */
    int holder; /* rank */
    uint64_t bytes;
};

/* The first `count` blocks that some rank has. Answers how many. */
static int blocks_find(const struct ft_saver *saver, const struct ft_inventory *all,
                       const struct ft_layout *layout, const struct group *group,
                       struct block *block)
{
    int found = 0;

    for (int row = 0; row < group->count + saver->parity && found < group->count; row++) {
        int is_data = row < group->count, holder;
        int owner = layout->owner[group->first + (is_data ? row : 0)].number;
        const struct ft_about *about = ft_inventory_holder(
            saver, all, layout->id, owner, is_data ? FT_PLACE_COPY : row - group->count, &holder);

        if (about)
            block[found++] = (struct block){row, holder, about->bytes};
    }
    return found;
}

/* The row of the matrix that makes the data of `member` of these blocks. 0, or -1. */
static int decoder_make(const struct group *group, int parity, const struct block *block,
                        int member, unsigned char *tables)
{
    int count = group->count;
    unsigned char matrix[2 * FT_CODE_MOST * FT_CODE_MOST], some[FT_CODE_MOST * FT_CODE_MOST],
        inverse[FT_CODE_MOST * FT_CODE_MOST];

    gf_gen_cauchy1_matrix(matrix, count + parity, count);
    for (int i = 0; i < count; i++)
        memcpy(some + i * count, matrix + block[i].row * count, (size_t)count);
    if (gf_invert_matrix(some, inverse, count))
        return -1;
    ec_init_tables(count, 1, inverse + member * count, tables);
    return 0;
}

static int decode(const struct ft_saver *saver, const struct group *group,
                  const struct block *block, int member, char *from, void *data, uint64_t bytes)
{
    unsigned char tables[TABLE * FT_CODE_MOST], *in[FT_CODE_MOST], *out;

    if (decoder_make(group, saver->parity, block, member, tables))
        return FT_SAVER_LOST;
    for (uint64_t done = 0; done < bytes; done += CHUNK) {
        uint64_t left = bytes - done;

        for (int i = 0; i < group->count; i++)
            in[i] = (unsigned char *)from + (uint64_t)i * group->longest + done;
        out = (unsigned char *)data + done;
        ec_encode_data(left > CHUNK ? CHUNK : (int)left, group->count, 1, tables, in, &out);
    }
    return MPI_SUCCESS;
}

/* Brings the blocks to one rank, in one order on all ranks. */
static int blocks_bring(struct ft_saver *saver, const struct ft_layout *layout,
                        const struct group *group, const struct block *block, int rank, char *to)
{
    int code = MPI_SUCCESS;

    for (int i = 0; i < group->count && code == MPI_SUCCESS; i++) {
        int is_data = block[i].row < group->count;
        int owner = layout->owner[group->first + (is_data ? block[i].row : 0)].number;
        int place = is_data ? FT_PLACE_COPY : block[i].row - group->count;
        char *at = to ? to + (uint64_t)i * group->longest : NULL;

        if (saver->rank == block[i].holder && saver->rank == rank)
            memcpy(at, ft_piece_find(saver, layout->id, owner, place)->data, block[i].bytes);
        else if (saver->rank == block[i].holder)
            code = ft_saver_send(saver, ft_piece_find(saver, layout->id, owner, place)->data,
                                 block[i].bytes, rank);
        else if (saver->rank == rank)
            code = ft_saver_receive(saver, at, block[i].bytes, block[i].holder);
    }
    return code;
}

static int place_of(const struct ft_layout *layout, int number)
{
    for (int i = 0; layout && i < layout->size; i++)
        if (layout->owner[i].number == number)
            return i;
    return -1;
}

int ft_code_serve(struct ft_saver *saver, const struct ft_inventory *all, int id, int owner,
                  uint64_t room, int rank, void *data, size_t *bytes, int *result)
{
    const struct ft_layout *layout = layout_find(saver, id);
    int place = place_of(layout, owner), mine = saver->rank == rank, code;
    struct block block[FT_CODE_MOST];
    struct group group;
    char *from = NULL;

    if (place >= 0)
        group = group_of(layout, place);
    if (place < 0 || blocks_find(saver, all, layout, &group, block) < group.count) {
        if (mine)
            *result = FT_SAVER_LOST;
        return MPI_SUCCESS;
    }
    if (mine) {
        *bytes = layout->owner[place].bytes;
        *result = *bytes > room ? FT_SAVER_SHORT : MPI_SUCCESS;
    }
    if (layout->owner[place].bytes > room)
        return MPI_SUCCESS;
    if (mine && !(from = calloc((size_t)group.count, group.longest + 1)))
        return FT_SAVER_MEMORY;
    code = blocks_bring(saver, layout, &group, block, rank, from);
    if (mine && code == MPI_SUCCESS)
        *result = decode(saver, &group, block, place - group.first, from, data,
                         layout->owner[place].bytes);
    free(from);
    return code;
}
