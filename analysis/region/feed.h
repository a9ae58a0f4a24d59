/* feed: whether the messages that a receive takes are sent at the time at which it runs.
 *
 * Thread rule: one thread. */
#ifndef AN_FEED_H
#define AN_FEED_H

#include "analysis/region/term.h"

struct an_feed;

/* FED: a send that the receive can match stands, in this function, between the collectives that
 * separate around `place`, on whatever rank. UNFED: there is none, so that its messages were sent
 * earlier, and receives from before the last collective could have taken them. OPEN: callers
 * decide. */
enum an_feeding { AN_FED, AN_UNFED, AN_FEED_OPEN };

/* What can be sent to the receive, a call of MPI that lives as long; an_feed_destroy frees it. */
struct an_feed *an_feed_create(struct an_judgement *judgement, const struct an_mpi *receive);
void an_feed_destroy(struct an_feed *feed);

/* `place`: a call that leads to the receive by `frame`, or the receive itself with NULL. */
enum an_feeding an_feed_here(const struct an_feed *feed, const struct an_node *place,
                             const struct an_frame *frame);
/* The receive with all its callers: UNFED when some way to it is. FED in doubt. */
enum an_feeding an_feed_of(const struct an_feed *feed);

#endif
