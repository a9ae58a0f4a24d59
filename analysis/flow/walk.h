/* walk: what statements and loops need of each other. Private to walk.c and loop.c.
 *
 * Thread rule: as flow.h. */
#ifndef AN_FLOW_WALK_H
#define AN_FLOW_WALK_H

#include "analysis/flow/flow.h"

struct an_flow_parts { /* of a loop */
    const struct an_node *condition, *step, *body;
    bool body_first;
    bool siblings; /* the body is what follows `body`, too: a loop made of goto */
};

/* Effect: runs a loop until its turns find nothing new. */
void an_flow_loop_run(struct an_flow *flow, const struct an_node *node,
                      const struct an_flow_parts *parts);
/* Effect: the innermost loop ends under the conditions of this place. */
void an_flow_jump_note(struct an_flow *flow);
/* Effect: all loops inside of `outer` do. */
void an_flow_goto_notes(struct an_flow *flow, const struct an_flow_loop *outer);
/* Effect: the state, and the result if there is one, become what they are outside of these loops.
 */
void an_flow_loops_leave(struct an_flow *flow, const struct an_flow_loop *outer,
                         struct an_flow_value *result);
/* The worst condition inside of the function that is being run. */
struct an_flow_value an_flow_own_control(const struct an_flow *flow);
/* Effect: `worst` becomes the worst condition of several early exits. The answer of a poll is none
 * for the exits behind it: it would make each latch there depend on it (latch.c). */
void an_flow_exit_join(struct an_flow_value *worst, struct an_flow_value why);
/* Effect: `into` gets the state of this place, too, if it can be reached; `before` (or NULL) is
 * what both had. */
void an_flow_state_take(struct an_flow *flow, struct an_flow_state *into, bool *reached,
                        struct an_flow_value why, const struct an_flow_state *before);
/* Effect: the next turn goes on from here, too. */
void an_flow_continue_take(struct an_flow *flow);
/* Effect: what jumps to the label joins here; then its statement runs. */
void an_flow_label_run(struct an_flow *flow, const struct an_node *node);

#endif
