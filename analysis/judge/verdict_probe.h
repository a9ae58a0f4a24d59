/* verdict_probe: receives that take what a probe has found.
 *
 * Thread rule: one thread per judgement. */
#ifndef AN_VERDICT_PROBE_H
#define AN_VERDICT_PROBE_H

#include "analysis/judgement/judgement.h"

/* Effect: no receive from anybody is judged better than a probe whose message it may take. */
void an_probes_tie(struct an_judgement *judgement);

#endif
