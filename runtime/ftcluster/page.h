/* page: a profile for people: a heat map of what ranks send to each other, with the clusters drawn
 * in, and what each number of clusters logs (SPBC, section 6.1).
 *
 * Thread rule: none of these functions shares state. */
#ifndef FT_PAGE_H
#define FT_PAGE_H

#include <stdio.h>
#include "ftcluster/partition.h"

struct ft_price { /* of a number of clusters; as in struct ft_partition */
    int clusters;
    double share, total, largest;
};

/* Effect: writes one HTML page that needs nothing but itself. `chosen` is the partition to draw;
 * prices are ordered by clusters, and its number is among them. More ranks than cells on a side of
 * the map are drawn in groups. Returns 0; -1: no memory, or it could not be written (errno). */
int ft_cluster_page(FILE *out, const char *title, const struct ft_profile *profile,
                    const struct ft_partition *chosen, const struct ft_price *prices, int count);

#endif
