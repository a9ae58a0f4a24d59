/* feed: whether the messages that a receive takes are sent at the time at which it runs.
 *
 * Thread rule: one thread. */
#ifndef AN_FEED_H
#define AN_FEED_H

#include "analysis/region/role.h"

struct an_feed;

/* A call that sends messages, or starts requests. */
struct an_sender {
    struct an_mpi mpi;
    const struct an_labels *labels;
    struct an_sender *next;
};

/* Lists all sends of the program. The list lives as long as the judgement. */
struct an_sender *an_senders_find(struct an_judgement *judgement);

/* FED: the function contains a send that the receive can match, on any rank, between the last
 * barrier before `place` and the next barrier after it (barrier.h says which collectives are
 * barriers). UNFED: it contains none, so the messages were sent before the last barrier, and an
 * earlier receive could have taken them. OPEN: the answer depends on the callers. */
enum an_feeding { AN_FED, AN_UNFED, AN_FEED_OPEN };

/* Collects the sends that `receive` can match out of `senders`, all sends of the program. `receive`
 * must outlive the feed. `role`: where only one rank receives, that rank, whose broadcasts are
 * barriers, too; else NULL. an_feed_destroy frees the feed. */
struct an_feed *an_feed_create(struct an_judgement *judgement, const struct an_mpi *receive,
                               const struct an_role_of *role, const struct an_sender *senders);
void an_feed_destroy(struct an_feed *feed);

/* On the way from a place outwards through its blocks: how many barriers stand before the place,
 * and how many after it. */
struct an_feed_way {
    unsigned before, behind;
};

/* Judges one function. `place`: the receive itself (`frame` NULL), or a call that leads to it
 * through `frame`. *way, in and out: at the call, the barriers counted so far in the callee (zeros
 * for the receive itself); after OPEN, those counted up to the start and end of this function. */
enum an_feeding an_feed_here(const struct an_feed *feed, const struct an_node *place,
                             const struct an_frame *frame, struct an_feed_way *way);
/* Judges the receive with all its callers: UNFED if one chain of callers is. Where a caller is
 * unknown the answer is FED, which claims nothing. */
enum an_feeding an_feed_of(const struct an_feed *feed);

#endif
