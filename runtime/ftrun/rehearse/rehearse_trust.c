/* rehearse_trust: may the runtime match the messages of a pattern by (pattern, iteration), without
 * a record? The deaths of the plan say little about it, because what is not proved is recorded
 * there. So patterns against which the verification says nothing are believed in failures of the
 * clusters, in the worst order of messages: first those that ftcc has proved, then the others, too,
 * with all that is sent compared byte for byte (--check-content), because nobody has proved what
 * depends on it.
 *
 * A failure that does not come out right contradicts all patterns of its step: which of them it
 * was cannot be told. */
#include "rehearse/rehearse.h"

#include <stdlib.h>
#include <string.h>
#include "options/fields.h"

struct search { /* of one pattern, in a result of ftrun --verify */
    const struct ft_sites *sites;
    const json_t *verify;
    uint32_t pattern;
};

static int is_of(const struct search *search, const char *id)
{
    const struct ft_site_entry *site =
        ft_sites_find(search->sites, (uint32_t)strtoul(id, NULL, 16));

    return site && site->pattern == search->pattern;
}

/* How many sites of the pattern have this result. */
static int count_result(const struct search *search, const char *result)
{
    json_t *site;
    const char *id;
    int count = 0;

    json_object_foreach (json_object_get(search->verify, "sites"), id, site)
        count += is_of(search, id) && ft_field_is(site, "result", result);
    return count;
}

/* Was every site's outcome another one in some run? */
static int all_differed(const struct search *search)
{
    json_t *site;
    const char *id;
    int all = 1;

    json_object_foreach (json_object_get(search->verify, "sites"), id, site)
        all &= !is_of(search, id) || ft_field_number(site, "differed") > 0;
    return all;
}

/* Has a receive of it met a message of another iteration? */
static int is_crossed(const struct search *search, const char *list)
{
    const json_t *finding, *site;
    size_t i, k;

    json_array_foreach (json_object_get(search->verify, list), i, finding) {
        json_array_foreach (json_object_get(finding, "sites"), k, site) {
            if (ft_field_is(finding, "kind", "pattern") && is_of(search, json_string_value(site)))
                return 1;
        }
    }
    return 0;
}

/* Do the messages of the runs differ in anything, or did a run not end? */
static int any_differs(const json_t *verify)
{
    return json_array_size(json_object_get(verify, "contradictions")) ||
           json_array_size(json_object_get(verify, "explained")) ||
           json_array_size(json_object_get(verify, "listed")) ||
           json_array_size(json_object_get(verify, "advice"));
}

static int is_contradicted(const struct search *search)
{
    return count_result(search, "contradicted") || is_crossed(search, "contradictions") ||
           is_crossed(search, "explained");
}

/* Why it is not tried, or NULL. */
static const char *doubt_of(const struct search *search, int proved)
{
    if (!ft_sites_triable(search->sites, search->pattern))
        return "it has other sites than receives, what is sent depends on them, or a message of "
               "another round may be taken";
    if (!search->verify || ft_field_number(search->verify, "runs") == 0)
        return "no disturbed run could be compared";
    if (count_result(search, "not reached"))
        return "not all of its receives were reached";
    if (!proved && any_differs(search->verify))
        return "it is not proved, and messages differed between disturbed runs";
    if (!proved && !all_differed(search))
        return "it is not proved, and its messages came in one order only";
    return NULL;
}

static void set_result(json_t *pattern, enum ft_trust_result result, const char *detail)
{
    json_object_set_new(pattern, "result", json_string(ft_trust_result(result)));
    json_object_set_new(pattern, "detail", json_string(detail));
}

static json_t *pattern_of(const struct ft_sites *sites, const json_t *verify,
                          const struct ft_pattern_entry *entry)
{
    struct search search = {sites, verify, entry->id};
    int proved = ft_sites_trusted(sites, entry->id);
    const char *doubt = doubt_of(&search, proved);
    json_t *pattern = json_pack(
        "{s:o, s:o, s:b}", "pattern", json_sprintf("%08x", entry->id), "place",
        json_sprintf("%s:%u", ft_sites_text(sites, entry->file), entry->line), "proved", proved);

    if (is_contradicted(&search))
        set_result(pattern, FT_TRUST_CONTRADICTED, "runs with disturbed timing contradict it");
    else
        set_result(pattern, FT_TRUST_UNSUPPORTED, doubt ? doubt : "");
    return pattern;
}

json_t *ft_rehearse_patterns(const struct ft_sites *sites, const json_t *verify)
{
    json_t *patterns = json_array();
    uint32_t count;
    const struct ft_pattern_entry *entry = ft_sites_patterns(sites, &count);

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(patterns, pattern_of(sites, verify, &entry[i]));
    return patterns;
}

/* A pattern of the step against which nothing is known yet. */
static int is_open(const json_t *pattern, int proved)
{
    return json_is_true(json_object_get(pattern, "proved")) == proved &&
           ft_field_is(pattern, "result", "unsupported") && !*ft_field_text(pattern, "detail");
}

int ft_rehearse_step_begin(json_t *patterns, int proved)
{
    json_t *pattern;
    size_t i;
    int count = 0;

    json_array_foreach (patterns, i, pattern) {
        if (!is_open(pattern, proved))
            continue;
        set_result(pattern, FT_TRUST_SUPPORTED, FT_REHEARSE_TRYING);
        count++;
    }
    return count;
}

void ft_rehearse_step_end(json_t *patterns, enum ft_trust_result result, const char *detail)
{
    json_t *pattern;
    size_t i;

    json_array_foreach (patterns, i, pattern) {
        if (ft_field_is(pattern, "detail", FT_REHEARSE_TRYING))
            set_result(pattern, result, detail);
    }
}

struct trial { /* what came of all failures of a step */
    int made;
    int shown;         /* so many have tried what is believed */
    const json_t *bad; /* the first that speaks against it */
};

/* Has the cluster alone rolled back? Where it was to die at its end and has died before,
 * something was not done again. */
static int shows_all(const json_t *run)
{
    return ft_rehearse_stayed(run) &&
           (ft_field_is(run, "moment", "middle") ||
            ft_field_number(run, "occurrence") == ft_field_number(run, "times"));
}

/* Does the run say that something believed is wrong? Where all ranks rolled back nobody had a
 * message of the life before, and a program that prints who came first may print something else
 * the second time, whatever is believed. */
static int speaks_against(const json_t *run, int ranks)
{
    return ft_rehearse_is_bad(run) &&
           !(ft_field_is(run, "result", "differed") && ft_field_number(run, "ranks") == ranks);
}

static void add_trial(struct trial *all, const json_t *run, int ranks)
{
    all->made++;
    all->shown += shows_all(run);
    if (!all->bad && speaks_against(run, ranks))
        all->bad = run;
}

/* Why the patterns of a step are not supported. "": they are. Nobody knows in which cluster their
 * receives are, so each one has to show it. */
static json_t *objection_of(const struct trial *all)
{
    if (all->bad)
        return json_sprintf("believed in the failure of cluster %d, the run %s: %s",
                            ft_field_number(all->bad, "cluster"), ft_field_text(all->bad, "result"),
                            ft_field_text(all->bad, "detail"));
    if (!all->made)
        return json_string("no failure of a cluster was tried with it believed");
    if (all->shown < all->made)
        return json_sprintf("believed in %d failures of a cluster, it was tried by only %d: in the "
                            "others more than one cluster rolled back, or the death came early or "
                            "not at all",
                            all->made, all->shown);
    return json_string("");
}

void ft_rehearse_step_judge(json_t *document, size_t first)
{
    const json_t *trials = json_object_get(document, "trials");
    struct trial all = {0};

    for (size_t i = first; i < json_array_size(trials); i++)
        add_trial(&all, json_array_get(trials, i), ft_field_number(document, "ranks"));
    json_t *objection = objection_of(&all);
    ft_rehearse_step_end(json_object_get(document, "patterns"),
                         all.bad                             ? FT_TRUST_CONTRADICTED
                         : all.shown == all.made && all.made ? FT_TRUST_SUPPORTED
                                                             : FT_TRUST_UNSUPPORTED,
                         json_string_value(objection));
    json_decref(objection);
}
