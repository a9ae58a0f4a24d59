/* verdict_names: what names alone decide: a named source, a tag that names the sender, a single
 * request.
 *
 * Thread rule: one thread per judgement. */
#ifndef AN_VERDICT_NAMES_H
#define AN_VERDICT_NAMES_H

#include "analysis/judgement/judgement.h"

/* Effect: gives the site its verdict and a finding, if names decide. Answers whether they do. */
bool an_names_decide(struct an_judgement *judgement, struct an_site *site);

/* Whether a parameter may be a wildcard, and nobody knows all callers. */
bool an_names_are_callers(struct an_judgement *judgement, const struct an_site *site);

/* Whether the site completes requests, and nobody reads what that tells, here or where others of
 * them complete: which they are, whether they are complete, their status. */
bool an_names_are_unread(struct an_judgement *judgement, const struct an_site *site);

/* Effect: the verdict of the site; `reason` lives as long as the judgement. */
void an_site_give(struct an_site *site, enum an_verdict verdict, const char *reason);

/* The argument of the site's call with that number; NULL: there is none. */
const struct an_node *an_site_argument(struct an_judgement *judgement, const struct an_site *site,
                                       int number);

#endif
