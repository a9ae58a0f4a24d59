/* Slots of handles. Invariant: a slot is free exactly when its object is NULL, and then it is in
 * the chain that starts at table->unused. */
#include <limits.h>
#include "handle/handles.h"

static uint32_t slot_bits(const struct ft_table *table, uint32_t index)
{
    return table->byte << 24 | (table->slot[index].age & 15) << 20 | index;
}

static uint32_t slot_new(struct ft_table *table)
{
    if (table->count == FT_TABLE_SLOTS)
        ft_panic("more than %u live MPI handles of one kind: free some of them", FT_TABLE_SLOTS);
    if (table->count == table->room) {
        table->room = table->room ? 2 * table->room : 16;
        table->slot = ft_image_realloc(table->slot, table->room * sizeof(*table->slot));
    }
    table->slot[table->count] = (struct ft_slot){0};
    return table->count++;
}

uint32_t ft_table_add(struct ft_table *table, void *object)
{
    uint32_t index = table->unused;

    if (index == FT_TABLE_SLOTS)
        index = slot_new(table);
    else
        table->unused = table->slot[index].next;
    table->slot[index].object = object;
    return slot_bits(table, index);
}

void *ft_table_find(const struct ft_table *table, uint32_t bits)
{
    uint32_t index = bits & (FT_TABLE_SLOTS - 1);

    if (bits >> 24 != table->byte || index >= table->count || slot_bits(table, index) != bits)
        return NULL;
    return table->slot[index].object;
}

void ft_table_replace(struct ft_table *table, uint32_t bits, void *object)
{
    table->slot[bits & (FT_TABLE_SLOTS - 1)].object = object;
}

void ft_table_remove(struct ft_table *table, uint32_t bits)
{
    uint32_t index = bits & (FT_TABLE_SLOTS - 1);

    table->slot[index].object = NULL;
    table->slot[index].age++;
    table->slot[index].next = table->unused;
    table->unused = index;
}
