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

/* The word that holds the number of determinants in the ring. The rank's next process and its other
 * copy (--replicas) read it. */
static inline uint64_t *ft_entries_published(const struct ft_rank *self)
{
    return ft_unlikely(ft_life.pair != NULL) ? &ft_life.pair->determinants
                                             : &self->recorder->determinants;
}

/* How many lie between the oldest that an image may need and the end. */
static inline uint64_t ft_entries_used(const struct ft_rank *self)
{
    uint64_t kept =
        ft_unlikely(ft_life.pair != NULL) ? ft_life.pair->kept : self->recorder->determinants_kept;

    return ft_entries_of(self)->end - kept;
}

/* The next entry of this order to give again, or NULL when nothing is owed. It is of this call. The
 * run ends when entries of other orders alone are owed. clock: of the order, or FT_CLOCKS. */
struct ft_determinant *ft_entries_expected(struct ft_rank *self, struct ft_determinant_order *order,
                                           unsigned clock);
/* Does this entry belong to the order of this clock (FT_CLOCKS: of no clock)? */
int ft_entry_is_of(const struct ft_determinant *entry, unsigned clock);
/* Goes on to the next entry of this order. Answers 0 when there is none. */
int ft_order_next(const struct ft_determinants *all, struct ft_determinant_order *order,
                  unsigned clock);
/* Takes the entries that were published since the last look, up to `end`. */
void ft_entries_take(struct ft_determinants *all, uint64_t end);
/* The entry at order->at has been given again. */
void ft_entries_given(struct ft_determinants *all, struct ft_determinant_order *order);
/* Writes one of this order at the end; it does not count yet. Its call is this one, or FT_CALL_ANY.
 */
void ft_entries_put(struct ft_rank *self, struct ft_determinant_order *order,
                    struct ft_determinant outcome);
/* From here on what was put survives this process. */
void ft_entries_publish(struct ft_rank *self);
/* In a life that begins: does the rank follow its other copy? Then ft_follow_begin, when all is
 * taken. */
int ft_follow_wanted(void);
void ft_follow_begin(struct ft_determinants *all, int follows);
#endif
