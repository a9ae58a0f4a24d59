/* entries: the ring of determinants as the files of this room see it. Nobody outside includes this.
 */
#ifndef FT_ENTRIES_H
#define FT_ENTRIES_H

#include "determinant/determinant.h"

static inline struct ft_determinants *ft_entries_of(const struct ft_rank *self)
{
    return self->spbc->determinants;
}

static inline struct ft_determinant *ft_entry(const struct ft_determinants *all, uint64_t at)
{
    return &all->ring[at & (all->capacity - 1)];
}

/* How many lie between the oldest that an image may need and the end. */
static inline uint64_t ft_entries_used(const struct ft_rank *self)
{
    return ft_entries_of(self)->end - self->recorder->determinants_kept;
}

/* The next entry of this order to give again, or NULL when nothing is owed. It is of this call. The
 * run ends when entries of other orders alone are owed. clock: of the order, or FT_CLOCKS. */
struct ft_determinant *ft_entries_expected(struct ft_rank *self, struct ft_determinant_order *order,
                                           unsigned clock);
/* The entry at order->at has been given again. */
void ft_entries_given(struct ft_determinants *all, struct ft_determinant_order *order);
/* Writes one of this order at the end; it does not count yet. Its call is this one, or FT_CALL_ANY.
 */
void ft_entries_put(struct ft_rank *self, struct ft_determinant_order *order,
                    struct ft_determinant outcome);
/* From here on what was put survives this process. */
void ft_entries_publish(struct ft_rank *self);
/* Asks ftrun for a checkpoint, because room comes with the oldest that is dropped. */
void ft_entries_ask(void);

#endif
