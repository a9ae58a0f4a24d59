/* The saver: what is saved are *pieces*. A copy is a piece with the owner's bytes; a parity block
 * is a piece with a place behind those of its group (code.c). Each rank has some pieces; before
 * data move, all ranks tell each other what they have, and so decide alike, without a word, who
 * sends what to whom. */
#include "saver/saver.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 4711, CHUNK = 1 << 30 };

extern int MPIX_Comm_is_revoked(MPI_Comm comm, int *flag) __attribute__((weak));

struct ft_piece *ft_piece_find(const struct ft_saver *saver, int id, int owner, int place)
{
    for (struct ft_piece *piece = saver->pieces; piece; piece = piece->next)
        if (piece->about.id == id && piece->about.owner == owner && piece->about.place == place)
            return piece;
    return NULL;
}

struct ft_piece *ft_piece_new(int id, int owner, int place, uint64_t bytes)
{
    struct ft_piece *piece = malloc(sizeof(*piece) + bytes);

    if (piece)
        *piece = (struct ft_piece){.about = {id, owner, place, 0, bytes}};
    return piece;
}

void ft_piece_add(struct ft_saver *saver, struct ft_piece *piece)
{
    piece->next = saver->pieces;
    saver->pieces = piece;
}

static void pieces_free(struct ft_piece *piece)
{
    while (piece) {
        struct ft_piece *next = piece->next;

        free(piece);
        piece = next;
    }
}

int ft_saver_send(const struct ft_saver *saver, const void *data, uint64_t bytes, int to)
{
    const char *at = data;
    int code = MPI_SUCCESS;

    do {
        int part = bytes > CHUNK ? CHUNK : (int)bytes;

        code = MPI_Send(at, part, MPI_BYTE, to, TAG, saver->comm);
        at += part;
        bytes -= (uint64_t)part;
    } while (bytes && code == MPI_SUCCESS);
    return code;
}

int ft_saver_receive(const struct ft_saver *saver, void *data, uint64_t bytes, int from)
{
    char *at = data;
    int code = MPI_SUCCESS;

    do {
        int part = bytes > CHUNK ? CHUNK : (int)bytes;

        code = MPI_Recv(at, part, MPI_BYTE, from, TAG, saver->comm, MPI_STATUS_IGNORE);
        at += part;
        bytes -= (uint64_t)part;
    } while (bytes && code == MPI_SUCCESS);
    return code;
}

int ft_saver_tolerates(void)
{
    int *tolerates = NULL, running = 0, found = 0;

    if (!MPIX_Comm_is_revoked) /* a program without libft.so */
        return 0;
    MPI_Initialized(&running);
    if (running)
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &tolerates, &found);
    return found && *tolerates;
}

/* Do all ranks say MPI_SUCCESS? The same answer for all that live. */
int ft_saver_agree(const struct ft_saver *saver, int code)
{
    int good = code == MPI_SUCCESS, failed;

    if (!ft_saver_tolerates()) {
        MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, saver->comm);
        return good ? MPI_SUCCESS : code != MPI_SUCCESS ? code : MPI_ERR_OTHER;
    }
    failed = MPIX_Comm_agree(saver->comm, &good);
    if (failed != MPI_SUCCESS)
        return failed;
    return good ? MPI_SUCCESS : code != MPI_SUCCESS ? code : MPIX_ERR_PROC_FAILED;
}

/* In the middle of messages between ranks: who waits for one of this rank is told. */
static int finish(const struct ft_saver *saver, int code)
{
    if (code == MPI_SUCCESS)
        return code;
    if (ft_saver_tolerates())
        MPIX_Comm_revoke(saver->comm);
    else
        MPI_Abort(saver->comm, 1);
    return code;
}

static int is_handler_kept(const struct ft_saver *saver, MPI_Errhandler *kept)
{
    int code = MPI_Comm_get_errhandler(saver->comm, kept);

    return code == MPI_SUCCESS &&
           MPI_Comm_set_errhandler(saver->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

static int handler_back(const struct ft_saver *saver, MPI_Errhandler *kept, int code)
{
    MPI_Comm_set_errhandler(saver->comm, *kept);
    MPI_Errhandler_free(kept);
    return code;
}

static int measure(struct ft_saver *saver, MPI_Comm comm)
{
    int *numbers, rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    numbers = malloc((size_t)size * sizeof(int));
    if (!numbers)
        return FT_SAVER_MEMORY;
    free(saver->numbers);
    saver->numbers = numbers;
    saver->comm = comm;
    saver->rank = rank;
    saver->size = size;
    return MPI_SUCCESS;
}

int ft_saver_rank_of(const struct ft_saver *saver, int number)
{
    for (int i = 0; i < saver->size; i++)
        if (saver->numbers[i] == number)
            return i;
    return -1;
}

int ft_saver_init(struct ft_saver **out, MPI_Comm comm, enum ft_saver_strategy strategy, int parts,
                  int parity)
{
    struct ft_saver *saver = calloc(1, sizeof(*saver));
    int code;

    *out = NULL;
    if (!saver)
        return FT_SAVER_MEMORY;
    code = measure(saver, comm);
    if (code == MPI_SUCCESS && strategy == FT_SAVER_CODED &&
        (parts < 1 || parity < 1 || parts + parity > saver->size || parts + parity > FT_CODE_MOST))
        code = FT_SAVER_WRONG;
    if (code != MPI_SUCCESS) {
        free(saver->numbers);
        free(saver);
        return code;
    }
    saver->strategy = strategy;
    saver->parts = parts;
    saver->parity = parity;
    saver->number = saver->rank;
    for (int i = 0; i < saver->size; i++)
        saver->numbers[i] = i;
    *out = saver;
    return MPI_SUCCESS;
}

void ft_saver_free(struct ft_saver **saver)
{
    pieces_free((*saver)->pieces);
    ft_layouts_free(*saver);
    free((*saver)->numbers);
    free(*saver);
    *saver = NULL;
}

int ft_saver_number(const struct ft_saver *saver)
{
    return saver->number;
}

/* ---- What all have ---- */

int ft_inventory_take(struct ft_saver *saver, struct ft_inventory *all)
{
    int mine = 0, at = 0, code;
    struct ft_about *own;

    *all = (struct ft_inventory){.counts = calloc((size_t)saver->size, sizeof(int)),
                                 .starts = calloc((size_t)saver->size + 1, sizeof(int))};
    for (const struct ft_piece *piece = saver->pieces; piece; piece = piece->next)
        mine++;
    own = malloc((size_t)(mine + 1) * sizeof(*own));
    if (!all->counts || !all->starts || !own) {
        free(own);
        return FT_SAVER_MEMORY;
    }
    for (const struct ft_piece *piece = saver->pieces; piece; piece = piece->next)
        own[at++] = piece->about;
    mine *= (int)sizeof(*own);
    code = MPI_Allgather(&mine, 1, MPI_INT, all->counts, 1, MPI_INT, saver->comm);
    for (int i = 0; i < saver->size && code == MPI_SUCCESS; i++)
        all->starts[i + 1] = all->starts[i] + all->counts[i];
    if (code == MPI_SUCCESS) {
        all->about = malloc((size_t)all->starts[saver->size] + 1);
        code = all->about ? MPI_Allgatherv(own, mine, MPI_BYTE, all->about, all->counts,
                                           all->starts, MPI_BYTE, saver->comm)
                          : FT_SAVER_MEMORY;
    }
    free(own);
    return code;
}

void ft_inventory_free(struct ft_inventory *all)
{
    free(all->about);
    free(all->counts);
    free(all->starts);
}

const struct ft_about *ft_inventory_find(const struct ft_inventory *all, int rank, int id,
                                         int owner, int place)
{
    for (size_t at = (size_t)all->starts[rank]; at < (size_t)all->starts[rank + 1];
         at += sizeof(struct ft_about)) {
        const struct ft_about *about = &all->about[at / sizeof(struct ft_about)];

        if (about->id == id && about->owner == owner && about->place == place)
            return about;
    }
    return NULL;
}

const struct ft_about *ft_inventory_holder(const struct ft_saver *saver,
                                           const struct ft_inventory *all, int id, int owner,
                                           int place, int *holder)
{
    for (*holder = 0; *holder < saver->size; ++*holder) {
        const struct ft_about *about = ft_inventory_find(all, *holder, id, owner, place);

        if (about)
            return about;
    }
    return NULL;
}

/* ---- Saving ---- */

static struct ft_piece *own_piece(const struct ft_saver *saver, int id, const void *data,
                                  size_t bytes)
{
    struct ft_piece *piece = ft_piece_new(id, saver->number, FT_PLACE_COPY, bytes);

    if (piece && bytes)
        memcpy(piece->data, data, bytes);
    return piece;
}

/* Gives a copy to one rank, and takes one of another. */
static int pass_on(struct ft_saver *saver, const struct ft_piece *mine, int to, int from,
                   struct ft_piece **got)
{
    struct ft_about theirs;
    int code = MPI_Sendrecv(&mine->about, sizeof(theirs), MPI_BYTE, to, TAG, &theirs,
                            sizeof(theirs), MPI_BYTE, from, TAG, saver->comm, MPI_STATUS_IGNORE);
    uint64_t done = 0, most;

    if (code != MPI_SUCCESS)
        return code;
    *got = ft_piece_new(theirs.id, theirs.owner, theirs.place, theirs.bytes);
    if (!*got)
        return FT_SAVER_MEMORY;
    most = mine->about.bytes > theirs.bytes ? mine->about.bytes : theirs.bytes;
    for (; done < most && code == MPI_SUCCESS; done += CHUNK) {
        uint64_t out = done < mine->about.bytes ? mine->about.bytes - done : 0;
        uint64_t in = done < theirs.bytes ? theirs.bytes - done : 0;

        code = MPI_Sendrecv(mine->data + done, out > CHUNK ? CHUNK : (int)out, MPI_BYTE,
                            out ? to : MPI_PROC_NULL, TAG, (*got)->data + done,
                            in > CHUNK ? CHUNK : (int)in, MPI_BYTE, in ? from : MPI_PROC_NULL, TAG,
                            saver->comm, MPI_STATUS_IGNORE);
    }
    return code;
}

/* Copies to so many ranks behind this one. `fresh` takes what comes. */
static int copies_spread(struct ft_saver *saver, const struct ft_piece *mine, int most,
                         struct ft_piece **fresh)
{
    int code = MPI_SUCCESS;

    for (int distance = 1; distance <= most && code == MPI_SUCCESS; distance++) {
        struct ft_piece *got = NULL;

        code = pass_on(saver, mine, (saver->rank + distance) % saver->size,
                       (saver->rank - distance + saver->size) % saver->size, &got);
        if (got) {
            got->next = *fresh;
            *fresh = got;
        }
    }
    return code;
}

/* Pieces saved under this id by ranks that have saved now go; those of the dead stay. */
static void replace(struct ft_saver *saver, int id, struct ft_piece *fresh)
{
    struct ft_piece **at = &saver->pieces;

    while (*at) {
        struct ft_piece *piece = *at;
        int is_old = piece->about.id == id && (piece->about.place != FT_PLACE_COPY ||
                                               ft_saver_rank_of(saver, piece->about.owner) >= 0);

        if (is_old) {
            *at = piece->next;
            free(piece);
        } else {
            at = &piece->next;
        }
    }
    while (fresh) {
        struct ft_piece *next = fresh->next;

        ft_piece_add(saver, fresh);
        fresh = next;
    }
}

int ft_saver_save(struct ft_saver *saver, int id, const void *data, size_t bytes)
{
    struct ft_piece *fresh = own_piece(saver, id, data, bytes), *mine = fresh;
    struct ft_layout *layout = NULL;
    MPI_Errhandler kept;
    int code = fresh ? MPI_SUCCESS : FT_SAVER_MEMORY;

    if (!is_handler_kept(saver, &kept))
        return MPI_ERR_COMM;
    code = ft_saver_agree(saver, code);
    if (code == MPI_SUCCESS && saver->strategy == FT_SAVER_SINGLE)
        code = copies_spread(saver, mine, saver->size > 1, &fresh);
    else if (code == MPI_SUCCESS && saver->strategy == FT_SAVER_FULL)
        code = copies_spread(saver, mine, saver->size - 1, &fresh);
    else if (code == MPI_SUCCESS)
        code = ft_code_save(saver, mine, &fresh, &layout);
    code = ft_saver_agree(saver, finish(saver, code));
    if (code == MPI_SUCCESS) {
        replace(saver, id, fresh);
        ft_layout_keep(saver, layout);
    } else {
        pieces_free(fresh);
        free(layout);
    }
    return handler_back(saver, &kept, code);
}

/* ---- After a failure ---- */

static int copy_over(struct ft_saver *saver, const struct ft_about *about, int from, int to)
{
    struct ft_piece *piece;
    int code;

    if (saver->rank == from) {
        piece = ft_piece_find(saver, about->id, about->owner, about->place);
        return ft_saver_send(saver, piece->data, about->bytes, to);
    }
    if (saver->rank != to)
        return MPI_SUCCESS;
    piece = ft_piece_new(about->id, about->owner, about->place, about->bytes);
    if (!piece)
        return FT_SAVER_MEMORY;
    code = ft_saver_receive(saver, piece->data, about->bytes, from);
    if (code == MPI_SUCCESS)
        ft_piece_add(saver, piece);
    else
        free(piece);
    return code;
}

/* Copies one piece from its first holder until so many ranks have it. */
static int copies_complete(struct ft_saver *saver, const struct ft_inventory *all,
                           const struct ft_about *about, int first, int wanted)
{
    int have = 0, code = MPI_SUCCESS;

    for (int i = 0; i < saver->size; i++)
        have += ft_inventory_find(all, i, about->id, about->owner, about->place) != NULL;
    for (int i = 1; i < saver->size && have < wanted && code == MPI_SUCCESS; i++) {
        int to = (first + i) % saver->size;

        if (ft_inventory_find(all, to, about->id, about->owner, about->place))
            continue;
        code = copy_over(saver, about, first, to);
        have++;
    }
    return code;
}

static int redundancy_restore(struct ft_saver *saver)
{
    int wanted = saver->strategy == FT_SAVER_FULL ? saver->size : saver->size > 1 ? 2 : 1;
    struct ft_inventory all;
    int code = ft_inventory_take(saver, &all);

    for (int rank = 0; rank < saver->size && code == MPI_SUCCESS; rank++)
        for (size_t at = (size_t)all.starts[rank];
             at < (size_t)all.starts[rank + 1] && code == MPI_SUCCESS;
             at += sizeof(struct ft_about)) {
            const struct ft_about *about = &all.about[at / sizeof(struct ft_about)];
            int first;

            ft_inventory_holder(saver, &all, about->id, about->owner, about->place, &first);
            if (first == rank)
                code = copies_complete(saver, &all, about, first, wanted);
        }
    ft_inventory_free(&all);
    return code;
}

int ft_saver_move(struct ft_saver *saver, MPI_Comm comm)
{
    MPI_Errhandler kept;
    int code = measure(saver, comm);

    if (!is_handler_kept(saver, &kept))
        return MPI_ERR_COMM;
    code = ft_saver_agree(saver, code);
    if (code == MPI_SUCCESS)
        code = MPI_Allgather(&saver->number, 1, MPI_INT, saver->numbers, 1, MPI_INT, comm);
    if (code == MPI_SUCCESS && saver->strategy != FT_SAVER_CODED)
        code = redundancy_restore(saver);
    code = ft_saver_agree(saver, finish(saver, code));
    return handler_back(saver, &kept, code);
}

/* ---- Loading ---- */

struct wish {
    int id, owner;
    uint64_t room;
};

/* Serves the wish of one rank; all ranks come here. *result: what that rank is told. */
static int serve(struct ft_saver *saver, const struct ft_inventory *all, const struct wish *wish,
                 int rank, void *data, size_t *bytes, int *result)
{
    int holder, mine = saver->rank == rank;
    const struct ft_about *about =
        ft_inventory_holder(saver, all, wish->id, wish->owner, FT_PLACE_COPY, &holder);

    if (about && ft_inventory_find(all, rank, wish->id, wish->owner, FT_PLACE_COPY))
        holder = rank;
    if (!about && saver->strategy == FT_SAVER_CODED)
        return ft_code_serve(saver, all, wish->id, wish->owner, wish->room, rank, data, bytes,
                             result);
    if (mine)
        *result = !about ? FT_SAVER_LOST : about->bytes > wish->room ? FT_SAVER_SHORT : MPI_SUCCESS;
    if (mine && about)
        *bytes = about->bytes;
    if (!about || about->bytes > wish->room)
        return MPI_SUCCESS;
    if (holder == rank) {
        if (mine && about->bytes)
            memcpy(data, ft_piece_find(saver, wish->id, wish->owner, FT_PLACE_COPY)->data,
                   about->bytes);
        return MPI_SUCCESS;
    }
    if (saver->rank == holder)
        return ft_saver_send(saver,
                             ft_piece_find(saver, wish->id, wish->owner, FT_PLACE_COPY)->data,
                             about->bytes, rank);
    return mine ? ft_saver_receive(saver, data, about->bytes, holder) : MPI_SUCCESS;
}

static int load(struct ft_saver *saver, struct wish mine, void *data, size_t *bytes)
{
    struct wish *wishes = calloc((size_t)saver->size, sizeof(*wishes));
    struct ft_inventory all;
    int result = MPI_SUCCESS, code = ft_inventory_take(saver, &all);

    if (code == MPI_SUCCESS && !wishes)
        code = FT_SAVER_MEMORY;
    if (code == MPI_SUCCESS)
        code = MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, wishes, sizeof(mine), MPI_BYTE,
                             saver->comm);
    for (int rank = 0; rank < saver->size && code == MPI_SUCCESS; rank++)
        if (wishes[rank].owner >= 0)
            code = serve(saver, &all, &wishes[rank], rank, data, bytes, &result);
    ft_inventory_free(&all);
    free(wishes);
    code = ft_saver_agree(saver, finish(saver, code));
    return code != MPI_SUCCESS ? code : result;
}

int ft_saver_load(struct ft_saver *saver, int id, int owner, void *data, size_t *bytes)
{
    MPI_Errhandler kept;

    if (!is_handler_kept(saver, &kept))
        return MPI_ERR_COMM;
    return handler_back(saver, &kept,
                        load(saver, (struct wish){id, owner, owner < 0 ? 0 : *bytes}, data, bytes));
}

/* A wish without room learns the size alone. */
int ft_saver_size(struct ft_saver *saver, int id, int owner, size_t *bytes)
{
    size_t none = 0;
    int code = ft_saver_load(saver, id, owner, NULL, &none);

    *bytes = none;
    return code == FT_SAVER_SHORT ? MPI_SUCCESS : code;
}
