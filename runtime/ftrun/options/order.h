/* order: an order of --kill, the short form of a fault plan. Pure. */
#ifndef FT_ORDER_H
#define FT_ORDER_H

#include "wire/wire.h"

struct ft_kill_order {
    int rank;      /* of node: the first of its ranks, once ranks are placed */
    char node[64]; /* the whole node is lost; "": the rank dies */
    int copy;      /* of the rank (--replicas): RANK.COPY@...; 0 where none is named */
    struct ft_wire_fault fault;
    const char *text; /* as it was given */
};

/* Reads node:NAME@WHAT:N, or RANK[.COPY]@WHAT:N[:SIGNAL|:exit], and keeps it; WHAT is "hook",
 * "call", or the name of an MPI function. 0, or -EINVAL, -ENOENT when MPI has no function of that
 * name, -EDOM when the signal ends no process by default, and *out is of no use. */
int ft_order_read(const char *text, struct ft_kill_order *out);

#endif
