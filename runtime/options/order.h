/* order: a kill order of the command line (--kill). Pure. */
#ifndef FT_ORDER_H
#define FT_ORDER_H

#include "wire/wire.h"

struct ft_kill_order {
    int rank;
    struct ft_wire_kill kill;
    const char *text; /* as it was given */
};

/* Reads RANK@WHAT:N[:SIGNAL|:exit], and keeps it; WHAT is "hook", "call", or the name of an MPI
 * function. 0, or -EINVAL, -ENOENT when MPI has no function of that name, -EDOM when the
 * signal ends no process by default, and *out is of no use. */
int ft_order_read(const char *text, struct ft_kill_order *out);

#endif
