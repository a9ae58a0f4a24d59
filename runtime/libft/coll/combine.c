/* Reductions for one and for all: binomial tree, recursive doubling, and for large data recursive
 * halving with an exchange of the pieces (Rabenseifner 2004).
 *
 * If the number of ranks is no power of two, the first ranks fold in pairs: the even rank of a pair
 * sends its data to the odd rank, which takes part for both. The rest has `power` new ranks. */
#include "coll/combine.h"
#include "coll/halving.h"
#include "coll/quick.h"

#define LARGE 2048 /* bytes: above, a reduction is cut into pieces */

struct ft_combine ft_combine_make(struct ft_rank *self, struct ft_schedule *schedule,
                                  const struct ft_group_view *group, int count, MPI_Datatype type,
                                  MPI_Op op)
{
    struct ft_shape shape = ft_shape_of(self, type);

    return (struct ft_combine){.schedule = schedule,
                               .group = *group,
                               .count = count,
                               .type = type,
                               .op = op,
                               .extent = shape.extent,
                               .bytes = (long long)count * shape.size,
                               .commutes = ft_op_commutes(self, op),
                               .splits = ft_handle_bits(op) >> 24 != FT_OP_BYTE};
}

void *ft_combine_incoming(struct ft_rank *self, struct ft_combine *combine)
{
    if (!combine->incoming)
        combine->incoming =
            ft_schedule_buffer(self, combine->schedule, combine->count, combine->type);
    return combine->incoming;
}

static void send_all(struct ft_rank *self, const struct ft_combine *combine, const void *acc,
                     int rank)
{
    ft_schedule_send(self, combine->schedule, acc, combine->count, combine->type,
                     combine->group.world[rank]);
}

static void receive_all(struct ft_rank *self, const struct ft_combine *combine, void *buffer,
                        int rank)
{
    ft_schedule_receive(self, combine->schedule, buffer, combine->count, combine->type,
                        combine->group.world[rank]);
}

/* acc = acc and what came in; below: what came in is of lower ranks. */
static void merge(struct ft_rank *self, const struct ft_combine *combine, void *acc, int below)
{
    struct ft_schedule *schedule = combine->schedule;
    int count = combine->count;

    if (combine->commutes || below) {
        ft_schedule_reduce(self, schedule, combine->incoming, acc, count, combine->type,
                           combine->op);
        return;
    }
    ft_schedule_reduce(self, schedule, acc, combine->incoming, count, combine->type, combine->op);
    ft_schedule_copy(self, schedule, combine->incoming, count, combine->type, acc, count,
                     combine->type);
}

struct ft_fold ft_fold_make(const struct ft_group_view *group)
{
    struct ft_fold fold = {.power = 1};

    while (2 * fold.power <= group->size)
        fold.power *= 2;
    fold.pairs = group->size - fold.power;
    fold.rank = group->rank - fold.pairs;
    if (group->rank < 2 * fold.pairs)
        fold.rank = group->rank % 2 ? group->rank / 2 : -1;
    return fold;
}

int ft_fold_rank(const struct ft_fold *fold, int rank)
{
    return rank < fold->pairs ? 2 * rank + 1 : rank + fold->pairs;
}

void ft_fold_enter(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                   void *acc)
{
    int rank = combine->group.rank;

    ft_combine_incoming(self, combine);
    if (rank >= 2 * fold->pairs)
        return;
    if (rank % 2 == 0) {
        send_all(self, combine, acc, rank + 1);
        ft_schedule_round(self, combine->schedule);
        return;
    }
    receive_all(self, combine, combine->incoming, rank - 1);
    ft_schedule_round(self, combine->schedule);
    merge(self, combine, acc, 1);
}

/* All have everything: the result goes back to the folded ranks. */
static void fold_leave(struct ft_rank *self, const struct ft_combine *combine,
                       const struct ft_fold *fold, void *acc)
{
    int rank = combine->group.rank;

    if (rank >= 2 * fold->pairs)
        return;
    if (rank % 2)
        send_all(self, combine, acc, rank - 1);
    else
        receive_all(self, combine, acc, rank + 1);
}

static void doubling(struct ft_rank *self, const struct ft_combine *combine,
                     const struct ft_fold *fold, void *acc)
{
    for (int mask = 1; fold->rank >= 0 && mask < fold->power; mask *= 2) {
        int peer = ft_fold_rank(fold, fold->rank ^ mask);

        receive_all(self, combine, combine->incoming, peer);
        send_all(self, combine, acc, peer);
        ft_schedule_round(self, combine->schedule);
        merge(self, combine, acc, peer < combine->group.rank);
    }
}

/* Is it worth while, and allowed, to cut the data into pieces? */
static int is_cut(const struct ft_combine *combine, const struct ft_fold *fold, int limit)
{
    return combine->splits && combine->bytes > limit && combine->count >= fold->power;
}

void ft_combine_all(struct ft_rank *self, struct ft_combine *combine, void *acc)
{
    struct ft_fold fold = ft_fold_make(&combine->group);

    if (combine->group.size == 1 || combine->bytes == 0)
        return;
    ft_fold_enter(self, combine, &fold, acc);
    if (is_cut(combine, &fold, FT_QUICK_BYTES))
        ft_halving_all(self, combine, &fold, acc);
    else
        doubling(self, combine, &fold, acc);
    fold_leave(self, combine, &fold, acc);
}

static void binomial(struct ft_rank *self, struct ft_combine *combine, void *acc, int root)
{
    int size = combine->group.size;
    int relative = (combine->group.rank - root + size) % size;

    for (int mask = 1; mask < size; mask *= 2) {
        if (relative & mask) {
            send_all(self, combine, acc, ((relative & ~mask) + root) % size);
            ft_schedule_round(self, combine->schedule);
            return;
        }
        if ((relative | mask) >= size)
            continue;
        receive_all(self, combine, ft_combine_incoming(self, combine),
                    ((relative | mask) + root) % size);
        ft_schedule_round(self, combine->schedule);
        merge(self, combine, acc, 0);
    }
}

void ft_combine_root(struct ft_rank *self, struct ft_combine *combine, void *acc, int root,
                     int high)
{
    struct ft_fold fold = ft_fold_make(&combine->group);
    int top = combine->commutes && !(high && combine->bytes > LARGE) ? root : 0;

    if (combine->group.size == 1 || combine->bytes == 0)
        return;
    if (is_cut(combine, &fold, LARGE)) {
        ft_fold_enter(self, combine, &fold, acc);
        ft_halving_root(self, combine, &fold, acc, root);
        return;
    }
    binomial(self, combine, acc, top);
    if (top == root)
        return;
    if (combine->group.rank == top)
        send_all(self, combine, acc, root);
    else if (combine->group.rank == root)
        receive_all(self, combine, acc, top);
    ft_schedule_round(self, combine->schedule);
}

/* Recursive doubling. acc holds what this rank's block of `mask` ranks gives. */
void ft_combine_scan(struct ft_rank *self, struct ft_combine *combine, void *acc, void *result,
                     int exclusive)
{
    struct ft_schedule *schedule = combine->schedule;
    int rank = combine->group.rank, started = !exclusive;

    ft_combine_incoming(self, combine);
    for (int mask = 1; mask < combine->group.size && combine->bytes; mask *= 2) {
        int peer = rank ^ mask;

        if (peer >= combine->group.size)
            continue;
        receive_all(self, combine, combine->incoming, peer);
        send_all(self, combine, acc, peer);
        ft_schedule_round(self, schedule);
        if (peer < rank && started)
            ft_schedule_reduce(self, schedule, combine->incoming, result, combine->count,
                               combine->type, combine->op);
        else if (peer < rank)
            ft_schedule_copy(self, schedule, combine->incoming, combine->count, combine->type,
                             result, combine->count, combine->type);
        started |= peer < rank;
        merge(self, combine, acc, peer < rank);
    }
}
