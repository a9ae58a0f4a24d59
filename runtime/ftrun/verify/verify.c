/* Judging: all differences of a run are collected first, then each sequence's first difference is
 * held against the sites whose outcomes had differed by then, in the time of either run. */
#include "verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "calls/calls.h"
#include "verify/findings.h"

const char *ft_verify_call(uint32_t call)
{
    return ft_call_name(call);
}

/* Does the name that stands at the call end in the function that was called? */
static int is_call_of(const char *call, const char *function)
{
    size_t length = strlen(call), end = strlen(function);

    return length >= end && strcmp(call + length - end, function) == 0;
}

/* A mark whose table entry names another call has reached a call that it does not belong to. */
static int is_misplaced(void *context, const struct ft_trace_record *record)
{
    const struct ft_verify *verify = context;
    const struct ft_site_entry *entry = ft_sites_find(verify->options.sites, record->site);

    if (!entry)
        return verify->options.sites != NULL;
    return !is_call_of(ft_sites_text(verify->options.sites, entry->call),
                       ft_call_name(record->call));
}

static int is_stopped(void *context)
{
    const struct ft_verify *verify = context;

    return verify->options.stopped && verify->options.stopped(verify->options.context);
}

int ft_verify_create(const struct ft_verify_options *options, struct ft_verify **out)
{
    struct ft_verify *verify = calloc(1, sizeof *verify);
    const struct ft_site_entry *site;
    uint32_t count;

    if (!verify)
        return -ENOMEM;
    verify->options = *options;
    verify->sequences.misplaced = is_misplaced;
    verify->sequences.stopped = is_stopped;
    verify->sequences.context = verify;
    site = ft_sites_all(options->sites, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!ft_place_of(verify, site[i].id)) {
            ft_verify_destroy(verify);
            return -ENOMEM;
        }
    *out = verify;
    return 0;
}

static void differences_free(struct ft_difference **list)
{
    struct ft_difference *difference, *next;

    DL_FOREACH_SAFE (*list, difference, next)
        free(difference);
    *list = NULL;
}

void ft_verify_destroy(struct ft_verify *verify)
{
    struct ft_place *place, *next;
    struct ft_finding *finding, *after;
    struct ft_advice *advice, *later;
    struct ft_doubt *doubt, *then;
    struct ft_noise *noise, *rest;

    if (!verify)
        return;
    HASH_ITER (hh, verify->places, place, next) {
        HASH_DEL(verify->places, place);
        free(place);
    }
    LL_FOREACH_SAFE (verify->findings, finding, after)
        free(finding);
    LL_FOREACH_SAFE (verify->doubts, doubt, then)
        free(doubt);
    LL_FOREACH_SAFE (verify->noise, noise, rest)
        free(noise);
    LL_FOREACH_SAFE (verify->advice, advice, later) {
        free(advice->text);
        free(advice);
    }
    differences_free(&verify->fresh);
    free(verify->first);
    free(verify);
}

struct ft_place *ft_place_of(struct ft_verify *verify, uint64_t number)
{
    struct ft_place *place;

    HASH_FIND(hh, verify->places, &number, sizeof number, place);
    if (place)
        return place;
    place = calloc(1, sizeof *place);
    if (!place)
        return NULL;
    place->place = number;
    if (!(number & FT_SEQUENCE_UNMARKED))
        place->entry = ft_sites_find(verify->options.sites, (uint32_t)number);
    HASH_ADD(hh, verify->places, place, sizeof place->place, place);
    return place;
}

uint32_t ft_place_class(const struct ft_place *place)
{
    return place && place->entry ? place->entry->class : FT_SITE_UNKNOWN;
}

static void on_reached(void *context, uint64_t number, const struct ft_trace_record *record)
{
    struct ft_verify *verify = context;
    struct ft_place *place = ft_place_of(verify, number);

    if (!place) {
        verify->error = -ENOMEM;
    } else if (!place->reached) {
        place->reached = 1;
        place->sample = *record;
    }
}

static void on_difference(void *context, const struct ft_difference *difference)
{
    struct ft_verify *verify = context;
    struct ft_difference *copy = malloc(sizeof *copy);

    if (!copy) {
        verify->error = -ENOMEM;
        return;
    }
    *copy = *difference;
    DL_APPEND(verify->fresh, copy);
}

/* When it happened in a run: the run that has nothing there any more says nothing. */
static uint32_t time_of(const struct ft_difference *difference, int side)
{
    return difference->at[side].there ? difference->at[side].record.time : UINT32_MAX;
}

/* Did the outcome differ before the sequence did, in the time of the run before or after? */
static int is_before(const struct ft_difference *outcome, const struct ft_difference *sequence)
{
    for (int side = 0; side < 2; side++) {
        uint32_t time = time_of(outcome, side);

        if (time != UINT32_MAX && time <= time_of(sequence, side))
            return 1;
    }
    return sequence->index == UINT64_MAX || outcome->index == UINT64_MAX;
}

/* A receive from a named source takes that source's messages in their order: what differs there was
 * sent otherwise, and that has a cause of its own. */
static int is_consequence(const struct ft_difference *outcome)
{
    const struct ft_trace_record *record = &outcome->at[outcome->at[1].there].record;

    return record->kind == FT_TRACE_RECV && !(record->flags & FT_TRACE_ANY_SOURCE);
}

/* The site that a difference in a sequence is to be ascribed to: one that may differ (then the
 * difference is explained), else one that may not, of the same rank if there is one. `least`: the
 * best class that explains it. */
static uint64_t find_cause(struct ft_verify *verify, const struct ft_difference *sequence,
                           uint32_t least, int *explained)
{
    const struct ft_difference *outcome;
    uint64_t blamed = 0;
    int same_rank = 0;

    *explained = 0;
    DL_FOREACH (verify->fresh, outcome) {
        if (outcome->key.kind < FT_SEQUENCE_OUTCOME || is_consequence(outcome) ||
            !is_before(outcome, sequence))
            continue;
        if (ft_place_class(ft_place_of(verify, outcome->key.place)) >= least) {
            *explained = 1;
            return outcome->key.place;
        }
        if (!blamed || (!same_rank && outcome->rank == sequence->rank))
            blamed = outcome->key.place;
        same_rank |= outcome->rank == sequence->rank;
    }
    return blamed;
}

static struct ft_finding *finding_add(struct ft_verify *verify)
{
    struct ft_finding *finding = calloc(1, sizeof *finding);

    if (!finding) {
        verify->error = -ENOMEM;
        return NULL;
    }
    finding->run = verify->run;
    finding->times = 1;
    LL_APPEND(verify->findings, finding);
    return finding;
}

/* The call that sent something else; 0: nobody looked. */
static uint64_t call_of(const struct ft_difference *difference)
{
    return difference->at[difference->at[1].there].record.address;
}

/* One like it, found before: by the same call and for the same reason, on another channel, rank or
 * run. One that nobody looked at closely is like any other. */
static struct ft_finding *finding_like(struct ft_verify *verify,
                                       const struct ft_difference *difference,
                                       enum ft_judgement judgement, uint64_t place)
{
    struct ft_finding *finding;
    uint64_t call = call_of(difference);

    LL_FOREACH (verify->findings, finding)
        if (!finding->is_match && finding->judgement == judgement && finding->blamed == place &&
            finding->difference.key.kind == difference->key.kind &&
            (call == 0 || call_of(&finding->difference) == call))
            return finding;
    return NULL;
}

static void blame(struct ft_verify *verify, struct ft_finding *finding, uint64_t place)
{
    struct ft_place *site = place ? ft_place_of(verify, place) : NULL;

    finding->blamed = place;
    if (site && finding->judgement == FT_JUDGED_CONTRADICTION)
        site->contradicted++;
}

static void note(struct ft_verify *verify, const struct ft_difference *difference,
                 enum ft_judgement judgement, uint64_t place)
{
    struct ft_finding *finding = finding_like(verify, difference, judgement, place);

    if (finding) {
        finding->times += difference->times;
        return;
    }
    finding = finding_add(verify);
    if (!finding)
        return;
    finding->judgement = judgement;
    finding->times = difference->times;
    finding->difference = *difference;
    blame(verify, finding, place);
}

/* Does some channel of the rank differ, too? Then the order of its sends says nothing more. */
static int has_other_difference(const struct ft_verify *verify, int rank)
{
    const struct ft_difference *difference;

    DL_FOREACH (verify->fresh, difference)
        if (difference->rank == rank && !difference->content &&
            (difference->key.kind == FT_SEQUENCE_CHANNEL ||
             difference->key.kind == FT_SEQUENCE_COLLECTIVES))
            return 1;
    return 0;
}

static void judge_sequence(struct ft_verify *verify, const struct ft_difference *difference)
{
    int order = difference->key.kind == FT_SEQUENCE_ORDER, explained;
    uint32_t least = order ? FT_SITE_CHANNEL_DETERMINISTIC : FT_SITE_NON_DETERMINISTIC;
    uint64_t cause = find_cause(verify, difference, least, &explained);

    if (order && (has_other_difference(verify, difference->rank) || explained || !cause))
        return;
    if (explained)
        note(verify, difference, FT_JUDGED_EXPLAINED, cause);
    else if (!verify->options.sites || !cause)
        note(verify, difference, FT_JUDGED_LISTED, cause);
    else
        note(verify, difference, FT_JUDGED_CONTRADICTION, cause);
}

static void noise_add(struct ft_verify *verify, const struct ft_difference *difference)
{
    struct ft_noise *noise = calloc(1, sizeof *noise);

    if (!noise) {
        verify->error = -ENOMEM;
        return;
    }
    noise->rank = difference->rank;
    noise->key = difference->key;
    LL_PREPEND(verify->noise, noise);
}

static int is_noisy(const struct ft_verify *verify, const struct ft_difference *difference)
{
    const struct ft_noise *noise;

    LL_FOREACH (verify->noise, noise)
        if (noise->rank == difference->rank &&
            memcmp(&noise->key, &difference->key, sizeof noise->key) == 0)
            return 1;
    return 0;
}

/* Behind a site that may send other content it is advice. Behind any other one it is in doubt until
 * all runs are known. One that nobody looked at closely is advice, too: those that somebody looked
 * at speak for it. */
static void judge_content(struct ft_verify *verify, const struct ft_difference *difference)
{
    int explained;
    uint64_t cause = find_cause(verify, difference, FT_SITE_NON_DETERMINISTIC, &explained);
    struct ft_doubt *doubt;

    if (!cause)
        noise_add(verify, difference);
    if (!cause || explained || !verify->options.sites || difference->index == UINT64_MAX) {
        note(verify, difference, FT_JUDGED_CONTENT, 0);
        return;
    }
    doubt = malloc(sizeof *doubt);
    if (!doubt) {
        verify->error = -ENOMEM;
        return;
    }
    *doubt = (struct ft_doubt){.run = verify->run, .cause = cause, .difference = *difference};
    LL_APPEND(verify->doubts, doubt);
}

void ft_verify_settle(struct ft_verify *verify)
{
    struct ft_doubt *doubt;

    while ((doubt = verify->doubts)) {
        int noisy = is_noisy(verify, &doubt->difference);

        verify->run = doubt->run;
        note(verify, &doubt->difference, noisy ? FT_JUDGED_CONTENT : FT_JUDGED_CONTRADICTION,
             noisy ? 0 : doubt->cause);
        LL_DELETE(verify->doubts, doubt);
        free(doubt);
    }
}

static void judge_outcome(struct ft_verify *verify, const struct ft_difference *difference)
{
    struct ft_place *place = ft_place_of(verify, difference->key.place);

    if (place && difference->key.kind == FT_SEQUENCE_POLLS) {
        place->polled = 1;
    } else if (place && place->last_run != verify->run) {
        place->last_run = verify->run;
        place->differed++;
    }
}

static void judge(struct ft_verify *verify)
{
    const struct ft_difference *difference;

    DL_FOREACH (verify->fresh, difference) {
        if (difference->key.kind >= FT_SEQUENCE_OUTCOME)
            judge_outcome(verify, difference);
        else if (difference->content)
            judge_content(verify, difference);
        else
            judge_sequence(verify, difference);
    }
}

/* A pattern that the runtime does not rely on, or a receive whose matches it logs, may do so; but
 * where ftcc found that a message of another round can be taken, this is the proof. */
static enum ft_judgement judge_match(struct ft_verify *verify, const struct ft_match *match)
{
    const struct ft_sites *sites = verify->options.sites;
    uint32_t pattern = match->request.pattern ? match->request.pattern : match->message.pattern;
    const struct ft_pattern_entry *entry = ft_sites_pattern(sites, pattern);
    const struct ft_site_entry *site;

    if (entry && entry->flags & FT_PATTERN_CAPTURE)
        return FT_JUDGED_CONTRADICTION;
    if (entry && !(entry->flags & FT_PATTERN_TRUSTED))
        return FT_JUDGED_EXPLAINED;
    site = is_misplaced(verify, &match->request) ? NULL : ft_sites_find(sites, match->request.site);
    if (site && (site->flags & FT_SITE_LOGGED || site->class >= FT_SITE_NON_DETERMINISTIC))
        return FT_JUDGED_EXPLAINED;
    return FT_JUDGED_CONTRADICTION;
}

static int is_like(const struct ft_match *a, const struct ft_match *b)
{
    return a->request.site == b->request.site && a->request.address == b->request.address &&
           a->request.pattern == b->request.pattern && a->message.pattern == b->message.pattern;
}

static void on_crossed(void *context, const struct ft_match *match)
{
    struct ft_verify *verify = context;
    struct ft_finding *finding;

    LL_FOREACH (verify->findings, finding)
        if (finding->is_match && is_like(&finding->match, match)) {
            finding->times++;
            return;
        }
    finding = finding_add(verify);
    if (!finding)
        return;
    finding->is_match = 1;
    finding->match = *match;
    finding->judgement = judge_match(verify, match);
    blame(verify, finding, ft_sequence_place(&verify->sequences, &match->request));
}

static int compare_runs(struct ft_verify *verify, const char *folder)
{
    const char *const folders[2] = {verify->first, folder};
    int code = 0;

    memset(verify->sequences.messages, 0, sizeof verify->sequences.messages);
    memset(verify->sequences.collectives, 0, sizeof verify->sequences.collectives);
    for (int rank = 0; rank < verify->options.ranks && code == 0; rank++)
        code = ft_sequences_compare(&verify->sequences, folders, rank, on_difference, on_reached,
                                    verify);
    verify->messages = verify->sequences.messages[0];
    verify->collectives = verify->sequences.collectives[0];
    if (code == 0)
        judge(verify);
    differences_free(&verify->fresh);
    return code;
}

static int match_run(struct ft_verify *verify, int number, const char *folder)
{
    uint64_t matched;
    int code =
        ft_match_check(folder, verify->options.ranks, on_crossed, is_stopped, verify, &matched);

    if (number == 0)
        verify->matched = matched;
    return code;
}

int ft_verify_run(struct ft_verify *verify, int number, const char *folder, const char *how)
{
    int code = 0;

    verify->run = number;
    verify->error = 0;
    if (number == 0) {
        verify->first = strdup(folder);
        if (!verify->first)
            return -ENOMEM;
    }
    if (how) {
        verify->failed++;
        ft_verify_advise(verify, number, how);
    } else if (number > 0) {
        verify->taken++;
        code = compare_runs(verify, folder);
    }
    if (code == 0)
        code = match_run(verify, number, folder);
    return code ? code : verify->error;
}

void ft_verify_advise(struct ft_verify *verify, int number, const char *text)
{
    struct ft_advice *advice = malloc(sizeof *advice);
    char *copy = advice ? strdup(text) : NULL;

    if (!copy) {
        free(advice);
        verify->error = -ENOMEM;
        return;
    }
    *advice = (struct ft_advice){.run = number, .text = copy};
    LL_APPEND(verify->advice, advice);
}

int ft_verify_contradictions(const struct ft_verify *verify)
{
    const struct ft_finding *finding;
    int count = 0;

    LL_FOREACH (verify->findings, finding)
        count += finding->judgement == FT_JUDGED_CONTRADICTION;
    return count;
}

int ft_verify_failed(const struct ft_verify *verify)
{
    return verify->failed;
}
