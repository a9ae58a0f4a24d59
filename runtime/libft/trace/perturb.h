/* perturb: the choices of a perturbed run.
 *
 * Every choice is a function of (seed, rank, kind, how many of this kind came before), so the same
 * seed chooses the same again, whatever the timing. Only whether there is still time to wait
 * depends on the clock: all waiting together is bounded, and spread over the whole run.
 *
 * Thread rule: one thread. Knows nothing of MPI. */
#ifndef FT_PERTURB_H
#define FT_PERTURB_H

#include <stdint.h>

enum ft_perturb_kind {
    FT_PERTURB_SEND,
    FT_PERTURB_RECV,
    FT_PERTURB_COLLECTIVE,
    FT_PERTURB_COMPLETION, /* a wait for, or a test of, many requests */
    FT_PERTURB_POLL,       /* a single test or probe */
    FT_PERTURB_PICK,       /* which of several */
    FT_PERTURB_GATHER,     /* whether to wait until there are several */
    FT_PERTURB_KINDS
};

struct ft_perturb {
    uint64_t seed; /* of this run; 0: nothing is perturbed */
    int rank, size;
    int victim;                       /* a rank that is slow in all it does, -1: none */
    int from, to;                     /* a channel whose messages are slow, -1: none */
    uint64_t count[FT_PERTURB_KINDS]; /* choices so far */
    unsigned skipped;                 /* polls in a row that were answered without looking */
    double budget;                    /* seconds that may be waited in all */
    uint64_t expected;                /* calls of the whole run, about; 0: not known */
    double waited;                    /* seconds so far */
};

void ft_perturb_start(struct ft_perturb *perturb, uint64_t seed, int rank, int size);

/* The next choice of a kind: 64 random bits; 0 when nothing is perturbed. */
uint64_t ft_perturb_choose(struct ft_perturb *perturb, enum ft_perturb_kind kind);
/* Microseconds to wait before an operation with `peer` (world rank, -1: none or any). */
unsigned ft_perturb_delay(struct ft_perturb *perturb, enum ft_perturb_kind kind, int peer);
/* Which of `count` (> 0) possibilities; 0 when nothing is perturbed. */
int ft_perturb_pick(struct ft_perturb *perturb, int count);
/* Is the next poll answered without looking? Not more than three times in a row. */
int ft_perturb_skips(struct ft_perturb *perturb);

/* Waits, unless the run has waited too much already for `progress` calls. */
void ft_perturb_wait(struct ft_perturb *perturb, unsigned microseconds, uint64_t progress);

#endif
