/* Idea: two searches. The first takes everything that may separate for separating: a way that it
 * still finds is a finding. The second takes nothing for granted: when it finds no way, the
 * iterations are kept apart, and what ended its ways says how. */
#include "analysis/region/capture.h"
#include "analysis/region/capture_search.h"
#include "analysis/region/handshake.h"
#include "analysis/region/same.h"
#include "analysis/region/walk.h"

#include <string.h>
#include <utlist.h>

static void step_prepend(struct an_judgement *judgement, struct an_step **path,
                         const struct an_node *node, const char *text)
{
    struct an_step *step = an_judgement_alloc(judgement, sizeof *step);
    *step = (struct an_step){.node = node, .text = text};
    LL_PREPEND(*path, step);
}

static const char *way_text(const struct an_way *way, const struct an_way *last)
{
    if (way == last)
        return "the exchange begins again; a faster rank has sent for it already";
    if (!way->before)
        return "this receive takes a message of any source";
    if (way->returned)
        return "the function returns to here";
    return an_is_loop(way->node) ? "the loop goes on" : "and on";
}

static struct an_step *path_of(struct an_judgement *judgement, const struct an_way *last)
{
    struct an_step *path = NULL;
    for (const struct an_way *way = last; way; way = way->before)
        step_prepend(judgement, &path, way->node, way_text(way, last));
    return path;
}

static bool is_reported(const struct an_judgement *judgement, const struct an_region *region)
{
    const struct an_finding *finding;
    LL_FOREACH (judgement->findings, finding)
        if (finding->site == region->site && strcmp(finding->rule, "capture") == 0)
            return true;
    return false;
}

static void finding_add(struct an_judgement *judgement, const struct an_region *region,
                        const struct an_way *last)
{
    if (is_reported(judgement, region))
        return;
    struct an_finding *finding = an_judgement_alloc(judgement, sizeof *finding);
    finding->rule = "capture";
    finding->site = region->site;
    finding->node = region->site->node;
    finding->message = an_judgement_printf(
        judgement,
        "MPI_%s can take a message that a faster rank has sent for the next round: "
        "nothing separates this round from the next, and both use the same tag",
        region->site->mpi.what->name);
    finding->fix = "put a collective that synchronises (MPI_Barrier, MPI_Allreduce) between two "
                   "rounds, or give each round a tag of its own";
    finding->path = path_of(judgement, last);
    LL_APPEND(judgement->findings, finding);
}

static const char *at_line(struct an_judgement *judgement, const char *before,
                           const struct an_node *node, const char *behind)
{
    return an_judgement_printf(judgement, "%s%s:%u%s", before, node->place.file, node->place.line,
                               behind);
}

static const char *open_reason(struct an_judgement *judgement, const struct an_ways *ways)
{
    if (ways->unfinished)
        return "the ways back to the region are too many to follow";
    if (ways->open)
        return an_judgement_printf(judgement,
                                   "what runs between two rounds is decided by callers of %s "
                                   "that are not visible",
                                   ways->open->name);
    if (ways->captured && ways->doubtful)
        return at_line(judgement, "the collective at ", ways->doubtful,
                       " may be on another communicator, and nothing else separates two rounds");
    if (ways->captured && ways->empty)
        return at_line(judgement, "the collective at ", ways->empty,
                       " may have a count of 0, and nothing else separates two rounds");
    if (ways->captured && ways->hidden)
        return at_line(judgement, "only the call at ", ways->hidden,
                       ", whose code is not visible, could separate two rounds");
    if (ways->captured)
        return "on some way nothing separates two rounds";
    if (ways->fresh && ways->reset)
        return at_line(judgement, "the tag of a round may come again: its counter begins anew at ",
                       ways->reset, "");
    return NULL;
}

/* Rounds that are known by their tags alone are the same rounds only where all ranks give them the
 * same tags. */
static const char *tag_reason(struct an_judgement *judgement, const struct an_region *region,
                              const struct an_ways *ways)
{
    if (!ways->fresh ||
        an_sameness_of(judgement, an_plain(ways->tag->child), &region->comm) == AN_SAME)
        return NULL;
    return at_line(judgement, "the tag of a round, made at ", ways->tag,
                   ", may be another one on each rank");
}

static void separation_set(struct an_judgement *judgement, struct an_pattern *pattern,
                           const struct an_region *region, const struct an_ways *ways)
{
    if (ways->fresh) {
        pattern->separation = AN_BY_TAG;
        pattern->separation_text =
            at_line(judgement, "each round has a tag of its own, made at ", ways->tag, "");
        if (region->tag.modulus)
            pattern->separation_text = an_judgement_printf(
                judgement,
                "%s; a tag comes again only after %lld rounds, and no rank is so far ahead",
                pattern->separation_text, (long long)region->tag.modulus);
    } else if (ways->collective) {
        pattern->separation = AN_BY_COLLECTIVE;
        pattern->separation_text = at_line(
            judgement, "two rounds are separated by the collective at ", ways->collective, "");
    } else if (ways->exchange) {
        pattern->separation = AN_BY_TERMINATION;
        pattern->separation_text =
            at_line(judgement, "two rounds are separated by the exchange at ", ways->exchange,
                    ", which ends only when all ranks have entered it");
    } else if (ways->termination) {
        pattern->separation = AN_BY_TERMINATION;
        pattern->separation_text = "the region ends only when all ranks have entered it, and two "
                                   "rounds in a row use different tags";
    } else {
        pattern->separation = AN_BY_NOTHING;
        pattern->separation_text = "no way leads back into the region";
    }
}

/* Is it the one rank that receives that keeps the rounds apart? */
static bool is_handshake(struct an_judgement *judgement, const struct an_region *region,
                         struct an_pattern *pattern)
{
    const struct an_node *word = an_handshake_find(judgement, region, pattern);
    if (!word)
        return false;
    pattern->separation = AN_BY_TERMINATION;
    pattern->separation_text =
        at_line(judgement, "nobody sends for the next round before the word at ", word,
                ", which the one rank that receives gives when it has all of this round");
    return true;
}

const char *an_capture_look(struct an_judgement *judgement, const struct an_region *region,
                            struct an_pattern *pattern, const char **tags)
{
    struct an_ways ways = an_ways_search(judgement, region, pattern, true);
    *tags = NULL;
    if (ways.captured) {
        if (is_handshake(judgement, region, pattern))
            return NULL;
        if (!(region->site->maybe & AN_WILD_SOURCE) && !region->asked_once)
            finding_add(judgement, region, ways.captured);
        return "a message of the next round can be taken";
    }
    ways = an_ways_search(judgement, region, pattern, false);
    const char *reason = open_reason(judgement, &ways);
    if (reason && is_handshake(judgement, region, pattern))
        return NULL;
    if (!reason) {
        separation_set(judgement, pattern, region, &ways);
        *tags = tag_reason(judgement, region, &ways);
    }
    return reason;
}
