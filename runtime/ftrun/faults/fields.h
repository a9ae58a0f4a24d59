/* fields: one table of the fields of fault.at, fault.after and fault.random, and what each may be.
 */
#ifndef FT_FIELDS_H
#define FT_FIELDS_H

#include <lua.h>
#include "faults/faults.h"
#include "points/points.h"

struct ft_plan_reader {
    const struct ft_fault_job *job;
    struct ft_faults *faults;
    struct ft_fault_point *points; /* of the program */
    size_t point_count;
    char why[512];
};

struct ft_plan_order {
    struct ft_wire_fault fault;
    uint8_t *chosen; /* [ranks] Lua's memory */
    int named;       /* ranks were chosen by the plan */
};

/* Reads the table at the index `table` (none or nil: no fields), whose point is in order->fault.
 * Raises an error of Lua with the field and what was expected. */
void ft_plan_fields(lua_State *lua, struct ft_plan_reader *reader, int table,
                    struct ft_plan_order *order);
/* Likewise the fields of fault.after (timed) and fault.random. */
void ft_plan_victims(lua_State *lua, struct ft_plan_reader *reader, int table,
                     struct ft_fault_clock *clock);
/* Raises an error of Lua that names the nearest word. `words` ends with NULL. */
_Noreturn void ft_plan_unknown(lua_State *lua, const char *what, const char *word,
                               const char *const *words);

#endif
