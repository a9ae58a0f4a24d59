/* partition: clusters of ranks that send little to each other, because what a rank sends to another
 * cluster is logged (SPBC, section 6.1). Ranks of one node stay together: a node fails as a whole.
 *
 * METIS minimizes the total that is logged. The most that any one rank logs, which is what fills a
 * node's memory, is brought down by exchanging nodes between clusters, starting from several of its
 * partitions.
 *
 * Thread rule: none of these functions shares state. */
#ifndef FT_PARTITION_H
#define FT_PARTITION_H

#include "ftcluster/profile.h"

enum ft_partition_aim { FT_MINIMIZE_TOTAL, FT_MINIMIZE_MAX };

struct ft_partition {
    int clusters;
    int *of;        /* [ranks] cluster of each rank, from 0; clusters are numbered by lowest rank */
    double share;   /* of the ranks that roll back after one failure: the mean over all ranks */
    double total;   /* bytes logged per second by all ranks */
    double largest; /* by the rank that logs most */
    int rank;       /* that rank */
};

/* Divides the ranks of a profile into `clusters`, nodes of `per_node` consecutive ranks whole.
 * Returns 0, or -1 with a sentence in why (512 bytes). The caller calls ft_partition_free. */
int ft_partition_make(const struct ft_profile *profile, int clusters, int per_node,
                      enum ft_partition_aim aim, struct ft_partition *partition, char *why);
void ft_partition_free(struct ft_partition *partition);

#endif
