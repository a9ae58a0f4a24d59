/* dump: a tree as one line of text, for the tests of this floor: a reference is its name, an
 * integer its value, an EMPTY node a dash, anything else "(KIND name operator child...)".
 *
 * Thread rule: any. */
#ifndef AN_DUMP_H
#define AN_DUMP_H

#include "analysis/tree/tree.h"

/* Effect: the text of a node and of what is below it; the caller frees it. */
char *an_dump_node(const struct an_node *node);

/* Effect: all that there is in a unit, with all members; the caller frees it. */
char *an_dump_unit(const struct an_unit *unit);

#endif
