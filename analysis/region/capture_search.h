/* capture_search: the ways from a receive to the next entry of its region.
 *
 * Thread rule: one thread. */
#ifndef AN_CAPTURE_SEARCH_H
#define AN_CAPTURE_SEARCH_H

#include "analysis/region/bounds.h"

/* One point of a way, linked backwards. */
struct an_way {
    const struct an_node *node;
    const struct an_way *before;
    bool returned; /* `node` is a call that has come back to its caller */
};

/* The entry that a search looks for: a statement or a call, and the communicator and the tag with
 * which messages are received there. */
struct an_goal {
    const struct an_node *node;
    const struct an_node *comm, *tag; /* in the words of the innermost of `frame` */
    const struct an_frame *frame;     /* from the function of `node` to them, or NULL */
    bool perhaps;                     /* tags and communicators that may be equal count as equal */
    const struct an_region *rounds;   /* regions whose entry ends a way, or NULL */
    const struct an_role_of *role;    /* the one rank that goes the ways, or NULL */
    bool through;                     /* a way goes on behind a statement that separates */
    unsigned points;                  /* after so many the search is given up */
};

/* The result of the search. */
struct an_ways {
    const struct an_way *captured; /* a way into the next entry with nothing in between, or NULL */
    const struct an_node *collective;  /* one that ended a way, or NULL */
    const struct an_node *tag;         /* where the tag got another value, or NULL */
    bool fresh;                        /* a way ended there, since the value is a new one */
    const struct an_node *reset;       /* where the tag may get an earlier value, or NULL */
    const struct an_node *termination; /* the region entered with another tag, which synchronises */
    const struct an_node *exchange; /* a call of another exchange that ends on all ranks together */
    const struct an_node *doubtful; /* a collective on another communicator, perhaps, or NULL */
    const struct an_node *empty;    /* a collective that may wait for no rank, or NULL */
    const struct an_node *hidden;   /* a call into code that is not here, or NULL */
    const struct an_node *open;     /* a function whose callers are not all here, or NULL */
    bool unfinished;                /* the search was given up */
    unsigned points;                /* that were looked at */
};

/* Effect: searches. A statement separates when all ranks have passed it before one goes on. With
 * `sure` each statement that may separate does, and each loop that synchronises runs at least once,
 * so a way that is found exists; without, neither is assumed. */
struct an_ways an_ways_search(struct an_judgement *judgement, const struct an_region *region,
                              const struct an_pattern *pattern, bool sure);
/* The same for the ways from the region's ends to `goal`, in place of the region's next entry;
 * `pattern` then only says which statements are the region's own. */
struct an_ways an_ways_search_goal(struct an_judgement *judgement, const struct an_region *region,
                                   const struct an_pattern *pattern, const struct an_goal *goal,
                                   bool sure);

#endif
