/* Idea: for each wildcard receive, all other receives and probes of the program are compared by tag
 * and communicator. Those count that match and that a search of ways (capture_search.h) reaches
 * from the receive, or that reach it, with nothing in between that separates. The same search says
 * of each loop around the receive whether a way leads from its end to the receive again.
 *
 * A receive that gets its source out of a status takes the rest of what another one has begun; a
 * probe and the receive in the same loop have one message between them. Neither is a rival. */
#include "analysis/region/rival.h"
#include "analysis/flow/tag.h"
#include "analysis/region/apart.h"
#include "analysis/region/bounds.h"
#include "analysis/region/capture_search.h"
#include "analysis/region/feed.h"
#include "analysis/region/handshake.h"
#include "analysis/region/outside.h"
#include "analysis/region/role.h"
#include "analysis/region/start.h"
#include "analysis/region/walk.h"

#include <string.h>
#include <utlist.h>

/* POINTS: of one search, and POINTS_LATER, once all searches together have looked at EARLY_POINTS:
 * a large program is judged in minutes. SEARCHES: of the program; SITE_POINTS: of all searches for
 * one site. */
enum {
    POINTS = 200000,
    POINTS_LATER = 30000,
    EARLY_POINTS = 10000000,
    SEARCHES = 4000,
    SITE_POINTS = 3000000,
    CHAINS_UP = 8,
    CHAINS = 64
};

/* The separation of the sets is missing when a rank runs again. */
static const char another_set[] = "a further set of such messages is taken in the same round";
static const char too_many[] =
    "it would have to be known which receives may take its messages: the ways are too many";

/* A call that takes messages, or finds them. */
struct taker {
    struct an_mpi mpi;
    const struct an_labels *labels;
    const struct an_site *site; /* or NULL: it names its source */
    enum an_feeding feeding;    /* AN_FEED_OPEN: not asked yet */
    int64_t rank;               /* for which that holds; -1: none */
    struct taker *next;
};

/* The one rank that runs a call, if there is one. */
struct lone {
    struct an_term comm;
    struct an_role_of of;
    const struct an_role_of *role; /* `of`, or NULL */
};

struct rivalry {
    struct an_judgement *judgement;
    struct taker *takers;
    const struct an_sender *senders;
    struct an_site *site;
    struct lone lone;               /* of the site */
    const struct an_region *rounds; /* the regions of the site */
    bool posts;
    unsigned chains;    /* of calls that were looked at */
    unsigned *searches; /* of ways that were made */
    uint64_t *spent;    /* points that all of them have looked at */
    unsigned *points;   /* that may still be looked at for the site */
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
        *taker = (struct taker){.mpi = mpi,
                                .labels = an_labels_of_receive(rivalry->judgement, &mpi),
                                .site = an_site_at(rivalry->judgement, n),
                                .feeding = AN_FEED_OPEN};
        if (!is_wild(taker->site))
            taker->site = NULL;
        LL_PREPEND(rivalry->takers, taker);
    }
}

/* ---- Ways ---- */

static void lone_find(const struct rivalry *rivalry, const struct an_mpi *mpi, struct lone *lone)
{
    const struct an_node *comm = argument(rivalry, mpi, mpi->what->comm);

    *lone = (struct lone){.comm = an_term_of(rivalry->judgement, comm, NULL)};
    lone->of = (struct an_role_of){.judgement = rivalry->judgement, .comm = &lone->comm};
    lone->role = comm && an_role_find(&lone->of, mpi->call) ? &lone->of : NULL;
}

/* Searches within what is left for the site. Beyond it, the search is unfinished. */
static struct an_ways ways_search(const struct rivalry *rivalry, const struct an_region *region,
                                  const struct an_pattern *pattern, struct an_goal *goal)
{
    unsigned each = *rivalry->spent < EARLY_POINTS ? POINTS : POINTS_LATER;
    unsigned most = *rivalry->points < each ? *rivalry->points : each;

    goal->points = ++*rivalry->searches > SEARCHES ? 0 : most;
    struct an_ways ways = an_ways_search_goal(rivalry->judgement, region, pattern, goal, true);
    *rivalry->points -= ways.points < most ? ways.points : most;
    *rivalry->spent += ways.points;
    return ways;
}

/* A way from `from`, in a function that leads to the site by `frame`, to a taker. */
struct lead {
    const struct an_site *site;
    struct an_point from;
    const struct an_frame *frame;
    const struct an_mpi *to;
    bool in_round; /* it ends where a further round of the site's begins */
    bool through;  /* what separates does not end it */
};

/* Is there such a way? Too many ways to be followed are one when it goes `through`; else nobody
 * knows (an_site.unsure). */
static bool leads_to(const struct rivalry *rivalry, struct lead lead)
{
    const struct an_site *site = lead.site;
    const struct an_mpi *to = lead.to;
    struct lone lone;

    struct an_region region = {.site = site,
                               .function = an_function_of(lead.from.node),
                               .first = lead.from.node,
                               .last = lead.from.node,
                               .frame = lead.frame,
                               .anchor = site->node,
                               .end = {lead.from.node},
                               .ends = 1};
    lone_find(rivalry, &site->mpi, &lone);
    struct an_pattern pattern = {
        .first = to->call, .last = to->call, .function = an_function_of(to->call)};
    struct an_goal goal = {.node = to->call,
                           .comm = argument(rivalry, to, to->what->comm),
                           .tag = argument(rivalry, to, to->what->receive.tag),
                           .perhaps = to->call != site->node,
                           .rounds = lead.in_round ? rivalry->rounds : NULL,
                           .role = lone.role,
                           .through = lead.through};
    struct an_ways ways = ways_search(rivalry, &region, &pattern, &goal);
    bool unsure = !ways.captured && ways.unfinished;
    if (unsure && !lead.through)
        rivalry->site->unsure = too_many;
    return ways.captured || unsure;
}

/* Does the way lead to a further set of the same round, if only because nothing separates in a rank
 * that runs again? */
static bool shares(const struct rivalry *rivalry, struct lead lead)
{
    lead.in_round = lead.through = true;
    return rivalry->rounds && leads_to(rivalry, lead);
}

/* Is the call run in a round of the site's? */
static bool is_in_round(const struct rivalry *rivalry, const struct an_node *call, unsigned levels)
{
    const struct an_node *function = an_function_of(call);
    const struct an_region *region;

    LL_FOREACH (rivalry->rounds, region)
        if (an_is_within(region->first, region->last, call))
            return true;
    if (!function || !levels)
        return false;
    struct an_callers callers = an_function_callers(rivalry->judgement->program, function);
    for (unsigned i = 0; i < callers.count; i++)
        if (is_in_round(rivalry, callers.calls[i], levels - 1))
            return true;
    return false;
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
            an_labels_meet(an_labels_of_receive(rivalry->judgement, probe),
                           an_labels_of_receive(rivalry->judgement, &mpi)))
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

/* Was what it takes sent before the last separation, for a way that `lone` goes? */
static bool is_unfed(struct rivalry *rivalry, struct taker *taker, const struct lone *lone)
{
    int64_t rank = lone->role ? lone->role->rank : -1;

    if (taker->feeding == AN_FEED_OPEN || taker->rank != rank) {
        struct an_feed *feed =
            an_feed_create(rivalry->judgement, &taker->mpi, lone->role, rivalry->senders);
        taker->feeding = an_feed_of(feed);
        taker->rank = rank;
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

static bool may_compete(const struct rivalry *rivalry, const struct taker *taker,
                        const struct taker *own)
{
    return taker != own && !(taker->site && taker->site->verdict == AN_DETERMINISTIC) &&
           an_labels_meet(own->labels, taker->labels) &&
           (taker->site || !is_told(rivalry, &taker->mpi));
}

static void rival_look(struct rivalry *rivalry, struct taker *taker, struct taker *own)
{
    struct an_site *site = rivalry->site;
    const struct an_mpi *other = &taker->mpi;
    struct an_rival rival = {.call = other->call};

    if (!may_compete(rivalry, taker, own))
        return;
    const struct an_node *around = an_branches_around(site->node, other->call);
    struct an_point own_end = {around ? around : site->node, true};
    struct an_point other_end = {around ? around : other->call, true};
    if (around || an_are_apart(rivalry->judgement, &site->mpi, other->call))
        rival.together =
            taker->site && an_are_in_one_loop(rivalry->judgement->program, site->node, other->call);
    if (around || !(rival.together || is_tied(rivalry, &site->mpi, other) ||
                    an_are_apart(rivalry->judgement, &site->mpi, other->call))) {
        struct lead ahead = {.site = site,
                             .from = own_end,
                             .to = other,
                             .in_round = is_in_round(rivalry, other->call, CHAINS_UP)};
        rival.ahead = leads_to(rivalry, ahead) || is_unfed(rivalry, taker, &rivalry->lone);
        if (ahead.in_round && !rival.ahead && shares(rivalry, ahead))
            site->unproved = another_set;
        rival.together |= is_together(&site->mpi, other);
        struct lone lone;
        lone_find(rivalry, other, &lone);
        struct lead behind = {.site = taker->site, .from = other_end, .to = &site->mpi};
        rival.behind = taker->site && (leads_to(rivalry, behind) || is_unfed(rivalry, own, &lone));
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

/* Do the rounds of the site mix, as far as can be told for certain? */
static bool rounds_mix(const struct rivalry *rivalry)
{
    const struct an_region *region;

    LL_FOREACH (rivalry->rounds, region) {
        struct an_pattern pattern = {
            .first = region->first, .last = region->last, .function = region->function};
        if (an_ways_search(rivalry->judgement, region, &pattern, true).captured &&
            !an_handshake_find(rivalry->judgement, region, &pattern))
            return true;
    }
    return !rivalry->rounds;
}

/* Does the way lead to messages that are there when it begins? */
static bool is_open(const struct rivalry *rivalry, struct lead lead)
{
    if (!leads_to(rivalry, lead))
        return false;
    lead.in_round = true;
    return leads_to(rivalry, lead) || rounds_mix(rivalry);
}

/* The loops around `node`, by which the receive `to` is reached over `frame`, from the inside on.
 * Returns whether there is any. */
static bool loops_look(struct rivalry *rivalry, const struct an_node *node,
                       const struct an_frame *frame, const struct an_mpi *to)
{
    const struct an_node *loop = an_loop_around(node);
    bool any = loop != NULL, nested = true;

    while (loop && nested) {
        struct lead lead = {.site = rivalry->site, .from = {loop, true}, .frame = frame, .to = to};
        if (!is_open(rivalry, lead)) {
            if (shares(rivalry, lead))
                rivalry->site->unproved = another_set;
            break;
        }
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
                        const struct an_node *node, const struct an_frame *frame,
                        struct an_feed_way way, unsigned levels)
{
    const struct an_node *function = an_function_of(node);
    bool any = function && loops_look(rivalry, node, frame, &rivalry->site->mpi);
    bool fed = function && an_feed_here(feed, node, frame, &way) != AN_FEED_OPEN;

    if (!function)
        return;
    struct an_callers callers = an_function_callers(rivalry->judgement->program, function);
    for (unsigned i = 0; i < callers.count; i++) {
        if (!levels || rivalry->chains++ == CHAINS) {
            rivalry->site->unsure = too_many;
            return;
        }
        const struct an_frame *above = an_frame_create(rivalry->judgement, callers.calls[i], NULL);
        const struct an_frame *joined = an_frames_join(rivalry->judgement, frame, above);
        struct an_feed_way here = way;
        if (!fed && callers.count > 1 &&
            an_feed_here(feed, callers.calls[i], joined, &here) == AN_UNFED)
            open_add(rivalry, NULL, false);
        if (!any || (!fed && callers.count == 1))
            chains_look(rivalry, feed, callers.calls[i], joined, way, levels - 1);
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
            struct lead back = {.site = rivalry->site, .from = {n, true}, .to = &first};
            struct lead on = {.site = rivalry->site, .from = {first.call, true}, .to = &start};
            if (first.call && (leads_to(rivalry, back) || leads_to(rivalry, on)) &&
                an_loop_around(first.call) && an_loop_around(n) &&
                an_loop_around(first.call) != an_loop_around(n))
                open_add(rivalry, NULL, false);
            first = first.call ? first : start;
        }
}

/* ---- Answers ---- */

/* Do the two calls of a function give it other numbers? */
static bool numbers_differ(struct an_program *program, const struct an_node *one,
                           const struct an_node *other)
{
    for (unsigned n = 0; n < an_arguments(one); n++) {
        const struct an_node *argument = an_argument(one, n);
        if (argument && argument->type && argument->type->class == AN_INTEGER &&
            an_flow_texts_differ(program, argument, an_argument(other, n)))
            return true;
    }
    return false;
}

/* May the two calls of the site's function take messages of one tag? */
static bool tags_meet(const struct rivalry *rivalry, const struct an_node *one,
                      const struct an_node *other)
{
    struct an_judgement *judgement = rivalry->judgement;
    const struct an_mpi *mpi = &rivalry->site->mpi;
    const struct an_node *tag = argument(rivalry, mpi, mpi->what->receive.tag);
    struct an_term a = an_term_of(judgement, tag, an_frame_create(judgement, one, NULL));
    struct an_term b = an_term_of(judgement, tag, an_frame_create(judgement, other, NULL));

    return an_tag_match(&a, &b) != AN_NO_MATCH;
}

/* May the second call of the site's function take what is sent for the first? */
static bool calls_mix(const struct rivalry *rivalry, const struct an_node *one,
                      const struct an_node *other)
{
    struct an_judgement *judgement = rivalry->judgement;
    const struct an_mpi *mpi = &rivalry->site->mpi;
    struct an_region region = {.site = rivalry->site,
                               .function = an_function_of(one),
                               .first = one,
                               .last = one,
                               .frame = an_frame_create(judgement, one, NULL),
                               .anchor = rivalry->site->node,
                               .end = {one},
                               .ends = 1};
    struct an_pattern pattern = {.first = other, .last = other, .function = an_function_of(other)};
    struct an_goal goal = {.node = other,
                           .comm = argument(rivalry, mpi, mpi->what->comm),
                           .tag = argument(rivalry, mpi, mpi->what->receive.tag),
                           .frame = an_frame_create(judgement, other, NULL),
                           .perhaps = true};
    struct an_ways ways = ways_search(rivalry, &region, &pattern, &goal);
    return ways.captured || ways.unfinished;
}

/* Sees whether the site's function may treat what it takes in another way, by which of its calls
 * takes it. */
static void answers_look(struct rivalry *rivalry)
{
    struct an_program *program = rivalry->judgement->program;
    struct an_callers callers = an_function_callers(program, an_function_of(rivalry->site->node));
    const struct an_open *open;
    bool mixes = false;

    LL_FOREACH (rivalry->site->open, open)
        mixes |= !open->nested;
    for (unsigned i = 0; mixes && i < callers.count; i++)
        for (unsigned k = 0; k < callers.count && !rivalry->site->differs; k++)
            rivalry->site->differs = i != k &&
                                     numbers_differ(program, callers.calls[i], callers.calls[k]) &&
                                     tags_meet(rivalry, callers.calls[i], callers.calls[k]) &&
                                     calls_mix(rivalry, callers.calls[i], callers.calls[k]);
}

static void site_look(struct rivalry *rivalry)
{
    unsigned points = SITE_POINTS;
    struct taker *own, *taker;
    const char *why;

    rivalry->points = &points;
    rivalry->rounds = an_region_locate(rivalry->judgement, rivalry->site, &why);
    lone_find(rivalry, &rivalry->site->mpi, &rivalry->lone);
    LL_SEARCH_SCALAR(rivalry->takers, own, site, rivalry->site);
    LL_FOREACH (rivalry->takers, taker)
        rival_look(rivalry, taker, own);
    rivalry->posts = rivalry->site->mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT);
    rivalry->chains = 0;
    if (rivalry->site->mpi.what->flags & AN_PERSISTENT) {
        starts_look(rivalry);
    } else {
        struct an_feed *feed = an_feed_create(rivalry->judgement, &rivalry->site->mpi,
                                              rivalry->lone.role, rivalry->senders);
        chains_look(rivalry, feed, rivalry->site->node, NULL, (struct an_feed_way){0, 0},
                    CHAINS_UP);
        an_feed_destroy(feed);
    }
    answers_look(rivalry);
}

void an_rivals_find(struct an_judgement *judgement)
{
    unsigned searches = 0;
    uint64_t spent = 0;
    struct rivalry rivalry = {.judgement = judgement, .searches = &searches, .spent = &spent};

    for (const struct an_node *f = an_program_next(judgement->program, NULL); f;
         f = an_program_next(judgement->program, f))
        takers_add(&rivalry, f);
    rivalry.senders = an_senders_find(judgement);
    LL_FOREACH (judgement->sites, rivalry.site)
        if (is_wild(rivalry.site) && rivalry.site->verdict != AN_DETERMINISTIC)
            site_look(&rivalry);
}
