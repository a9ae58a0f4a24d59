/* Idea: one page that needs nothing but itself: no network, no script for what matters. All of it
 * is written through an_html, which escapes. */
#include "analysis/report/html.h"

static void head_put(struct an_page *page)
{
    const json_t *program = json_object_get(page->document, "program");
    fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=color-scheme content=\"light dark\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n",
          page->out);
    an_html(page, "<title>Determinism of %s</title>\n<style>\n", an_field(program, "name"));
    fputs(an_report_css, page->out);
    fputs("</style>\n</head>\n<body>\n<a class=skip-link href=\"#main\">Skip to the report</a>\n",
          page->out);
}

/* A link to a section, unless there is nothing in it. */
static void link_put(struct an_page *page, const char *id, const char *title, size_t count)
{
    an_html(page, "<li><a href=\"#%s\">%s</a> <span class=count>%u</span></li>", id, title,
            (unsigned)count);
}

static void navigation_put(struct an_page *page)
{
    const json_t *document = page->document;
    an_html(page, "<nav aria-label=\"parts of the report\"><ul>");
    link_put(page, "sites", "Sites", json_array_size(json_object_get(document, "sites")));
    link_put(page, "findings", "Findings", json_array_size(json_object_get(document, "findings")));
    if (page->shown != NULL)
        an_html(page, "<li><a href=\"#sources\">Sources</a></li>");
    link_put(page, "patterns", "Patterns", json_array_size(json_object_get(document, "patterns")));
    link_put(page, "hooks", "Hooks", json_array_size(json_object_get(document, "hooks")));
    link_put(page, "coverage", "Not seen",
             json_array_size(json_object_get(json_object_get(document, "coverage"), "holes")));
    an_html(page, "</ul></nav>\n");
}

/* A bar with the share of each class; the table below says the same in numbers. */
static void bar_put(struct an_page *page, const json_t *classes)
{
    an_html(page, "<div class=share aria-hidden=true>");
    for (unsigned n = 0; an_rule_at(n)->class; n++) {
        unsigned count = an_field_number(classes, an_rule_at(n)->id);
        if (count > 0)
            an_html(page, "<span class=\"c-%s\" style=\"flex-grow:%u\" title=\"%s: %u\">%u</span>",
                    an_rule_at(n)->id, count, an_rule_at(n)->id, count, count);
    }
    an_html(page, "</div>\n");
}

static void classes_put(struct an_page *page, const json_t *classes, unsigned sites)
{
    an_html(page,
            "<table class=classes><caption class=hidden>Share of each class</caption><thead><tr>"
            "<th scope=col>Class</th><th scope=col>Sites</th><th scope=col>Share</th>"
            "<th scope=col>Meaning</th></tr></thead><tbody>\n");
    for (unsigned n = 0; an_rule_at(n)->class; n++) {
        const struct an_rule *rule = an_rule_at(n);
        unsigned count = an_field_number(classes, rule->id);
        an_html(page, "<tr><th scope=row>");
        an_html_class(page, rule->id);
        an_html(page,
                "</th><td>%u</td><td>%u %%</td><td><details><summary>%s</summary>%s</details>"
                "</td></tr>\n",
                count, sites > 0 ? (100 * count + sites / 2) / sites : 0, rule->title, rule->help);
    }
    an_html(page, "</tbody></table>\n");
}

static void summary_put(struct an_page *page)
{
    const json_t *program = json_object_get(page->document, "program");
    const json_t *classes = json_object_get(program, "classes");
    const json_t *verify = json_object_get(program, "verify");
    unsigned sites = (unsigned)json_array_size(json_object_get(page->document, "sites"));
    an_html(page, "<section aria-labelledby=summary><h2 id=summary class=hidden>Summary</h2>\n");
    if (sites > 0) {
        bar_put(page, classes);
        classes_put(page, classes, sites);
    }
    an_html(page, "<p>%u functions in %u files were analysed",
            an_field_number(program, "functions"), an_field_number(program, "units"));
    an_html(page,
            an_field_true(program, "whole")
                ? ".</p>\n"
                : ". This is a part of a program; the link step judges it again as a whole.</p>\n");
    if (json_is_object(verify))
        an_html(page, "<p>%u perturbed runs were compared with it, contradictions: %u.</p>\n",
                an_field_number(verify, "runs"),
                (unsigned)json_array_size(json_object_get(verify, "contradictions")));
    an_html(page, "</section>\n");
}

static void body_put(struct an_page *page)
{
    const json_t *program = json_object_get(page->document, "program");
    an_html(page, "<header><h1>Determinism of <code>%s</code></h1>\n", an_field(program, "name"));
    navigation_put(page);
    an_html(page, "</header>\n<main id=main>\n");
    summary_put(page);
    an_html_findings(page);
    an_html_sites(page);
    an_html_files(page);
    an_html_patterns(page);
    an_html_hooks(page);
    an_html_diffs(page);
    an_html_coverage(page);
    an_html(page,
            "</main>\n<footer>Written by ftcc %s. File names are relative to <code>%s</code>."
            "</footer>\n<script>\n",
            an_field(program, "version"), an_field(program, "base"));
    fputs(an_report_js, page->out);
    fputs("</script>\n</body>\n</html>\n", page->out);
}

void an_report_html(const json_t *document, const struct an_report_options *options, FILE *out)
{
    struct an_page page = {
        .out = out, .document = document, .texts = an_texts_create(document, options)};
    an_html_anchors_find(&page);
    an_shown_find(&page);
    head_put(&page);
    body_put(&page);
    an_shown_destroy(&page);
    an_html_anchors_destroy(&page);
    an_texts_destroy(page.texts);
}
