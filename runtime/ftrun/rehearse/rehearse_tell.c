/* rehearse_tell: the summary on the terminal: one letter for each death, a row for each kind of
 * call, a column for each rank. */
#include "rehearse/rehearse.h"

#include <stdlib.h>
#include <string.h>
#include "console/say.h"
#include "options/fields.h"

enum { NAMED = 10 }; /* runs, sites and patterns that are described */

/* NULL: anything. */
static int is(const json_t *run, const char *name, const char *value)
{
    return !value || ft_field_is(run, name, value);
}

int ft_rehearse_count(const json_t *document, const char *kind, const char *result)
{
    const json_t *run;
    size_t i;
    int count = 0;

    json_array_foreach (json_object_get(document, "runs"), i, run)
        count += is(run, "kind", kind) && is(run, "result", result);
    return count;
}

int ft_rehearse_tried(const json_t *document)
{
    return ft_rehearse_count(document, NULL, NULL) -
           ft_rehearse_count(document, NULL, "not reached");
}

/* "8 of 8 deaths" */
static int describe(const json_t *document, const char *kind, const char *noun, char *text,
                    size_t size)
{
    int made =
        ft_rehearse_count(document, kind, NULL) - ft_rehearse_count(document, kind, "not reached");
    int survived = ft_rehearse_count(document, kind, "survived");

    if (made)
        snprintf(text, size, "%d of %d %s", survived, made, noun);
    return made;
}

/* "2 of 2 failures of a cluster, of which 1 stayed in it" */
static int describe_clusters(const json_t *document, char *text, size_t size)
{
    int made = describe(document, "cluster", "failures of a cluster", text, size);
    size_t length = strlen(text);

    if (made)
        snprintf(text + length, size - length, ", of which %d stayed in it",
                 ft_rehearse_count_stayed(document));
    return made;
}

void ft_rehearse_headline(const json_t *document, char *text, size_t size)
{
    char alone[64] = "", deaths[64] = "0 deaths", clusters[96] = "";
    int code = ft_field_number(document, "code");

    if (code)
        snprintf(alone, sizeof(alone), "undisturbed, your program ended with code %d; ", code);
    if (!ft_rehearse_tried(document)) {
        snprintf(text, size, "%sno death of %s could be tried", alone,
                 code ? "it" : "your program");
        return;
    }
    describe(document, "death", "deaths", deaths, sizeof(deaths));
    int both = describe_clusters(document, clusters, sizeof(clusters));
    snprintf(text, size, "%s%s survives %s%s%s", alone, code ? "it" : "your program", deaths,
             both ? " and " : "", clusters);
}

int ft_rehearse_is_contained(const json_t *run)
{
    return ft_field_number(run, "of") == 0 ||
           ft_field_number(run, "ranks") == ft_field_number(run, "members");
}

int ft_rehearse_stayed(const json_t *run)
{
    return is(run, "result", "survived") && ft_field_number(run, "of") > 0 &&
           ft_rehearse_is_contained(run);
}

int ft_rehearse_count_stayed(const json_t *document)
{
    const json_t *run;
    size_t i;
    int count = 0;

    json_array_foreach (json_object_get(document, "runs"), i, run)
        count += is(run, "kind", "cluster") && ft_rehearse_stayed(run);
    return count;
}

static char letter_of(const json_t *run)
{
    const char *result = ft_field_text(run, "result");

    if (!strcmp(result, "survived"))
        return ft_rehearse_is_contained(run) ? '.' : 'o';
    if (!strcmp(result, "not reached"))
        return '?';
    return (char)(result[0] - 'a' + 'A');
}

/* The row of one kind of call, from its first run on. */
static void tell_row(const json_t *runs, size_t first, const char *call, int ranks)
{
    char *row = calloc((size_t)ranks + 1, 1);
    const json_t *run;

    if (!row)
        return;
    memset(row, ' ', (size_t)ranks);
    for (size_t i = first; (run = json_array_get(runs, i)); i++) {
        if (is(run, "kind", "death") && is(run, "call", call))
            row[ft_field_number(run, "rank")] = letter_of(run);
    }
    ft_say("  %-24s |%s|", call, row);
    free(row);
}

int ft_rehearse_is_first(const json_t *runs, size_t index, const char *call)
{
    for (size_t i = 0; i < index; i++) {
        if (is(json_array_get(runs, i), "call", call))
            return 0;
    }
    return 1;
}

static void tell_table(const json_t *document)
{
    const json_t *runs = json_object_get(document, "runs"), *run;
    size_t i;

    if (!json_array_size(runs))
        return;
    ft_say(
        "a column for each rank; . survived, o survived but more than its cluster rolled back, D "
        "differed, F failed, H hung, ? call not made:");
    json_array_foreach (runs, i, run) {
        if (is(run, "kind", "death") && ft_rehearse_is_first(runs, i, ft_field_text(run, "call")))
            tell_row(runs, i, ft_field_text(run, "call"), ft_field_number(document, "ranks"));
    }
}

int ft_rehearse_is_bad(const json_t *run)
{
    return !is(run, "result", "survived") && !is(run, "result", "not reached");
}

static void tell_more(int told)
{
    if (told > NAMED)
        ft_say("and %d more", told - NAMED);
}

/* Do two runs differ in the same place? The output there may differ from run to run. */
static int is_alike(const json_t *one, const json_t *other)
{
    const char *detail = ft_field_text(one, "detail");
    size_t place = strcspn(detail, "\"");

    return is(other, "result", ft_field_text(one, "result")) &&
           !strncmp(detail, ft_field_text(other, "detail"), place) &&
           (detail[place] || !ft_field_text(other, "detail")[place]);
}

/* How many runs are like run `index`, itself included; 0: an earlier one is. */
static int count_alike(const json_t *runs, size_t index)
{
    const json_t *run = json_array_get(runs, index), *other;
    size_t i;
    int count = 0;

    json_array_foreach (runs, i, other) {
        if (!ft_rehearse_is_bad(other) || !is_alike(run, other))
            continue;
        if (i < index)
            return 0;
        count++;
    }
    return count;
}

static void tell_bad(const json_t *document)
{
    const json_t *runs = json_object_get(document, "runs");
    const json_t *run;
    size_t i;
    int told = 0;

    json_array_foreach (runs, i, run) {
        int alike = ft_rehearse_is_bad(run) ? count_alike(runs, i) : 0;

        if (!alike || told++ >= NAMED)
            continue;
        ft_say("rank %d at %s %d of %d: %s: %s", ft_field_number(run, "rank"),
               ft_field_text(run, "call"), ft_field_number(run, "occurrence"),
               ft_field_number(run, "times"), ft_field_text(run, "result"),
               ft_field_text(run, "detail"));
        ft_say("    %s", ft_field_text(run, "command"));
        if (alike > 1)
            ft_say("    and %d more run%s alike", alike - 1, alike == 2 ? "" : "s");
    }
    tell_more(told);
    if (*ft_field_text(document, "undisturbed"))
        ft_say("two undisturbed runs differ, too: %s", ft_field_text(document, "undisturbed"));
}

json_t *ft_rehearse_reasons(const json_t *document)
{
    json_t *reasons = json_object();
    const json_t *run, *why;
    size_t i, k;

    json_array_foreach (json_object_get(document, "runs"), i, run) {
        json_array_foreach (json_object_get(run, "why"), k, why) {
            const char *reason = json_string_value(why);

            json_object_set_new(reasons, reason,
                                json_integer(ft_field_number(reasons, reason) + 1));
        }
    }
    return reasons;
}

static void tell_wide(const json_t *document)
{
    json_t *reasons = ft_rehearse_reasons(document), *count;
    const char *reason;

    json_object_foreach (reasons, reason, count)
        ft_say("in %d run%s more than one cluster rolled back: %s", (int)json_integer_value(count),
               json_integer_value(count) == 1 ? "" : "s", reason);
    json_decref(reasons);
}

static void tell_determinants(const json_t *document)
{
    const json_t *sites = json_object_get(document, "determinants"), *site;
    size_t i;

    json_array_foreach (sites, i, site) {
        if (i < NAMED)
            ft_say("%d determinants at %s", ft_field_number(site, "count"),
                   ft_field_text(site, "site"));
    }
    tell_more((int)json_array_size(sites));
}

static void tell_verdicts(const json_t *document)
{
    const json_t *verify = json_object_get(document, "verify"), *site;
    int held = 0, contradicted = 0, missed = 0;
    const char *id;

    if (*ft_field_text(document, "unverified"))
        ft_say("the verdicts of ftcc were not tried: %s", ft_field_text(document, "unverified"));
    if (!verify || ft_field_number(verify, "runs") == 0)
        return;
    json_object_foreach (json_object_get(verify, "sites"), id, site) {
        held += is(site, "result", "held");
        contradicted += is(site, "result", "contradicted");
        missed += is(site, "result", "not reached");
    }
    ft_say("verdicts of ftcc after %d runs with disturbed timing: %d held, %d contradicted, %d not "
           "reached",
           ft_field_number(verify, "runs"), held, contradicted, missed);
}

/* The effect of --trust with this result. */
static void tell_patterns(const json_t *document)
{
    const json_t *patterns = json_object_get(document, "patterns"), *pattern;
    int supported = 0, contradicted = 0, told = 0;
    size_t i;

    json_array_foreach (patterns, i, pattern) {
        supported += is(pattern, "result", "supported");
        contradicted += is(pattern, "result", "contradicted");
        if (!is(pattern, "result", "supported") && told++ < NAMED)
            ft_say("the pattern at %s is %s: %s", ft_field_text(pattern, "place"),
                   ft_field_text(pattern, "result"), ft_field_text(pattern, "detail"));
    }
    tell_more(told);
    if (json_array_size(patterns))
        ft_say("patterns for --trust: %d supported, %d contradicted, %d unsupported", supported,
               contradicted, (int)json_array_size(patterns) - supported - contradicted);
}

void ft_rehearse_tell(const json_t *document)
{
    char headline[256];

    ft_rehearse_headline(document, headline, sizeof(headline));
    ft_say("%s", headline);
    tell_table(document);
    tell_bad(document);
    tell_wide(document);
    tell_determinants(document);
    tell_verdicts(document);
    tell_patterns(document);
}
