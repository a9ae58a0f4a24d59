/* gate: conditions that ask for the flag of a poll.
 *
 * Thread rule: as flow.h. */
#ifndef AN_FLOW_GATE_H
#define AN_FLOW_GATE_H

#include "analysis/flow/flow.h"

/* The code that runs under a condition. */
const struct an_node *an_flow_branch_of(const struct an_flow_control *control);
/* Whether a condition that asks for a flag holds when the flag is set. */
bool an_flow_flag_is_set(const struct an_flow_control *control);
/* Whether the branch takes the message that was found, or posts the receive again. */
bool an_flow_takes(struct an_flow *flow, const struct an_flow_control *control);
/* Whether a branch under the site's flag, condition number `gate`, is taken once: the loop ends
 * with it, the branch jumps out, or what asks is guarded by the flag itself or by what the branch
 * sets. */
bool an_flow_is_latched(struct an_flow *flow, unsigned gate);
/* Whether a condition inside of number `from` asks for what another poll has set: its sends are
 * that poll's business. */
bool an_flow_is_gated_elsewhere(struct an_flow *flow, unsigned from);

/* Whether the condition only stands there because the loop ends where it does not hold. */
bool an_flow_ends_turns(const struct an_flow *flow, const struct an_flow_control *control);
/* Whether a condition asks which turn of a loop it is, whatever has come in it. */
bool an_flow_counts_turns(const struct an_flow *flow, const struct an_flow_control *control,
                          unsigned loop);
/* Whether a condition around this place lets some messages through and others not, by the turn of
 * the loop in which they came. */
bool an_flow_picks_turns(const struct an_flow *flow, unsigned loop);

#endif
