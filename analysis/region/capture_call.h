/* capture_call: what one step of a way does to it: a call that separates two rounds, passes, or
 * leads into the region; an entry of the region; a change of the tag.
 *
 * Thread rule: one thread. */
#ifndef AN_CAPTURE_CALL_H
#define AN_CAPTURE_CALL_H

#include "analysis/region/capture_search.h"
#include "analysis/region/walk.h"

struct an_function_set;

/* Which ways are asked for, and what has been found out about them. */
struct an_question {
    struct an_judgement *judgement;
    const struct an_region *region;
    const struct an_pattern *pattern;
    const struct an_node *comm, *tag; /* the site's arguments */
    struct an_goal goal;              /* the entry that is looked for */
    bool sure, synchronises;          /* `synchronises`: the region itself does */
    unsigned points;                  /* looked at so far */
    struct an_function_set *leading;  /* functions that may come to the region */
    struct an_function_set *trees;    /* functions that were asked whether they end on all ranks
                                         together */
    struct an_ways ways;
};

/* A function on the way up. */
struct an_level {
    const struct an_node *call;   /* by which it called the level below; NULL: the region's own */
    const struct an_frame *frame; /* from this function to the site */
    struct an_term comm, tag;     /* in this function's words */
    struct an_level *next;
};

/* The effects of a call: ways pass with the same tag, with another one, or come into the region. */
enum { AN_PASSES = 1, AN_PASSES_CHANGED = 2, AN_ENTERS = 4 };

/* Effect: fills `question`, which the caller has zeroed; an_question_clear frees its sets. `goal`:
 * what is looked for, or NULL: the next entry of the region. */
void an_question_start(struct an_question *question, struct an_judgement *judgement,
                       const struct an_region *region, const struct an_pattern *pattern,
                       const struct an_goal *goal, bool sure);
void an_question_clear(struct an_question *question);

/* Effect: counts a point; true when there were too many, and ways.unfinished is set. */
bool an_budget_spent(struct an_question *question);

/* The effect of the call on a way whose tag has `changed` or not. `frame`: how its function was
 * entered from the level's; `depth`: how many calls deep that is. */
unsigned an_call_passes(struct an_question *question, const struct an_node *call,
                        const struct an_frame *frame, const struct an_level *level, bool changed,
                        unsigned depth);
unsigned an_passes(bool changed);

/* Does a further round of the goal's `rounds` begin with the node? */
bool an_round_begins(const struct an_question *question, const struct an_node *node);
/* Is the function that of such a round, so that the site is only reached by a further one? */
bool an_round_ends(const struct an_question *question, const struct an_node *function);

/* The region is entered: 1 captured, 0 the way ends, -1 the way goes on. */
int an_entry_look(struct an_question *question, const struct an_frame *frame,
                  const struct an_level *level, bool changed);

/* The state of the tag behind a node; false when the way ends there. */
bool an_tag_step(struct an_question *question, const struct an_node *node,
                 const struct an_level *level, bool *changed);

/* The loop whose condition `at` is behind, when it synchronises the level's communicator in each
 * turn and may be taken to run; or NULL. */
const struct an_node *an_running_loop(const struct an_question *question,
                                      const struct an_frame *frame, const struct an_level *level,
                                      struct an_point at);

#endif
