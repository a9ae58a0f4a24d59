/* tag: tags as sums, to tell two tags apart, and to see the expected source in a tag.
 *
 * Thread rule: one thread. */
#ifndef AN_FLOW_TAG_H
#define AN_FLOW_TAG_H

#include "analysis/flow/flow.h"

/* Whether two tags can never be equal. */
bool an_flow_tags_differ(struct an_program *program, const struct an_node *a,
                         const struct an_node *b);
/* Whether two expressions, of communicators say, are written differently. */
bool an_flow_texts_differ(struct an_program *program, const struct an_node *a,
                          const struct an_node *b);
/* Whether the tag of a receive names the sender: it has a term where the tags of the matching sends
 * have the sender's rank. */
bool an_flow_tag_names_source(struct an_program *program, const struct an_node *call,
                              const struct an_node *tag);
/* Whether `symbol` is what another poll of `function` than the site's has as its flag. */
bool an_flow_is_flag(const struct an_flow *flow, const struct an_node *function, const char *symbol,
                     const struct an_site *site);

#endif
