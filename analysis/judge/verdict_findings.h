/* verdict_findings: the findings of the rules that give verdicts.
 *
 * Thread rule: one thread per judgement. */
#ifndef AN_VERDICT_FINDINGS_H
#define AN_VERDICT_FINDINGS_H

#include "analysis/judgement/judgement.h"

/* Effect: adds a finding, unless the site has one of that rule at that node; `message` and `fix`
 * live as long as the judgement. */
void an_finding_add(struct an_judgement *judgement, const struct an_site *site, const char *rule,
                    const struct an_node *node, const char *message, const char *fix,
                    struct an_step *path);

/* Effect: takes back all findings about the site. */
void an_findings_drop(struct an_judgement *judgement, const struct an_site *site);

/* Effect: the findings `clock-steers-sends` and `payload-noise`. */
void an_noise_find(struct an_judgement *judgement);

/* Effect: the finding `payload-noise` about a send whose records hold padding or addresses. */
void an_padding_find(struct an_judgement *judgement, const struct an_mpi *mpi);

#endif
