/* pattern: which communication pattern the program is in, and its how-many-eth iteration (ft.h).
 *
 * Iterations are counted per (pattern, communicator); patterns nest. All state lies in the image,
 * so counts go back with a rollback. It is bounded by the patterns times the live communicators:
 * counts of communicators that no longer exist are forgotten.
 *
 * Source: Ropars et al., SC'13, section 4.3. Thread rule: the thread that calls MPI. */
#ifndef FT_PATTERN_H
#define FT_PATTERN_H

#include "process.h"

enum { FT_PATTERN_DEPTH = 64 }; /* patterns inside patterns */

struct ft_pattern_place { /* where a message or a request belongs; {0, 0}: outside all patterns */
    uint32_t pattern;     /* its identity */
    uint32_t iteration;   /* from 1 */
};

struct ft_pattern_count {
    uint64_t comm;    /* identity of the communicator */
    uint32_t pattern; /* identity */
    uint32_t begun;   /* iterations so far */
};

struct ft_patterns {                /* in the image */
    struct ft_pattern_place *place; /* [FT_PATTERN_DEPTH + 1] the open ones behind {0, 0} */
    uint32_t depth;                 /* open patterns */
    uint32_t counts, room;          /* entries of count, entries allocated */
    uint32_t last;                  /* the entry that was used last */
    uint32_t trusted;               /* open ones that are trusted */
    struct ft_pattern_count *count;
};

/* The innermost open pattern. */
static inline struct ft_pattern_place ft_pattern_now(const struct ft_rank *self)
{
    static const struct ft_pattern_place outside;

    return self->patterns ? self->patterns->place[self->patterns->depth] : outside;
}

/* With ftrun --trust: what ftcc has found out about the program (sites/sites.h). Called once in
 * each life. */
void ft_trust_start(struct ft_rank *self);
/* May messages be matched by (pattern, iteration), without a record? */
int ft_trust_pattern(uint32_t pattern);
/* Is any pattern trusted? */
int ft_trust_patterns(void);
/* May it stay unrecorded how often the probe, test or choice at this site (FT_SITE's number) finds
 * nothing? With --trust. */
int ft_trust_poll(uint32_t site);
/* The innermost open pattern, when it is trusted and the MPI call that was entered last is one of
 * its receives; {0, 0} otherwise. */
struct ft_pattern_place ft_trust_place(const struct ft_rank *self);
/* The belief about a site (FT_SITE's number), in words: its call, place, class and pattern. For
 * a number that the table does not have: the patterns that are trusted. */
void ft_trust_belief(uint32_t site, char *text, size_t size);

#endif
