/* Findings, patterns, hooks and coverage. */
#include "analysis/report/html.h"

#include <string.h>

static void finding_put(struct an_page *page, const json_t *finding, unsigned number)
{
    const struct an_rule *rule = an_rule_find(an_field(finding, "rule"));
    const char *site = an_field(finding, "site");
    an_html(page,
            "<article class=\"card finding\" id=\"n-%u\"><h3><span class=rule>%s</span> %s</h3>"
            "\n<p class=where>",
            number, an_field(finding, "rule"), rule != NULL ? rule->title : "");
    an_html_place(page, finding);
    if (an_field_has(finding, "function"))
        an_html(page, " in <code>%s</code>", an_field(finding, "function"));
    if (site[0] != '\0') {
        an_html(page, ", site ");
        an_html_link(page, "sites", site);
    }
    an_html(page, "</p>\n<p class=reason>%s</p>\n", an_field(finding, "message"));
    an_html_steps(page, json_object_get(finding, "path"));
    if (an_field_has(finding, "fix"))
        an_html(page, "<p><b>What to do:</b> %s</p>\n", an_field(finding, "fix"));
    if (rule != NULL)
        an_html(page, "<details><summary>What this means</summary><p>%s</p></details>\n",
                rule->help);
    an_html(page, "</article>\n");
}

static void contradiction_put(struct an_page *page, const json_t *item)
{
    size_t n;
    const json_t *value;
    an_html(page,
            "<article class=\"card contradiction\"><h3><span class=rule>contradicted</span> A run "
            "contradicts the verdict</h3>\n<p class=reason>%s</p>\n<p class=where>",
            an_field(item, "message"));
    json_array_foreach (json_object_get(item, "sites"), n, value) {
        an_html(page, n == 0 ? "Sites: " : ", ");
        an_html_link(page, "sites", json_string_value(value));
    }
    an_html(page, "</p>\n<ol class=sequences>");
    json_array_foreach (json_object_get(item, "sequences"), n, value)
        an_html(page, "<li>%s</li>", json_string_value(value));
    an_html(page, "</ol></article>\n");
}

static void strangers_put(struct an_page *page, const json_t *strangers)
{
    size_t n;
    const json_t *id;
    if (json_array_size(strangers) == 0)
        return;
    an_html(page,
            "<p class=warn>The runs speak of sites that this report does not have; perhaps another "
            "version of the program was run:");
    json_array_foreach (strangers, n, id)
        an_html(page, " <code>%s</code>", json_string_value(id));
    an_html(page, "</p>\n");
}

void an_html_findings(struct an_page *page)
{
    const json_t *findings = json_object_get(page->document, "findings");
    const json_t *verify = json_object_get(json_object_get(page->document, "program"), "verify");
    const json_t *contradictions = json_object_get(verify, "contradictions");
    size_t n;
    const json_t *item;
    an_html(page, "<section aria-labelledby=findings><h2 id=findings>Findings</h2>\n");
    strangers_put(page, json_object_get(verify, "strangers"));
    json_array_foreach (contradictions, n, item)
        contradiction_put(page, item);
    json_array_foreach (findings, n, item)
        finding_put(page, item, (unsigned)n + 1);
    if (json_array_size(findings) + json_array_size(contradictions) == 0)
        an_html(page, "<p>None.</p>\n");
    an_html(page, "</section>\n");
}

/* A place of a pattern: object with line and column, in the pattern's file. */
static void pattern_place(struct an_page *page, const json_t *pattern, const json_t *place)
{
    const struct an_shown *shown = an_shown_file(page, an_field(pattern, "file"));
    unsigned line = an_field_number(place, "line");
    if (shown != NULL && an_shown_line(shown, line))
        an_html(page, "<a href=\"#f-%u-%u\">%u</a>", shown->number, line, line);
    else
        an_html(page, "%u", line);
}

static void pattern_put(struct an_page *page, const json_t *pattern)
{
    const char *name = an_field(pattern, "name"), *reason = an_field(pattern, "reason");
    bool told = strcmp(reason, an_field(pattern, "separation")) == 0;
    size_t n;
    const json_t *end;
    an_html(page,
            "<tr role=row id=\"p-%s\"><th role=rowheader scope=row data-label=Pattern><code>%s"
            "</code>",
            an_field(pattern, "id"), an_field(pattern, "id"));
    if (name[0] != '\0')
        an_html(page, "<br>%s", name);
    an_html(page,
            "</th><td role=cell data-label=Function><code>%s</code><br><span class=place>%s</span>"
            "</td><td role=cell data-label=Begins>line ",
            an_field(pattern, "function"), an_field(pattern, "file"));
    pattern_place(page, pattern, json_object_get(pattern, "begin"));
    an_html(page, "</td><td role=cell data-label=Ends>");
    json_array_foreach (json_object_get(pattern, "ends"), n, end) {
        an_html(page, n == 0 ? "line " : ", ");
        pattern_place(page, pattern, end);
        an_html(page, " (%s)", an_field(end, "by"));
    }
    an_html(page, "</td><td role=cell data-label=Separation class=reason>%s</td>",
            an_field(pattern, "separation"));
    an_html(page, "<td role=cell data-label=Trusted class=reason>%s%s%s</td></tr>\n",
            an_field_true(pattern, "trusted")
                ? "yes; what is proved is checked on each re-execution"
                : "no",
            reason[0] != '\0' && !told ? ": " : "", told ? "" : reason);
}

/* The beginning of a table with these heads, NULL behind the last. */
static void table_begin(struct an_page *page, const char *caption, const char *const *heads)
{
    an_html(page,
            "<table role=table class=stack><caption class=hidden>%s</caption><thead "
            "role=rowgroup><tr role=row>",
            caption);
    for (; *heads != NULL; heads++)
        an_html(page, "<th role=columnheader scope=col>%s</th>", *heads);
    an_html(page, "</tr></thead><tbody role=rowgroup>\n");
}

void an_html_patterns(struct an_page *page)
{
    static const char *const heads[] = {"Pattern",    "Function", "Begins", "Ends",
                                        "Separation", "Trusted",  NULL};
    const json_t *patterns = json_object_get(page->document, "patterns");
    size_t n;
    const json_t *pattern;
    an_html(page, "<section aria-labelledby=patterns><h2 id=patterns>Patterns</h2>\n");
    if (json_array_size(patterns) == 0) {
        an_html(page, "<p>None.</p></section>\n");
        return;
    }
    table_begin(page, "Regions whose anonymous receives match only their own sends", heads);
    json_array_foreach (patterns, n, pattern)
        pattern_put(page, pattern);
    an_html(page, "</tbody></table></section>\n");
}

static void hook_put(struct an_page *page, const json_t *hook)
{
    bool chosen = an_field_true(hook, "chosen");
    an_html(page, "<tr role=row id=\"h-%s\"><td role=cell data-label=Loop>", an_field(hook, "id"));
    an_html_place(page, hook);
    an_html(page, " in <code>%s</code></td>", an_field(hook, "function"));
    an_html(page, "<td role=cell data-label=Chosen>%s</td>", chosen ? "yes" : "no");
    an_html(page, "<td role=cell data-label=Reason class=reason>%s</td></tr>\n",
            an_field(hook, "reason"));
}

void an_html_hooks(struct an_page *page)
{
    static const char *const heads[] = {"Loop", "Chosen", "Reason", NULL};
    const json_t *hooks = json_object_get(page->document, "hooks");
    const char *none = an_field(json_object_get(page->document, "program"), "no_hook");
    size_t n;
    const json_t *hook;
    an_html(page, "<section aria-labelledby=hooks><h2 id=hooks>Hooks</h2>\n");
    if (none[0] != '\0')
        an_html(page, "<p>%s</p>\n", none);
    if (json_array_size(hooks) > 0) {
        table_begin(page, "Loops that may be the main loop", heads);
        json_array_foreach (hooks, n, hook)
            hook_put(page, hook);
        an_html(page, "</tbody></table>");
    }
    an_html(page, "</section>\n");
}

static void hole_put(struct an_page *page, const json_t *hole)
{
    an_html(page, "<tr role=row><td role=cell data-label=Place>");
    if (an_field_number(hole, "line") > 0)
        an_html_place(page, hole);
    else
        an_html(page, "<span class=place>%s</span>", an_field(hole, "file"));
    an_html(page, "</td><td role=cell data-label=Name><code>%s</code></td>",
            an_field(hole, "name"));
    an_html(page, "<td role=cell data-label=What class=reason>%s</td></tr>\n",
            an_field(hole, "text"));
}

/* The holes of one kind, folded up. */
static void holes_put(struct an_page *page, const json_t *holes, const char *kind)
{
    static const char *const heads[] = {"Place", "Name", "What", NULL};
    unsigned count = 0;
    size_t n;
    const json_t *hole;
    json_array_foreach (holes, n, hole)
        count += an_field_is(hole, "kind", kind);
    if (count == 0)
        return;
    an_html(page, "<details><summary>%s: %u</summary>\n", an_hole_title(kind), count);
    table_begin(page, an_hole_title(kind), heads);
    json_array_foreach (holes, n, hole)
        if (an_field_is(hole, "kind", kind))
            hole_put(page, hole);
    an_html(page, "</tbody></table></details>\n");
}

static void units_put(struct an_page *page, const json_t *files)
{
    size_t n;
    const json_t *file;
    an_html(page, "<details><summary>files: %u</summary><ul class=units>\n",
            (unsigned)json_array_size(files));
    json_array_foreach (files, n, file) {
        an_html(page, "<li><span class=place>%s</span>", an_field(file, "file"));
        if (an_field_has(file, "problem"))
            an_html(page, ": %s", an_field(file, "problem"));
        an_html(page, "</li>\n");
    }
    an_html(page, "</ul></details>\n");
}

void an_html_coverage(struct an_page *page)
{
    static const char *const kinds[] = {"file",     "function", "preprocessor", "callee",
                                        "unjudged", "carried",  "facts"};
    const json_t *coverage = json_object_get(page->document, "coverage");
    const json_t *holes = json_object_get(coverage, "holes");
    an_html(page, "<section aria-labelledby=coverage><h2 id=coverage>Coverage</h2>\n<p>%s</p>\n",
            an_field_true(coverage, "complete") ? "Everything was seen."
                                                : "What the analysis could not see:");
    for (unsigned n = 0; n < sizeof kinds / sizeof *kinds; n++)
        holes_put(page, holes, kinds[n]);
    units_put(page, json_object_get(coverage, "files"));
    an_html(page, "</section>\n");
}
