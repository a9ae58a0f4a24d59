/* Recursive halving: the data is cut into as many pieces as there are new ranks; at each step a
 * rank keeps one half of what it has, gives the other half to its partner, and combines what comes
 * in with what it keeps. In the end it has one piece of the result.
 *
 *     edge[i]   first element of piece i; edge[power] = count
 *     near      partners are 1, 2, 4, ... apart; otherwise power/2, ..., 2, 1: then rank i has
 *               piece i */
#include "coll/halving.h"

static void *at(const struct ft_combine *combine, const void *buffer, int element)
{
    return (char *)(uintptr_t)buffer + element * combine->extent;
}

static void piece_send(struct ft_rank *self, const struct ft_combine *combine, const void *acc,
                       int from, int to, int rank)
{
    if (to > from)
        ft_schedule_send(self, combine->schedule, at(combine, acc, from), to - from, combine->type,
                         combine->group.world[rank]);
}

static void piece_receive(struct ft_rank *self, const struct ft_combine *combine, void *acc,
                          int from, int to, int rank)
{
    if (to > from)
        ft_schedule_receive(self, combine->schedule, at(combine, acc, from), to - from,
                            combine->type, combine->group.world[rank]);
}

/* Answers the piece that this rank has in the end. */
static int halve(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                 void *acc, const int *edge, int near)
{
    void *incoming = ft_combine_incoming(self, combine);
    int base = 0;

    for (int width = fold->power / 2; width; width /= 2) {
        int mask = near ? fold->power / 2 / width : width;
        int upper = (fold->rank & mask) != 0, peer = ft_fold_rank(fold, fold->rank ^ mask);
        int keep = upper ? base + width : base, give = upper ? base : base + width;

        piece_receive(self, combine, incoming, edge[keep], edge[keep + width], peer);
        piece_send(self, combine, acc, edge[give], edge[give + width], peer);
        ft_schedule_round(self, combine->schedule);
        if (edge[keep + width] > edge[keep])
            ft_schedule_reduce(self, combine->schedule, at(combine, incoming, edge[keep]),
                               at(combine, acc, edge[keep]), edge[keep + width] - edge[keep],
                               combine->type, combine->op);
        base = keep;
    }
    return base;
}

/* The piece that a new rank has after halving with near partners. */
static int piece_of(const struct ft_fold *fold, int rank)
{
    int piece = 0;

    for (int mask = 1; mask < fold->power; mask *= 2)
        if (rank & mask)
            piece += fold->power / 2 / mask;
    return piece;
}

/* Pieces of equal length; the first ones have one element more. */
static int *edges_even(const struct ft_combine *combine, const struct ft_fold *fold)
{
    int *edge = ft_image_alloc(((size_t)fold->power + 1) * sizeof(*edge));
    int length = combine->count / fold->power, rest = combine->count % fold->power;

    for (int i = 0; i < fold->power; i++)
        edge[i + 1] = edge[i] + length + (i < rest);
    return edge;
}

void ft_halving_all(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                    void *acc)
{
    int *edge, mine;

    if (fold->rank < 0)
        return;
    edge = edges_even(combine, fold);
    mine = halve(self, combine, fold, acc, edge, 1);
    for (int i = 0; i < fold->power; i++) {
        int piece = piece_of(fold, i);

        if (i != fold->rank)
            piece_receive(self, combine, acc, edge[piece], edge[piece + 1], ft_fold_rank(fold, i));
    }
    for (int i = 0; i < fold->power; i++)
        if (i != fold->rank)
            piece_send(self, combine, acc, edge[mine], edge[mine + 1], ft_fold_rank(fold, i));
    ft_schedule_round(self, combine->schedule);
    ft_image_free(edge);
}

void ft_halving_root(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                     void *acc, int root)
{
    int *edge = edges_even(combine, fold), mine = -1;

    if (fold->rank >= 0)
        mine = halve(self, combine, fold, acc, edge, 1);
    if (combine->group.rank != root && mine >= 0)
        piece_send(self, combine, acc, edge[mine], edge[mine + 1], root);
    for (int i = 0; i < fold->power && combine->group.rank == root; i++) {
        int piece = piece_of(fold, i);

        if (i != fold->rank)
            piece_receive(self, combine, acc, edge[piece], edge[piece + 1], ft_fold_rank(fold, i));
    }
    ft_schedule_round(self, combine->schedule);
    ft_image_free(edge);
}

/* The elements of new rank i are those of the ranks it stands for. */
static int *edges_of(const struct ft_fold *fold, const int *counts)
{
    int *edge = ft_image_alloc(((size_t)fold->power + 1) * sizeof(*edge));

    for (int i = 0; i < fold->power; i++) {
        int rank = ft_fold_rank(fold, i);

        edge[i + 1] = edge[i] + counts[rank] + (i < fold->pairs ? counts[rank - 1] : 0);
    }
    return edge;
}

static int place_of(const int *counts, int rank)
{
    int place = 0;

    for (int i = 0; i < rank; i++)
        place += counts[i];
    return place;
}

static void scatter_halving(struct ft_rank *self, struct ft_combine *combine, const void *from,
                            void *result, const int *counts)
{
    struct ft_fold fold = ft_fold_make(&combine->group);
    struct ft_schedule *schedule = combine->schedule;
    int rank = combine->group.rank, place = place_of(counts, rank), *edge;
    void *acc = ft_schedule_buffer(self, schedule, combine->count, combine->type);

    ft_schedule_copy(self, schedule, from, combine->count, combine->type, acc, combine->count,
                     combine->type);
    ft_fold_enter(self, combine, &fold, acc);
    if (fold.rank >= 0) {
        edge = edges_of(&fold, counts);
        halve(self, combine, &fold, acc, edge, 0);
        ft_image_free(edge);
        if (counts[rank])
            ft_schedule_copy(self, schedule, at(combine, acc, place), counts[rank], combine->type,
                             result, counts[rank], combine->type);
    }
    if (rank >= 2 * fold.pairs)
        return;
    if (rank % 2)
        piece_send(self, combine, acc, place - counts[rank - 1], place, rank - 1);
    else
        piece_receive(self, combine, result, 0, counts[rank], rank + 1);
}

/* Each rank collects its own elements from one rank after the other. */
static void scatter_pairwise(struct ft_rank *self, struct ft_combine *combine, const void *from,
                             void *result, const int *counts)
{
    struct ft_schedule *schedule = combine->schedule;
    int rank = combine->group.rank, size = combine->group.size, mine = counts[rank];
    void *acc = ft_schedule_buffer(self, schedule, mine, combine->type);
    void *incoming = ft_schedule_buffer(self, schedule, mine, combine->type);

    if (mine)
        ft_schedule_copy(self, schedule, at(combine, from, place_of(counts, rank)), mine,
                         combine->type, acc, mine, combine->type);
    for (int i = 1; i < size; i++) {
        int to = (rank + i) % size, place = place_of(counts, to);

        piece_receive(self, combine, incoming, 0, mine, (rank - i + size) % size);
        piece_send(self, combine, from, place, place + counts[to], to);
        ft_schedule_round(self, schedule);
        if (mine)
            ft_schedule_reduce(self, schedule, incoming, acc, mine, combine->type, combine->op);
    }
    if (mine)
        ft_schedule_copy(self, schedule, acc, mine, combine->type, result, mine, combine->type);
}

#define PAIRWISE 524288 /* bytes: from here on, each rank fetches its own elements alone */

void ft_combine_scatter(struct ft_rank *self, struct ft_combine *combine, const void *from,
                        void *result, const int *counts, long long size)
{
    if (size < PAIRWISE)
        scatter_halving(self, combine, from, result, counts);
    else
        scatter_pairwise(self, combine, from, result, counts);
}
