/* Idea: the search starts at the receive and goes outwards through the statements around it. In
 * each block it looks back to the last barrier and forward to the next one. A statement *separates*
 * if each of its paths passes a barrier on the receive's communicator.
 *
 * Other ranks may take another branch of an if. A send in that branch counts if the same number of
 * barriers stands before it in its branch as before the receive in its own, or after both. */
#include "analysis/region/feed.h"
#include "analysis/region/barrier.h"
#include "analysis/region/match.h"
#include "analysis/region/outside.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

enum { CALLERS_UP = 6, CALLS_DOWN = 6 };

struct leading {
    const struct an_node *function;
    UT_hash_handle hh;
};

struct an_feed {
    struct an_judgement *judgement;
    const struct an_mpi *receive;
    const struct an_labels *labels; /* of the receive */
    const struct an_role_of *role;  /* or NULL */
    int64_t rank;                   /* the one that runs the receive, or -1 */
    struct leading *senders; /* functions that hold a send that matches, or call one that does */
    bool starts;             /* some of the sends are persistent */
};

/* ---- Sends ---- */

/* The one rank that runs the node, by the conditions around it or around all calls of its function;
 * -1 when there is none. */
static int64_t rank_of(struct an_judgement *judgement, const struct an_node *node, unsigned levels)
{
    struct an_role_of role = {.judgement = judgement};
    const struct an_node *function = an_function_of(node);
    int64_t rank = -1;

    if (an_role_find(&role, node))
        return role.rank;
    if (!function || !levels)
        return -1;
    struct an_callers callers = an_function_callers(judgement->program, function);
    for (unsigned i = 0; i < callers.count; i++) {
        int64_t one = rank_of(judgement, callers.calls[i], levels - 1);
        if (one < 0 || (i && one != rank))
            return -1;
        rank = one;
    }
    return callers.complete ? rank : -1;
}

/* Does the rank that receives run this send itself? Then the messages go to others: the receive has
 * those of other ranks. */
static bool is_own(const struct an_feed *feed, const struct an_node *call)
{
    return feed->rank >= 0 && rank_of(feed->judgement, call, CALLERS_UP) == feed->rank;
}

static bool sends_itself(const struct an_feed *feed, const struct an_node *call)
{
    struct an_mpi mpi;

    if (!an_call_is_mpi(feed->judgement->program, call, &mpi))
        return false;
    if (mpi.what->role == AN_START)
        return feed->starts;
    return (mpi.what->role == AN_SEND || mpi.what->role == AN_EXCHANGE) &&
           an_labels_meet(an_labels_of_send(feed->judgement, &mpi), feed->labels) &&
           !is_own(feed, call);
}

static void sender_add(struct an_feed *feed, const struct an_node *function)
{
    struct leading *found;

    if (!function)
        return;
    HASH_FIND_PTR(feed->senders, &function, found);
    if (found)
        return;
    found = calloc(1, sizeof *found);
    if (!found)
        abort();
    found->function = function;
    HASH_ADD_PTR(feed->senders, function, found);
    struct an_callers callers = an_function_callers(feed->judgement->program, function);
    for (unsigned i = 0; i < callers.count; i++)
        sender_add(feed, an_function_of(callers.calls[i]));
}

static void senders_find(struct an_feed *feed, const struct an_sender *senders)
{
    const struct an_sender *sender;

    LL_FOREACH (senders, sender)
        if (sender->mpi.what->role != AN_START && an_labels_meet(sender->labels, feed->labels) &&
            !is_own(feed, sender->mpi.call)) {
            feed->starts |= (sender->mpi.what->flags & AN_PERSISTENT) != 0;
            sender_add(feed, an_function_of(sender->mpi.call));
        }
    LL_FOREACH (feed->starts ? senders : NULL, sender)
        if (sender->mpi.what->role == AN_START)
            sender_add(feed, an_function_of(sender->mpi.call));
}

struct an_sender *an_senders_find(struct an_judgement *judgement)
{
    struct an_program *program = judgement->program;
    struct an_sender *senders = NULL;
    struct an_mpi mpi;

    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false)) {
            if (n->kind != AN_CALL || !an_call_is_mpi(program, n, &mpi) ||
                (mpi.what->role != AN_SEND && mpi.what->role != AN_EXCHANGE &&
                 mpi.what->role != AN_START))
                continue;
            struct an_sender *sender = an_judgement_alloc(judgement, sizeof *sender);
            sender->mpi = mpi;
            sender->labels = an_labels_of_send(judgement, &mpi);
            LL_PREPEND(senders, sender);
        }
    return senders;
}

/* Does the statement send, or may it? */
static bool sends(const struct an_feed *feed, const struct an_node *statement)
{
    for (const struct an_node *n = statement; n; n = an_next(statement, n, false)) {
        if (n->kind != AN_CALL)
            continue;
        if (sends_itself(feed, n))
            return true;
        struct an_targets targets = an_call_targets(feed->judgement->program, n);
        for (unsigned i = 0; i < targets.count; i++) {
            const struct an_node *function = targets.functions[i];
            struct leading *found;
            HASH_FIND_PTR(feed->senders, &function, found);
            if (found)
                return true;
        }
        if (!targets.complete && !n->system)
            return true;
    }
    return false;
}

/* ---- The way outwards ---- */

struct outwards {
    const struct an_feed *feed;
    struct an_term comm; /* in the words of the function */
    struct an_feed_way way;
};

static bool separates(const struct outwards *out, const struct an_node *statement,
                      const struct an_frame *frame)
{
    const struct an_feed *feed = out->feed;
    return an_barrier_always(feed->judgement, statement, frame, &out->comm, feed->role);
}

/* Adds the statements of the block that separate, before and after its child `node`. */
static void block_count(const struct outwards *out, const struct an_node *block,
                        const struct an_node *node, const struct an_frame *frame,
                        struct an_feed_way *way)
{
    unsigned *count = &way->before;

    for (const struct an_node *s = block->child; s; s = s->next) {
        if (s == node)
            count = &way->behind;
        else
            *count += separates(out, s, frame);
    }
}

/* The sends before `node` in its block, from the last statement that separates on; those of the
 * whole block when `node` is NULL. */
static bool before_sends(const struct outwards *out, const struct an_node *block,
                         const struct an_node *node)
{
    const struct an_node *from = block->child;

    for (const struct an_node *s = block->child; s && s != node; s = s->next)
        if (separates(out, s, NULL))
            from = s->next;
    for (const struct an_node *s = from; s && s != node; s = s->next)
        if (sends(out->feed, s))
            return true;
    return false;
}

static bool behind_sends(const struct outwards *out, const struct an_node *from)
{
    for (const struct an_node *s = from; s && !separates(out, s, NULL); s = s->next)
        if (sends(out->feed, s))
            return true;
    return false;
}

/* Does a statement before or after `node` in this block send, with no barrier between it and the
 * receive? In a loop the previous and the next iteration count, too. */
static bool block_sends(struct outwards *out, const struct an_node *block,
                        const struct an_node *node)
{
    bool turns = block->parent && an_is_loop(block->parent);
    bool found = (!out->way.before && before_sends(out, block, node)) ||
                 (!out->way.behind && behind_sends(out, node->next));

    block_count(out, block, node, NULL, &out->way);
    if (!found && turns)
        found = (!out->way.before && before_sends(out, block, NULL)) ||
                (!out->way.behind && behind_sends(out, block->child));
    return found;
}

/* Can both lie between the same two barriers? They can if as many barriers stand before both. Where
 * both have passed some, the number may differ between branches; then as many after both will do.
 */
static bool is_level(struct an_feed_way one, struct an_feed_way other)
{
    return one.before == other.before || (one.before && other.before && one.behind == other.behind);
}

/* The barriers around `call`, counted from it up to `root`, added to `way`. */
static struct an_feed_way way_to(const struct outwards *out, const struct an_node *root,
                                 const struct an_node *call, const struct an_frame *frame,
                                 struct an_feed_way way)
{
    for (const struct an_node *node = call; node != root; node = node->parent)
        if (node->parent->kind == AN_BLOCK)
            block_count(out, node->parent, node, frame, &way);
    return way;
}

/* Does the branch contain a matching send between the same barriers as the receive (is_level)?
 * `way`: the barriers counted outside of `branch`. */
static bool branch_sends(const struct outwards *out, const struct an_node *branch,
                         const struct an_frame *frame, struct an_feed_way way, unsigned levels)
{
    const struct an_feed *feed = out->feed;

    for (const struct an_node *n = branch; n; n = an_next(branch, n, false)) {
        if (n->kind != AN_CALL || !sends(feed, n))
            continue;
        struct an_feed_way here = way_to(out, branch, n, frame, way);
        struct an_targets targets = an_call_targets(feed->judgement->program, n);
        bool inside = levels && targets.complete && targets.count && !sends_itself(feed, n);
        if (!inside && is_level(here, out->way))
            return true;
        for (unsigned i = 0; inside && i < targets.count; i++)
            if (branch_sends(out, an_body(targets.functions[i]),
                             an_frame_create(feed->judgement, n, frame), here, levels - 1))
                return true;
    }
    return false;
}

static bool branches_send(const struct outwards *out, const struct an_node *parent,
                          const struct an_node *node)
{
    const struct an_feed_way none = {0, 0};

    for (const struct an_node *child = parent->child; child; child = child->next)
        if (child != node && branch_sends(out, child, NULL, none, CALLS_DOWN))
            return true;
    return false;
}

enum an_feeding an_feed_here(const struct an_feed *feed, const struct an_node *place,
                             const struct an_frame *frame, struct an_feed_way *way)
{
    struct an_judgement *judgement = feed->judgement;
    const struct an_mpi *receive = feed->receive;
    const struct an_node *comm =
        an_mpi_argument(judgement->program, receive, (unsigned)receive->what->comm);
    struct outwards out = {.feed = feed, .way = *way};
    const struct an_node *node = place;

    if (place == receive->call && sends_itself(feed, place))
        return AN_FED; /* a combined call */
    out.comm = an_term_of(judgement, comm, frame);
    for (; node->parent && node->kind != AN_FUNCTION; node = node->parent) {
        const struct an_node *parent = node->parent;
        bool found = parent->kind == AN_BLOCK ? block_sends(&out, parent, node)
                     : parent->kind == AN_IF || parent->kind == AN_SWITCH || an_is_loop(parent)
                         ? branches_send(&out, parent, node)
                         : false;
        if (found)
            return AN_FED;
    }
    *way = out.way;
    const struct an_node *function = an_function_of(place);
    return !function || function == an_program_main(judgement->program) ? AN_UNFED : AN_FEED_OPEN;
}

static enum an_feeding feed_at(const struct an_feed *feed, const struct an_node *place,
                               const struct an_frame *frame, struct an_feed_way way,
                               unsigned levels)
{
    enum an_feeding here = an_feed_here(feed, place, frame, &way);
    if (here != AN_FEED_OPEN)
        return here;
    struct an_judgement *judgement = feed->judgement;
    struct an_callers callers = an_function_callers(judgement->program, an_function_of(place));
    if (!levels || !callers.complete)
        return AN_FED;
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_frame *above = an_frame_create(judgement, callers.calls[i], NULL);
        if (feed_at(feed, callers.calls[i], an_frames_join(judgement, frame, above), way,
                    levels - 1) == AN_UNFED)
            return AN_UNFED;
    }
    return AN_FED;
}

enum an_feeding an_feed_of(const struct an_feed *feed)
{
    return feed_at(feed, feed->receive->call, NULL, (struct an_feed_way){0, 0}, CALLERS_UP);
}

struct an_feed *an_feed_create(struct an_judgement *judgement, const struct an_mpi *receive,
                               const struct an_role_of *role, const struct an_sender *senders)
{
    struct an_feed *feed = calloc(1, sizeof *feed);

    if (!feed)
        abort();
    feed->judgement = judgement;
    feed->receive = receive;
    feed->labels = an_labels_of_receive(judgement, receive);
    feed->role = role;
    feed->rank = rank_of(judgement, receive->call, CALLERS_UP);
    senders_find(feed, senders);
    return feed;
}

void an_feed_destroy(struct an_feed *feed)
{
    struct leading *one, *next;

    if (!feed)
        return;
    HASH_ITER (hh, feed->senders, one, next) {
        HASH_DEL(feed->senders, one);
        free(one);
    }
    free(feed);
}
