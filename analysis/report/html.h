/* html: what the files that write the HTML page share.
 *
 * Ids in the page: #s-ID a site (#s-ID-2 the second of one ID), #p-ID a pattern, #h-ID a hook, #n-N
 * finding number N, #f-N file number N of those that are shown, #f-N-LINE a line of it.
 *
 * Thread rule: one thread. */
#ifndef AN_REPORT_HTML_H
#define AN_REPORT_HTML_H

#include "analysis/report/parts.h"

extern const char an_report_css[], an_report_js[]; /* report.css and report.js, from the build */

/* A mark that is drawn into a line of a source. */
struct an_mark {
    unsigned column, end; /* in bytes, from 1; `end` 0: the rest of the line */
    const char *class;    /* of the site; NULL for a step, a finding or a hook */
    const char *id;       /* the anchor of the site, or NULL */
    struct an_mark *next;
};

/* A file of which lines are shown. */
struct an_shown {
    unsigned number; /* from 1, in the order of their first mention */
    struct an_text_file *file;
    unsigned char *lines;    /* [line]: shown */
    struct an_mark **marks;  /* [line] */
    const json_t **patterns; /* those of the file, the outermost first; NULL behind the last */
    UT_hash_handle hh;       /* by the file's name */
};

struct an_page {
    FILE *out;
    const json_t *document;
    struct an_texts *texts;
    struct an_shown *shown; /* a hash table, in the order of their numbers */
    char **anchors; /* of each site: its id, followed by a number where others have the same one */
};

/* --- html_words.c */

/* Effect: writes `format`, in which %s is text to be escaped, %u a number, and %% a percent sign.
 * There is nothing else. */
void an_html(struct an_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Effect: writes `length` bytes of text, escaped and cleaned. */
void an_html_text(struct an_page *page, const char *text, size_t length);
/* Effect: writes "file:line:column" of a place as a link to its line, when that is shown. */
void an_html_place(struct an_page *page, const json_t *place);
/* Effect: writes a class as a coloured word. */
void an_html_class(struct an_page *page, const char *class);
/* Effect: fills page->anchors. */
void an_html_anchors_find(struct an_page *page);
void an_html_anchors_destroy(struct an_page *page);
/* Effect: writes a link to the pattern or site with this id, when the document has it. */
void an_html_link(struct an_page *page, const char *list, const char *id);
/* Effect: writes the steps of a witness or path as a list. */
void an_html_steps(struct an_page *page, const json_t *steps);

/* --- html_source.c */

/* Effect: finds the lines that sites, steps, findings, patterns and hooks speak of. */
void an_shown_find(struct an_page *page);
void an_shown_destroy(struct an_page *page);
/* The shown file of this name, or NULL. */
const struct an_shown *an_shown_file(const struct an_page *page, const char *name);
bool an_shown_line(const struct an_shown *shown, unsigned line);
/* Effect: the lines of a file that are shown, with marks, and patterns in the margin. */
void an_html_source(struct an_page *page, const struct an_shown *shown);

/* --- html_sites.c, html_lists.c, html_diff.c: each writes its section. */

void an_html_sites(struct an_page *page);    /* the table */
void an_html_files(struct an_page *page);    /* sites in full, with their sources */
void an_html_findings(struct an_page *page); /* and contradictions */
void an_html_patterns(struct an_page *page);
void an_html_hooks(struct an_page *page);
void an_html_coverage(struct an_page *page);
void an_html_diffs(struct an_page *page);

#endif
