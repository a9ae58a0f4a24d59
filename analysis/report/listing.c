/* Idea: what a compiler prints, because editors and people read it already: place, class, call and
 * reason in the first line, then the source line with carets, then notes for the witness. */
#include "analysis/report/terminal.h"

#include <stdlib.h>
#include <string.h>

struct listing {
    struct an_terminal terminal;
    struct an_texts *texts;
    const json_t *document;
};

static enum an_color color_of(const char *class)
{
    return strcmp(class, "non-deterministic") == 0 ? AN_YELLOW
           : strcmp(class, "unknown") == 0         ? AN_YELLOW
                                                   : AN_GREEN;
}

static void place_put(struct listing *listing, const json_t *place, unsigned indent)
{
    an_terminal_print(&listing->terminal, AN_BOLD, indent, "%s:%u:%u:", an_field(place, "file"),
                      an_field_number(place, "line"), an_field_number(place, "column"));
}

static void source_put(struct listing *listing, const json_t *place)
{
    an_terminal_end(&listing->terminal);
    an_terminal_source(&listing->terminal, an_texts_file(listing->texts, an_field(place, "file")),
                       place);
}

/* Whether both are the same stretch of source. */
static bool is_same_place(const json_t *one, const json_t *other)
{
    static const char *const keys[] = {"file", "line", "column", "end_line", "end_column"};
    for (size_t n = 0; n < sizeof keys / sizeof *keys; n++)
        if (!json_equal(json_object_get(one, keys[n]), json_object_get(other, keys[n])))
            return false;
    return true;
}

/* The steps of a witness or path; a source line that has just been shown is not shown again. */
static void steps_put(struct listing *listing, const json_t *steps, const json_t *shown)
{
    struct an_terminal *terminal = &listing->terminal;
    size_t n;
    const json_t *step;
    json_array_foreach (steps, n, step) {
        place_put(listing, step, 2);
        an_terminal_words(terminal, AN_CYAN, 6, "note:");
        an_terminal_words(terminal, AN_PLAIN, 6, an_field(step, "text"));
        if (!is_same_place(step, shown))
            source_put(listing, step);
        an_terminal_end(terminal);
        shown = step;
    }
}

/* Further lines about a site besides its verdict. */
static void site_notes_put(struct listing *listing, const json_t *site)
{
    struct an_terminal *terminal = &listing->terminal;
    const json_t *dynamic = json_object_get(site, "dynamic");
    an_terminal_print(terminal, AN_PLAIN, 4, "site %s", an_field(site, "id"));
    if (an_field_has(site, "pattern"))
        an_terminal_print(terminal, AN_PLAIN, 6, "in pattern %s", an_field(site, "pattern"));
    an_terminal_end(terminal);
    if (an_field_true(site, "override"))
        an_terminal_print(terminal, AN_PLAIN, 4, "this is the user's word; the analysis says %s",
                          an_field(site, "judged"));
    an_terminal_end(terminal);
    if (an_field_true(site, "logged"))
        an_terminal_print(terminal, AN_PLAIN, 4, "logged%s%s",
                          an_field_has(site, "logged_reason") ? ": " : "",
                          an_field(site, "logged_reason"));
    an_terminal_end(terminal);
    if (json_is_object(dynamic))
        an_terminal_print(terminal,
                          an_field_is(dynamic, "result", "contradicted") ? AN_RED : AN_PLAIN, 4,
                          "%s%s%s", an_field(dynamic, "text"),
                          an_field_has(dynamic, "detail") ? ": " : "", an_field(dynamic, "detail"));
    an_terminal_end(terminal);
}

static void site_put(struct listing *listing, const json_t *site)
{
    struct an_terminal *terminal = &listing->terminal;
    const char *class = an_field(site, "class"), *through = an_field(site, "through");
    const char *function = an_field(site, "function");
    char *wildcards = an_site_wildcards(site);
    place_put(listing, site, 0);
    an_terminal_print(terminal, color_of(class), 4, "%s:", class);
    an_terminal_print(terminal, AN_BOLD, 4, "%s", an_field(site, "call"));
    if (through[0] != '\0')
        an_terminal_print(terminal, AN_PLAIN, 4, "by %s", through);
    if (wildcards[0] != '\0')
        an_terminal_print(terminal, AN_PLAIN, 4, "[%s]", wildcards);
    an_terminal_print(terminal, AN_PLAIN, 4, "%s%s:", function[0] != '\0' ? "in " : "at file scope",
                      function);
    an_terminal_words(terminal, AN_PLAIN, 4, an_field(site, "reason"));
    source_put(listing, site);
    site_notes_put(listing, site);
    steps_put(listing, json_object_get(site, "witness"), site);
    fputc('\n', terminal->out);
    free(wildcards);
}

static void finding_put(struct listing *listing, const json_t *finding)
{
    struct an_terminal *terminal = &listing->terminal;
    const char *function = an_field(finding, "function");
    place_put(listing, finding, 0);
    an_terminal_words(terminal, AN_YELLOW, 4, "warning:");
    an_terminal_print(terminal, AN_BOLD, 4, "%s:", an_field(finding, "rule"));
    an_terminal_words(terminal, AN_PLAIN, 4, an_field(finding, "message"));
    if (function[0] != '\0')
        an_terminal_print(terminal, AN_PLAIN, 4, "(in %s)", function);
    source_put(listing, finding);
    if (an_field_has(finding, "fix"))
        an_terminal_print(terminal, AN_PLAIN, 4, "fix: %s", an_field(finding, "fix"));
    an_terminal_end(terminal);
    steps_put(listing, json_object_get(finding, "path"), finding);
    fputc('\n', terminal->out);
}

static void contradictions_put(struct listing *listing, const json_t *verify)
{
    struct an_terminal *terminal = &listing->terminal;
    size_t n, m;
    const json_t *item, *sequence, *stranger;
    json_array_foreach (json_object_get(verify, "contradictions"), n, item) {
        an_terminal_words(terminal, AN_RED, 0, "contradicted:");
        an_terminal_words(terminal, AN_PLAIN, 4, an_field(item, "message"));
        an_terminal_end(terminal);
        json_array_foreach (json_object_get(item, "sequences"), m, sequence) {
            an_terminal_words(terminal, AN_PLAIN, 4, json_string_value(sequence));
            an_terminal_end(terminal);
        }
        fputc('\n', terminal->out);
    }
    json_array_foreach (json_object_get(verify, "strangers"), n, stranger)
        an_terminal_print(terminal, AN_YELLOW, n == 0 ? 0 : 4, "%s%s",
                          n == 0 ? "not in this report, so perhaps runs of another version: " : "",
                          json_string_value(stranger));
    an_terminal_end(terminal);
}

static void pattern_put(struct listing *listing, const json_t *pattern)
{
    struct an_terminal *terminal = &listing->terminal;
    const json_t *begin = json_object_get(pattern, "begin"), *end = json_object_get(pattern, "end");
    const char *name = an_field(pattern, "name"), *reason = an_field(pattern, "reason");
    an_terminal_print(terminal, AN_BOLD, 0, "%s:%u:%u:", an_field(pattern, "file"),
                      an_field_number(begin, "line"), an_field_number(begin, "column"));
    an_terminal_print(terminal, AN_GREEN, 4, "pattern %s", an_field(pattern, "id"));
    if (name[0] != '\0')
        an_terminal_print(terminal, AN_PLAIN, 4, "\"%s\"", name);
    an_terminal_print(terminal, AN_PLAIN, 4, "to line %u in %s, %s: %s",
                      an_field_number(end, "line"), an_field(pattern, "function"),
                      an_field_true(pattern, "trusted") ? "trusted" : "not trusted",
                      an_field(pattern, "separation"));
    an_terminal_end(terminal);
    if (strcmp(reason, an_field(pattern, "separation")) != 0)
        an_terminal_words(terminal, AN_PLAIN, 4, reason);
    an_terminal_end(terminal);
    if (an_field_true(pattern, "trusted"))
        an_terminal_words(terminal, AN_PLAIN, 4, "its proofs are checked on each re-execution");
    an_terminal_end(terminal);
}

static void hook_put(struct listing *listing, const json_t *hook)
{
    struct an_terminal *terminal = &listing->terminal;
    bool chosen = an_field_true(hook, "chosen");
    place_put(listing, hook, 0);
    an_terminal_words(terminal, chosen ? AN_GREEN : AN_PLAIN, 4, chosen ? "hook:" : "no hook:");
    an_terminal_print(terminal, AN_PLAIN, 4, "in %s: %s", an_field(hook, "function"),
                      an_field(hook, "reason"));
    an_terminal_end(terminal);
}

static void hole_put(struct listing *listing, const json_t *hole)
{
    struct an_terminal *terminal = &listing->terminal;
    const char *file = an_field(hole, "file"), *name = an_field(hole, "name");
    unsigned line = an_field_number(hole, "line");
    if (line > 0)
        an_terminal_print(terminal, AN_BOLD, 0, "%s:%u:", file, line);
    else if (file[0] != '\0')
        an_terminal_print(terminal, AN_BOLD, 0, "%s:", file);
    an_terminal_print(terminal, AN_YELLOW, terminal->column > 0 ? 4 : 0,
                      "not seen: %s:", an_hole_title(an_field(hole, "kind")));
    if (name[0] != '\0')
        an_terminal_print(terminal, AN_PLAIN, 4, "%s:", name);
    an_terminal_words(terminal, AN_PLAIN, 4, an_field(hole, "text"));
    an_terminal_end(terminal);
}

/* Writes each item of the list, and a blank line behind the last. */
static void list_put(struct listing *listing, const json_t *list,
                     void (*put)(struct listing *, const json_t *))
{
    size_t n;
    const json_t *item;
    json_array_foreach (list, n, item)
        put(listing, item);
    if (json_array_size(list) > 0)
        fputc('\n', listing->terminal.out);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* "2 deterministic, 1 unknown". The caller frees it. */
static char *classes_text(const json_t *classes)
{
    char *text = an_format("%s", "");
    for (const struct an_rule *rule = an_rule_at(0); rule->class; rule++) {
        unsigned count = an_field_number(classes, rule->id);
        if (count == 0)
            continue;
        char *longer = an_format("%s%s%u %s", text, text[0] != '\0' ? ", " : "", count, rule->id);
        free(text);
        text = longer;
    }
    return text;
}

static void summary_put(struct listing *listing)
{
    struct an_terminal *terminal = &listing->terminal;
    const json_t *document = listing->document, *program = json_object_get(document, "program");
    size_t sites = json_array_size(json_object_get(document, "sites"));
    size_t findings = json_array_size(json_object_get(document, "findings"));
    size_t patterns = json_array_size(json_object_get(document, "patterns"));
    size_t holes = json_array_size(json_object_get(json_object_get(document, "coverage"), "holes"));
    unsigned units = an_field_number(program, "units");
    unsigned functions = an_field_number(program, "functions");
    bool complete = an_field_true(json_object_get(document, "coverage"), "complete");
    char *classes = classes_text(json_object_get(program, "classes"));
    an_terminal_print(terminal, AN_BOLD, 0, "%s:", an_field(program, "name"));
    if (sites == 0)
        an_terminal_print(terminal, AN_PLAIN, 4, "no call of MPI whose outcome depends on time%s",
                          complete ? "" : " in what was seen");
    else
        an_terminal_print(terminal, AN_PLAIN, 4, "%zu site%s: %s", sites, plural(sites), classes);
    an_terminal_end(terminal);
    an_terminal_print(terminal, AN_PLAIN, 4,
                      "%zu finding%s, %zu pattern%s; %u function%s in %u file%s analysed, "
                      "%zu thing%s not seen",
                      findings, plural(findings), patterns, plural(patterns), functions,
                      plural(functions), units, plural(units), holes, plural(holes));
    an_terminal_end(terminal);
    if (!an_field_true(program, "whole"))
        an_terminal_words(terminal, AN_PLAIN, 4,
                          "A part of a program: the link step judges it again as a whole.");
    an_terminal_end(terminal);
    free(classes);
}

void an_report_text(const json_t *document, const struct an_report_options *options, FILE *out)
{
    struct listing listing = {
        .terminal = {out, options->width > 0 ? options->width : 100, options->color, 0},
        .texts = an_texts_create(document, options),
        .document = document,
    };
    const json_t *program = json_object_get(document, "program");
    size_t n;
    const json_t *item;
    json_array_foreach (json_object_get(document, "sites"), n, item)
        site_put(&listing, item);
    json_array_foreach (json_object_get(document, "findings"), n, item)
        finding_put(&listing, item);
    contradictions_put(&listing, json_object_get(program, "verify"));
    list_put(&listing, json_object_get(document, "patterns"), pattern_put);
    list_put(&listing, json_object_get(document, "hooks"), hook_put);
    if (an_field_has(program, "no_hook")) {
        an_terminal_print(&listing.terminal, AN_PLAIN, 4, "no hook: %s",
                          an_field(program, "no_hook"));
        an_terminal_end(&listing.terminal);
        fputc('\n', out);
    }
    list_put(&listing, json_object_get(json_object_get(document, "coverage"), "holes"), hole_put);
    summary_put(&listing);
    an_texts_destroy(listing.texts);
}
