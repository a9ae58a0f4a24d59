/* gather: who must go on and who may be frozen while a checkpoint is being gathered.
 *
 * A pure state machine: it is told what ranks report and what their recorders show, and it answers
 * with orders; it does no input or output. Rules (docs/design/checkpoint.md):
 *   - a held rank is behind when another rank's report, or the blocking collective another rank is
 *     inside, shows a higher clock on a communicator that the held rank is a member of: it is
 *     released at once, because the others need it;
 *   - all held and nobody behind: all are frozen;
 *   - after a few ticks without that, every held rank goes one step, because a held rank may owe a
 *     message to one that is behind.
 *   - who does not come, and is outside of MPI, may wait for a held rank by other means (for a
 * file, for a lock on one): after many ticks all held ranks are released, and nobody is ordered
 * back for a while (longer each time), unless it comes. Releasing is always safe; only freezing
 * needs the proof.
 *
 * With `loose`, collectives are made of messages (--protocol spbc), and unequal clocks of held
 * ranks block nobody: a rank is behind only when another one is inside a blocking call that it has
 * not entered. Thread rule: single threaded. */
#ifndef FT_GATHER_H
#define FT_GATHER_H

#include <stddef.h>
#include <stdint.h>
#include "wire/wire.h"

struct ft_gather;

enum ft_gather_order { /* what a rank is told */
                       FT_GATHER_NOTHING = 0,
                       FT_GATHER_RELEASE =
                           1, /* send RELEASE; the rank counts as not held from now on */
                       FT_GATHER_FREEZE = 2 /* send FREEZE */
};

struct ft_gather_block { /* what a rank's recorder shows */
    int blocked;         /* inside a blocking call of the library */
    int outside;         /* in the program's own code */
    uint64_t comm, clock;
};

/* A gatherer for `size` ranks; NULL: no memory. */
struct ft_gather *ft_gather_create(int size, int loose);
void ft_gather_destroy(struct ft_gather *gather); /* NULL is allowed */
/* Starts anew: nobody is held, nothing is known. */
void ft_gather_begin(struct ft_gather *gather);
/* The rank is dead: until the next begin nobody waits for it. */
void ft_gather_excuse(struct ft_gather *gather, int rank);
/* A rank's GATE with `count` clocks; those of several messages add up until `more` is 0. Returns 0,
 * or -ENOMEM (the rank then stays not held). */
int ft_gather_report(struct ft_gather *gather, int rank, const struct ft_wire_gate *gate,
                     const struct ft_wire_clock *clocks);
/* Decides with what is known: writes an order for every rank. Returns 1 when all are frozen. */
int ft_gather_decide(struct ft_gather *gather, const struct ft_gather_block *blocks,
                     enum ft_gather_order *orders);
/* A tick has passed without a freeze: like decide, and after FT_GATHER_PATIENCE ticks with somebody
 * behind or blocked all held ranks are released one step; after FT_GATHER_STRETCH ticks with
 * somebody held and somebody outside, a rest begins. */
int ft_gather_tick(struct ft_gather *gather, const struct ft_gather_block *blocks,
                   enum ft_gather_order *orders);
/* Nobody may be ordered to the gate now; whoever comes is held all the same. */
int ft_gather_rests(const struct ft_gather *gather);
int ft_gather_holds(const struct ft_gather *gather, int rank);
/* Is the rank held inside a wait, where a newer order would only make it report the same? */
int ft_gather_waits(const struct ft_gather *gather, int rank);
uint32_t ft_gather_generation(const struct ft_gather *gather, int rank); /* it answered last */

#define FT_GATHER_PATIENCE 3
#define FT_GATHER_STRETCH 50 /* ticks until a rest */
#define FT_GATHER_REST 5     /* and of the first one; others are longer */

#endif
