/* slice: may what depends on the outcome of a site reach a send at all?
 *
 * The program becomes a graph: a vertex for each variable, for each field of a record type (of all
 * its objects), for what pointers lead to, for each condition, function and send; an edge where one
 * may decide what another one holds, or whether it happens. It is built once for the program, in
 * time that is nearly linear in its size, and one search finds how far each vertex is from a send,
 * for all sites. Order of statements, loops and calling contexts are not told apart, so the answer
 * is only ever too cautious.
 *
 * Thread rule: one thread. */
#ifndef AN_SLICE_H
#define AN_SLICE_H

#include "analysis/judgement/judgement.h"

struct an_slice;

/* The graph of the judgement's program; NULL is never returned. The caller destroys it before the
 * judgement. */
struct an_slice *an_slice_create(struct an_judgement *judgement);
void an_slice_destroy(struct an_slice *slice);

struct an_slice_answer {
    bool reaches;               /* a send, or a function that is not here, may depend on the site */
    const char *reason;         /* then: which value takes it there; the judgement's */
    const struct an_node *send; /* then: that send or call */
    struct an_step *witness;    /* then: from the site to there */
};
/* `site` of the judgement's program. */
struct an_slice_answer an_slice_ask(struct an_slice *slice, const struct an_site *site);

#endif
