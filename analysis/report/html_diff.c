/* Idea: insertions say which lines change, so no lines have to be compared. Each original line
 * is one row; a line that is inserted is a row with nothing on the left, and a line with
 * insertions inside has its new text on the right. Three unchanged lines are shown around a
 * change. */
#include "analysis/report/html.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };

struct side_by_side {
    struct an_page *page;
    const struct an_text_file *file;
    const struct an_insertion *next, *behind; /* the insertions that are not yet written */
    unsigned number;                          /* of the next line on the right */
};

/* One row; a NULL text leaves its side empty. */
static void row_put(struct side_by_side *diff, const char *class, unsigned line, const char *old,
                    size_t old_length, const char *new, size_t new_length)
{
    struct an_page *page = diff->page;
    an_html(page, "<tr role=row class=%s>", class);
    if (old != NULL) {
        an_html(page, "<td role=cell class=\"number old\">%u</td><td role=cell class=old><code>",
                line);
        an_html_text(page, old, old_length);
        an_html(page, "</code></td>");
    } else {
        an_html(page, "<td role=cell class=\"number old\"></td><td role=cell class=old></td>");
    }
    an_html(page, "<td role=cell class=\"number new\">%u</td><td role=cell class=new><code>",
            diff->number++);
    an_html_text(page, new, new_length);
    an_html(page, "</code></td></tr>\n");
}

static size_t line_start(const struct side_by_side *diff, unsigned line)
{
    return line <= diff->file->lines ? diff->file->starts[line - 1] : diff->file->length;
}

/* Whether the insertion at hand belongs to `line`; to the last line belongs all that is left. */
static bool belongs(const struct side_by_side *diff, unsigned line)
{
    return diff->next < diff->behind &&
           (diff->next->offset < line_start(diff, line + 1) || line >= diff->file->lines);
}

/* The rows of a text that may have several lines, beside one original line. */
static void texts_put(struct side_by_side *diff, const char *class, unsigned line, const char *old,
                      size_t old_length, const char *new)
{
    for (bool first = true; first || *new != '\0'; first = false) {
        size_t length = strcspn(new, "\n");
        row_put(diff, first ? class : "added", line, first ? old : NULL, old_length, new, length);
        new += length + (new[length] == '\n');
    }
}

/* Writes the line with the insertions inside it. */
static void line_put(struct side_by_side *diff, unsigned line)
{
    size_t start = line_start(diff, line), length;
    const char *old = an_text_line(diff->file, line, &length);
    size_t at = 0;
    char *new = NULL;
    while (belongs(diff, line) && !diff->next->own_line) {
        size_t to = diff->next->offset - start < length ? diff->next->offset - start : length;
        char *longer = an_format("%s%.*s%s", new != NULL ? new : "", (int)(to - at), old + at,
                                 diff->next->text);
        free(new);
        new = longer;
        at = to;
        diff->next++;
    }
    if (new == NULL) {
        row_put(diff, "same", line, old, length, old, length);
        return;
    }
    char *whole = an_format("%s%.*s", new, (int)(length - at), old + at);
    texts_put(diff, "changed", line, old, length, whole);
    free(whole);
    free(new);
}

/* The line of the next insertion; behind the last line when there is none. */
static unsigned next_line(const struct side_by_side *diff)
{
    return diff->next < diff->behind ? an_text_line_of(diff->file, diff->next->offset)
                                     : diff->file->lines + CONTEXT + 1;
}

static void rows_put(struct side_by_side *diff)
{
    unsigned seen = 0, last = 0; /* the last changed line, the last line written */
    for (unsigned line = 1; line <= diff->file->lines; line++) {
        bool near = line + CONTEXT >= next_line(diff) || (seen > 0 && line <= seen + CONTEXT);
        if (!near) {
            diff->number++;
            continue;
        }
        if (line > last + 1)
            an_html(diff->page,
                    "<tr role=row class=skip><td role=cell colspan=4>before line %u</td></tr>\n",
                    line);
        if (belongs(diff, line))
            seen = line;
        while (belongs(diff, line) && diff->next->own_line)
            texts_put(diff, "added", 0, NULL, 0, diff->next++->text);
        line_put(diff, line);
        while (belongs(diff, line) && line == diff->file->lines)
            texts_put(diff, "added", 0, NULL, 0, diff->next++->text);
        last = line;
    }
}

static void diff_put(struct an_page *page, const struct an_text_file *file)
{
    const struct an_report_file *given = file->given;
    struct side_by_side diff = {page, file, given->insertions, given->insertions + given->count, 1};
    an_html(page, "<details open class=diff><summary>%s: %u insertion%s</summary>\n", file->name,
            (unsigned)given->count, given->count == 1 ? "" : "s");
    an_html(page,
            "<div class=scroll tabindex=0 role=region aria-label=\"annotation of %s\"><table "
            "role=table class=sides><colgroup><col><col><col><col></colgroup><thead "
            "role=rowgroup><tr role=row><th role=columnheader scope=col colspan=2>as it is</th><th "
            "role=columnheader scope=col colspan=2>as "
            "ftcc compiles it</th></tr></thead><tbody role=rowgroup>\n",
            file->name);
    rows_put(&diff);
    an_html(page, "</tbody></table></div></details>\n");
}

void an_html_diffs(struct an_page *page)
{
    const struct an_text_file *file;
    bool any = false;
    for (size_t n = 0; (file = an_texts_given(page->texts, n)) != NULL; n++) {
        if (file->text == NULL || file->given == NULL || file->given->count == 0)
            continue;
        if (!any)
            an_html(page,
                    "<section aria-labelledby=annotation><h2 id=annotation>Annotation</h2>\n");
        any = true;
        diff_put(page, file);
    }
    if (any)
        an_html(page, "</section>\n");
}
