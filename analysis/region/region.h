/* region: patterns of a program, and which sites are logged.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_H
#define AN_REGION_H

#include "analysis/judgement/judgement.h"

/* Effect: finds the patterns, `capture`, and which sites are logged. */
void an_regions_find(struct an_judgement *judgement);

/* Effect: sets logged and logged_reason of all sites from their verdicts and patterns, anew: for
 * whoever changes a verdict or the trust in a pattern. */
void an_logged_decide(struct an_judgement *judgement);

#endif
