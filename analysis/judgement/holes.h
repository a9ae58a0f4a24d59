/* holes: adding to the list of what could not be seen. Private to this folder.
 *
 * Thread rule: one thread. */
#ifndef AN_HOLES_H
#define AN_HOLES_H

#include "analysis/judgement/judgement.h"

/* Effect: appends a copy; its strings must live as long as the judgement or the program. */
void an_hole_add(struct an_judgement *judgement, struct an_hole hole);

#endif
