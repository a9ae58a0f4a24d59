/* Idea: a breadth-first search over points of control. It begins behind the receive and climbs into
 * the callers where a function ends; what calls do on the way is asked of capture_call.
 *
 * A level is a function on the way up, with the communicator and the tag in that function's words.
 * Invariant: each (point, level, tag changed) is looked at once, so the search ends. */
#include "analysis/region/capture_call.h"
#include "analysis/region/capture_set.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { LEVELS = 2000 };

struct item {
    struct an_point at;
    struct an_level *level;
    bool changed; /* the tag is another one than at the receive */
    struct an_way *way;
    struct item *next, *prev;
};

struct search {
    struct an_question question;
    struct an_level *levels;
    unsigned level_count;
    struct an_seen *seen;
    struct item *queue;
};

/* ---- The way up ---- */

static struct an_level *level_find(struct search *search, const struct an_node *call,
                                   const struct an_frame *frame)
{
    struct an_level made = {.call = call, .frame = frame}, *level;
    made.comm = an_term_of(search->question.judgement, search->question.comm, frame);
    made.tag = an_term_of(search->question.judgement, search->question.tag, frame);
    LL_FOREACH (search->levels, level)
        if (level->call == call && strcmp(level->comm.base, made.comm.base) == 0 &&
            level->comm.offset == made.comm.offset && strcmp(level->tag.base, made.tag.base) == 0 &&
            level->tag.factor == made.tag.factor && level->tag.offset == made.tag.offset)
            return level;
    if (++search->level_count > LEVELS) {
        search->question.ways.unfinished = true;
        return NULL;
    }
    level = an_judgement_alloc(search->question.judgement, sizeof *level);
    *level = made;
    LL_PREPEND(search->levels, level);
    return level;
}

static struct an_way *way_step(struct search *search, struct an_way *before,
                               const struct an_node *node, bool returned)
{
    struct an_way *way = an_judgement_alloc(search->question.judgement, sizeof *way);
    *way = (struct an_way){node, before, returned};
    return way;
}

/* Does a turn of the loop hold the region, or the call that led out of it? */
static bool goes_around(const struct search *search, const struct an_node *loop,
                        const struct an_level *level)
{
    return an_is_inside(loop, level->call ? level->call : search->question.goal.node);
}

static void item_push(struct search *search, struct an_point at, struct an_level *level,
                      bool changed, struct an_way *way)
{
    if (!an_seen_add(&search->seen, at.node, level, at.behind, changed))
        return;
    const struct an_node *loop = at.node->parent;
    if (!at.behind && loop && an_is_loop(loop) && goes_around(search, loop, level) &&
        at.node != an_loop_body(loop) && way->node != loop)
        way = way_step(search, way, loop, false);
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        abort();
    *item = (struct item){.at = at, .level = level, .changed = changed, .way = way};
    DL_APPEND(search->queue, item);
}

struct go_on {
    struct search *search;
    struct an_level *level;
    bool changed;
    struct an_way *way;
    const struct an_node *skip;
};

static void go_on_push(void *context, struct an_point next)
{
    struct go_on *go = context;
    if (!(next.behind && next.node == go->skip))
        item_push(go->search, next, go->level, go->changed, go->way);
}

static void go_behind(struct go_on *go, struct an_point at);

/* The end of a function: on behind each of its calls. */
static void leave_function(struct go_on *go, const struct an_node *function)
{
    struct search *search = go->search;
    struct an_program *program = search->question.judgement->program;
    if (function == an_program_main(program))
        return;
    if (an_round_ends(&search->question, function))
        return;
    struct an_callers callers = an_function_callers(program, function);
    if (!callers.complete)
        search->question.ways.open = function;
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_node *call = callers.calls[i];
        const struct an_frame *above = an_frame_create(search->question.judgement, call, NULL);
        struct an_level *level = level_find(
            search, call, an_frames_join(search->question.judgement, go->level->frame, above));
        if (!level)
            return;
        struct go_on up = {.search = search, .level = level, .changed = go->changed};
        up.way = way_step(search, go->way, call, true);
        if (an_seen_add(&search->seen, call, level, 2, go->changed))
            go_behind(&up, (struct an_point){call, true});
    }
}

static void go_behind(struct go_on *go, struct an_point at)
{
    go->skip = an_running_loop(&go->search->question, NULL, go->level, at);
    if (an_walk_step(at, go_on_push, go))
        leave_function(go, an_function_of(at.node));
}

static void item_look(struct search *search, const struct item *item)
{
    struct go_on go = {
        .search = search, .level = item->level, .changed = item->changed, .way = item->way};
    const struct an_node *node = item->at.node;
    if (!item->at.behind && an_round_begins(&search->question, node))
        return;
    if (!item->at.behind && node == search->question.goal.node) {
        int entered = an_entry_look(&search->question, NULL, item->level, item->changed);
        if (entered > 0)
            search->question.ways.captured = way_step(search, item->way, node, false);
        if (entered >= 0)
            return;
    }
    if (item->at.behind && !an_tag_step(&search->question, node, item->level, &go.changed))
        return;
    unsigned passes = an_passes(go.changed);
    if (item->at.behind && node->kind == AN_CALL)
        passes = an_call_passes(&search->question, node, NULL, item->level, go.changed, 0);
    if (passes & AN_ENTERS)
        search->question.ways.captured = way_step(search, item->way, node, false);
    for (unsigned changed = 0; changed < 2; changed++) {
        go.changed = changed;
        if (passes & an_passes(changed))
            go_behind(&go, item->at);
    }
}

/* ---- The start ---- */

static void search_start(struct search *search)
{
    const struct an_site *site = search->question.region->site;
    struct an_level *level = level_find(search, NULL, search->question.region->frame);
    struct go_on go = {.search = search, .level = level};
    go.way = way_step(search, NULL, site->node, false);
    for (unsigned i = 0; i < search->question.region->ends; i++)
        go_behind(&go, (struct an_point){search->question.region->end[i], true});
}

struct an_ways an_ways_search(struct an_judgement *judgement, const struct an_region *region,
                              const struct an_pattern *pattern, bool sure)
{
    return an_ways_search_goal(judgement, region, pattern, NULL, sure);
}

struct an_ways an_ways_search_goal(struct an_judgement *judgement, const struct an_region *region,
                                   const struct an_pattern *pattern, const struct an_goal *goal,
                                   bool sure)
{
    struct search search = {.levels = NULL};
    an_question_start(&search.question, judgement, region, pattern, goal, sure);
    search_start(&search);
    while (search.queue && !search.question.ways.captured && !an_budget_spent(&search.question)) {
        struct item *item = search.queue;
        DL_DELETE(search.queue, item);
        item_look(&search, item);
        free(item);
    }
    struct item *item, *next_item;
    DL_FOREACH_SAFE (search.queue, item, next_item) {
        DL_DELETE(search.queue, item);
        free(item);
    }
    search.question.ways.points = search.question.points;
    an_question_clear(&search.question);
    an_seen_free(&search.seen);
    return search.question.ways;
}
