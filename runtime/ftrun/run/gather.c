/* gather: the collective clock, seen from the coordinator.
 *
 * Clocks only grow, so a report of a rank that has been released since is still a lower bound, and
 * is kept. Invariant of a freeze, unless loose: for every communicator c and held ranks p, q that
 * are members of c, clock(p, c) == clock(q, c): no member has entered a collective that another has
 * not, unless that one is in MPI_Finalize. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "run/gather.h"

struct member {
    int held;                     /* between GATE and an order */
    int excused;                  /* nobody waits for it */
    int missed;                   /* was not held when the last rest began */
    uint32_t waiting;             /* enum ft_waiting: held inside a wait */
    uint32_t generation;          /* answered last */
    struct ft_wire_clock *clocks; /* of the last complete report */
    size_t count;
    struct ft_wire_clock *partial; /* of a report whose end has not come */
    size_t partial_count;
};

struct highest { /* the highest clock seen on a communicator */
    uint64_t comm, clock;
    UT_hash_handle hh;
};

struct ft_gather {
    int size;
    int loose;
    int ticks;              /* since the last progress */
    int waited;             /* ticks since somebody is held, while others do not come */
    int rest, longest;      /* ticks that are left of a rest; of the next one */
    struct member *members; /* [size] */
    struct highest *table;  /* hash by comm, rebuilt by each decision */
};

struct ft_gather *ft_gather_create(int size, int loose)
{
    struct ft_gather *gather = calloc(1, sizeof(*gather));

    if (!gather)
        return NULL;
    gather->size = size;
    gather->loose = loose;
    gather->members = calloc((size_t)size, sizeof(*gather->members));
    if (gather->members)
        return gather;
    free(gather);
    return NULL;
}

static void forget_table(struct ft_gather *gather)
{
    struct highest *entry, *next;

    HASH_ITER (hh, gather->table, entry, next) {
        HASH_DEL(gather->table, entry);
        free(entry);
    }
}

static void forget_member(struct member *member)
{
    free(member->clocks);
    free(member->partial);
    memset(member, 0, sizeof(*member));
}

void ft_gather_begin(struct ft_gather *gather)
{
    for (int i = 0; i < gather->size; i++)
        forget_member(&gather->members[i]);
    forget_table(gather);
    gather->ticks = gather->waited = gather->rest = 0;
    gather->longest = FT_GATHER_REST;
}

void ft_gather_destroy(struct ft_gather *gather)
{
    if (!gather)
        return;
    ft_gather_begin(gather);
    free(gather->members);
    free(gather);
}

void ft_gather_excuse(struct ft_gather *gather, int rank)
{
    forget_member(&gather->members[rank]);
    gather->members[rank].excused = 1;
}

int ft_gather_report(struct ft_gather *gather, int rank, const struct ft_wire_gate *gate,
                     const struct ft_wire_clock *clocks)
{
    struct member *member = &gather->members[rank];
    size_t count = member->partial_count + gate->count;
    struct ft_wire_clock *all = realloc(member->partial, (count + 1) * sizeof(*all));

    if (!all)
        return -ENOMEM;
    if (gate->count)
        memcpy(all + member->partial_count, clocks, gate->count * sizeof(*all));
    member->partial = all;
    member->partial_count = count;
    if (gate->more)
        return 0;
    free(member->clocks);
    member->clocks = all;
    member->count = count;
    member->partial = NULL;
    member->partial_count = 0;
    member->held = 1;
    if (member->missed)
        gather->rest = 0;
    member->waiting = gate->waiting;
    member->generation = gate->generation;
    return 0;
}

/* Raises the highest clock of a communicator. Without memory the answer is "unknown": 0. */
static int raise_clock(struct ft_gather *gather, uint64_t comm, uint64_t clock)
{
    struct highest *entry;

    HASH_FIND(hh, gather->table, &comm, sizeof(comm), entry);
    if (!entry) {
        if (!(entry = calloc(1, sizeof(*entry))))
            return 0;
        entry->comm = comm;
        HASH_ADD(hh, gather->table, comm, sizeof(entry->comm), entry);
    }
    if (entry->clock < clock)
        entry->clock = clock;
    return 1;
}

static int collect_clocks(struct ft_gather *gather, const struct ft_gather_block *blocks)
{
    int known = 1;

    forget_table(gather);
    for (int i = 0; i < gather->size; i++) {
        const struct member *member = &gather->members[i];

        for (size_t c = 0; !gather->loose && c < member->count; c++)
            known &= raise_clock(gather, member->clocks[c].comm, member->clocks[c].clock);
        if (!member->held && !member->excused && blocks[i].blocked)
            known &= raise_clock(gather, blocks[i].comm, blocks[i].clock);
    }
    return known;
}

/* Will it enter a collective that others are in? In MPI_Finalize never: clocks differ there after a
 * collective that failed at some of its ranks only. */
static int is_behind(const struct ft_gather *gather, const struct member *member)
{
    if (member->waiting == FT_WAITING_END)
        return 0;
    for (size_t c = 0; c < member->count; c++) {
        struct highest *entry;

        HASH_FIND(hh, gather->table, &member->clocks[c].comm, sizeof(uint64_t), entry);
        if (entry && member->clocks[c].clock < entry->clock)
            return 1;
    }
    return 0;
}

static void order_rank(struct ft_gather *gather, int rank, enum ft_gather_order order,
                       enum ft_gather_order *orders)
{
    orders[rank] = order;
    gather->members[rank].held = 0;
}

int ft_gather_decide(struct ft_gather *gather, const struct ft_gather_block *blocks,
                     enum ft_gather_order *orders)
{
    int known = collect_clocks(gather, blocks), all = known;

    memset(orders, 0, (size_t)gather->size * sizeof(*orders));
    for (int i = 0; i < gather->size; i++) {
        if (gather->members[i].held && is_behind(gather, &gather->members[i]))
            order_rank(gather, i, FT_GATHER_RELEASE, orders);
        all &= gather->members[i].held || gather->members[i].excused;
    }
    for (int i = 0; all && i < gather->size; i++) {
        if (gather->members[i].held)
            order_rank(gather, i, FT_GATHER_FREEZE, orders);
    }
    return all;
}

/* Is a rank that is not held inside the library, or was one just found to be behind? */
static int is_stuck(const struct ft_gather *gather, const struct ft_gather_block *blocks)
{
    for (int i = 0; i < gather->size; i++) {
        const struct member *member = &gather->members[i];

        if (!member->held && !member->excused && (blocks[i].blocked || is_behind(gather, member)))
            return 1;
    }
    return 0;
}

static void release_all(struct ft_gather *gather, enum ft_gather_order *orders)
{
    for (int i = 0; i < gather->size; i++) {
        if (gather->members[i].held)
            order_rank(gather, i, FT_GATHER_RELEASE, orders);
    }
}

/* Is somebody held, and somebody else outside of MPI? */
static int is_waiting(const struct ft_gather *gather, const struct ft_gather_block *blocks)
{
    int held = 0, outside = 0;

    for (int i = 0; i < gather->size; i++) {
        const struct member *member = &gather->members[i];

        held |= member->held;
        outside |= !member->held && !member->excused && blocks[i].outside;
    }
    return held && outside;
}

/* Is somebody awaited for so long that the others should get on meanwhile? They may have a long way
 * to what it waits for. */
static int is_stretched(struct ft_gather *gather, const struct ft_gather_block *blocks)
{
    gather->waited = is_waiting(gather, blocks) ? gather->waited + 1 : 0;
    if (gather->waited < FT_GATHER_STRETCH)
        return 0;
    gather->waited = 0;
    gather->rest = gather->longest;
    gather->longest *= gather->longest < FT_GATHER_STRETCH / 2 ? 2 : 1;
    for (int i = 0; i < gather->size; i++)
        gather->members[i].missed = !gather->members[i].held;
    return 1;
}

int ft_gather_tick(struct ft_gather *gather, const struct ft_gather_block *blocks,
                   enum ft_gather_order *orders)
{
    if (ft_gather_decide(gather, blocks, orders))
        return 1;
    gather->rest -= gather->rest > 0;
    if (is_stretched(gather, blocks)) {
        release_all(gather, orders);
    } else if (is_stuck(gather, blocks) && ++gather->ticks >= FT_GATHER_PATIENCE) {
        gather->ticks = 0;
        release_all(gather, orders);
    }
    return 0;
}

int ft_gather_rests(const struct ft_gather *gather)
{
    return gather->rest > 0;
}

int ft_gather_holds(const struct ft_gather *gather, int rank)
{
    return gather->members[rank].held;
}

int ft_gather_waits(const struct ft_gather *gather, int rank)
{
    return gather->members[rank].waiting != FT_WAITING_NOT;
}

uint32_t ft_gather_generation(const struct ft_gather *gather, int rank)
{
    return gather->members[rank].generation;
}
