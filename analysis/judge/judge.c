/* Idea: the parts run in one order, each adding its lists to what the earlier ones found. The
 * user's word comes behind the verdicts and before what is made of them.
 *
 * Invariant: an identity says one thing. Two files of one name can give two sites the same one;
 * then both get the worse of their classes, and patterns of one identity are not trusted. */
#include "analysis/judge/judge.h"
#include "analysis/judge/verdict_findings.h"

#include "analysis/region/region.h"

#include <stdlib.h>

static unsigned functions_count(const struct an_program *program)
{
    unsigned count = 0;
    for (const struct an_node *f = an_program_next(program, NULL); f;
         f = an_program_next(program, f))
        count++;
    return count;
}

static int compare_sites(const void *one, const void *other)
{
    const struct an_site *a = *(struct an_site *const *)one, *b = *(struct an_site *const *)other;
    return (a->id > b->id) - (a->id < b->id);
}

/* No better than the other: it counts for both. */
static void site_worsen(struct an_site *site, const struct an_site *other)
{
    if (other->verdict <= site->verdict)
        return;
    site->verdict = other->verdict;
    site->override = false;
    site->reason =
        "another site has the same identity and a worse class: two files are named alike";
}

static void sites_settle(struct an_judgement *judgement)
{
    unsigned count = 0, filled = 0;

    for (struct an_site *site = judgement->sites; site; site = site->next)
        count++;
    struct an_site **sites = an_judgement_alloc(judgement, (count + 1) * sizeof *sites);
    for (struct an_site *site = judgement->sites; site; site = site->next)
        sites[filled++] = site;
    qsort(sites, count, sizeof *sites, compare_sites);
    for (unsigned i = 1; i < count; i++)
        if (sites[i]->id == sites[i - 1]->id)
            site_worsen(sites[i], sites[i - 1]);
    for (unsigned i = count; i-- > 1;)
        if (sites[i]->id == sites[i - 1]->id)
            site_worsen(sites[i - 1], sites[i]);
}

static void patterns_settle(struct an_judgement *judgement)
{
    for (struct an_pattern *one = judgement->patterns; one; one = one->next)
        for (struct an_pattern *other = one->next; other; other = other->next)
            if (one->id == other->id) {
                one->trusted = other->trusted = false;
                one->reason = other->reason = "another pattern has the same identity";
            }
}

/* A unit that holds something of C++ whose effect is not in its tree, or NULL. */
static const struct an_unit *stranger_find(const struct an_program *program)
{
    for (unsigned i = 0; i < an_program_units(program); i++)
        if (an_program_unit(program, i)->strange)
            return an_program_unit(program, i);
    return NULL;
}

/* C++ that the tree does not hold in full may change any value, so the class of each site becomes
 * at best unknown. */
static void sites_worsen(struct an_judgement *judgement, const struct an_unit *stranger)
{
    for (struct an_site *site = judgement->sites; site; site = site->next) {
        if (site->verdict == AN_NON_DETERMINISTIC || site->verdict == AN_UNKNOWN)
            continue;
        site->verdict = AN_UNKNOWN;
        site->reason =
            an_judgement_printf(judgement, "C++ is not followed everywhere: %s", stranger->strange);
        site->witness = NULL;
        an_findings_drop(judgement, site);
    }
}

struct an_judgement *an_judge(struct an_program *program)
{
    struct an_judgement *judgement = an_judgement_create(program);
    const struct an_unit *stranger = stranger_find(program);

    judgement->functions = functions_count(program);
    an_sites_find(judgement);
    an_verdicts_give(judgement);
    if (stranger)
        sites_worsen(judgement, stranger);
    an_words_obey(judgement);
    sites_settle(judgement);
    if (!stranger) /* a region may be left on paths that are not in the tree */
        an_regions_find(judgement);
    patterns_settle(judgement);
    an_logged_decide(judgement);
    an_hooks_find(judgement);
    an_holes_find(judgement);
    return judgement;
}

struct an_judgement *an_judge_later(struct an_program *program)
{
    struct an_judgement *judgement = an_judgement_create(program);

    judgement->functions = functions_count(program);
    an_sites_find(judgement);
    for (struct an_site *site = judgement->sites; site; site = site->next)
        site->reason = "the program was linked with --ft-later";
    an_words_obey(judgement);
    sites_settle(judgement);
    an_logged_decide(judgement);
    an_hooks_find(judgement);
    return judgement;
}
