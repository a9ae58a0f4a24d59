/* match: the messages that a function sends and receives, by itself and in what it calls
 * inside its unit.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_MATCH_H
#define AN_REGION_MATCH_H

#include "analysis/region/term.h"

/* One call that sends or receives; a combined call makes two. */
struct an_message {
    const struct an_node *anchor; /* the CALL in the function that was asked about */
    const struct an_frame *frame; /* how the call was reached from there; NULL: it is the anchor */
    const struct an_node *call;
    bool sends;               /* otherwise it receives or probes */
    bool reply;               /* it is sent to the source of a received message */
    struct an_term peer;      /* whom it goes to or comes from; of an element, the array */
    bool empty;               /* its count is 0 */
    struct an_term comm, tag; /* in the words of the function that was asked about */
    struct an_message *next;
};

/* Effect: the messages of `function` in the order of its calls. `frame` says how the function
 * itself was entered, or NULL. The judgement owns them. */
const struct an_message *an_messages_of(struct an_judgement *judgement,
                                        const struct an_node *function,
                                        const struct an_frame *frame);

/* May what `send` sends be received by `receive`? */
enum an_match an_message_match(const struct an_message *send, const struct an_message *receive);

/* The frame; equal ones are the same. */
const struct an_frame *an_frame_create(struct an_judgement *judgement, const struct an_node *call,
                                       const struct an_frame *up);
/* The frames of `inner`, the outermost of which was entered from `outer`. */
const struct an_frame *an_frames_join(struct an_judgement *judgement, const struct an_frame *inner,
                                      const struct an_frame *outer);
/* The CALLs in the unit of `function` that name it. */
struct an_callers an_local_callers(struct an_judgement *judgement, const struct an_node *function);

#endif
