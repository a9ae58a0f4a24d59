/* cut: one moment of what a rank has recorded, as another process of its node sees it: the
 * outcomes, those counts of open entries (recorder/entry.h), and the marks of the trail, if there
 * is an outcome that only a mark tells of (--trust). So a life that begins with them is like one
 * behind a death at that moment.
 *
 * An agent sends ftrun what lies between two cuts (ftrun/agent/ship.c), and a rank sends it to
 * another one (libft/stream/carried.c). Changes between two cuts lead from any moment between them
 * to the later one. */
#ifndef FT_RECORDER_CUT_H
#define FT_RECORDER_CUT_H

#include <string.h>
#include "recorder/entry.h"
#include "recorder/recorder.h"

struct ft_cut_of { /* a rank's recorder and rings, mapped */
    const struct ft_recorder *recorder;
    const uint64_t *determinants;      /* how many entries the ring has */
    const struct ft_determinant *ring; /* [FT_RECORDER_RING] */
    const uint32_t *trail;             /* [FT_RECORDER_TRAIL] */
    const uint64_t *made;              /* its word of protocol/logged.h */
};

struct ft_cut_moment {
    uint64_t made, end, marks; /* changes, entries, marks */
    uint32_t believed;         /* 0: nobody needs the marks */
    uint32_t pad;
    struct {
        uint64_t behind;          /* 1 + number of the newest entry of its order; 0: there is none
                                   */
        struct ft_determinant as; /* what it was like */
    } open[FT_CLOCKS + 1];
};

struct ft_cut_change { /* an entry that was counted up */
    uint64_t number;
    struct ft_determinant as;
};

enum {
    FT_CUT_CHANGES = 2 * (FT_CLOCKS + 1), /* the most between two cuts */
    FT_CUT_TRIES = 10000 /* looks until one meets a moment in which the rank records nothing */
};

static inline const struct ft_determinant *ft_cut_entry(const struct ft_cut_of *of, uint64_t number)
{
    return &of->ring[number % FT_RECORDER_RING];
}

static inline void ft_cut_look(const struct ft_cut_of *of, struct ft_cut_moment *cut)
{
    uint64_t from = cut->end;

    cut->made = __atomic_load_n(of->made, __ATOMIC_ACQUIRE);
    cut->end = __atomic_load_n(of->determinants, __ATOMIC_ACQUIRE);
    for (uint64_t at = from; at < cut->end; at++) {
        int order = ft_determinant_order(ft_cut_entry(of, at));

        if (order >= 0)
            cut->open[order].behind = at + 1;
    }
    cut->marks = __atomic_load_n(&of->recorder->trail, __ATOMIC_ACQUIRE);
    cut->believed = __atomic_load_n(&of->recorder->believed, __ATOMIC_ACQUIRE);
    for (int i = 0; i <= FT_CLOCKS; i++) {
        if (cut->open[i].behind)
            cut->open[i].as = *ft_cut_entry(of, cut->open[i].behind - 1);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* A cut that is not before `from`. The moment is one in which the rank has recorded nothing: `made`
 * is the same before and behind. 0: there was none, because the rank records without a pause. */
static inline int ft_cut_take(const struct ft_cut_of *of, const struct ft_cut_moment *from,
                              struct ft_cut_moment *cut)
{
    *cut = *from;
    for (int i = 0; i < FT_CUT_TRIES; i++) {
        ft_cut_look(of, cut);
        if (__atomic_load_n(of->made, __ATOMIC_RELAXED) == cut->made)
            return 1;
    }
    return 0;
}

/* The entries that were counted up between two cuts: the last open one of an order before it was
 * closed, and the open ones as they are. Answers how many. */
static inline uint64_t ft_cut_changes(const struct ft_cut_of *of, const struct ft_cut_moment *from,
                                      const struct ft_cut_moment *cut, struct ft_cut_change *change)
{
    uint64_t count = 0;

    for (int i = 0; i <= FT_CLOCKS; i++) {
        uint64_t old = from->open[i].behind, now = cut->open[i].behind;

        if (old && old != now)
            change[count++] = (struct ft_cut_change){old - 1, *ft_cut_entry(of, old - 1)};
        if (now && (old != now ||
                    memcmp(&from->open[i].as, &cut->open[i].as, sizeof(cut->open[i].as)) != 0))
            change[count++] = (struct ft_cut_change){now - 1, cut->open[i].as};
    }
    return count;
}

#endif
