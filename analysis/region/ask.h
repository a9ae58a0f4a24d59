/* ask: the loop that repeats a question (Iprobe, Test), in the function of the question or
 * in one that calls it.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_ASK_H
#define AN_REGION_ASK_H

#include "analysis/region/term.h"

/* Does the call ask whether something has happened, and may it hear that nothing has? */
bool an_asks(const struct an_mpi *mpi);

/* The loop of the call's own function that repeats the question, or NULL. */
const struct an_node *an_asking_loop(struct an_judgement *judgement, const struct an_mpi *mpi);

/* Is there a loop that repeats the site's question, from the site's function up to the one that the
 * outermost of the frames was called from? A receive that is done when a question before it has
 * found its message is repeated like the question. True also for what asks nothing. *here is the
 * loop when it stands in the outermost function, otherwise NULL. */
bool an_is_asked_again(struct an_judgement *judgement, const struct an_site *site,
                       const struct an_frame *frame, const struct an_node **here);

#endif
