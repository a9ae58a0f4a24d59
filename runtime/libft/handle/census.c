/* The census of --protocol spbc: in a new epoch the ranks have rolled back by different lengths, so
 * one may have a communicator that another has yet to make again, or has freed long ago. Each rank
 * lists those that it knows; the lists together say which ones are made:
 *
 * - Some rank has it: it is made. A rank that has freed it helps: its messages there are resent. A
 *   rank that does not know it has a ghost until it comes to its birth.
 * - All members have freed it: nothing, no rank speaks of it in this epoch.
 * - A member has forgotten its tombstone: no rank will ever need it (tombs.c), and all forget it.
 * - The members that do not know it have rolled back to before its birth, and all others have freed
 *   it: it is made when its turn comes, because the library cannot hold all at a time.
 *
 * In the last case the WAVE first ones by the numbers of their births are made, which is the order
 * in which every member comes to them. The others are ahead: a rank that comes to the birth of
 * such a one asks ftrun for another epoch (birth.c), and messages that were sent there wait in the
 * logs until then, before all later ones.
 *
 * A member that has not gone through the birth to its end lists it as under way. Groups of one
 * rank are their own affair. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "handle/handles.h"

#define WAVE 1000 /* the library has some 2,000; the rest is for what lives, and for new ones */
enum {            /* ints of an entry; then the ranks */
       AT_ID,
       AT_LANE = 2,
       AT_NUMBER,
       AT_STATE,
       AT_INTER,
       AT_REFUSED,
       AT_FROM,
       AT_SIZE,
       AT_PEERS,
       FRONT
};
enum { LIVE, PAST, UNDER_WAY, GHOST, STATES };
enum fate { NOTHING, MAKE, FORGET, TURN };

struct opinion { /* of all ranks, on one communicator */
    const int **entry;
    int count; /* of entry */
    int number;
    enum fate fate;
};

struct census {
    struct said {
        int count;     /* ints of its list */
        int next;      /* number of its next birth */
    } * said;          /* [size] */
    int total;         /* ints in `in` */
    int *in;           /* entries of all ranks, one after the other */
    int count;         /* of entry */
    const int **entry; /* [count] into in, by identity */
    int opinions;
    struct opinion *opinion; /* [opinions] */
    int known;               /* of mine */
    struct ft_comm **mine;   /* [known] by identity */
};

static uint64_t entry_id(const int *entry)
{
    uint64_t id;

    memcpy(&id, entry + AT_ID, sizeof(id));
    return id;
}

static int entry_members(const int *entry)
{
    return entry[AT_SIZE] + (entry[AT_INTER] ? entry[AT_PEERS] : 0);
}

int ft_comm_members(const struct ft_comm *comm)
{
    return comm->size + (comm->inter ? comm->peers : 0);
}

int ft_comm_is_past(const struct ft_comm *comm)
{
    return comm->handle == MPI_COMM_NULL && !comm->ghost && !comm->held;
}

int ft_comm_is_listed(const struct ft_rank *self, const struct ft_comm *comm)
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
        if (!ft_comm_is_listed(self, comm) || !ft_comm_is_past(comm))
            continue;
        DL_DELETE(self->handles->comm, comm);
        DL_APPEND(self->handles->past, comm);
    }
    DL_FOREACH (self->handles->past, comm) {
        comm->real = MPI_COMM_NULL;
        comm->ahead = comm->heard = 0;
    }
    DL_FOREACH_SAFE (self->handles->ahead, comm, next) {
        DL_DELETE(self->handles->ahead, comm);
        ft_comm_discard(comm);
    }
}

/* Writes one entry to `out` (NULL: only counts); returns its ints. */
static int entry_write(const struct ft_rank *self, const struct ft_comm *comm, int state, int *out)
{
    int peers = comm->inter ? comm->peers : 0;

    if (!out)
        return FRONT + comm->size + peers;
    memcpy(out + AT_ID, &comm->id, sizeof(comm->id));
    out[AT_LANE] = comm->lane;
    out[AT_NUMBER] = comm->number;
    out[AT_STATE] = state;
    out[AT_INTER] = comm->inter;
    out[AT_REFUSED] = comm->refused;
    out[AT_FROM] = self->rank;
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
        if (ft_comm_is_listed(self, comm))
            count += entry_write(self, comm, comm->ghost ? GHOST : LIVE, out ? out + count : NULL);
    DL_FOREACH (self->handles->past, comm)
        count += entry_write(self, comm, PAST, out ? out + count : NULL);
    DL_FOREACH (self->handles->births, comm)
        count += entry_write(self, comm, UNDER_WAY, out ? out + count : NULL);
    return count;
}

static void lists_gather(struct ft_rank *self, struct census *census)
{
    MPI_Comm runtime = self->handles->runtime;
    struct said mine = {list_write(self, NULL), self->handles->number_next};
    int *out = ft_image_alloc((size_t)(mine.count + 1) * sizeof(int));
    int *counts = ft_image_alloc(2 * (size_t)self->size * sizeof(int));
    int *places = counts + self->size;

    list_write(self, out);
    census->said = ft_image_alloc((size_t)self->size * sizeof(mine));
    ft_must(PMPI_Allgather(&mine, 2, MPI_INT, census->said, 2, MPI_INT, runtime), "PMPI_Allgather");
    for (int i = 0; i < self->size; census->total += counts[i++]) {
        counts[i] = census->said[i].count;
        places[i] = census->total;
    }
    census->in = ft_image_alloc((size_t)(census->total + 1) * sizeof(int));
    ft_must(PMPI_Allgatherv(out, mine.count, MPI_INT, census->in, counts, places, MPI_INT, runtime),
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

/* Those whose turn it is: the births that come first. */
static int turn_order(const void *a, const void *b)
{
    const struct opinion *one = *(struct opinion *const *)a, *two = *(struct opinion *const *)b;

    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    return id_order(entry_id(one->entry[0]), entry_id(two->entry[0]));
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

/* Compares with a value told before; 0 is not known yet. */
static void agree(int *value, int said, const char *what)
{
    if (*value && said && *value != said)
        ft_panic("the members of a communicator have it with %s %d and %d", what, *value, said);
    *value = said ? said : *value;
}

static int is_listed_by(const struct opinion *opinion, int rank)
{
    for (int i = 0; i < opinion->count; i++)
        if (opinion->entry[i][AT_FROM] == rank)
            return 1;
    return 0;
}

/* Has a member been through its birth, and does not know it any more? */
static int is_forgotten(const struct census *census, const struct opinion *opinion)
{
    const int *rank = opinion->entry[0] + FRONT;

    for (int i = 0; i < entry_members(opinion->entry[0]); i++)
        if (!is_listed_by(opinion, rank[i]) && census->said[rank[i]].next > opinion->number)
            return 1;
    return 0;
}

static void opinion_judge(const struct census *census, struct opinion *opinion)
{
    int in_state[STATES] = {0}, lane = 0;

    for (int i = 0; i < opinion->count; i++) {
        agree(&lane, opinion->entry[i][AT_LANE], "the lane");
        agree(&opinion->number, opinion->entry[i][AT_NUMBER], "the birth");
        in_state[opinion->entry[i][AT_STATE]]++;
    }
    if (in_state[LIVE] || (in_state[PAST] && in_state[UNDER_WAY]))
        opinion->fate = MAKE;
    else if (!in_state[PAST] || in_state[PAST] == entry_members(opinion->entry[0]))
        opinion->fate = NOTHING;
    else
        opinion->fate = is_forgotten(census, opinion) ? FORGET : TURN;
}

static void opinions_form(struct census *census)
{
    census->opinion = ft_image_alloc((size_t)(census->count + 1) * sizeof(*census->opinion));
    for (int i = 0; i < census->count; i++) {
        if (!i || entry_id(census->entry[i - 1]) != entry_id(census->entry[i]))
            census->opinion[census->opinions++].entry = census->entry + i;
        census->opinion[census->opinions - 1].count++;
    }
    for (int i = 0; i < census->opinions; i++)
        opinion_judge(census, &census->opinion[i]);
}

/* Takes the first of those that come in turn. */
static void turns_take(struct census *census)
{
    struct opinion **turn =
        ft_image_alloc((size_t)(census->opinions + 1) * sizeof(struct opinion *));
    int count = 0;

    for (int i = 0; i < census->opinions; i++)
        if (census->opinion[i].fate == TURN)
            turn[count++] = &census->opinion[i];
    qsort(turn, (size_t)count, sizeof(struct opinion *), turn_order);
    for (int i = 0; i < count && i < WAVE; i++)
        turn[i]->fate = MAKE;
    ft_image_free(turn);
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

/* A ghost for an entry with this rank at `place` of the group `here`; on no list. */
static struct ft_comm *ghost_make(const int *entry, int place, const int *here, int size,
                                  const int *there, int peers)
{
    struct ft_comm *ghost = ft_image_alloc(sizeof(*ghost));

    ghost->real = MPI_COMM_NULL;
    ghost->handle = MPI_COMM_NULL;
    ghost->hints = MPI_INFO_NULL;
    ghost->id = entry_id(entry);
    ghost->lane = entry[AT_LANE];
    ghost->number = entry[AT_NUMBER];
    ghost->refused = entry[AT_REFUSED];
    ghost->inter = entry[AT_INTER];
    ghost->rank = place;
    ghost->size = size;
    ghost->peers = ghost->inter ? peers : size;
    ghost->local = ranks_copy(here, size);
    ghost->world = ghost->inter ? ranks_copy(there, peers) : ghost->local;
    return ghost;
}

/* NULL: this rank is no member. */
static struct ft_comm *ghost_of(const struct ft_rank *self, const int *entry)
{
    int size = entry[AT_SIZE], peers = entry_members(entry) - size;
    const int *one = entry + FRONT, *two = one + size;
    int first = place_of(self, one, size), second = place_of(self, two, peers);

    if (first >= 0)
        return ghost_make(entry, first, one, size, two, peers);
    return second >= 0 ? ghost_make(entry, second, two, peers, one, size) : NULL;
}

/* The best informed one: of a birth under way the lane may be unknown. */
static const int *entry_best(const struct opinion *opinion)
{
    for (int i = 0; i < opinion->count; i++)
        if (opinion->entry[i][AT_STATE] != UNDER_WAY)
            return opinion->entry[i];
    return opinion->entry[0];
}

static void comm_raise(struct ft_rank *self, struct ft_comm *mine, const struct opinion *opinion)
{
    if (!mine) {
        mine = ghost_of(self, entry_best(opinion));
        if (!mine)
            return;
        mine->ghost = 1;
        self->handles->ghosts++;
        DL_APPEND(self->handles->comm, mine);
    } else if (ft_comm_is_past(mine)) {
        DL_DELETE(self->handles->past, mine);
        DL_APPEND(self->handles->comm, mine);
    }
}

/* A ghost that nobody has any more; an ahead one takes its place where it is needed. */
static void ghost_lay(struct ft_rank *self, struct ft_comm *mine)
{
    if (!mine || !mine->ghost)
        return;
    DL_DELETE(self->handles->comm, mine);
    self->handles->ghosts--;
    ft_comm_discard(mine);
}

static void comm_wait(struct ft_rank *self, struct ft_comm *mine, const struct opinion *opinion)
{
    if (mine && ft_comm_is_past(mine)) {
        mine->ahead = 1;
        return;
    }
    ghost_lay(self, mine);
    mine = ghost_of(self, entry_best(opinion));
    if (!mine)
        return;
    mine->ahead = 1;
    DL_APPEND(self->handles->ahead, mine);
}

static void opinion_follow(struct ft_rank *self, const struct census *census,
                           const struct opinion *opinion)
{
    uint64_t id = entry_id(opinion->entry[0]);
    struct ft_comm **found =
        bsearch(&id, census->mine, (size_t)census->known, sizeof(struct ft_comm *), comm_find);
    struct ft_comm *mine = found ? *found : NULL;

    if (opinion->fate == MAKE)
        comm_raise(self, mine, opinion);
    else if (opinion->fate == TURN)
        comm_wait(self, mine, opinion);
    else if (opinion->fate == NOTHING)
        ghost_lay(self, mine);
    else if (mine)
        mine->heard = ft_comm_members(mine);
}

void ft_census_take(struct ft_rank *self)
{
    struct census census = {0};

    past_sort(self);
    lists_gather(self, &census);
    entries_sort(&census);
    mine_sort(self, &census);
    opinions_form(&census);
    turns_take(&census);
    for (int i = 0; i < census.opinions; i++)
        opinion_follow(self, &census, &census.opinion[i]);
    ft_image_free(census.opinion);
    ft_image_free(census.mine);
    ft_image_free(census.entry);
    ft_image_free(census.in);
    ft_image_free(census.said);
}
