/* The census of --protocol spbc: in a new epoch the ranks have gone back by different lengths, so
 * one may have a communicator that another has yet to make again, or has freed long ago. Each rank
 * lists what it knows; the lists together say what is to be made:
 *
 *     every member has freed it                nothing: nobody speaks of it in this epoch
 *     I have it, or have it as a ghost         it is made
 *     I have freed it, somebody has not        it is made: what I had sent there is sent again
 *     I do not know it                         it is made, a ghost until I come to its birth
 *
 * Groups of one rank are its own affair.
 *
 * A tombstone stays for good: nobody here knows yet how far back a member may go. All that were
 * made and freed since the checkpoint of a rank that goes back must exist at once. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "handle/handles.h"

#define FRONT 7 /* ints of an entry before its ranks */
enum { AT_ID, AT_LANE = 2, AT_FLAGS, AT_REFUSED, AT_SIZE, AT_PEERS };
enum { IS_INTER = 1, IS_PAST = 2 };

struct census {
    int total;             /* ints in `in` */
    int *in;               /* entries of all ranks, one after the other */
    int count;             /* of entry */
    const int **entry;     /* [count] into in, by identity */
    int known;             /* of mine */
    struct ft_comm **mine; /* [known] by identity */
};

static uint64_t entry_id(const int *entry)
{
    uint64_t id;

    memcpy(&id, entry + AT_ID, sizeof(id));
    return id;
}

static int entry_members(const int *entry)
{
    return entry[AT_SIZE] + (entry[AT_FLAGS] & IS_INTER ? entry[AT_PEERS] : 0);
}

static int is_past(const struct ft_comm *comm)
{
    return comm->handle == MPI_COMM_NULL && !comm->ghost && !comm->held;
}

static int is_listed(const struct ft_rank *self, const struct ft_comm *comm)
{
    const struct ft_handles *handles = self->handles;

    return comm != &handles->world && comm != &handles->alone && comm != &handles->lanes &&
           (comm->inter || comm->size > 1);
}

/* The tombstones of the last epoch's list go back to the past; the real ones are gone with it. */
static void past_sort(struct ft_rank *self)
{
    struct ft_comm *comm, *next;

    DL_FOREACH_SAFE (self->handles->comm, comm, next) {
        if (!is_listed(self, comm) || !is_past(comm))
            continue;
        DL_DELETE(self->handles->comm, comm);
        DL_APPEND(self->handles->past, comm);
    }
    DL_FOREACH (self->handles->past, comm)
        comm->real = MPI_COMM_NULL;
}

/* Writes one entry to `out` (NULL: only counts); returns its ints. */
static int entry_write(const struct ft_comm *comm, int *out)
{
    int peers = comm->inter ? comm->peers : 0;

    if (!out)
        return FRONT + comm->size + peers;
    memcpy(out + AT_ID, &comm->id, sizeof(comm->id));
    out[AT_LANE] = comm->lane;
    out[AT_FLAGS] = (comm->inter ? IS_INTER : 0) | (is_past(comm) ? IS_PAST : 0);
    out[AT_REFUSED] = comm->refused;
    out[AT_SIZE] = comm->size;
    out[AT_PEERS] = comm->peers;
    memcpy(out + FRONT, comm->local, (size_t)comm->size * sizeof(int));
    memcpy(out + FRONT + comm->size, comm->world, (size_t)peers * sizeof(int));
    return FRONT + comm->size + peers;
}

static int list_write(struct ft_rank *self, int *out)
{
    struct ft_comm *comm;
    int count = 0;

    DL_FOREACH (self->handles->comm, comm)
        if (is_listed(self, comm))
            count += entry_write(comm, out ? out + count : NULL);
    DL_FOREACH (self->handles->past, comm)
        count += entry_write(comm, out ? out + count : NULL);
    return count;
}

static void lists_gather(struct ft_rank *self, struct census *census)
{
    MPI_Comm runtime = self->handles->runtime;
    int mine = list_write(self, NULL), *out = ft_image_alloc((size_t)(mine + 1) * sizeof(int));
    int *counts = ft_image_alloc(2 * (size_t)self->size * sizeof(int));
    int *places = counts + self->size;

    list_write(self, out);
    ft_must(PMPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, runtime), "PMPI_Allgather");
    for (int i = 0; i < self->size; census->total += counts[i++])
        places[i] = census->total;
    census->in = ft_image_alloc((size_t)(census->total + 1) * sizeof(int));
    ft_must(PMPI_Allgatherv(out, mine, MPI_INT, census->in, counts, places, MPI_INT, runtime),
            "PMPI_Allgatherv");
    ft_image_free(counts);
    ft_image_free(out);
}

static int id_order(uint64_t one, uint64_t two)
{
    return one < two ? -1 : one > two;
}

static int entry_order(const void *a, const void *b)
{
    return id_order(entry_id(*(const int *const *)a), entry_id(*(const int *const *)b));
}

static int comm_order(const void *a, const void *b)
{
    return id_order((*(struct ft_comm *const *)a)->id, (*(struct ft_comm *const *)b)->id);
}

static int comm_find(const void *id, const void *comm)
{
    return id_order(*(const uint64_t *)id, (*(struct ft_comm *const *)comm)->id);
}

static void entries_sort(struct census *census)
{
    for (int at = 0; at < census->total; at += FRONT + entry_members(census->in + at))
        census->count++;
    census->entry = ft_image_alloc((size_t)(census->count + 1) * sizeof(*census->entry));
    census->count = 0;
    for (int at = 0; at < census->total; at += FRONT + entry_members(census->in + at))
        census->entry[census->count++] = census->in + at;
    qsort(census->entry, (size_t)census->count, sizeof(*census->entry), entry_order);
}

static void mine_sort(struct ft_rank *self, struct census *census)
{
    struct ft_comm *comm;
    int alive = 0, past = 0;

    DL_COUNT(self->handles->comm, comm, alive);
    DL_COUNT(self->handles->past, comm, past);
    census->mine = ft_image_alloc((size_t)(alive + past + 1) * sizeof(struct ft_comm *));
    DL_FOREACH (self->handles->comm, comm)
        census->mine[census->known++] = comm;
    DL_FOREACH (self->handles->past, comm)
        census->mine[census->known++] = comm;
    qsort(census->mine, (size_t)census->known, sizeof(struct ft_comm *), comm_order);
}

static int *ranks_copy(const int *ranks, int count)
{
    return memcpy(ft_image_alloc((size_t)(count + 1) * sizeof(int)), ranks,
                  (size_t)count * sizeof(int));
}

/* This rank's place among `ranks`, or -1. */
static int place_of(const struct ft_rank *self, const int *ranks, int count)
{
    for (int i = 0; i < count; i++)
        if (ranks[i] == self->rank)
            return i;
    return -1;
}

/* A ghost for an entry with this rank at `place` of the group `here`. */
static void ghost_make(struct ft_rank *self, const int *entry, int place, const int *here, int size,
                       const int *there, int peers)
{
    struct ft_comm *ghost = ft_image_alloc(sizeof(*ghost));

    ghost->real = MPI_COMM_NULL;
    ghost->handle = MPI_COMM_NULL;
    ghost->hints = MPI_INFO_NULL;
    ghost->id = entry_id(entry);
    ghost->lane = entry[AT_LANE];
    ghost->refused = entry[AT_REFUSED];
    ghost->inter = entry[AT_FLAGS] & IS_INTER;
    ghost->rank = place;
    ghost->size = size;
    ghost->peers = ghost->inter ? peers : size;
    ghost->local = ranks_copy(here, size);
    ghost->world = ghost->inter ? ranks_copy(there, peers) : ghost->local;
    ghost->ghost = 1;
    self->handles->ghosts++;
    DL_APPEND(self->handles->comm, ghost);
}

static void ghost_raise(struct ft_rank *self, const int *entry)
{
    int size = entry[AT_SIZE], peers = entry_members(entry) - size;
    const int *one = entry + FRONT, *two = one + size;
    int first = place_of(self, one, size), second = place_of(self, two, peers);

    if (first >= 0)
        ghost_make(self, entry, first, one, size, two, peers);
    else if (second >= 0)
        ghost_make(self, entry, second, two, peers, one, size);
}

/* What `count` ranks say of one communicator. */
static void entry_judge(struct ft_rank *self, const struct census *census, const int **entry,
                        int count)
{
    uint64_t id = entry_id(entry[0]);
    struct ft_comm **mine =
        bsearch(&id, census->mine, (size_t)census->known, sizeof(*mine), comm_find);
    int past = 0;

    for (int i = 0; i < count; i++) {
        if (entry[i][AT_LANE] != entry[0][AT_LANE])
            ft_panic("the members of a communicator have it on lanes %d and %d", entry[0][AT_LANE],
                     entry[i][AT_LANE]);
        past += (entry[i][AT_FLAGS] & IS_PAST) != 0;
    }
    if (past == entry_members(entry[0]))
        return;
    if (!mine) {
        ghost_raise(self, entry[0]);
    } else if (is_past(*mine)) {
        DL_DELETE(self->handles->past, *mine);
        DL_APPEND(self->handles->comm, *mine);
    }
}

void ft_census_take(struct ft_rank *self)
{
    struct census census = {0};

    past_sort(self);
    lists_gather(self, &census);
    entries_sort(&census);
    mine_sort(self, &census);
    for (int i = 0, next; i < census.count; i = next) {
        uint64_t id = entry_id(census.entry[i]);

        for (next = i + 1; next < census.count && entry_id(census.entry[next]) == id;)
            next++;
        entry_judge(self, &census, census.entry + i, next - i);
    }
    ft_image_free(census.mine);
    ft_image_free(census.entry);
    ft_image_free(census.in);
}
