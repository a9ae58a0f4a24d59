/* carried: with --protocol causal, outcomes of one rank that travel with a message to another node,
 * and from a survivor to ftrun: what lies between two cuts (recorder/cut.h). Behind the struct lie
 * its entries, changes and marks.
 *
 * `base` is a cut that ftrun has: the receiver may forget what goes no further. */
#ifndef FT_CARRIED_H
#define FT_CARRIED_H

#include "recorder/cut.h"

#define FT_CARRIED_MOST 8192 /* bytes of all */

struct ft_carried {
    int32_t rank; /* whose they are */
    uint32_t pad;
    uint64_t base, from, made;  /* changes at each cut (protocol/logged.h) */
    uint64_t first, entries;    /* number of the first entry, and how many there are */
    uint64_t first_mark, marks; /* likewise */
    uint64_t changes, believed; /* how many there are; 0: the marks are not needed */
};

static inline struct ft_determinant *ft_carried_entries(const struct ft_carried *carried)
{
    return (struct ft_determinant *)(uintptr_t)(carried + 1);
}

static inline struct ft_cut_change *ft_carried_changes(const struct ft_carried *carried)
{
    return (struct ft_cut_change *)(void *)(ft_carried_entries(carried) + carried->entries);
}

static inline uint32_t *ft_carried_marks(const struct ft_carried *carried)
{
    return (uint32_t *)(void *)(ft_carried_changes(carried) + carried->changes);
}

/* Of all of it. 0: more than may travel, or no lengths that can be. */
static inline size_t ft_carried_bytes(const struct ft_carried *carried)
{
    size_t bytes;

    if (carried->entries > FT_CARRIED_MOST || carried->changes > FT_CUT_CHANGES ||
        carried->marks > FT_CARRIED_MOST)
        return 0;
    bytes = sizeof(*carried) + carried->entries * sizeof(struct ft_determinant) +
            carried->changes * sizeof(struct ft_cut_change) + carried->marks * sizeof(uint32_t);
    return bytes <= FT_CARRIED_MOST ? bytes : 0;
}

#endif
