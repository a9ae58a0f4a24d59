/* halving: the reductions that cut the data into pieces; and the folding into a power of two ranks.
 * Private to the room. Operations commute here.
 *
 * Thread rule: as all wrappers, one thread at a time. */
#ifndef FT_COLL_HALVING_H
#define FT_COLL_HALVING_H

#include "coll/combine.h"

struct ft_fold {
    int power; /* how many new ranks there are */
    int pairs; /* the first new ranks stand for two */
    int rank;  /* this process's new rank, -1: another stands for it */
};

struct ft_fold ft_fold_make(const struct ft_group_view *group);
/* The rank of a new rank. */
int ft_fold_rank(const struct ft_fold *fold, int rank);
/* Folded ranks give acc away; the others have combined it. */
void ft_fold_enter(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                   void *acc);

/* Room for what comes in. */
void *ft_combine_incoming(struct ft_rank *self, struct ft_combine *combine);

/* The pieces that each new rank has combined in acc become the result on all new ranks; on root
 * alone (a rank of the group, perhaps a folded one). */
void ft_halving_all(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                    void *acc);
void ft_halving_root(struct ft_rank *self, struct ft_combine *combine, const struct ft_fold *fold,
                     void *acc, int root);

#endif
