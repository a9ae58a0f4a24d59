/* capture_tag: what makes the tag of a round another one.
 *
 * Thread rule: pure functions. */
#ifndef AN_CAPTURE_TAG_H
#define AN_CAPTURE_TAG_H

#include "analysis/region/term.h"

/* Does the node change the variable that the tag is made of? 1: to a fresh value, -1: to another
 * one, 0: no. A remainder is fresh when it comes again after `turns` changes at the earliest. */
int an_tag_change(const struct an_node *node, const struct an_term *tag, int64_t turns);

/* Whether all that changes the tag's variable, in all of the program, are steps one way, and nobody
 * has its address. */
bool an_tag_only_counts(const struct an_program *program, const struct an_term *tag);

#endif
