/* carried: with --protocol causal, outcomes of one rank that travel with a message to another node,
 * and from a survivor to ftrun: what lies between two cuts (recorder/cut.h). Behind the struct lie
 * its entries, changes and marks.
 *
 * `base` is a cut that ftrun has: the receiver may forget what goes no further. */
#ifndef FT_CARRIED_H
#define FT_CARRIED_H

#include "recorder/cut.h"

#define FT_CARRIED_MOST 1024 /* bytes of all, which each transport takes at once */

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

/* The bytes of all of it. 0: more than may travel, or no lengths that can be. */
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

/* Writes what lies between the two cuts; rank and base are the caller's, room that of
 * FT_CARRIED_MOST. Answers its bytes; 0: it is too much. */
static inline size_t ft_carried_write(const struct ft_cut_of *of, const struct ft_cut_moment *from,
                                      const struct ft_cut_moment *cut, struct ft_carried *carried)
{
    struct ft_cut_change change[FT_CUT_CHANGES];
    size_t bytes;

    carried->from = from->made;
    carried->made = cut->made;
    carried->first = from->end;
    carried->entries = cut->end - from->end;
    carried->first_mark = from->marks;
    carried->marks = cut->believed ? cut->marks - from->marks : 0;
    carried->believed = cut->believed;
    carried->changes = ft_cut_changes(of, from, cut, change);
    bytes = ft_carried_bytes(carried);
    if (!bytes)
        return 0;
    for (uint64_t i = 0; i < carried->entries; i++)
        ft_carried_entries(carried)[i] = *ft_cut_entry(of, from->end + i);
    memcpy(ft_carried_changes(carried), change, carried->changes * sizeof(change[0]));
    for (uint64_t i = 0; i < carried->marks; i++)
        ft_carried_marks(carried)[i] = of->trail[(from->marks + i) % FT_RECORDER_TRAIL];
    return bytes;
}

#endif
