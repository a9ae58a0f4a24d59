/* Sites: the table that a person filters, and behind it every site in full, beside its source. */
#include "analysis/report/html.h"

#include <stdlib.h>
#include <utlist.h>

static void call_put(struct an_page *page, const json_t *site)
{
    const char *through = an_field(site, "through");
    an_html(page, "<code>%s</code>", an_field(site, "call"));
    if (through[0] != '\0')
        an_html(page, " <span class=by>by <code>%s</code></span>", through);
}

/* The runtime's behaviour at the site. */
static void runtime_put(struct an_page *page, const json_t *site)
{
    const char *pattern = an_field(site, "pattern");
    if (an_field_true(site, "logged"))
        an_html(page, "logged");
    else if (pattern[0] == '\0')
        an_html(page, "nothing");
    if (pattern[0] != '\0') {
        an_html(page, "%spattern ", an_field_true(site, "logged") ? ", " : "");
        an_html_link(page, "patterns", pattern);
    }
}

static void result_put(struct an_page *page, const json_t *dynamic)
{
    const char *result = an_field(dynamic, "result");
    if (result[0] == '\0')
        an_html(page, "-");
    else
        an_html(page, "<span class=\"result r-%s\">%s</span>", result[0] == 'n' ? "none" : result,
                result);
}

static void row_put(struct an_page *page, const json_t *site, const char *anchor, bool dynamic)
{
    const char *function = an_field(site, "function");
    char *wildcards = an_site_wildcards(site);
    an_html(page, "<tr role=row data-class=\"%s\"><td role=cell data-label=Class>",
            an_field(site, "class"));
    an_html_class(page, an_field(site, "class"));
    if (an_field_true(site, "override"))
        an_html(page, " <span class=word>user's word</span>");
    an_html(page, "</td><td role=cell data-label=Call><a href=\"#s-%s\">", anchor);
    call_put(page, site);
    an_html(page, "</a></td><td role=cell data-label=Open>%s</td>", wildcards);
    an_html(page, "<td role=cell data-label=Place>");
    an_html_place(page, site);
    an_html(page, "<br><code>%s</code></td>", function[0] != '\0' ? function : "(file scope)");
    an_html(page, "<td role=cell data-label=Reason class=reason>%s</td>", an_field(site, "reason"));
    an_html(page, "<td role=cell data-label=Runtime>");
    runtime_put(page, site);
    an_html(page, "</td>");
    if (dynamic) {
        an_html(page, "<td role=cell data-label=Runs>");
        result_put(page, json_object_get(site, "dynamic"));
        an_html(page, "</td>");
    }
    an_html(page, "</tr>\n");
    free(wildcards);
}

/* The form does nothing without the script, which shows it. */
static void filter_put(struct an_page *page)
{
    const json_t *classes = json_object_get(json_object_get(page->document, "program"), "classes");
    an_html(page, "<form id=filter role=search aria-label=\"filter of the sites\" hidden>"
                  "<label>Filter <input type=search id=words placeholder=\"call, file, function, "
                  "reason\" autocomplete=off></label>"
                  "<fieldset><legend>Classes</legend>");
    for (unsigned n = 0; an_rule_at(n)->class; n++) {
        const char *id = an_rule_at(n)->id;
        if (an_field_number(classes, id) > 0)
            an_html(page, "<label><input type=checkbox name=class value=\"%s\" checked> %s</label>",
                    id, id);
    }
    an_html(page, "</fieldset><p id=count role=status></p></form>\n");
}

void an_html_sites(struct an_page *page)
{
    const json_t *sites = json_object_get(page->document, "sites");
    bool dynamic =
        json_is_object(json_object_get(json_object_get(page->document, "program"), "verify"));
    an_html(page, "<section aria-labelledby=sites><h2 id=sites>Sites</h2>\n");
    if (json_array_size(sites) == 0) {
        an_html(page, "<p>No call of MPI %shas an outcome that depends on time.</p></section>\n",
                an_field_true(json_object_get(page->document, "coverage"), "complete")
                    ? "in this program "
                    : "that was seen ");
        return;
    }
    filter_put(page);
    an_html(page, "<table role=table class=stack id=table><caption class=hidden>Calls of MPI whose "
                  "outcome may depend on time</caption><thead role=rowgroup><tr role=row>");
    static const char *const heads[] = {"Class",  "Call",    "Open", "Place",
                                        "Reason", "Runtime", "Runs"};
    for (unsigned n = 0; n < 6 + (dynamic ? 1U : 0U); n++)
        an_html(page, "<th role=columnheader scope=col>%s</th>", heads[n]);
    an_html(page, "</tr></thead><tbody role=rowgroup>\n");
    size_t n;
    const json_t *site;
    json_array_foreach (sites, n, site)
        row_put(page, site, page->anchors[n], dynamic);
    an_html(page, "</tbody></table></section>\n");
}

static void findings_put(struct an_page *page, const char *id)
{
    size_t n;
    const json_t *finding;
    json_array_foreach (json_object_get(page->document, "findings"), n, finding)
        if (an_field_is(finding, "site", id))
            an_html(page, "<p class=warn>Finding: <a href=\"#n-%u\">%s</a></p>\n", (unsigned)n + 1,
                    an_field(finding, "rule"));
}

static void dynamic_put(struct an_page *page, const json_t *dynamic)
{
    if (!json_is_object(dynamic))
        return;
    an_html(page, "<p>%s", an_field(dynamic, "text"));
    if (an_field_has(dynamic, "detail"))
        an_html(page, " (%s)", an_field(dynamic, "detail"));
    an_html(page, ".</p>\n");
}

static void site_put(struct an_page *page, const json_t *site, const char *anchor)
{
    const char *id = an_field(site, "id"), *why = an_field(site, "logged_reason");
    char *wildcards = an_site_wildcards(site);
    an_html(page, "<article class=\"card c-%s\" id=\"s-%s\"><h4>", an_field(site, "class"), anchor);
    call_put(page, site);
    an_html(page, " ");
    an_html_class(page, an_field(site, "class"));
    an_html(page, "</h4>\n<p class=where>");
    an_html_place(page, site);
    if (an_field_has(site, "function"))
        an_html(page, " in <code>%s</code>", an_field(site, "function"));
    if (wildcards[0] != '\0')
        an_html(page, ", open: %s", wildcards);
    an_html(page, ", site <code>%s</code></p>\n<p class=reason>%s</p>\n", id,
            an_field(site, "reason"));
    if (an_field_true(site, "override"))
        an_html(page, "<p class=warn>This is the user's word. The analysis says %s.</p>\n",
                an_field(site, "judged"));
    an_html_steps(page, json_object_get(site, "witness"));
    an_html(page, "<p>The runtime does: ");
    runtime_put(page, site);
    an_html(page, "%s%s.</p>\n", why[0] != '\0' ? ": " : "", why);
    dynamic_put(page, json_object_get(site, "dynamic"));
    findings_put(page, id);
    an_html(page, "</article>\n");
    free(wildcards);
}

void an_html_files(struct an_page *page)
{
    const json_t *sites = json_object_get(page->document, "sites");
    const struct an_shown *shown;
    if (page->shown == NULL)
        return;
    an_html(page, "<section aria-labelledby=sources><h2 id=sources>Sites in their sources</h2>\n");
    for (shown = page->shown; shown != NULL; shown = shown->hh.next) {
        an_html(page,
                "<section class=file aria-labelledby=\"f-%u\"><h3 id=\"f-%u\">%s</h3>\n"
                "<div class=pair><div class=cards>",
                shown->number, shown->number, shown->file->name);
        size_t n;
        const json_t *site;
        json_array_foreach (sites, n, site)
            if (an_field_is(site, "file", shown->file->name))
                site_put(page, site, page->anchors[n]);
        an_html(page, "</div><div>");
        an_html_source(page, shown);
        an_html(page, "</div></div></section>\n");
    }
    an_html(page, "</section>\n");
}
