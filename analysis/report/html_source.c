/* Idea: of a file only those lines are shown that the report speaks of, with a few around them;
 * every link to a line has its target because both ask the same table of lines. A pattern is drawn
 * as a bar in the margin, one column for each that encloses the line. */
#include "analysis/report/html.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { AROUND = 4, AROUND_STEP = 2, BARS = 4 };

const struct an_shown *an_shown_file(const struct an_page *page, const char *name)
{
    struct an_shown *shown;
    HASH_FIND_STR(page->shown, name, shown);
    return shown;
}

bool an_shown_line(const struct an_shown *shown, unsigned line)
{
    return line > 0 && line <= shown->file->lines && shown->lines[line];
}

/* The entry of a file, made when it is not there yet. */
static struct an_shown *shown_of(struct an_page *page, const char *name)
{
    struct an_shown *shown;
    HASH_FIND_STR(page->shown, name, shown);
    if (shown != NULL)
        return shown;
    shown = an_must(calloc(1, sizeof *shown));
    shown->number = HASH_COUNT(page->shown) + 1;
    shown->file = an_texts_file(page->texts, name);
    shown->lines = an_must(calloc(shown->file->lines + 2, 1));
    shown->marks = an_must(calloc(shown->file->lines + 2, sizeof *shown->marks));
    HASH_ADD_KEYPTR(hh, page->shown, shown->file->name, strlen(shown->file->name), shown);
    return shown;
}

static void lines_show(struct an_shown *shown, unsigned first, unsigned last, unsigned around)
{
    first = first > around ? first - around : 1;
    last = last + around < shown->file->lines ? last + around : shown->file->lines;
    for (unsigned line = first; line <= last; line++)
        shown->lines[line] = 1;
}

/* Shows the lines of `place` and marks its text. */
static void place_show(struct an_page *page, const json_t *place, unsigned around,
                       const char *class, const char *id)
{
    struct an_shown *shown = shown_of(page, an_field(place, "file"));
    unsigned line = an_field_number(place, "line"), end = an_field_number(place, "end_line");
    lines_show(shown, line, line, around);
    if (!an_shown_line(shown, line))
        return;
    struct an_mark *mark = an_must(calloc(1, sizeof *mark));
    mark->column = an_field_number(place, "column");
    mark->end = end == line ? an_field_number(place, "end_column") : 0;
    mark->class = class;
    mark->id = id;
    LL_APPEND(shown->marks[line], mark);
}

static void steps_show(struct an_page *page, const json_t *steps)
{
    size_t n;
    const json_t *step;
    json_array_foreach (steps, n, step)
        place_show(page, step, AROUND_STEP, NULL, NULL);
}

/* The patterns of each file. */
static void patterns_find(struct an_page *page)
{
    const json_t *patterns = json_object_get(page->document, "patterns");
    struct an_shown *shown, *next;
    HASH_ITER (hh, page->shown, shown, next) {
        size_t n, count = 0;
        const json_t *pattern;
        shown->patterns = an_must(calloc(json_array_size(patterns) + 1, sizeof *shown->patterns));
        json_array_foreach (patterns, n, pattern)
            if (an_field_is(pattern, "file", shown->file->name))
                shown->patterns[count++] = pattern;
    }
}

void an_shown_find(struct an_page *page)
{
    size_t n;
    const json_t *item;
    json_array_foreach (json_object_get(page->document, "sites"), n, item)
        place_show(page, item, AROUND, an_field(item, "class"), page->anchors[n]);
    json_array_foreach (json_object_get(page->document, "sites"), n, item)
        steps_show(page, json_object_get(item, "witness"));
    json_array_foreach (json_object_get(page->document, "findings"), n, item) {
        place_show(page, item, AROUND, NULL, NULL);
        steps_show(page, json_object_get(item, "path"));
    }
    json_array_foreach (json_object_get(page->document, "patterns"), n, item) {
        struct an_shown *shown = shown_of(page, an_field(item, "file"));
        lines_show(shown, an_field_number(json_object_get(item, "begin"), "line"),
                   an_field_number(json_object_get(item, "end"), "line"), AROUND_STEP);
    }
    json_array_foreach (json_object_get(page->document, "hooks"), n, item) {
        if (!an_field_true(item, "chosen"))
            continue;
        struct an_shown *shown = shown_of(page, an_field(item, "file"));
        unsigned line = an_field_number(item, "line");
        lines_show(shown, line, line, AROUND_STEP);
    }
    patterns_find(page);
}

static void marks_destroy(struct an_mark *marks)
{
    struct an_mark *mark, *next;
    LL_FOREACH_SAFE (marks, mark, next)
        free(mark);
}

void an_shown_destroy(struct an_page *page)
{
    struct an_shown *shown, *next;
    HASH_ITER (hh, page->shown, shown, next) {
        HASH_DEL(page->shown, shown);
        for (unsigned line = 0; line <= shown->file->lines; line++)
            marks_destroy(shown->marks[line]);
        free(shown->lines);
        free(shown->marks);
        free(shown->patterns);
        free(shown);
    }
}

static unsigned line_in(const json_t *pattern, const char *key)
{
    return an_field_number(json_object_get(pattern, key), "line");
}

enum where { ABOVE, LINE, BELOW };

/* The bars of the patterns that enclose the line, or the remarks above or below it. */
static void bars_put(struct an_page *page, const struct an_shown *shown, unsigned line,
                     enum where where)
{
    unsigned bars = 0;
    an_html(page, "<span class=bars>");
    for (const json_t **at = shown->patterns; *at != NULL; at++) {
        const json_t *pattern = *at;
        unsigned first = line_in(pattern, "begin"), last = line_in(pattern, "end");
        if (line < first || line > last)
            continue;
        const char *id = an_field(pattern, "id");
        if (bars++ < BARS)
            an_html(page,
                    "<a class=\"bar%s%s\" href=\"#p-%s\" title=\"pattern %s\" tabindex=-1></a>",
                    line == first && where != BELOW ? " first" : "",
                    line == last && where != ABOVE ? " last" : "", id, id);
    }
    an_html(page, "</span>");
}

/* A remark above or below a line, which names the pattern `id`. */
static void note_put(struct an_page *page, const struct an_shown *shown, unsigned line,
                     enum where where, const char *id, const char *what)
{
    an_html(page, "<span class=\"row note\"><span class=number></span>");
    bars_put(page, shown, line, where);
    an_html(page, "<span>an iteration of pattern <a href=\"#p-%s\">%s</a> %s</span></span>", id, id,
            what);
}

/* Says, above `line` or below it, where iterations begin and end. */
static void notes_put(struct an_page *page, const struct an_shown *shown, unsigned line,
                      enum where where)
{
    size_t m;
    const json_t *end;
    for (const json_t **at = shown->patterns; *at != NULL; at++) {
        const json_t *pattern = *at;
        const char *id = an_field(pattern, "id");
        if (where == ABOVE && line_in(pattern, "begin") == line)
            note_put(page, shown, line, where, id, "begins");
        json_array_foreach (json_object_get(pattern, "ends"), m, end)
            if (an_field_number(end, "line") == line &&
                an_field_is(end, "by", "end") == (where == BELOW))
                note_put(page, shown, line, where, id,
                         where == BELOW ? "ends" : "ends before this");
    }
}

/* The next mark of the line that begins at or behind `from` (bytes, from 0); a site wins. */
static const struct an_mark *mark_next(const struct an_shown *shown, unsigned line, size_t from)
{
    const struct an_mark *best = NULL, *mark;
    LL_FOREACH (shown->marks[line], mark) {
        if (mark->column == 0 || mark->column - 1 < from)
            continue;
        bool earlier = best == NULL || mark->column < best->column;
        bool better = best != NULL && mark->column == best->column && best->class == NULL;
        if (earlier || better)
            best = mark;
    }
    return best;
}

static void code_put(struct an_page *page, const struct an_shown *shown, unsigned line)
{
    size_t length, at = 0;
    const char *text = an_text_line(shown->file, line, &length);
    const struct an_mark *mark;
    while ((mark = mark_next(shown, line, at)) != NULL && mark->column - 1 < length) {
        size_t start = mark->column - 1;
        size_t end = mark->end > mark->column && mark->end - 1 < length ? mark->end - 1 : length;
        an_html_text(page, text + at, start - at);
        if (mark->id != NULL)
            an_html(page, "<a class=\"mark c-%s\" href=\"#s-%s\" title=\"%s\">", mark->class,
                    mark->id, mark->class);
        else
            an_html(page, "<span class=mark>");
        an_html_text(page, text + start, end - start);
        an_html(page, mark->id != NULL ? "</a>" : "</span>");
        at = end;
    }
    an_html_text(page, text + at, length - at);
}

static void line_put(struct an_page *page, const struct an_shown *shown, unsigned line)
{
    notes_put(page, shown, line, ABOVE);
    an_html(page, "<span class=row id=\"f-%u-%u\"><a class=number href=\"#f-%u-%u\">%u</a>",
            shown->number, line, shown->number, line, line);
    bars_put(page, shown, line, LINE);
    an_html(page, "<code>");
    code_put(page, shown, line);
    an_html(page, "\n</code></span>");
    notes_put(page, shown, line, BELOW);
}

/* Lines `first` to `last` are not shown. */
static void gap_put(struct an_page *page, unsigned first, unsigned last)
{
    if (first == last)
        an_html(page, "<span class=gap>line %u</span>", first);
    else if (first < last)
        an_html(page, "<span class=gap>lines %u to %u</span>", first, last);
}

void an_html_source(struct an_page *page, const struct an_shown *shown)
{
    if (shown->file->text == NULL) {
        an_html(page, "<p class=remark>No source: %s.</p>\n", shown->file->why);
        return;
    }
    if (!shown->file->compared)
        an_html(page,
                "<p class=remark>This is no unit of its own, so the text could not be compared "
                "with the one that was analysed.</p>\n");
    an_html(page, "<pre class=source tabindex=0 role=region aria-label=\"source of %s\">",
            shown->file->name);
    unsigned last = 0;
    for (unsigned line = 1; line <= shown->file->lines; line++) {
        if (!shown->lines[line])
            continue;
        gap_put(page, last + 1, line - 1);
        line_put(page, shown, line);
        last = line;
    }
    gap_put(page, last + 1, shown->file->lines);
    an_html(page, "</pre>\n");
}
