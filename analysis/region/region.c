/* Idea: each anonymous site has its region; regions that overlap become one pattern; a pattern is
 * trusted when it can be written down, its rounds are kept apart, all members run it equally often,
 * and no other send can come in between.
 *
 * A pattern's identity covers its bounds. When the whole program shows another region than the file
 * alone did, its identity is not in the code, and the runtime logs the site. */
#include "analysis/region/region.h"
#include "analysis/region/capture.h"
#include "analysis/region/equal.h"
#include "analysis/region/exits.h"
#include "analysis/region/outside.h"
#include "analysis/region/walk.h"

#include <string.h>
#include <utlist.h>

/* A pattern with the regions that it is made of. */
struct draft {
    struct an_region *regions; /* a list of its own */
    const struct an_node *function, *first, *last;
    struct an_pattern *pattern;
    const char *name; /* the user's, or NULL */
    bool maybe;       /* all its receives are anonymous on some ways only */
    struct draft *next;
};

/* ---- The user's patterns ---- */

static const char *word_at(const struct an_unit *unit, const struct an_node *node)
{
    const struct an_word *word;
    LL_FOREACH (unit->words, word) {
        if (strncmp(word->text, "pattern ", 8) != 0 || strcmp(word->file, node->place.file) != 0)
            continue;
        if (word->line + word->alone == node->place.line)
            return word->text + 8 + strspn(word->text + 8, " \t");
    }
    return NULL;
}

/* The block or statement around the call that the user has named a pattern. */
static const char *named_region(struct an_judgement *judgement, const struct an_node *call,
                                struct an_region *region)
{
    const struct an_unit *unit = an_program_unit_of(judgement->program, call);
    for (const struct an_node *n = call->parent; n && n->kind != AN_FUNCTION; n = n->parent) {
        const char *name = an_is_expression(n) ? NULL : word_at(unit, n);
        if (!name || !*name)
            continue;
        bool stands_in_block = n->parent->kind == AN_BLOCK;
        if (!stands_in_block && (n->kind != AN_BLOCK || !n->child))
            continue;
        region->first = region->last = stands_in_block ? n : n->child;
        while (!stands_in_block && region->last->next)
            region->last = region->last->next;
        return name;
    }
    return NULL;
}

static struct an_region *region_here(struct an_judgement *judgement, const struct an_site *site)
{
    const struct an_mpi *mpi = &site->mpi;
    struct an_region *region = an_judgement_alloc(judgement, sizeof *region);
    region->site = site;
    region->function = an_function_of(site->node);
    region->anchor = region->end[0] = site->node;
    region->ends = 1;
    region->comm = an_term_of(
        judgement, an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm), NULL);
    region->tag = an_term_of(
        judgement, an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->receive.tag),
        NULL);
    if (mpi->what->request >= 0)
        region->doubt = "where its request is complete was not looked for";
    return region;
}

static struct an_region *region_of_user(struct an_judgement *judgement, const struct an_site *site,
                                        const char **name)
{
    struct an_region *region = region_here(judgement, site);
    *name = named_region(judgement, site->node, region);
    return *name ? region : NULL;
}

/* ---- Drafts ---- */

static bool is_anonymous(const struct an_site *site)
{
    return (site->wildcard & AN_WILD_SOURCE) && site->mpi.what->comm >= 0 &&
           site->mpi.what->receive.tag >= 0;
}

static bool overlap(const struct draft *a, const struct draft *b)
{
    if (a->function != b->function || a->first->parent != b->first->parent)
        return false;
    return an_is_within(a->first, a->last, b->first) || an_is_within(b->first, b->last, a->first);
}

static bool match_each_other(const struct draft *a, const struct draft *b)
{
    return an_tag_match(&a->regions->tag, &b->regions->tag) != AN_NO_MATCH &&
           an_comm_match(&a->regions->comm, &b->regions->comm) != AN_NO_MATCH;
}

/* One inside a statement of the other, on the same messages: no patterns of their own. */
static bool nest(const struct draft *outer, const struct draft *inner)
{
    return outer->function == inner->function &&
           an_is_within(outer->first, outer->last, inner->first) && match_each_other(outer, inner);
}

static bool absorb(struct draft *into, struct draft *other)
{
    bool same_block = overlap(into, other);
    if (!same_block && !nest(into, other))
        return false;
    if (same_block && other->first->place.offset < into->first->place.offset)
        into->first = other->first;
    if (same_block && other->last->place.offset > into->last->place.offset)
        into->last = other->last;
    into->name = into->name ? into->name : other->name;
    into->maybe &= other->maybe;
    LL_CONCAT(into->regions, other->regions);
    return true;
}

/* Adds a draft for the region, or makes it part of those that it overlaps. */
static void draft_add(struct an_judgement *judgement, struct draft **drafts,
                      struct an_region *region, const char *name)
{
    struct draft *made = an_judgement_alloc(judgement, sizeof *made), *other, *next;
    *made = (struct draft){.function = region->function,
                           .first = region->first,
                           .last = region->last,
                           .name = name,
                           .maybe = region->site->maybe & AN_WILD_SOURCE};
    LL_APPEND(made->regions, region);
    for (bool again = true; again;) {
        again = false;
        LL_FOREACH_SAFE (*drafts, other, next) {
            if (absorb(made, other)) {
                LL_DELETE(*drafts, other);
                again = true;
            } else if (absorb(other, made)) {
                LL_DELETE(*drafts, other);
                made = other;
                again = true;
            }
        }
    }
    made->next = NULL;
    LL_APPEND(*drafts, made);
}

/* A receive that is anonymous on some ways only moves no bounds, which would otherwise depend on
 * how much of the program is known: it belongs to the region around it, or has one of its own. */
static bool join_draft(struct an_judgement *judgement, struct draft *drafts, struct an_site *site,
                       struct an_region *located)
{
    struct draft *draft;
    LL_FOREACH (drafts, draft) {
        if (!an_is_within(draft->first, draft->last, site->node))
            continue;
        bool same = located && !located->next && located->function == draft->function;
        LL_APPEND(draft->regions, same ? located : region_here(judgement, site));
        return true;
    }
    return false;
}

static bool overlaps_any(const struct draft *drafts, const struct an_region *region)
{
    const struct draft one = {
        .function = region->function, .first = region->first, .last = region->last};
    const struct draft *draft;
    LL_FOREACH (drafts, draft)
        if (!draft->maybe && overlap(draft, &one))
            return true;
    return false;
}

static void site_draft(struct an_judgement *judgement, struct draft **drafts, struct an_site *site)
{
    const char *name = NULL, *why = NULL;
    struct an_region *regions = region_of_user(judgement, site, &name), *region, *next;
    if (!regions)
        regions = an_region_locate(judgement, site, &why);
    bool maybe = site->maybe & AN_WILD_SOURCE;
    if (maybe && join_draft(judgement, *drafts, site, regions))
        return;
    if (!regions)
        site->logged_reason = why;
    LL_FOREACH_SAFE (regions, region, next) {
        region->next = NULL;
        if (region->frame)
            name = named_region(judgement, region->anchor, region);
        if (maybe && overlaps_any(*drafts, region))
            site->logged_reason = "its region overlaps that of another receive";
        else
            draft_add(judgement, drafts, region, name);
    }
}

/* ---- Patterns ---- */

static uint32_t turn(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

static uint32_t identity(struct an_judgement *judgement, const struct draft *draft)
{
    const struct an_program *program = judgement->program;
    uint32_t id = an_program_identity(program, draft->regions->site->node) ^
                  turn(an_program_identity(program, draft->first), 7) ^
                  turn(an_program_identity(program, draft->last), 13);
    return id ? id : 1;
}

static void pattern_create(struct an_judgement *judgement, struct draft *draft)
{
    const struct an_region *region = draft->regions;
    const struct an_mpi *mpi = &region->site->mpi;
    struct an_pattern *pattern = an_judgement_alloc(judgement, sizeof *pattern);
    pattern->id = identity(judgement, draft);
    pattern->name = draft->name;
    pattern->first = draft->first;
    pattern->last = draft->last;
    pattern->function = draft->function;
    pattern->separation_text = "nothing separates two rounds";
    an_exits_find(judgement, pattern,
                  an_mpi_argument(judgement->program, mpi, (unsigned)mpi->what->comm),
                  region->frame);
    if (an_region_recurs(judgement, pattern)) {
        pattern->annotated = false;
        pattern->reason = "the region may call its own function again";
    }
    LL_APPEND(judgement->patterns, pattern);
    draft->pattern = pattern;
}

static const char *comms_differ(const struct draft *draft)
{
    const struct an_region *region;
    LL_FOREACH (draft->regions, region)
        if (an_comm_match(&region->comm, &draft->regions->comm) != AN_MUST_MATCH)
            return "its receives may use different communicators";
    return NULL;
}

static const char *outside_reason(struct an_judgement *judgement, const struct draft *draft)
{
    const struct an_region *region;
    LL_FOREACH (draft->regions, region) {
        const struct an_node *send = an_outside_find(judgement, region, draft->pattern);
        if (send)
            return an_judgement_printf(
                judgement, "the send at %s:%u is outside of the region and may match, too",
                send->place.file, send->place.line);
    }
    return NULL;
}

/* A function that the region's function does not see may call the site as well. */
static const char *callers_reason(struct an_judgement *judgement, const struct draft *draft)
{
    const struct an_region *region;
    LL_FOREACH (draft->regions, region)
        for (const struct an_frame *frame = region->frame; frame; frame = frame->up) {
            const struct an_node *callee =
                an_local_callee(an_program_unit_of(judgement->program, frame->call), frame->call);
            struct an_callers callers = an_function_callers(judgement->program, callee);
            struct an_callers local = an_local_callers(judgement, callee);
            if (!callers.complete || callers.count != local.count)
                return an_judgement_printf(judgement, "%s may be called from other files, too",
                                           callee->name);
        }
    return NULL;
}

static const char *fields_reason(struct an_judgement *judgement, const struct draft *draft)
{
    const struct an_region *region;
    LL_FOREACH (draft->regions, region)
        if (region->tag.field && !an_field_is_written_once(judgement->program, region->tag.field))
            return "the field that holds its tag is written at several places";
    return NULL;
}

static void pattern_trust(struct an_judgement *judgement, struct draft *draft)
{
    struct an_pattern *pattern = draft->pattern;
    const char *capture = NULL, *equal = NULL, *doubt = NULL, *tags = NULL;
    const struct an_region *region;
    LL_FOREACH (draft->regions, region) {
        const char *tag = NULL, *why = an_capture_look(judgement, region, pattern, &tag);
        capture = capture ? capture : why;
        tags = tags ? tags : tag;
        doubt = doubt ? doubt : region->doubt;
    }
    equal = an_equal_look(judgement, draft->regions, pattern);
    const char *why = pattern->reason;
    why = why ? why : doubt;
    why = why ? why : comms_differ(draft);
    why = why ? why : capture;
    why = why ? why : equal;
    why = why ? why : tags;
    why = why ? why : fields_reason(judgement, draft);
    why = why ? why : callers_reason(judgement, draft);
    why = why ? why : outside_reason(judgement, draft);
    bool word = draft->name && pattern->annotated; /* the user says that it is one */
    pattern->trusted = word || !why;
    pattern->reason = word ? NULL : why;
    if (capture) {
        pattern->separation = AN_BY_NOTHING;
        pattern->separation_text = word ? "the user says so" : capture;
    }
}

/* The site belongs to the first of its patterns, or to the first that is not trusted. */
static void sites_bind(const struct draft *drafts)
{
    const struct draft *draft;
    LL_FOREACH (drafts, draft) {
        const struct an_region *region;
        LL_FOREACH (draft->regions, region) {
            struct an_site *site = (struct an_site *)(uintptr_t)region->site;
            if (!site->pattern || (site->pattern->trusted && !draft->pattern->trusted))
                site->pattern = draft->pattern;
        }
    }
}

/* ---- What is logged ---- */

static const char *logged_reason(const struct an_site *site)
{
    if (site->verdict == AN_UNKNOWN)
        return "its class is not known";
    if (site->verdict == AN_NON_DETERMINISTIC)
        return "what is sent depends on it";
    if (site->verdict == AN_DETERMINISTIC)
        return NULL;
    if (!(site->wildcard & AN_WILD_SOURCE))
        return site->unproved;
    if (!site->pattern)
        return site->logged_reason ? site->logged_reason : "it belongs to no pattern";
    return site->pattern->trusted ? site->unproved : site->pattern->reason;
}

void an_logged_decide(struct an_judgement *judgement)
{
    struct an_site *site;
    LL_FOREACH (judgement->sites, site) {
        site->logged_reason = logged_reason(site);
        site->logged = site->logged_reason != NULL;
    }
}

void an_regions_find(struct an_judgement *judgement)
{
    struct draft *drafts = NULL, *draft;
    struct an_site *site;
    for (unsigned maybe = 0; maybe < 2; maybe++)
        LL_FOREACH (judgement->sites, site)
            if (is_anonymous(site) && site->verdict != AN_DETERMINISTIC &&
                !(site->maybe & AN_WILD_SOURCE) == !maybe)
                site_draft(judgement, &drafts, site);
    LL_FOREACH (drafts, draft)
        pattern_create(judgement, draft);
    LL_FOREACH (drafts, draft)
        pattern_trust(judgement, draft);
    sites_bind(drafts);
    an_logged_decide(judgement);
}
