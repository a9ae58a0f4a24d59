/* loops: which loop is the program's main communication loop.
 *
 * The rule. From main, through calls, the outermost loops are compared:
 *   1. a loop whose turns hold a whole exchange (a collective, a combined call, or a send and a
 *      receive) comes before
 *   2. one that only sends or only receives, or that runs over the ranks of a communicator (its
 *      header names a variable that MPI_Comm_size filled), and this before
 *   3. one that only calls functions of other files, which may communicate.
 * Within a class a loop that holds further loops comes first, then the one from which more calls of
 * MPI are reached, then the later one. Loops before MPI_Init do not count. Where the ranks take
 * different branches (master and worker), each branch keeps its own loop. A loop that is made by a
 * macro cannot be edited, so the loops inside it are looked at instead; what threads run in
 * parallel is never chosen.
 *
 * A file without main gets a hook only where it leaves no doubt: exactly one of its functions that
 * other files can call and this file does not holds a loop of class 1 that also holds a further
 * loop, and that does not poll (Test, Iprobe, Waitany).
 *
 * Thread rule: one thread. */
#ifndef AN_LOOPS_H
#define AN_LOOPS_H

#include "analysis/facts.h"

enum { AN_LOOPS_CHOSEN = 8 }; /* more alternatives than any program has */

struct an_choice {
    const struct an_node *loops[AN_LOOPS_CHOSEN]; /* in the order of the source; facts own them */
    unsigned count;
    const char *reason; /* why there is none, or NULL; static memory */
};

/* The loops of this file that get a hook. A file that calls ft_hook itself gets none. */
struct an_choice an_loops_choose(struct an_facts *facts);

/* The function whose body holds `loop`. */
const struct an_function *an_loops_function(const struct an_facts *facts,
                                            const struct an_node *loop);

#endif
