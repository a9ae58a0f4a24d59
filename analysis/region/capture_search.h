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
    bool perhaps;                     /* tags and communicators that may be equal are */
    const struct an_region *rounds;   /* regions whose entry ends a way, or NULL */
    const struct an_role_of *role;    /* the one rank that goes the ways, or NULL */
    bool through;                     /* what separates ends no way */
    unsigned points;                  /* after so many the search is given up */
};

/* The result of the search. */
struct an_ways {
    const struct an_way *captured; /* a way into the next entry with nothing in between, or NULL */
    const struct an_node *collective;  /* one that ended a way, or NULL */
    const struct an_node *tag;         /* where the tag became another one, or NULL */
    bool fresh;                        /* that ended a way */
    const struct an_node *reset;       /* where it may become one that has been, or NULL */
    const struct an_node *termination; /* the region entered with another tag, which synchronises */
    const struct an_node *exchange; /* a call of another exchange that ends on all ranks together */
    const struct an_node *doubtful; /* a collective on another communicator, perhaps, or NULL */
    const struct an_node *empty;    /* one that may have nothing to give, or NULL */
    const struct an_node *hidden;   /* a call into code that is not here, or NULL */
    const struct an_node *open;     /* a function whose callers are not all here, or NULL */
    bool unfinished;                /* the search was given up */
    unsigned points;                /* that were looked at */
};

/* Effect: searches. With `sure`, what may separate does, and loops that synchronise run at least
 * once, so that a way that is found is real; without, nothing is taken for granted. */
struct an_ways an_ways_search(struct an_judgement *judgement, const struct an_region *region,
                              const struct an_pattern *pattern, bool sure);
/* The same for the ways from the region's ends to `goal`, in place of the region's next entry;
 * `pattern` then only says which statements are the region's own. */
struct an_ways an_ways_search_goal(struct an_judgement *judgement, const struct an_region *region,
                                   const struct an_pattern *pattern, const struct an_goal *goal,
                                   bool sure);

#endif
