/* Idea: for each wildcard receive, all other receives and probes of the program are compared by tag
 * and communicator. Of those that match, the ones count that a search of ways (capture_search.h)
 * reaches from the receive, or that reach it, with nothing in between that separates. The same
 * search says of each loop around the receive whether a way leads from its end to the receive
 * again.
 *
 * A receive that gets its source out of a status takes the rest of what another one has begun; a
 * probe and the receive in the same loop have one message between them. Neither is a rival. */
#include "analysis/region/rival.h"
#include "analysis/region/apart.h"
#include "analysis/region/bounds.h"
#include "analysis/region/capture_search.h"
#include "analysis/region/feed.h"
#include "analysis/region/handshake.h"
#include "analysis/region/outside.h"
#include "analysis/region/start.h"
#include "analysis/region/walk.h"

#include <string.h>
#include <utlist.h>

enum { POINTS = 30000, CHAINS_UP = 4, CHAINS = 32 };

/* In a program of more functions than LARGE ways are searched less far and less often, and what a
 * receive takes is believed to be sent on its own side of a collective. */
enum { LARGE = 200, POINTS_LARGE = 2000, SEARCHES = 20000, SEARCHES_LARGE = 400 };

/* A call that takes messages, or finds them. */
struct taker {
    struct an_mpi mpi;
    const struct an_site *site; /* or NULL: it names its source */
    enum an_feeding feeding;    /* AN_FEED_OPEN: not asked yet */
    struct taker *next;
};

struct rivalry {
    struct an_judgement *judgement;
    struct taker *takers;
    struct an_site *site;
    bool posts;
    unsigned chains;    /* of calls that were looked at */
    unsigned *searches; /* of ways that were made */
};

static const struct an_node *argument(const struct rivalry *rivalry, const struct an_mpi *mpi,
                                      int number)
{
    return an_outside_argument(rivalry->judgement, mpi, number);
}

static bool is_probe(const struct an_mpi *mpi)
{
    return mpi->what->role == AN_PROBE || mpi->what->role == AN_POLL;
}

static bool is_wild(const struct an_site *site)
{
    return site && site->wildcard & AN_WILD_SOURCE && site->mpi.what->comm >= 0 &&
           site->mpi.what->receive.tag >= 0;
}

/* ---- Who takes messages ---- */

static void takers_add(struct rivalry *rivalry, const struct an_node *function)
{
    struct an_mpi mpi;

    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        if (n->kind != AN_CALL || !an_call_is_mpi(rivalry->judgement->program, n, &mpi))
            continue;
        enum an_role role = mpi.what->role;
        bool takes =
            role == AN_RECEIVE || role == AN_EXCHANGE || role == AN_PROBE || role == AN_POLL;
        if (!takes || mpi.what->comm < 0 || mpi.what->receive.tag < 0 || mpi.what->receive.peer < 0)
            continue;
        struct taker *taker = an_judgement_alloc(rivalry->judgement, sizeof *taker);
        *taker = (struct taker){
            .mpi = mpi, .site = an_site_at(rivalry->judgement, n), .feeding = AN_FEED_OPEN};
        if (!is_wild(taker->site))
            taker->site = NULL;
        LL_PREPEND(rivalry->takers, taker);
    }
}

/* ---- Ways ---- */

/* Does a way with nothing in between lead from `from`, in a function that leads to the site by
 * `frame`, to the taker? */
static bool leads_to(const struct rivalry *rivalry, const struct an_site *site,
                     struct an_point from, const struct an_frame *frame, const struct an_mpi *to)
{
    struct an_judgement *judgement = rivalry->judgement;
    bool large = judgement->functions > LARGE;
    if (++*rivalry->searches > (large ? SEARCHES_LARGE : SEARCHES))
        return false;
    struct an_region region = {.site = site,
                               .function = an_function_of(from.node),
                               .first = from.node,
                               .last = from.node,
                               .frame = frame,
                               .anchor = site->node,
                               .end = {from.node},
                               .ends = 1};
    struct an_pattern pattern = {
        .first = to->call, .last = to->call, .function = an_function_of(to->call)};
    struct an_goal goal = {.node = to->call,
                           .comm = argument(rivalry, to, to->what->comm),
                           .tag = argument(rivalry, to, to->what->receive.tag),
                           .perhaps = to->call != site->node,
                           .points = large ? POINTS_LARGE : POINTS};
    return an_ways_search_goal(judgement, &region, &pattern, &goal, true).captured != NULL;
}

/* ---- Rivals ---- */

static bool is_source_of_status(const struct an_node *node)
{
    node = an_plain(node);
    return node && node->kind == AN_MEMBER && node->name && strcmp(node->name, "MPI_SOURCE") == 0;
}

/* Is the source that a receive names one that a status, or an array of sources, has told? */
static bool is_told(const struct rivalry *rivalry, const struct an_mpi *mpi)
{
    const struct an_node *peer = an_plain(argument(rivalry, mpi, mpi->what->receive.peer));
    const struct an_node *function = an_function_of(mpi->call);

    while (peer && (peer->kind == AN_INDEX || (peer->kind == AN_UNARY && peer->op == AN_OP_DEREF)))
        peer = an_plain(peer->child);
    if (is_source_of_status(peer))
        return true;
    if (!peer || !peer->symbol)
        return false;
    for (const struct an_node *n = function; n; n = an_next(function, n, false)) {
        bool starts = n->kind == AN_VARIABLE && n->symbol && strcmp(n->symbol, peer->symbol) == 0;
        if (starts && is_source_of_status(n->child))
            return true;
        if (n->kind != AN_ASSIGN || !is_source_of_status(an_child(n, 1)))
            continue;
        const struct an_node *to = an_plain(n->child);
        while (to->kind == AN_INDEX)
            to = an_plain(to->child);
        if (to->symbol && strcmp(to->symbol, peer->symbol) == 0)
            return true;
    }
    return false;
}

/* Is the receive the first one behind the probe, in a function without loops around the two, that
 * may take what the probe has found? */
static bool is_first_behind(const struct rivalry *rivalry, const struct an_mpi *probe,
                            const struct an_mpi *receive)
{
    const struct an_node *function = an_function_of(probe->call);

    if (an_function_of(receive->call) != function || an_loop_around(probe->call) ||
        an_loop_around(receive->call))
        return false;
    for (const struct an_node *n = probe->call; n; n = an_next(function, n, false)) {
        struct an_mpi mpi;

        if (n->kind == AN_CALL && n != probe->call &&
            an_call_is_mpi(rivalry->judgement->program, n, &mpi) && mpi.what->role == AN_RECEIVE &&
            an_outside_receives_meet(rivalry->judgement, probe, &mpi))
            return n == receive->call;
    }
    return false;
}

/* Do a probe and a receive share what is found? */
static bool is_tied(const struct rivalry *rivalry, const struct an_mpi *one,
                    const struct an_mpi *other)
{
    if (is_probe(one) == is_probe(other))
        return false;
    return an_are_in_one_loop(rivalry->judgement->program, one->call, other->call) ||
           is_first_behind(rivalry, is_probe(one) ? one : other, is_probe(one) ? other : one);
}

/* Are both probes, and is one of the two in the innermost loop around the other? Then what either
 * finds is taken by the same receive. */
static bool is_together(const struct an_mpi *one, const struct an_mpi *other)
{
    const struct an_node *loop = an_loop_around(one->call), *around = an_loop_around(other->call);
    return is_probe(one) && is_probe(other) &&
           ((loop && an_is_inside(loop, other->call)) ||
            (around && an_is_inside(around, one->call)));
}

/* Was what it takes sent before the last collective? */
static bool is_unfed(struct rivalry *rivalry, struct taker *taker)
{
    if (rivalry->judgement->functions > LARGE)
        return false;
    if (taker->feeding == AN_FEED_OPEN) {
        struct an_feed *feed = an_feed_create(rivalry->judgement, &taker->mpi);
        taker->feeding = an_feed_of(feed);
        an_feed_destroy(feed);
    }
    return taker->feeding == AN_UNFED;
}

static void rival_add(struct an_judgement *judgement, struct an_site *site, struct an_rival found)
{
    struct an_rival *rival = an_judgement_alloc(judgement, sizeof *rival);
    *rival = found;
    LL_APPEND(site->rivals, rival);
}

static bool may_compete(const struct rivalry *rivalry, const struct taker *taker)
{
    const struct an_mpi *own = &rivalry->site->mpi, *other = &taker->mpi;

    return other->call != own->call && !(taker->site && taker->site->verdict == AN_DETERMINISTIC) &&
           (taker->site || !is_told(rivalry, other)) &&
           an_outside_receives_meet(rivalry->judgement, own, other);
}

static void rival_look(struct rivalry *rivalry, struct taker *taker, struct taker *own)
{
    struct an_site *site = rivalry->site;
    const struct an_mpi *other = &taker->mpi;
    struct an_rival rival = {.call = other->call};

    if (!may_compete(rivalry, taker))
        return;
    const struct an_node *around = an_branches_around(site->node, other->call);
    struct an_point own_end = {around ? around : site->node, true};
    struct an_point other_end = {around ? around : other->call, true};
    if (around || an_are_apart(rivalry->judgement, &site->mpi, other->call))
        rival.together =
            taker->site && an_are_in_one_loop(rivalry->judgement->program, site->node, other->call);
    if (around || !(rival.together || is_tied(rivalry, &site->mpi, other) ||
                    an_are_apart(rivalry->judgement, &site->mpi, other->call))) {
        rival.ahead = leads_to(rivalry, site, own_end, NULL, other) || is_unfed(rivalry, taker);
        rival.together |= is_together(&site->mpi, other);
        rival.behind =
            taker->site &&
            (leads_to(rivalry, taker->site, other_end, NULL, &site->mpi) || is_unfed(rivalry, own));
    }
    if (rival.ahead || rival.behind || rival.together)
        rival_add(rivalry->judgement, site, rival);
}

/* ---- Loops ---- */

static void open_add(struct rivalry *rivalry, const struct an_node *loop, bool nested)
{
    struct an_open *open;
    LL_FOREACH (rivalry->site->open, open)
        if (open->loop == loop) {
            open->nested &= nested;
            return;
        }
    open = an_judgement_alloc(rivalry->judgement, sizeof *open);
    *open = (struct an_open){.loop = loop, .nested = nested};
    LL_APPEND(rivalry->site->open, open);
}

/* Does the loop complete requests? */
static bool completes(const struct rivalry *rivalry, const struct an_node *loop)
{
    struct an_mpi mpi;
    for (const struct an_node *n = loop; n; n = an_next(loop, n, false))
        if (n->kind == AN_CALL && an_call_is_mpi(rivalry->judgement->program, n, &mpi) &&
            (mpi.what->role == AN_WAIT || mpi.what->role == AN_TEST || mpi.what->role == AN_CHOICE))
            return true;
    return false;
}

/* The loops around `node`, by which the receive `to` is reached over `frame`, from the inside on.
 * Returns whether there is any. */
static bool loops_look(struct rivalry *rivalry, const struct an_node *node,
                       const struct an_frame *frame, const struct an_mpi *to)
{
    const struct an_node *loop = an_loop_around(node);
    bool any = loop != NULL, nested = true;

    while (loop && nested) {
        if (!leads_to(rivalry, rivalry->site, (struct an_point){loop, true}, frame, to))
            break;
        const struct an_node *around = an_loop_around(loop);
        nested =
            around && !(rivalry->posts && !completes(rivalry, loop) && completes(rivalry, around));
        open_add(rivalry, loop, nested);
        loop = around;
    }
    return any;
}

/* The calls that lead to the receive over `frame`. One that runs it for messages which were sent
 * before the last collective competes with the others. */
static void chains_look(struct rivalry *rivalry, const struct an_feed *feed,
                        const struct an_node *node, const struct an_frame *frame, unsigned levels)
{
    const struct an_node *function = an_function_of(node);
    bool any = function && loops_look(rivalry, node, frame, &rivalry->site->mpi);
    bool fed = !feed || (function && an_feed_here(feed, node, frame) != AN_FEED_OPEN);

    if (!function || !levels)
        return;
    struct an_callers callers = an_function_callers(rivalry->judgement->program, function);
    for (unsigned i = 0; i < callers.count && rivalry->chains++ < CHAINS; i++) {
        const struct an_frame *above = an_frame_create(rivalry->judgement, callers.calls[i], NULL);
        const struct an_frame *joined = an_frames_join(rivalry->judgement, frame, above);
        if (!fed && callers.count > 1 && an_feed_here(feed, callers.calls[i], joined) == AN_UNFED)
            open_add(rivalry, NULL, false);
        if (!any || (!fed && callers.count == 1))
            chains_look(rivalry, feed, callers.calls[i], joined, levels - 1);
    }
}

/* A persistent receive is posted where its request is started. */
static void starts_look(struct rivalry *rivalry)
{
    struct an_program *program = rivalry->judgement->program;
    const char *name = an_request_name(program, &rivalry->site->mpi);
    struct an_mpi first = {NULL, NULL, NULL, false};

    for (const struct an_node *f = name ? an_program_next(program, NULL) : NULL; f;
         f = an_program_next(program, f))
        for (const struct an_node *n = f; n; n = an_next(f, n, false)) {
            struct an_mpi start = rivalry->site->mpi;
            start.call = n;
            if (n->kind != AN_CALL || !an_starts(program, n, name))
                continue;
            loops_look(rivalry, n, NULL, &start);
            if (first.call &&
                (leads_to(rivalry, rivalry->site, (struct an_point){n, true}, NULL, &first) ||
                 leads_to(rivalry, rivalry->site, (struct an_point){first.call, true}, NULL,
                          &start)) &&
                an_loop_around(first.call) && an_loop_around(n) &&
                an_loop_around(first.call) != an_loop_around(n))
                open_add(rivalry, NULL, false);
            first = first.call ? first : start;
        }
}

/* Does the rank that receives tell all others when it has everything, so that nobody sends for the
 * next round before? */
static bool is_handshake(const struct rivalry *rivalry)
{
    const char *why;
    struct an_region *regions = an_region_locate(rivalry->judgement, rivalry->site, &why), *region;

    LL_FOREACH (regions, region) {
        struct an_pattern pattern = {
            .first = region->first, .last = region->last, .function = region->function};
        if (!an_handshake_find(rivalry->judgement, region, &pattern))
            return false;
    }
    return regions != NULL;
}

static void site_look(struct rivalry *rivalry)
{
    struct taker *own, *taker;

    LL_SEARCH_SCALAR(rivalry->takers, own, site, rivalry->site);
    LL_FOREACH (rivalry->takers, taker)
        rival_look(rivalry, taker, own);
    rivalry->posts = rivalry->site->mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT);
    rivalry->chains = 0;
    if (rivalry->site->mpi.what->flags & AN_PERSISTENT) {
        starts_look(rivalry);
    } else {
        struct an_feed *feed = NULL;
        if (rivalry->judgement->functions <= LARGE)
            feed = an_feed_create(rivalry->judgement, &rivalry->site->mpi);
        chains_look(rivalry, feed, rivalry->site->node, NULL, CHAINS_UP);
        an_feed_destroy(feed);
    }
    if (rivalry->site->open && is_handshake(rivalry))
        rivalry->site->open = NULL;
}

void an_rivals_find(struct an_judgement *judgement)
{
    unsigned searches = 0;
    struct rivalry rivalry = {.judgement = judgement, .searches = &searches};

    for (const struct an_node *f = an_program_next(judgement->program, NULL); f;
         f = an_program_next(judgement->program, f))
        takers_add(&rivalry, f);
    LL_FOREACH (judgement->sites, rivalry.site)
        if (is_wild(rivalry.site) && rivalry.site->verdict != AN_DETERMINISTIC)
            site_look(&rivalry);
}
