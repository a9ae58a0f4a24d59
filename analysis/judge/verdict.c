/* Idea: what names alone decide is decided first (verdict_names.h). Everything else is followed
 * from the function of the site on, and from its callers when something dependent leaves it, as far
 * up as there are callers and budget. The worst of all paths is the verdict.
 *
 * In a large program a function that answers its messages itself is judged by that exchange; what
 * leaves it is a finding, and its outcomes are recorded. One could follow such an order through all
 * of a solver, and would only learn that everything depends on everything. */
#include "analysis/flow/flow.h"
#include "analysis/flow/tag.h"
#include "analysis/judge/judge.h"
#include "analysis/judge/verdict_names.h"
#include "analysis/judge/verdict_findings.h"
#include "analysis/judge/verdict_probe.h"
#include "analysis/region/rival.h"
#include "analysis/slice/slice.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 8, ROOTS = 48, CHOICES = 16, COMPLETIONS = 8, LARGE = 200 };
static const long site_budget = 150000;

/* The steps of one run. Tests set FT_FLOW_BUDGET=0, so that all is answered by the slice. */
static long run_budget(void)
{
    const char *given = getenv("FT_FLOW_BUDGET");
    return given ? atol(given) : 60000;
}

struct outcome {
    enum an_verdict verdict;
    const char *text;
    const struct an_node *send; /* that decided it, or NULL */
    struct an_step *witness;
    const char *rule;
    struct an_flow_value escape, floating;
    const struct an_node *hidden, *used;
    bool after; /* that send stands after the loop */
    bool escapes_sources, sorted, looped, exhausted, unfollowed, seen, completed;
    bool slots; /* the site finds a free buffer for a send, no more */
    bool cut;   /* some callers were not followed to their end, or not at all */
};

struct following {
    struct an_judgement *judgement;
    const struct an_site *site;
    const struct an_site *posting; /* the site, when another call that completes it is followed */
    long steps;
    unsigned count;
    const struct an_node *roots[ROOTS];
};

static unsigned badness(enum an_verdict verdict)
{
    static const unsigned order[] = {0, 1, 2, 4, 3};
    return order[verdict];
}

static struct an_step *step_create(struct an_judgement *judgement, const struct an_node *node,
                                   const char *text, struct an_step *next)
{
    struct an_step *step = an_judgement_alloc(judgement, sizeof *step);
    step->node = node;
    step->text = an_judgement_printf(judgement, "%s", text);
    step->next = next;
    return step;
}

static struct an_step *witness_create(struct an_judgement *judgement, const struct an_flow_why *why,
                                      const struct an_node *last, const char *text)
{
    struct an_step *steps = last ? step_create(judgement, last, text, NULL) : NULL;
    for (; why; why = why->before)
        steps = step_create(judgement, why->node, why->text, steps);
    return steps;
}

static void outcome_worsen(struct outcome *into, const struct outcome *other)
{
    if (badness(other->verdict) > badness(into->verdict)) {
        into->verdict = other->verdict;
        into->text = other->text;
        into->send = other->send;
        into->witness = other->witness;
        into->rule = other->rule;
        into->after = other->after;
    }
    if (other->escape.kind > into->escape.kind)
        into->escape = other->escape;
    if (other->floating.kind > into->floating.kind)
        into->floating = other->floating;
    into->hidden = into->hidden ? into->hidden : other->hidden;
    into->used = into->used ? into->used : other->used;
    into->escapes_sources |= other->escapes_sources;
    into->sorted |= other->sorted;
    into->unfollowed |= other->unfollowed;
    into->exhausted |= other->exhausted;
    into->seen |= other->seen;
    into->completed |= other->completed;
    into->cut |= other->cut;
    into->looped &= other->looped;
}

static void sends_read(struct following *following, const struct an_flow *flow,
                       struct outcome *outcome)
{
    for (const struct an_flow_send *send = flow->sends; send; send = send->next) {
        bool within = outcome->send && outcome->after &&
                      !(send->after || send->what.index || send->what.flags & AN_FLOW_PERMUTED);
        if (badness(send->verdict) < badness(outcome->verdict) ||
            (badness(send->verdict) == badness(outcome->verdict) && !within))
            continue;
        outcome->verdict = send->verdict;
        outcome->text = send->text;
        outcome->send = send->call;
        outcome->rule = send->rule;
        outcome->after = send->after || send->what.index || send->what.flags & AN_FLOW_PERMUTED;
        outcome->witness =
            witness_create(following->judgement, send->what.why, send->call, send->text);
    }
}

/* Worsens a class that is better than unknown to unknown, for what was met at `node`. */
static void outcome_doubt(struct following *following, struct outcome *outcome,
                          const struct an_node *node, const char *text, const char *step)
{
    if (badness(outcome->verdict) >= badness(AN_UNKNOWN))
        return;
    outcome->verdict = AN_UNKNOWN;
    outcome->text = text;
    outcome->witness = step_create(following->judgement, node, step, NULL);
}

static struct outcome run_one(struct following *following, const struct an_node *root,
                              unsigned choice, unsigned *choices)
{
    struct an_flow *flow = an_flow_run(following->judgement, following->site, following->posting,
                                       root, choice, run_budget());
    struct outcome outcome = {.verdict = AN_SEND_DETERMINISTIC,
                              .looped = flow->site_loop > 0 || flow->closed};

    following->steps += flow->steps;
    *choices = flow->split ? flow->split_count : 1;
    sends_read(following, flow, &outcome);
    outcome.escape = flow->escape;
    outcome.floating = flow->floating;
    outcome.hidden = flow->hidden;
    outcome.used = flow->used;
    outcome.escapes_sources = flow->escape_sources;
    outcome.sorted = flow->sorted;
    outcome.exhausted = flow->exhausted;
    outcome.seen = flow->seen;
    outcome.completed = flow->completed;
    outcome.slots = flow->request_sends && following->site->mpi.what->role == AN_CHOICE;
    if (flow->floating.kind != AN_FLOW_FREE && !outcome.witness)
        outcome.witness = witness_create(following->judgement, flow->floating.why, NULL, "");
    outcome.escape.why = outcome.floating.why = NULL;
    if (flow->hidden && badness(outcome.verdict) < badness(AN_UNKNOWN)) {
        outcome.verdict = AN_UNKNOWN;
        outcome.send = flow->hidden;
        outcome.rule = NULL;
        outcome.text =
            an_judgement_printf(following->judgement, "it would have to be known whether %s sends",
                                flow->hidden->name ? flow->hidden->name : "what a pointer calls");
        outcome.witness = step_create(following->judgement, flow->hidden, outcome.text, NULL);
    }
    if (flow->leap)
        outcome_doubt(following, &outcome, flow->leap,
                      "it would have to be known where a longjmp goes on", "this does not return");
    if (flow->nowhere)
        outcome_doubt(following, &outcome, flow->nowhere,
                      "it would have to be known which addresses are in a datatype",
                      "the buffer is MPI_BOTTOM");
    if (flow->astray)
        outcome_doubt(following, &outcome, flow->astray, flow->astray_text,
                      "a value that depends on it goes where it cannot be followed");
    an_flow_destroy(flow);
    return outcome;
}

/* Nothing that was seen could be better. */
static bool is_harmless(const struct outcome *outcome)
{
    return outcome->verdict <= AN_SEND_DETERMINISTIC && outcome->seen && !outcome->exhausted &&
           !outcome->escapes_sources && outcome->floating.kind == AN_FLOW_FREE && !outcome->used;
}

/* A pointer to a function enters the same function each time, but the targets need not be told
 * apart where all together do no harm. */
static struct outcome run_all(struct following *following, const struct an_node *root)
{
    unsigned choices, more;
    struct outcome outcome = run_one(following, root, AN_FLOW_ANY, &choices);

    if (choices == 1 || is_harmless(&outcome))
        return outcome;
    outcome = run_one(following, root, 0, &choices);
    for (unsigned i = 1; i < choices && i < CHOICES && !outcome.exhausted; i++) {
        struct outcome other = run_one(following, root, i, &more);
        outcome_worsen(&outcome, &other);
    }
    outcome.exhausted |= choices > CHOICES;
    return outcome;
}

static bool root_was_followed(const struct following *following, const struct an_node *root)
{
    for (unsigned i = 0; i < following->count; i++)
        if (following->roots[i] == root)
            return true;
    return false;
}

/* False: there are too many functions from which the site is followed. */
static bool root_note(struct following *following, const struct an_node *root)
{
    if (following->count == ROOTS)
        return false;
    following->roots[following->count++] = root;
    return true;
}

static struct outcome follow(struct following *following, const struct an_node *root,
                             unsigned level);

/* The outcome in the callers of its function. */
static struct outcome callers_follow(struct following *following, struct an_callers callers,
                                     struct outcome *outcome, unsigned level)
{
    struct outcome above = {.looped = true};
    bool any = false;

    for (unsigned i = 0; i < callers.count; i++) {
        const struct an_node *caller = an_function_of(callers.calls[i]);
        if (!caller || root_was_followed(following, caller))
            continue;
        bool room = root_note(following, caller);
        struct outcome one = room ? follow(following, caller, level + 1) : *outcome;
        if (!room || one.exhausted || !one.seen) {
            outcome->unfollowed = true;
            one = *outcome;
            one.cut = true;
            one.exhausted = false;
        }
        any ? outcome_worsen(&above, &one) : (void)(above = one);
        any = true;
    }
    if (!any)
        return *outcome;
    if (!callers.complete)
        outcome_worsen(&above, outcome);
    return above;
}

static struct outcome follow(struct following *following, const struct an_node *root,
                             unsigned level)
{
    struct outcome outcome = run_all(following, root);
    struct an_callers callers = an_function_callers(following->judgement->program, root);
    bool leaves = an_flow_depends(outcome.escape) || !outcome.looped;

    if (leaves && !callers.count && root != an_program_main(following->judgement->program))
        outcome.unfollowed = true;
    if (!level && outcome.slots && outcome.verdict == AN_SEND_DETERMINISTIC)
        return outcome;
    if (leaves && outcome.verdict == AN_CHANNEL_DETERMINISTIC &&
        following->judgement->functions > LARGE) {
        outcome.unfollowed = true;
        return outcome;
    }
    if (!leaves || !callers.count || outcome.exhausted || outcome.verdict == AN_NON_DETERMINISTIC)
        return outcome;
    if (level + 1 >= LEVELS || following->steps > site_budget) {
        outcome.unfollowed = outcome.cut = true;
        return outcome;
    }
    return callers_follow(following, callers, &outcome, level);
}

static const char *reason_make(struct an_judgement *judgement, const struct an_site *site,
                               const struct outcome *outcome)
{
    if (outcome->send && outcome->send->place.line && outcome->verdict != AN_UNKNOWN)
        return an_judgement_printf(judgement, "%s (line %u)", outcome->text,
                                   outcome->send->place.line);
    if (outcome->text)
        return outcome->text;
    if (site->wildcard & AN_WILD_INDEX)
        return "which request completes first influences no send";
    if (!(site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG)))
        return "when the answer is yes influences no send";
    return "the order of arrival influences no send";
}

/* Whether each turn of the loops around the receive asks for a tag of its own. */
static bool has_tags_of_turns(struct an_judgement *judgement, const struct an_site *site)
{
    const struct an_node *tag = an_site_argument(judgement, site, site->mpi.what->receive.tag);
    bool any = false;

    if (!tag || tag->constant)
        return false;
    for (const struct an_node *loop = site->node->parent; loop && loop->kind != AN_FUNCTION;
         loop = loop->parent) {
        if (loop->kind == AN_WHILE || loop->kind == AN_DO)
            return false;
        if (loop->kind != AN_FOR)
            continue;
        const struct an_node *step = an_child(loop, 2);
        bool names = false;
        for (const struct an_node *n = step; n; n = an_next(step, n, false))
            for (const struct an_node *t = tag; n->symbol && t; t = an_next(tag, t, false))
                names |= t->symbol && strcmp(t->symbol, n->symbol) == 0;
        if (!names)
            return false;
        any = true;
    }
    return any;
}

/* A single receive from any source may have one sender only, which the analysis cannot see: then
 * non-deterministic becomes unknown. */
static void soften(struct an_judgement *judgement, const struct an_site *site,
                   struct outcome *outcome)
{
    bool once = !outcome->looped && site->mpi.what->role == AN_RECEIVE &&
                !(site->mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT));

    if (outcome->verdict != AN_NON_DETERMINISTIC || site->wildcard & (AN_WILD_INDEX | AN_WILD_FLAG))
        return;
    if (site->maybe & AN_WILD_SOURCE) {
        outcome->verdict = AN_UNKNOWN;
        outcome->text = "it would have to be known which callers ask for any source";
    } else if (once || site->mpi.what->role == AN_EXCHANGE) {
        outcome->verdict = AN_UNKNOWN;
        outcome->text = "it would have to be known whether several processes may send to it";
    } else if (has_tags_of_turns(judgement, site)) {
        outcome->verdict = AN_UNKNOWN;
        outcome->text = "it would have to be known whether several processes send with one tag";
    }
}

/* Is the call's code missing? A call that is merely not followed (recursion) needs no
 * annotation. */
static bool is_unseen(const struct an_judgement *judgement, const struct an_node *call)
{
    struct an_targets targets = {0};
    if (call->kind == AN_CALL)
        targets = an_call_targets(judgement->program, call);
    return !targets.complete || targets.count == 0;
}

/* Does the site's outcome say who was first? A poll alone does not. */
static bool tells_order(const struct an_site *site)
{
    if (site->wildcard & (AN_WILD_SOURCE | AN_WILD_TAG))
        return true;
    return site->wildcard & AN_WILD_INDEX && !(site->wildcard & AN_WILD_FLAG);
}

static void findings_give(struct an_judgement *judgement, struct an_site *site,
                          const struct outcome *outcome)
{
    if (outcome->verdict == AN_NON_DETERMINISTIC && outcome->send &&
        (outcome->rule || (site->wildcard & AN_WILD_FLAG && !(site->wildcard & AN_WILD_INDEX))))
        an_finding_add(judgement, site, "poll-steers-sends", outcome->send, outcome->text, NULL,
                       outcome->witness);
    if (outcome->hidden && outcome->verdict == AN_UNKNOWN && is_unseen(judgement, outcome->hidden))
        an_finding_add(judgement, site, "unannotated-callee", outcome->hidden, outcome->text,
                       "analyse the function's file, too, or annotate the call", outcome->witness);
    bool escaped =
        outcome->escape.kind >= AN_FLOW_SOURCE &&
        (outcome->escape.flags & AN_FLOW_PERMUTED || outcome->escape.kind >= AN_FLOW_OPAQUE);
    if (outcome->floating.kind == AN_FLOW_ORDER && site->verdict <= AN_CHANNEL_DETERMINISTIC)
        an_finding_add(judgement, site, "order-escapes", site->node,
                       "a floating-point sum keeps the order of arrival", NULL, outcome->witness);
    else if (tells_order(site) && outcome->verdict != AN_UNKNOWN &&
             (outcome->after || (escaped && outcome->unfollowed) || outcome->escapes_sources))
        an_finding_add(judgement, site, "order-escapes", site->node,
                       "the order of arrival outlives the loop", NULL, outcome->witness);
}

/* Follows the content of a receive that is completed elsewhere. */
static void completions_follow(struct an_judgement *judgement, const struct an_site *site,
                               struct outcome *outcome)
{
    const struct an_node *call = NULL;

    for (unsigned i = 0; (call = an_flow_completion_next(judgement->program, site, call)); i++) {
        if (i == COMPLETIONS) {
            outcome->exhausted = true;
            return;
        }
        struct an_site other = *site;
        other.node = call;
        an_call_is_mpi(judgement->program, call, &other.mpi);
        other.wildcard |= (other.mpi.what->flag >= 0 ? AN_WILD_FLAG : 0) |
                          (other.mpi.what->index >= 0 ? AN_WILD_INDEX : 0);
        struct following following = {.judgement = judgement, .site = &other, .posting = site};
        root_note(&following, an_function_of(call));
        struct outcome more = follow(&following, an_function_of(call), 0);
        outcome->completed |= more.seen;
        outcome_worsen(outcome, &more);
    }
}

/* The slice decides the class of a site if a run was cut off before its end and no run has found a
 * class as bad as unknown. */
static void slice_ask(struct an_judgement *judgement, const struct an_site *site,
                      struct an_slice **slice, struct outcome *outcome)
{
    if (!*slice)
        *slice = an_slice_create(judgement);
    struct an_slice_answer answer = an_slice_ask(*slice, site);
    outcome->seen = outcome->completed = true;
    if (!answer.reaches) {
        outcome->unfollowed = false;
        outcome->verdict = AN_SEND_DETERMINISTIC;
        outcome->text = NULL;
        outcome->send = NULL;
        outcome->witness = NULL;
        return;
    }
    outcome->verdict = AN_UNKNOWN;
    outcome->text = answer.reason;
    outcome->send = answer.send;
    outcome->witness = answer.witness;
}

/* Whether the order itself leaves the function: in a list, or in numbers that were given out by
 * turns. */
static bool order_leaves(const struct outcome *outcome)
{
    return !outcome->sorted && outcome->escape.kind >= AN_FLOW_SOURCE &&
           (outcome->escape.flags & AN_FLOW_PERMUTED || outcome->escape.kind >= AN_FLOW_OPAQUE);
}

/* A value that was not followed makes a good verdict unknown, with the reason. */
static void unfollowed_worsen(struct an_judgement *judgement, const struct an_site *site,
                              struct an_slice **slice, struct outcome *outcome)
{
    bool cut = outcome->cut &&
               (!outcome->looped || judgement->functions <= LARGE || order_leaves(outcome));

    if (badness(outcome->verdict) >= badness(AN_UNKNOWN))
        return;
    if (outcome->exhausted || cut) {
        slice_ask(judgement, site, slice, outcome);
    } else if (!outcome->seen) {
        outcome->verdict = AN_UNKNOWN;
        outcome->text = "no path to it could be followed";
    }
}

/* Competing receives make the class worse: where another call of the site's function may answer a
 * message (differs), and where that is not known (unsure). */
static void takers_worsen(struct an_judgement *judgement, const struct an_site *site,
                          struct outcome *outcome)
{
    if (outcome->verdict == AN_CHANNEL_DETERMINISTIC && site->differs) {
        outcome->verdict = AN_NON_DETERMINISTIC;
        outcome->text = "which call of its function takes a message decides how it is answered";
        outcome->send = NULL;
    }
    if (site->unsure && badness(outcome->verdict) < badness(AN_UNKNOWN)) {
        outcome->verdict = AN_UNKNOWN;
        outcome->text = site->unsure;
        outcome->send = NULL;
        outcome->witness = step_create(judgement, site->node, site->unsure, NULL);
    }
}

static void site_judge(struct an_judgement *judgement, struct an_site *site,
                       struct an_slice **slice)
{
    struct following following = {.judgement = judgement, .site = site};
    const struct an_node *function = an_function_of(site->node);

    if (site->decided)
        return;
    if (!function) {
        an_site_give(site, AN_UNKNOWN, "it stands outside of any function");
        return;
    }
    if (an_names_are_callers(judgement, site)) {
        an_site_give(
            site, AN_UNKNOWN,
            "it would have to be known whether callers that are not here ask for any source");
        return;
    }
    root_note(&following, function);
    struct outcome outcome = follow(&following, function, 0);
    if (site->mpi.what->role == AN_RECEIVE &&
        site->mpi.what->flags & (AN_NONBLOCKING | AN_PERSISTENT)) {
        completions_follow(judgement, site, &outcome);
        if (!outcome.completed && !outcome.exhausted &&
            badness(outcome.verdict) < badness(AN_UNKNOWN)) {
            outcome.verdict = AN_UNKNOWN;
            outcome.text = "it would have to be known where the receive is completed";
        }
    }
    unfollowed_worsen(judgement, site, slice, &outcome);
    takers_worsen(judgement, site, &outcome);
    if (outcome.verdict == AN_SEND_DETERMINISTIC && outcome.unfollowed && outcome.escapes_sources &&
        !outcome.sorted) {
        outcome.verdict = AN_CHANNEL_DETERMINISTIC;
        outcome.text = "the sources are kept in the order of arrival, which may order later sends";
    }
    soften(judgement, site, &outcome);
    if (outcome.verdict == AN_SEND_DETERMINISTIC && an_names_are_unread(judgement, site)) {
        outcome.verdict = AN_DETERMINISTIC;
        outcome.text = "nobody reads which request was complete, or whether one was";
    }
    if (outcome.unfollowed && !site->unproved)
        site->unproved = "what depends on it was not followed out of its function to the end";
    an_site_give(site, outcome.verdict, reason_make(judgement, site, &outcome));
    site->witness = outcome.witness;
    if (!site->witness)
        site->witness = step_create(judgement, site->node, site->reason, NULL);
    findings_give(judgement, site, &outcome);
}

/* May a competing receive before the site take messages of the site, without that its outcome is
 * recorded? */
static bool is_robbed(struct an_judgement *judgement, const struct an_site *site)
{
    for (const struct an_rival *rival = site->rivals; rival; rival = rival->next) {
        const struct an_site *other = an_site_at(judgement, rival->call);
        if (rival->behind && !rival->together && other &&
            badness(other->verdict) < badness(AN_UNKNOWN))
            return true;
    }
    return false;
}

/* Sites that take what another one has left are judged again, until that changes nothing. */
static void robbed_judge(struct an_judgement *judgement, struct an_slice **slice)
{
    for (bool again = true; again;) {
        again = false;
        for (struct an_site *site = judgement->sites; site; site = site->next) {
            if (site->decided || site->robbed || !is_robbed(judgement, site))
                continue;
            site->robbed = again = true;
            an_findings_drop(judgement, site);
            site_judge(judgement, site, slice);
        }
    }
}

void an_verdicts_give(struct an_judgement *judgement)
{
    struct an_slice *slice = NULL; /* made when it is first asked */

    for (struct an_site *site = judgement->sites; site; site = site->next)
        site->decided = an_names_decide(judgement, site);
    an_rivals_find(judgement);
    for (struct an_site *site = judgement->sites; site; site = site->next)
        site_judge(judgement, site, &slice);
    robbed_judge(judgement, &slice);
    an_slice_destroy(slice);
    an_probes_tie(judgement);
    an_noise_find(judgement);
}
