/* memory: the tables behind a flow's memory. Private to object.c and memory.c.
 *
 * Thread rule: as flow.h. */
#ifndef AN_FLOW_MEMORY_H
#define AN_FLOW_MEMORY_H

#include "analysis/flow/flow.h"

enum { AN_FLOW_ELEMENTS = 16 }; /* that have cells of their own, in each array */

struct an_flow_memory {
    struct an_flow_bytes *newest;
    struct an_flow_object *objects;
    unsigned object_count;
    struct an_flow_cell *cells;
    unsigned cell_count;
    struct an_flow_set **sets;
    unsigned set_count;
    struct an_flow_entry *object_table, *cell_table, *set_table, *text_table;
    const char **names; /* by number */
    unsigned name_count;
};

/* The number of a cell, which is made if need be. */
unsigned an_flow_cell_find(struct an_flow *flow, unsigned object, const char *field, int element);
/* The same, or 0 when there is no such cell yet. */
unsigned an_flow_cell_look(struct an_flow *flow, unsigned object, const char *field, int element);
/* The places that the initialiser of a variable of static storage names, a set, or 0. */
unsigned an_flow_initial(struct an_flow *flow, unsigned object);

#endif
