/* bounds: where the pattern region of an anonymous receive begins and ends.
 *
 * It is the smallest stretch of statements of one block that holds the receive and the sends that
 * it can match (docs/determinism.md). It is looked for in the receive's function; when nothing
 * there sends to it, in the functions of the same file that call this one. Only what stands in the
 * same file counts, so that a file alone and the whole program give the same region.
 *
 * Thread rule: one thread. */
#ifndef AN_REGION_BOUNDS_H
#define AN_REGION_BOUNDS_H

#include "analysis/region/match.h"

enum { AN_REGION_ENDS = 8 };

struct an_region {
    const struct an_site *site;
    const struct an_node *function;
    const struct an_node *first, *last; /* children of one BLOCK */
    const struct an_frame *frame;       /* how the site's function is reached; NULL: it is here */
    const struct an_node *anchor;       /* the call here that is or leads to the site */
    struct an_term comm, tag;           /* of the site, in this function's words */
    const struct an_node
        *end[AN_REGION_ENDS]; /* where the receive is complete, here or in a call */
    unsigned ends;
    bool asked_once;   /* it is a question, and the loop that repeats it was not found */
    const char *doubt; /* why it is not to be trusted, or NULL */
    struct an_region *next;
};

/* Effect: the regions of the site: one, or several when the function that holds it is called from
 * several places that send. NULL when there is none, and *why says so in a sentence. */
struct an_region *an_region_locate(struct an_judgement *judgement, const struct an_site *site,
                                   const char **why);

/* Is `node` in one of the statements from `first` to `last`? */
bool an_is_within(const struct an_node *first, const struct an_node *last,
                  const struct an_node *node);

#endif
