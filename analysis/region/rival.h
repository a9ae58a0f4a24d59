/* rival: which other receives may take the messages that a wildcard receive is meant to take.
 *
 * A set of receives is free of the order of arrival only when it takes all messages that can match.
 * Another receive or probe of the same rank takes some of them when its tag and communicator match
 * and no collective that nobody leaves early lies between the two; so does the site itself, when it
 * is run again for a further set.
 *
 * Thread rule: one thread. */
#ifndef AN_RIVAL_H
#define AN_RIVAL_H

#include "analysis/judgement/judgement.h"

/* Effect: gives each site with an open source its rivals, and the loops that are open behind it. */
void an_rivals_find(struct an_judgement *judgement);

#endif
