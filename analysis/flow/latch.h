/* latch: what happens exactly once in the loop that brings messages, however often a poll is asked;
 * and which counters count events, whatever their order.
 *
 * Thread rule: as flow.h. */
#ifndef AN_FLOW_LATCH_H
#define AN_FLOW_LATCH_H

#include "analysis/flow/flow.h"

/* Effect: notes which variables the condition of a control asks for. */
void an_flow_tested_note(struct an_flow *flow, struct an_flow_control *control,
                         const struct an_node *condition);
/* Effect: notes that a cell was written here. */
void an_flow_write_note(struct an_flow *flow, unsigned cell, struct an_flow_value value);
/* Effect: notes that `loop` is left here by a jump. */
void an_flow_exit_note(struct an_flow *flow, const struct an_node *loop);
/* Whether what stands here happens exactly once in the loop that brings messages. The conditions
 * from number *inside on are those of that loop. */
bool an_flow_happens_once(struct an_flow *flow, unsigned *inside);
/* Effect: if the number at `address` only steps, by the same each time, for an event of the site
 * that nothing but the number itself holds back, *control becomes that event. */
void an_flow_counts_events(struct an_flow *flow, struct an_flow_value address,
                           struct an_flow_value *control);
/* The conditions of this place, and whether two places exclude each other in each round. */
const struct an_flow_way *an_flow_way_here(struct an_flow *flow);
bool an_flow_ways_exclude(const struct an_flow_way *a, const struct an_flow_way *b);
/* Whether a branch leaves the loop that brings messages, or may do so. */
bool an_flow_jumps_out(const struct an_flow *flow, const struct an_node *branch);

#endif
