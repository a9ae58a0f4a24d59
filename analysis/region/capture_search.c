/* Idea: a breadth-first search over points of control. It begins behind the receive, climbs into
 * the callers where a function ends, and descends into calls that hold a collective or lead to the
 * region. A collective that synchronises the communicator ends a way, and so does an entry with
 * another tag when the region itself synchronises.
 *
 * A level is a function on the way up, with the communicator and the tag in that function's words.
 * Invariant: each (point, level, tag changed) is looked at once, so the search ends. */
#include "analysis/region/capture_search.h"
#include "analysis/region/capture_set.h"
#include "analysis/region/capture_tag.h"
#include "analysis/region/equal.h"
#include "analysis/region/lone.h"
#include "analysis/region/tree.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

enum { POINTS = 200000, LEVELS = 400, DESCENTS = 12 };

/* A tag that comes again after so many rounds: earlier is a capture; later is none for certain. */
enum { TURNS_TOO_FEW = 4, TURNS_ENOUGH = 1024 };

struct level {
    const struct an_node *call;   /* by which it called the level below; NULL: the region's own */
    const struct an_frame *frame; /* from this function to the site */
    struct an_term comm, tag;
    struct level *next;
};

struct item {
    struct an_point at;
    struct level *level;
    bool changed; /* the tag is another one than at the receive */
    struct an_way *way;
    struct item *next, *prev;
};

struct function_set {
    const struct an_node *function;
    const struct an_message *tree; /* of `trees`: what the function ends with, or NULL */
    UT_hash_handle hh;
};

struct search {
    struct an_judgement *judgement;
    const struct an_region *region;
    const struct an_pattern *pattern;
    const struct an_node *comm, *tag; /* the site's arguments */
    bool sure, synchronises;          /* `synchronises`: the region itself does */
    struct level *levels;
    unsigned level_count, points;
    struct an_seen *seen;
    struct item *queue;
    const struct item *now;
    struct function_set *leading; /* functions that may come to the region */
    struct function_set
        *trees; /* functions that were asked whether they end on all ranks together */
    struct an_ways ways;
};

/* ---- Sets ---- */

static void set_free(struct function_set **set)
{
    struct function_set *one, *next;
    HASH_ITER (hh, *set, one, next) {
        HASH_DEL(*set, one);
        free(one);
    }
}

static bool leads(const struct search *search, const struct an_node *function)
{
    struct function_set *found;
    HASH_FIND_PTR(search->leading, &function, found);
    return found != NULL;
}

/* The functions from which the region can be reached. */
static void leading_fill(struct search *search, const struct an_node *function)
{
    if (!function || leads(search, function))
        return;
    struct function_set *one = calloc(1, sizeof *one);
    if (!one)
        abort();
    one->function = function;
    HASH_ADD_PTR(search->leading, function, one);
    struct an_callers callers = an_function_callers(search->judgement->program, function);
    for (unsigned i = 0; i < callers.count; i++)
        leading_fill(search, an_function_of(callers.calls[i]));
}

/* ---- What a call does to a way ---- */

enum { PASSES = 1, PASSES_CHANGED = 2, ENTERS = 4 };

static unsigned pass(bool changed)
{
    return changed ? PASSES_CHANGED : PASSES;
}

/* A blocking collective: does it end the way? */
/* A broadcast by the one rank that receives, which all others get before they send again. */
static bool answers(const struct search *search, const struct an_mpi *mpi,
                    const struct an_frame *frame, const struct level *level)
{
    struct an_judgement *judgement = search->judgement;
    const struct an_node *receiver = an_lone_rank(judgement, search->region->anchor);
    if (!search->sure || frame || level->call || !receiver ||
        strcmp(mpi->what->name, "Bcast") != 0 || an_lone_branch(judgement, mpi->call) ||
        an_is_within(search->pattern->first, search->pattern->last, mpi->call))
        return false;
    const struct an_node *root = an_mpi_argument(judgement->program, mpi, 3);
    const struct an_node *comm =
        an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm);
    struct an_term a = an_term_of(judgement, root, NULL);
    struct an_term b = an_term_of(judgement, receiver, NULL);
    struct an_term on = an_term_of(judgement, comm, NULL);
    return an_tag_match(&a, &b) == AN_MUST_MATCH &&
           an_comm_match(&on, &level->comm) == AN_MUST_MATCH;
}

static bool collective_ends(struct search *search, const struct an_mpi *mpi,
                            const struct an_frame *frame, const struct level *level)
{
    const struct an_call *what = mpi->what;
    if (answers(search, mpi, frame, level))
        return true;
    if (what->role != AN_COLLECTIVE || !(what->flags & AN_SYNCHRONISES) ||
        (what->flags & (AN_NONBLOCKING | AN_PERSISTENT)) || what->comm < 0)
        return false;
    const struct an_node *argument =
        an_mpi_argument(search->judgement->program, mpi, (unsigned)what->comm);
    struct an_term comm = an_term_of(search->judgement, argument, frame);
    enum an_match match =
        an_comm_is_world(&comm) ? AN_MUST_MATCH : an_comm_match(&comm, &level->comm);
    if (match == AN_MUST_MATCH)
        search->ways.collective = mpi->call;
    else if (match == AN_MAY_MATCH)
        search->ways.doubtful = mpi->call;
    return match == AN_MUST_MATCH || (match == AN_MAY_MATCH && search->sure);
}

/* The region is entered: 1 captured, 0 the way ends, -1 the way goes on. */
static int entry(struct search *search, const struct an_frame *frame, const struct level *level,
                 bool changed)
{
    struct an_term tag =
        an_term_of(search->judgement, search->tag,
                   an_frames_join(search->judgement, search->region->frame, frame));
    struct an_term comm =
        an_term_of(search->judgement, search->comm,
                   an_frames_join(search->judgement, search->region->frame, frame));
    enum an_match same = an_comm_match(&comm, &level->comm);
    if (same == AN_NO_MATCH || (same == AN_MAY_MATCH && search->sure))
        return -1;
    enum an_match match = an_tag_match(&tag, &level->tag);
    if (match == AN_NO_MATCH && search->synchronises) {
        search->ways.termination = search->pattern->first;
        return 0;
    }
    if (match == AN_NO_MATCH)
        return -1;
    if (changed && match == AN_MUST_MATCH) {
        search->ways.fresh = true;
        return 0;
    }
    return match == AN_MUST_MATCH || !search->sure ? 1 : 0;
}

static unsigned descend(struct search *search, const struct an_node *function,
                        const struct an_frame *frame, const struct level *level, bool changed,
                        unsigned depth);

static const struct an_message *tree_of(struct search *search, const struct an_node *function)
{
    struct function_set *one;
    HASH_FIND_PTR(search->trees, &function, one);
    if (one)
        return one->tree;
    one = calloc(1, sizeof *one);
    if (!one)
        abort();
    one->function = function;
    one->tree = an_tree_find(search->judgement, function, NULL, NULL);
    HASH_ADD_PTR(search->trees, function, one);
    return one->tree;
}

/* Does the function end only when all ranks of the communicator have entered it? */
static bool ends_together(struct search *search, const struct an_node *function,
                          const struct an_frame *frame, const struct level *level)
{
    const struct an_message *tree = tree_of(search, function);
    struct an_mpi mpi;
    if (!tree || function == search->pattern->function ||
        !an_call_is_mpi(search->judgement->program, tree->call, &mpi))
        return false;
    const struct an_node *argument =
        an_mpi_argument(search->judgement->program, &mpi, (unsigned)mpi.what->comm);
    struct an_term comm = an_term_of(search->judgement, argument, frame);
    if (!an_comm_is_world(&comm) && an_comm_match(&comm, &level->comm) != AN_MUST_MATCH)
        return false;
    search->ways.exchange = frame->call;
    return true;
}

static unsigned call_into(struct search *search, const struct an_node *call,
                          const struct an_frame *frame, const struct level *level, bool changed,
                          unsigned depth)
{
    struct an_mpi mpi;
    if (an_call_is_mpi(search->judgement->program, call, &mpi))
        return collective_ends(search, &mpi, frame, level) ? 0 : pass(changed);
    if (call->system)
        return pass(changed);
    struct an_targets targets = an_call_targets(search->judgement->program, call);
    unsigned result = 0;
    if (!targets.complete)
        search->ways.hidden = call;
    if (!targets.complete && !search->sure)
        result |= pass(changed);
    if (targets.complete && targets.count == 0)
        return pass(changed);
    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_node *function = targets.functions[i];
        const struct an_frame *inner = an_frame_create(search->judgement, call, frame);
        if (ends_together(search, function, inner, level))
            continue;
        const struct an_effects *effects =
            an_function_effects(search->judgement->program, function);
        bool quiet = !leads(search, function) && effects && !effects->collective &&
                     !(effects->sends && effects->receives);
        if (quiet && effects->hidden)
            search->ways.hidden = call;
        if (quiet && (!effects->hidden || !search->sure))
            result |= pass(changed);
        else
            result |= descend(search, function, inner, level, changed, depth + 1);
    }
    return result;
}

/* ---- The tag ---- */

/* The state behind a node; false when the way ends there. */
static bool tag_step(struct search *search, const struct an_node *node, const struct level *level,
                     bool *changed)
{
    const struct an_region *region = search->region;
    if (!region->frame && region->function != an_function_of(region->site->node))
        return true; /* described elsewhere: its variables are not those of the rounds */
    int change = an_tag_change(node, &level->tag, search->sure ? TURNS_TOO_FEW : TURNS_ENOUGH);
    if (change > 0) {
        search->ways.tag = node;
        *changed = true;
    }
    if (change < 0)
        *changed = false;
    return change >= 0 || !search->sure;
}

/* ---- Descents ---- */

struct place {
    struct an_point at;
    bool changed;
};

struct descent {
    struct search *search;
    struct place *stack;
    unsigned count, room;
    struct an_seen *seen;
    const void *key;
    bool changed;
    const struct an_node *skip; /* a loop that is known to run at least once */
};

static void descent_push(void *context, struct an_point next)
{
    struct descent *d = context;
    if (next.behind && next.node == d->skip)
        return;
    if (!an_seen_add(&d->seen, next.node, d->key, next.behind, d->changed))
        return;
    if (d->count == d->room) {
        d->room = d->room ? 2 * d->room : 64;
        d->stack = realloc(d->stack, d->room * sizeof *d->stack);
        if (!d->stack)
            abort();
    }
    d->stack[d->count++] = (struct place){next, d->changed};
}

/* Does the loop whose condition this is synchronise in each turn, and may it be taken to run? */
static const struct an_node *running_loop(const struct search *search, struct an_point at)
{
    const struct an_node *loop = at.node->parent;
    if (!search->sure || !at.behind || !loop || !an_is_loop(loop) ||
        an_loop_condition(loop) != at.node)
        return NULL;
    struct an_effects effects = an_node_effects(search->judgement->program, an_loop_body(loop));
    return effects.synchronises ? loop : NULL;
}

static bool budget_spent(struct search *search)
{
    if (++search->points > POINTS)
        search->ways.unfinished = true;
    return search->ways.unfinished;
}

/* One point inside a called function: what is known then about the whole call. */
static unsigned descent_step(struct descent *d, struct place place, const struct an_frame *frame,
                             const struct level *level, unsigned depth)
{
    struct search *search = d->search;
    const struct an_node *node = place.at.node;
    d->changed = place.changed;
    if (!place.at.behind && node == search->pattern->first) {
        int entered = entry(search, frame, level, d->changed);
        if (entered >= 0)
            return entered ? ENTERS : 0;
    }
    unsigned result = 0;
    if (place.at.behind && !tag_step(search, node, level, &d->changed))
        return 0;
    unsigned passes = pass(d->changed);
    if (place.at.behind && node->kind == AN_CALL) {
        passes = call_into(search, node, frame, level, d->changed, depth);
        result = passes & ENTERS;
    }
    d->skip = running_loop(search, place.at);
    for (unsigned changed = 0; changed < 2; changed++) {
        d->changed = changed;
        if ((passes & pass(changed)) && an_walk_step(place.at, descent_push, d))
            result |= pass(changed);
    }
    return result;
}

/* What a call of the function does to a way that enters it. Recursion adds nothing of its own. */
static unsigned descend(struct search *search, const struct an_node *function,
                        const struct an_frame *frame, const struct level *level, bool changed,
                        unsigned depth)
{
    for (const struct an_frame *f = frame->up; f; f = f->up)
        if (an_function_of(f->call) == function)
            return 0;
    if (depth > DESCENTS) {
        search->ways.unfinished = true;
        return pass(changed);
    }
    struct descent d = {.search = search, .key = frame, .changed = changed};
    unsigned result = 0;
    descent_push(&d, (struct an_point){an_body(function), false});
    while (d.count && !budget_spent(search))
        result |= descent_step(&d, d.stack[--d.count], frame, level, depth);
    an_seen_free(&d.seen);
    free(d.stack);
    return result;
}

/* ---- The way up ---- */

static struct level *level_find(struct search *search, const struct an_node *call,
                                const struct an_frame *frame)
{
    struct level made = {.call = call, .frame = frame}, *level;
    made.comm = an_term_of(search->judgement, search->comm, frame);
    made.tag = an_term_of(search->judgement, search->tag, frame);
    LL_FOREACH (search->levels, level)
        if (level->call == call && strcmp(level->comm.base, made.comm.base) == 0 &&
            level->comm.offset == made.comm.offset && strcmp(level->tag.base, made.tag.base) == 0 &&
            level->tag.factor == made.tag.factor && level->tag.offset == made.tag.offset)
            return level;
    if (++search->level_count > LEVELS) {
        search->ways.unfinished = true;
        return NULL;
    }
    level = an_judgement_alloc(search->judgement, sizeof *level);
    *level = made;
    LL_PREPEND(search->levels, level);
    return level;
}

static struct an_way *way_step(struct search *search, struct an_way *before,
                               const struct an_node *node, bool returned)
{
    struct an_way *way = an_judgement_alloc(search->judgement, sizeof *way);
    *way = (struct an_way){node, before, returned};
    return way;
}

/* Does a turn of the loop hold the region, or the call that led out of it? */
static bool goes_around(const struct search *search, const struct an_node *loop,
                        const struct level *level)
{
    return an_is_inside(loop, level->call ? level->call : search->pattern->first);
}

static void item_push(struct search *search, struct an_point at, struct level *level, bool changed,
                      struct an_way *way)
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
    struct level *level;
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
    struct an_program *program = search->judgement->program;
    if (function == an_program_main(program))
        return;
    struct an_callers callers = an_function_callers(program, function);
    if (!callers.complete)
        search->ways.open = function;
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_node *call = callers.calls[i];
        const struct an_frame *above = an_frame_create(search->judgement, call, NULL);
        struct level *level =
            level_find(search, call, an_frames_join(search->judgement, go->level->frame, above));
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
    go->skip = running_loop(go->search, at);
    if (an_walk_step(at, go_on_push, go))
        leave_function(go, an_function_of(at.node));
}

static void item_look(struct search *search, const struct item *item)
{
    struct go_on go = {
        .search = search, .level = item->level, .changed = item->changed, .way = item->way};
    const struct an_node *node = item->at.node;
    if (!item->at.behind && node == search->pattern->first) {
        int entered = entry(search, NULL, item->level, item->changed);
        if (entered > 0)
            search->ways.captured = way_step(search, item->way, node, false);
        if (entered >= 0)
            return;
    }
    if (item->at.behind && !tag_step(search, node, item->level, &go.changed))
        return;
    unsigned passes = pass(go.changed);
    if (item->at.behind && node->kind == AN_CALL)
        passes = call_into(search, node, NULL, item->level, go.changed, 0);
    if (passes & ENTERS)
        search->ways.captured = way_step(search, item->way, node, false);
    for (unsigned changed = 0; changed < 2; changed++) {
        go.changed = changed;
        if (passes & pass(changed))
            go_behind(&go, item->at);
    }
}

/* ---- The start ---- */

static void search_start(struct search *search)
{
    const struct an_site *site = search->region->site;
    struct level *level = level_find(search, NULL, search->region->frame);
    struct go_on go = {.search = search, .level = level};
    go.way = way_step(search, NULL, site->node, false);
    for (unsigned i = 0; i < search->region->ends; i++)
        go_behind(&go, (struct an_point){search->region->end[i], true});
}

struct an_ways an_ways_search(struct an_judgement *judgement, const struct an_region *region,
                              const struct an_pattern *pattern, bool sure)
{
    struct search search = {.judgement = judgement, .region = region, .pattern = pattern};
    const struct an_mpi *mpi = &region->site->mpi;
    search.sure = sure;
    search.comm = an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm);
    search.tag = an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->receive.tag);
    search.synchronises = an_region_synchronises(judgement, region, pattern);
    leading_fill(&search, region->function);
    search_start(&search);
    while (search.queue && !search.ways.captured && !budget_spent(&search)) {
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
    set_free(&search.leading);
    set_free(&search.trees);
    an_seen_free(&search.seen);
    return search.ways;
}
