/* Idea: a call descends where it holds a collective or leads to the region, and then all points of
 * the called function are looked at. A collective that synchronises the communicator ends a way,
 * and so does an entry with another tag when the region itself synchronises.
 *
 * Invariant: each (point, frame, tag changed) of a descent is looked at once, so it ends. */
#include "analysis/region/capture_call.h"
#include "analysis/region/barrier.h"
#include "analysis/region/capture_set.h"
#include "analysis/region/capture_tag.h"
#include "analysis/region/equal.h"
#include "analysis/region/group.h"
#include "analysis/region/lone.h"
#include "analysis/region/tree.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { POINTS = 200000, DESCENTS = 12 };

/* A tag that comes again after so many rounds: earlier is a capture; later is none for certain. */
enum { TURNS_TOO_FEW = 4, TURNS_ENOUGH = 1024 };

struct an_function_set {
    const struct an_node *function;
    const struct an_message *tree; /* of `trees`: what the function ends with, or NULL */
    UT_hash_handle hh;
};

/* ---- Sets ---- */

static void set_free(struct an_function_set **set)
{
    struct an_function_set *one, *next;
    HASH_ITER (hh, *set, one, next) {
        HASH_DEL(*set, one);
        free(one);
    }
}

static bool leads(const struct an_question *question, const struct an_node *function)
{
    struct an_function_set *found;
    HASH_FIND_PTR(question->leading, &function, found);
    return found != NULL;
}

/* The functions from which the region can be reached. */
static void leading_fill(struct an_question *question, const struct an_node *function)
{
    if (!function || leads(question, function))
        return;
    struct an_function_set *one = calloc(1, sizeof *one);
    if (!one)
        abort();
    one->function = function;
    HASH_ADD_PTR(question->leading, function, one);
    struct an_callers callers = an_function_callers(question->judgement->program, function);
    for (unsigned i = 0; i < callers.count; i++)
        leading_fill(question, an_function_of(callers.calls[i]));
}

void an_question_start(struct an_question *question, struct an_judgement *judgement,
                       const struct an_region *region, const struct an_pattern *pattern,
                       const struct an_goal *goal, bool sure)
{
    const struct an_mpi *mpi = &region->site->mpi;
    question->judgement = judgement;
    question->region = region;
    question->pattern = pattern;
    question->sure = sure;
    question->comm = an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm);
    question->tag = an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->receive.tag);
    if (goal) {
        question->goal = *goal;
    } else {
        question->goal = (struct an_goal){.node = pattern->first,
                                          .comm = question->comm,
                                          .tag = question->tag,
                                          .frame = region->frame,
                                          .points = POINTS};
        question->synchronises = an_region_synchronises(judgement, region, pattern);
    }
    leading_fill(question, an_function_of(question->goal.node));
}

void an_question_clear(struct an_question *question)
{
    set_free(&question->leading);
    set_free(&question->trees);
}

bool an_budget_spent(struct an_question *question)
{
    if (++question->points > question->goal.points)
        question->ways.unfinished = true;
    return question->ways.unfinished;
}

/* ---- What a call does to a way ---- */

unsigned an_passes(bool changed)
{
    return changed ? AN_PASSES_CHANGED : AN_PASSES;
}

/* A broadcast by the one rank that receives, which all others get before they send again. */
static bool answers(const struct an_question *question, const struct an_mpi *mpi,
                    const struct an_frame *frame, const struct an_level *level)
{
    struct an_judgement *judgement = question->judgement;
    const struct an_node *receiver = an_lone_rank(judgement, question->region->anchor);
    if (!question->sure || frame || level->call || !receiver ||
        strcmp(mpi->what->name, "Bcast") != 0 || an_lone_branch(judgement, mpi->call) ||
        an_is_within(question->pattern->first, question->pattern->last, mpi->call))
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

/* A blocking collective: does it end the way? */
static bool collective_ends(struct an_question *question, const struct an_mpi *mpi,
                            const struct an_frame *frame, const struct an_level *level)
{
    const struct an_role_of *role = question->goal.role;
    if (answers(question, mpi, frame, level) ||
        (role && an_barrier_is_word(question->judgement, mpi, frame, &level->comm, role)))
        return true;
    enum an_match match = an_barrier_match(question->judgement, mpi, frame, &level->comm);
    if (match == AN_MUST_MATCH)
        question->ways.collective = mpi->call;
    else if (match == AN_MAY_MATCH &&
             an_barrier_may_be_empty(question->judgement, mpi, frame, &level->comm))
        question->ways.empty = mpi->call;
    else if (match == AN_MAY_MATCH)
        question->ways.doubtful = mpi->call;
    return match == AN_MUST_MATCH || (match == AN_MAY_MATCH && question->sure);
}

bool an_round_begins(const struct an_question *question, const struct an_node *node)
{
    const struct an_region *region = question->goal.rounds;

    while (region && region->first != node)
        region = region->next;
    return region != NULL;
}

bool an_round_ends(const struct an_question *question, const struct an_node *function)
{
    bool found = false;

    for (const struct an_region *region = question->goal.rounds; region; region = region->next) {
        if (region->doubt)
            return false;
        found |= region->function == function;
    }
    return found;
}

int an_entry_look(struct an_question *question, const struct an_frame *frame,
                  const struct an_level *level, bool changed)
{
    const struct an_goal *goal = &question->goal;
    const struct an_frame *inner = an_frames_join(question->judgement, goal->frame, frame);
    struct an_term tag = an_term_of(question->judgement, goal->tag, inner);
    struct an_term comm = an_term_of(question->judgement, goal->comm, inner);
    enum an_match same = an_comm_match(&comm, &level->comm);
    bool sure = question->sure && !goal->perhaps;
    if (same == AN_NO_MATCH || (same == AN_MAY_MATCH && sure))
        return -1;
    enum an_match match = an_tag_match(&tag, &level->tag);
    if (match == AN_NO_MATCH && question->synchronises) {
        question->ways.termination = question->pattern->first;
        return 0;
    }
    if (match == AN_NO_MATCH)
        return -1;
    if (changed && match == AN_MUST_MATCH) {
        question->ways.fresh = true;
        return 0;
    }
    return match == AN_MUST_MATCH || !sure ? 1 : 0;
}

static unsigned descend(struct an_question *question, const struct an_node *function,
                        const struct an_frame *frame, const struct an_level *level, bool changed,
                        unsigned depth);

static const struct an_message *tree_of(struct an_question *question,
                                        const struct an_node *function)
{
    struct an_function_set *one;
    HASH_FIND_PTR(question->trees, &function, one);
    if (one)
        return one->tree;
    one = calloc(1, sizeof *one);
    if (!one)
        abort();
    one->function = function;
    one->tree = an_tree_find(question->judgement, function, NULL, NULL);
    HASH_ADD_PTR(question->trees, function, one);
    return one->tree;
}

/* Does the function end only when all ranks of the communicator have entered it? */
static bool ends_together(struct an_question *question, const struct an_node *function,
                          const struct an_frame *frame, const struct an_level *level)
{
    const struct an_message *tree = tree_of(question, function);
    struct an_mpi mpi;
    if (!tree || function == question->pattern->function ||
        !an_call_is_mpi(question->judgement->program, tree->call, &mpi))
        return false;
    const struct an_node *argument =
        an_mpi_argument(question->judgement->program, &mpi, (unsigned)mpi.what->comm);
    struct an_term comm = an_term_of(question->judgement, argument, frame);
    if (an_group_covers(question->judgement, &comm, &level->comm) != AN_MUST_MATCH)
        return false;
    question->ways.exchange = frame->call;
    return true;
}

/* Whether a function that sends nothing, or what it calls, may give the tag an old value. */
static bool resets(const struct an_question *question, const struct an_node *function,
                   const struct an_level *level, unsigned depth)
{
    const struct an_node *name = level->tag.name;

    if (!level->tag.symbol ||
        (name && name->storage != AN_GLOBAL && name->storage != AN_STATIC_LOCAL))
        return false;
    for (const struct an_node *n = an_body(function); n; n = an_next(an_body(function), n, false)) {
        if (an_tag_change(n, &level->tag, 1) < 0)
            return true;
        struct an_targets targets = {0};
        if (n->kind == AN_CALL && !n->system && depth < DESCENTS / 2)
            targets = an_call_targets(question->judgement->program, n);
        for (unsigned i = 0; i < targets.count; i++)
            if (resets(question, targets.functions[i], level, depth + 1))
                return true;
    }
    return false;
}

unsigned an_call_passes(struct an_question *question, const struct an_node *call,
                        const struct an_frame *frame, const struct an_level *level, bool changed,
                        unsigned depth)
{
    struct an_mpi mpi;
    bool through = question->goal.through;
    if (an_call_is_mpi(question->judgement->program, call, &mpi))
        return !through && collective_ends(question, &mpi, frame, level) ? 0 : an_passes(changed);
    if (call->system)
        return an_passes(changed);
    struct an_targets targets = an_call_targets(question->judgement->program, call);
    unsigned result = 0;
    if (!targets.complete)
        question->ways.hidden = call;
    if (!targets.complete && !question->sure)
        result |= an_passes(changed);
    if (targets.complete && targets.count == 0)
        return an_passes(changed);
    for (unsigned i = 0; i < targets.count; i++) {
        const struct an_node *function = targets.functions[i];
        const struct an_frame *inner = an_frame_create(question->judgement, call, frame);
        if (!through && ends_together(question, function, inner, level))
            continue;
        const struct an_effects *effects =
            an_function_effects(question->judgement->program, function);
        bool quiet = !leads(question, function) && effects && !effects->collective &&
                     !(effects->sends && effects->receives);
        if (quiet && effects->hidden)
            question->ways.hidden = call;
        if (quiet && resets(question, function, level, 0)) {
            question->ways.reset = call;
            result |= question->sure ? 0 : an_passes(false);
            continue;
        }
        if (quiet && (!effects->hidden || !question->sure))
            result |= an_passes(changed);
        else
            result |= descend(question, function, inner, level, changed, depth + 1);
    }
    return result;
}

/* ---- The tag ---- */

bool an_tag_step(struct an_question *question, const struct an_node *node,
                 const struct an_level *level, bool *changed)
{
    const struct an_region *region = question->region;
    if (!region->frame && region->function != an_function_of(region->site->node))
        return true; /* described elsewhere: its variables are not those of the rounds */
    int change = an_tag_change(node, &level->tag, question->sure ? TURNS_TOO_FEW : TURNS_ENOUGH);
    if (change > 0 && !question->sure &&
        !an_tag_only_counts(question->judgement->program, &level->tag))
        change = -1;
    if (change < 0)
        question->ways.reset = node;
    if (change > 0) {
        question->ways.tag = node;
        *changed = true;
    }
    if (change < 0)
        *changed = false;
    return change >= 0 || !question->sure;
}

/* ---- Descents ---- */

struct place {
    struct an_point at;
    bool changed;
};

struct descent {
    struct an_question *question;
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

const struct an_node *an_running_loop(const struct an_question *question,
                                      const struct an_frame *frame, const struct an_level *level,
                                      struct an_point at)
{
    const struct an_node *loop = at.node->parent;
    if (!question->sure || !at.behind || !loop || !an_is_loop(loop) ||
        an_loop_condition(loop) != at.node)
        return NULL;
    const struct an_node *body = an_loop_body(loop);
    bool runs =
        an_barrier_always(question->judgement, body, frame, &level->comm, question->goal.role);
    return runs ? loop : NULL;
}

/* One point inside a called function: what is known then about the whole call. */
static unsigned descent_step(struct descent *d, struct place place, const struct an_frame *frame,
                             const struct an_level *level, unsigned depth)
{
    struct an_question *question = d->question;
    const struct an_node *node = place.at.node;
    d->changed = place.changed;
    if (!place.at.behind && an_round_begins(question, node))
        return 0;
    if (!place.at.behind && node == question->goal.node) {
        int entered = an_entry_look(question, frame, level, d->changed);
        if (entered >= 0)
            return entered ? AN_ENTERS : 0;
    }
    unsigned result = 0;
    if (place.at.behind && !an_tag_step(question, node, level, &d->changed))
        return 0;
    unsigned passes = an_passes(d->changed);
    if (place.at.behind && node->kind == AN_CALL) {
        passes = an_call_passes(question, node, frame, level, d->changed, depth);
        result = passes & AN_ENTERS;
    }
    d->skip = an_running_loop(question, frame, level, place.at);
    for (unsigned changed = 0; changed < 2; changed++) {
        d->changed = changed;
        if ((passes & an_passes(changed)) && an_walk_step(place.at, descent_push, d))
            result |= an_passes(changed);
    }
    return result;
}

/* The effect of a call of the function on a way that enters it. Recursion adds nothing of its
 * own. */
static unsigned descend(struct an_question *question, const struct an_node *function,
                        const struct an_frame *frame, const struct an_level *level, bool changed,
                        unsigned depth)
{
    for (const struct an_frame *f = frame->up; f; f = f->up)
        if (an_function_of(f->call) == function)
            return 0;
    if (depth > DESCENTS) {
        question->ways.unfinished = true;
        return an_passes(changed);
    }
    struct descent d = {.question = question, .key = frame, .changed = changed};
    unsigned result = 0;
    descent_push(&d, (struct an_point){an_body(function), false});
    while (d.count && !an_budget_spent(question))
        result |= descent_step(&d, d.stack[--d.count], frame, level, depth);
    an_seen_free(&d.seen);
    free(d.stack);
    return result;
}
