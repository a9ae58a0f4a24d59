/* slot: what a slot process tells ftrun, in one message of the wire: type PMI, struct
 * ft_slot_hello, the variables as "NAME=VALUE\0" in the tail, and the PMI descriptor. */
#ifndef FT_SLOT_H
#define FT_SLOT_H

#include <stdint.h>

struct ft_slot_hello {
    uint32_t epoch;
    int32_t rank;
    uint32_t count; /* variables in the tail */
    uint32_t pad;
};

#endif
