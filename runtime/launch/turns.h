/* turns: an access of a file, as turns.c and doubt.c know it. Thread rule: single threaded. */
#ifndef FT_LAUNCH_TURNS_H
#define FT_LAUNCH_TURNS_H

#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "files/format.h"

struct ft_access {
    UT_hash_handle hh; /* by what begins with `moment` */
    uint64_t time;     /* struct ft_undo_access */
    enum ft_access_change change;
    enum ft_access_needs needs;
    int late;    /* struct ft_undo_access */
    int old;     /* it was known when ranks went back before */
    int covered; /* ft_turns_sort */
    uint32_t number;
    int waits, waited;   /* for one before it; one behind it waits for this one */
    size_t place, first; /* in `sorted`: its own, and that of the path's first one */
    size_t open;         /* of the path's first one: the ones before this place are over */
    uint64_t moment, look;
    int rank;
    char path[];
};

#endif
