/* Idea: from the receive outwards through the statements around it, backwards and forwards as far
 * as the next statement that separates on each of its paths; sends of all branches on the way
 * count, because other ranks take them. */
#include "analysis/region/feed.h"
#include "analysis/region/barrier.h"
#include "analysis/region/match.h"
#include "analysis/region/outside.h"
#include "analysis/region/walk.h"

#include <stdlib.h>
#include <uthash.h>

enum { CALLERS_UP = 6 };

struct leading {
    const struct an_node *function;
    UT_hash_handle hh;
};

struct an_feed {
    struct an_judgement *judgement;
    const struct an_mpi *receive;
    struct leading *senders; /* functions that hold a send that matches, or call one that does */
    bool starts;             /* some of the sends are persistent */
};

/* ---- Sends ---- */

static bool sends_itself(const struct an_feed *feed, const struct an_node *call)
{
    struct an_mpi mpi;

    if (!an_call_is_mpi(feed->judgement->program, call, &mpi))
        return false;
    if (mpi.what->role == AN_START)
        return feed->starts;
    return (mpi.what->role == AN_SEND || mpi.what->role == AN_EXCHANGE) &&
           an_outside_send_meets(feed->judgement, &mpi, feed->receive);
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

static void senders_find(struct an_feed *feed)
{
    struct an_program *program = feed->judgement->program;
    struct an_mpi mpi;

    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false)) {
            if (n->kind != AN_CALL || !sends_itself(feed, n) || !an_call_is_mpi(program, n, &mpi))
                continue;
            feed->starts |= (mpi.what->flags & AN_PERSISTENT) != 0;
            sender_add(feed, f);
        }
    for (const struct an_node *f = an_program_next(program, NULL); f && feed->starts;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false))
            if (n->kind == AN_CALL && an_call_is_mpi(program, n, &mpi) &&
                mpi.what->role == AN_START)
                sender_add(feed, f);
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
    const struct an_frame *frame;
    struct an_term comm;
    bool back, on; /* nothing that separates was met yet, before the receive and behind it */
};

static bool separates(const struct outwards *out, const struct an_node *statement)
{
    return an_barrier_always(out->feed->judgement, statement, out->frame, &out->comm);
}

/* What stands before `node` in its block, from the last statement that separates on; of all the
 * block, when `node` is NULL. */
static bool before_sends(struct outwards *out, const struct an_node *block,
                         const struct an_node *node)
{
    const struct an_node *from = block->child;

    for (const struct an_node *s = block->child; s && s != node; s = s->next)
        if (separates(out, s)) {
            from = s->next;
            out->back = false;
        }
    for (const struct an_node *s = from; s && s != node; s = s->next)
        if (sends(out->feed, s))
            return true;
    return false;
}

static bool behind_sends(struct outwards *out, const struct an_node *from)
{
    for (const struct an_node *s = from; s; s = s->next) {
        if (separates(out, s)) {
            out->on = false;
            return false;
        }
        if (sends(out->feed, s))
            return true;
    }
    return false;
}

static bool block_sends(struct outwards *out, const struct an_node *block,
                        const struct an_node *node)
{
    bool turns = block->parent && an_is_loop(block->parent);

    if (out->back && before_sends(out, block, node))
        return true;
    if (out->on && behind_sends(out, node->next))
        return true;
    if (!turns)
        return false;
    bool back = out->back, on = out->on, found = back && before_sends(out, block, NULL);
    found = found || (on && behind_sends(out, block->child));
    out->back = back;
    out->on = on;
    return found;
}

static bool branches_send(const struct an_feed *feed, const struct an_node *parent,
                          const struct an_node *node)
{
    for (const struct an_node *child = parent->child; child; child = child->next)
        if (child != node && sends(feed, child))
            return true;
    return false;
}

enum an_feeding an_feed_here(const struct an_feed *feed, const struct an_node *place,
                             const struct an_frame *frame)
{
    struct an_judgement *judgement = feed->judgement;
    const struct an_mpi *receive = feed->receive;
    const struct an_node *comm =
        an_mpi_argument(judgement->program, receive, (unsigned)receive->what->comm);
    struct outwards out = {.feed = feed, .back = true, .on = true};
    const struct an_node *node = place;

    if (place == receive->call && sends_itself(feed, place))
        return AN_FED; /* a combined call */
    out.comm = an_term_of(judgement, comm, frame);
    for (; node->parent && node->kind != AN_FUNCTION && (out.back || out.on); node = node->parent) {
        const struct an_node *parent = node->parent;
        bool found = parent->kind == AN_BLOCK ? block_sends(&out, parent, node)
                     : parent->kind == AN_IF || parent->kind == AN_SWITCH || an_is_loop(parent)
                         ? branches_send(feed, parent, node)
                         : false;
        if (found)
            return AN_FED;
    }
    const struct an_node *function = an_function_of(place);
    bool top = !function || function == an_program_main(judgement->program);
    return (!out.back && !out.on) || top ? AN_UNFED : AN_FEED_OPEN;
}

static enum an_feeding feed_at(const struct an_feed *feed, const struct an_node *place,
                               const struct an_frame *frame, unsigned levels)
{
    enum an_feeding here = an_feed_here(feed, place, frame);
    if (here != AN_FEED_OPEN)
        return here;
    struct an_judgement *judgement = feed->judgement;
    struct an_callers callers = an_function_callers(judgement->program, an_function_of(place));
    if (!levels || !callers.complete)
        return AN_FED;
    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_frame *above = an_frame_create(judgement, callers.calls[i], NULL);
        if (feed_at(feed, callers.calls[i], an_frames_join(judgement, frame, above), levels - 1) ==
            AN_UNFED)
            return AN_UNFED;
    }
    return AN_FED;
}

enum an_feeding an_feed_of(const struct an_feed *feed)
{
    return feed_at(feed, feed->receive->call, NULL, CALLERS_UP);
}

struct an_feed *an_feed_create(struct an_judgement *judgement, const struct an_mpi *receive)
{
    struct an_feed *feed = calloc(1, sizeof *feed);

    if (!feed)
        abort();
    feed->judgement = judgement;
    feed->receive = receive;
    senders_find(feed);
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
