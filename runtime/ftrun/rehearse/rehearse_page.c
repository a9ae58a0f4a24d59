/* rehearse_page: the document as one page that needs nothing but itself, in the style of ftcc's
 * report. All of it is written through ft_html_put, which escapes. */
#include "rehearse/rehearse.h"

#include <stdlib.h>
#include <string.h>
#include "html/html.h"
#include "options/fields.h"

#define put ft_html_put

static void put_head(const json_t *document, FILE *out)
{
    char headline[256];

    ft_rehearse_headline(document, headline, sizeof(headline));
    headline[0] = (char)(headline[0] - 'a' + 'A');
    put(out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
             "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=color-scheme content=\"light dark\">\n"
             "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
             "style-src 'unsafe-inline'\">\n");
    put(out, "<title>%s</title>\n<style>\n", headline);
    fputs(ft_rehearse_css, out);
    put(out,
        "</style>\n</head>\n<body>\n<a class=skip-link href=\"#main\">Skip to the "
        "report</a>\n<header><h1>%s</h1>\n",
        headline);
}

static void put_link(FILE *out, const char *id, const char *title, int count)
{
    put(out, "<li><a href=\"#%s\">%s</a> <span class=count>%d</span></li>", id, title, count);
}

static int count_bad(const json_t *document)
{
    return ft_rehearse_count(document, NULL, "differed") +
           ft_rehearse_count(document, NULL, "failed") + ft_rehearse_count(document, NULL, "hung");
}

static void put_navigation(const json_t *document, FILE *out)
{
    const json_t *sites = json_object_get(document, "determinants");

    put(out, "<nav aria-label=\"parts of the report\"><ul>");
    put_link(out, "deaths", "Deaths", ft_rehearse_count(document, "death", NULL));
    put_link(out, "clusters", "Failures of a cluster",
             ft_rehearse_count(document, "cluster", NULL));
    put_link(out, "bad", "Runs that differed", count_bad(document));
    put_link(out, "determinants", "Sites with determinants", (int)json_array_size(sites));
    put(out, "<li><a href=\"#verdicts\">Verdicts</a></li></ul></nav></header>\n<main id=main>\n");
}

/* That the undisturbed run failed, with its words. */
static void put_code(const json_t *document, FILE *out)
{
    char *text = strdup(ft_field_text(document, "stderr")), *rest = NULL;

    if (text && ft_field_number(document, "code")) {
        put(out,
            "<p class=warn>The run that nobody disturbed ended with code %d by itself: that the "
            "others do so, too, proves little. What it said:</p>\n<p>",
            ft_field_number(document, "code"));
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            put(out, "<code>%s</code><br>\n", line);
        put(out, "</p>\n");
    }
    free(text);
}

static void put_summary(const json_t *document, FILE *out)
{
    put(out, "<section aria-labelledby=summary><h2 id=summary class=hidden>Summary</h2>\n");
    put(out, "<p><code>%s</code></p>\n", ft_field_text(document, "command"));
    put(out,
        "<p>%d ranks in %d cluster%s. Every run was compared with one that nobody disturbed: "
        "all that each rank printed, and the exit code.</p>\n",
        ft_field_number(document, "ranks"), ft_field_number(document, "clusters"),
        ft_field_number(document, "clusters") == 1 ? "" : "s");
    put_code(document, out);
    if (*ft_field_text(document, "undisturbed"))
        put(out,
            "<p class=warn>Two undisturbed runs differ, too, so that other differences prove "
            "little: %s</p>\n",
            ft_field_text(document, "undisturbed"));
    put(out, "</section>\n");
}

/* The result as a coloured word; of a run that is shown below, with a link to it. */
static void put_result(FILE *out, const json_t *run, int number)
{
    const char *result = ft_field_text(run, "result");

    if (ft_rehearse_is_bad(run))
        put(out, "<a href=\"#r-%d\"><span class=\"result r-contradicted\">%s</span></a>", number,
            result);
    else if (!strcmp(result, "survived"))
        put(out, "<span class=\"result r-held\">%s</span>%s", result,
            ft_rehearse_is_contained(run) ? "" : " (wider)");
    else
        put(out, "<span class=result>%s</span>", result);
}

/* The result for a rank at a call. */
static void put_cell(FILE *out, const json_t *runs, const char *call, int rank)
{
    const json_t *run;
    size_t i;

    put(out, "<td role=cell>");
    json_array_foreach (runs, i, run) {
        if (ft_field_is(run, "kind", "death") && ft_field_is(run, "call", call) &&
            ft_field_number(run, "rank") == rank)
            put_result(out, run, (int)i);
    }
    put(out, "</td>");
}

static void put_deaths(const json_t *document, FILE *out)
{
    const json_t *runs = json_object_get(document, "runs"), *run;
    int ranks = ft_field_number(document, "ranks");
    size_t i;

    put(out, "<section aria-labelledby=deaths><h2 id=deaths>Deaths</h2>\n<p>Each rank was killed "
             "at each kind of call it makes, about in the middle of these calls. <i>Wider</i>: "
             "ranks of other clusters rolled back, too.</p>\n<div class=scroll tabindex=0 "
             "role=region aria-label=\"deaths by call and rank\"><table role=table><thead "
             "role=rowgroup><tr role=row><th role=columnheader scope=col>Call</th>");
    for (int rank = 0; rank < ranks; rank++)
        put(out, "<th role=columnheader scope=col>Rank %d</th>", rank);
    put(out, "</tr></thead><tbody role=rowgroup>\n");
    json_array_foreach (runs, i, run) {
        const char *call = ft_field_text(run, "call");

        if (!ft_field_is(run, "kind", "death") || !ft_rehearse_is_first(runs, i, call))
            continue;
        put(out, "<tr role=row><th role=rowheader scope=row><code>%s</code></th>", call);
        for (int rank = 0; rank < ranks; rank++)
            put_cell(out, runs, call, rank);
        put(out, "</tr>\n");
    }
    put(out, "</tbody></table></div></section>\n");
}

/* The beginning of a table with these heads, NULL behind the last. */
static void put_table(FILE *out, const char *caption, const char *const *heads)
{
    put(out,
        "<table role=table class=stack><caption class=hidden>%s</caption><thead "
        "role=rowgroup><tr role=row>",
        caption);
    for (; *heads; heads++)
        put(out, "<th role=columnheader scope=col>%s</th>", *heads);
    put(out, "</tr></thead><tbody role=rowgroup>\n");
}

static void put_cluster(FILE *out, const json_t *run, int number)
{
    put(out, "<tr role=row><th role=rowheader scope=row data-label=Cluster>%d</th>",
        ft_field_number(run, "cluster"));
    put(out, "<td role=cell data-label=Death>rank %d at <code>%s</code>, %d of %d</td>",
        ft_field_number(run, "rank"), ft_field_text(run, "call"),
        ft_field_number(run, "occurrence"), ft_field_number(run, "times"));
    put(out, "<td role=cell data-label=Result>");
    put_result(out, run, number);
    put(out, "</td></tr>\n");
}

static void put_clusters(const json_t *document, FILE *out)
{
    static const char *const heads[] = {"Cluster", "Death", "Result", NULL};
    const json_t *run;
    size_t i;

    put(out, "<section aria-labelledby=clusters><h2 id=clusters>Failures of a cluster</h2>\n");
    if (!ft_rehearse_count(document, "cluster", NULL)) {
        put(out, "<p>There is one cluster: nothing is logged.</p></section>\n");
        return;
    }
    put(out,
        "<p>Each cluster failed about in its middle, and at its end. %d of these failures stayed "
        "in it: the cluster did again all behind its first checkpoint, all logged messages came as "
        "early as possible, and those it sent itself again as late as possible. <i>Wider</i>: "
        "other clusters rolled "
        "back, too, so that fewer messages came from logs, or none.</p>\n",
        ft_rehearse_count_stayed(document));
    put_table(out, "Failures of a cluster", heads);
    json_array_foreach (json_object_get(document, "runs"), i, run) {
        if (ft_field_is(run, "kind", "cluster"))
            put_cluster(out, run, (int)i);
    }
    put(out, "</tbody></table></section>\n");
}

static void put_bad(const json_t *document, FILE *out)
{
    const json_t *run;
    size_t i;

    put(out, "<section aria-labelledby=bad><h2 id=bad>Runs that differed</h2>\n");
    if (!count_bad(document))
        put(out, "<p>None.</p>\n");
    json_array_foreach (json_object_get(document, "runs"), i, run) {
        if (!ft_rehearse_is_bad(run))
            continue;
        put(out,
            "<article class=\"card contradiction\" id=\"r-%d\"><h3><span class=rule>%s</span> "
            "Rank %d at <code>%s</code>, %d of %d</h3>\n",
            (int)i, ft_field_text(run, "result"), ft_field_number(run, "rank"),
            ft_field_text(run, "call"), ft_field_number(run, "occurrence"),
            ft_field_number(run, "times"));
        put(out, "<p class=reason>%s</p>\n<p>Again: <code>%s</code></p></article>\n",
            ft_field_text(run, "detail"), ft_field_text(run, "command"));
    }
    put(out, "</section>\n");
}

static void put_reasons(const json_t *document, FILE *out)
{
    json_t *reasons = ft_rehearse_reasons(document), *count;
    const char *reason;

    if (json_object_size(reasons)) {
        put(out, "<section aria-labelledby=wider><h2 id=wider>Why more rolled back</h2>\n<ul>");
        json_object_foreach (reasons, reason, count)
            put(out, "<li>%s (runs: %d)</li>", reason, (int)json_integer_value(count));
        put(out, "</ul></section>\n");
    }
    json_decref(reasons);
}

static void put_determinants(const json_t *document, FILE *out)
{
    static const char *const heads[] = {"Call", "Determinants", NULL};
    const json_t *sites = json_object_get(document, "determinants"), *site;
    size_t i;

    put(out, "<section aria-labelledby=determinants><h2 id=determinants>Sites with "
             "determinants</h2>\n<p>What time decides at these calls was recorded in the "
             "undisturbed run.</p>\n");
    if (json_array_size(sites)) {
        put_table(out, "Sites with determinants", heads);
        json_array_foreach (sites, i, site)
            put(out,
                "<tr role=row><td role=cell data-label=Call><span class=place>%s</span></td>"
                "<td role=cell data-label=Count>%d</td></tr>\n",
                ft_field_text(site, "site"), ft_field_number(site, "count"));
        put(out, "</tbody></table>");
    } else {
        put(out, "<p>None.</p>");
    }
    put(out, "</section>\n");
}

static void put_contradictions(const json_t *verify, FILE *out)
{
    const json_t *item;
    size_t i;

    json_array_foreach (json_object_get(verify, "contradictions"), i, item)
        put(out,
            "<article class=\"card contradiction\"><h3><span class=rule>contradicted</span> A "
            "run contradicts the verdict</h3><p class=reason>%s</p></article>\n",
            ft_field_text(item, "message"));
}

static void put_verdicts(const json_t *document, FILE *out)
{
    static const char *const heads[] = {"Call", "Verdict", "Result", "Detail", NULL};
    const json_t *verify = json_object_get(document, "verify");
    json_t *site;
    const char *id;

    put(out, "<section aria-labelledby=verdicts><h2 id=verdicts>Verdicts</h2>\n");
    if (*ft_field_text(document, "unverified")) {
        put(out, "<p class=warn>The verdicts of ftcc were not tried: %s</p></section>\n",
            ft_field_text(document, "unverified"));
        return;
    }
    if (!verify) {
        put(out, "<p>The program has no sites that ftcc has judged.</p></section>\n");
        return;
    }
    put(out, "<p>%d runs with disturbed timing were compared.</p>\n",
        ft_field_number(verify, "runs"));
    put_contradictions(verify, out);
    put_table(out, "Verdicts", heads);
    json_object_foreach (json_object_get(verify, "sites"), id, site)
        put(out,
            "<tr role=row><td role=cell data-label=Call><code>%s</code> <span class=place>%s"
            "</span></td><td role=cell data-label=Verdict><span class=\"class c-%s\">%s</span>"
            "</td><td role=cell data-label=Result><span class=result>%s</span></td><td "
            "role=cell data-label=Detail>%s</td></tr>\n",
            ft_field_text(site, "call"), ft_field_text(site, "place"), ft_field_text(site, "class"),
            ft_field_text(site, "class"), ft_field_text(site, "result"),
            ft_field_text(site, "detail"));
    put(out, "</tbody></table></section>\n");
}

/* The effect of --trust with this result; the section is missing where there are no patterns. */
static void put_patterns(const json_t *document, FILE *out)
{
    static const char *const heads[] = {"Pattern", "Proved", "Result", "Detail", NULL};
    const json_t *patterns = json_object_get(document, "patterns"), *pattern;
    size_t i;

    if (!json_array_size(patterns))
        return;
    put(out, "<section aria-labelledby=patterns><h2 id=patterns>Patterns for --trust</h2>\n");
    put_table(out, "Patterns for --trust", heads);
    json_array_foreach (patterns, i, pattern)
        put(out,
            "<tr role=row><td role=cell data-label=Pattern><span class=place>%s</span></td>"
            "<td role=cell data-label=Proved>%s</td><td role=cell data-label=Result><span "
            "class=result>%s</span></td><td role=cell data-label=Detail>%s</td></tr>\n",
            ft_field_text(pattern, "place"),
            json_is_true(json_object_get(pattern, "proved")) ? "yes" : "no",
            ft_field_text(pattern, "result"), ft_field_text(pattern, "detail"));
    put(out, "</tbody></table></section>\n");
}

void ft_rehearse_page(const json_t *document, FILE *out)
{
    put_head(document, out);
    put_navigation(document, out);
    put_summary(document, out);
    put_deaths(document, out);
    put_clusters(document, out);
    put_bad(document, out);
    put_reasons(document, out);
    put_determinants(document, out);
    put_verdicts(document, out);
    put_patterns(document, out);
    put(out, "</main>\n<footer>Written by ftrun %s.</footer>\n</body>\n</html>\n",
        ft_field_text(document, "version"));
}
