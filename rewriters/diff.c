/* Idea: the edits say which lines change, so no lines have to be compared. A change is a stretch of
 * original lines and the text that takes their place; changes that are at most six lines apart
 * share a hunk, with three lines of context around it. */
#include "rewriters/diff.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };

struct lines {
    size_t *starts; /* offsets; starts[count] is the length */
    size_t count;
};

struct change {
    size_t first, last; /* original lines [first, last), from 0 */
    struct rw_text new;
    size_t added; /* lines of `new` */
};

static size_t newlines(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count + (length > 0 && text[length - 1] != '\n');
}

static struct lines lines_find(const char *text, size_t length)
{
    struct lines lines = {.count = newlines(text, length)};
    lines.starts = malloc((lines.count + 1) * sizeof *lines.starts);
    size_t line = 0;
    for (size_t i = 0; i < length && line < lines.count; i++)
        if (i == 0 || text[i - 1] == '\n')
            lines.starts[line++] = i;
    lines.starts[lines.count] = length;
    return lines;
}

static size_t line_of(const struct lines *lines, size_t offset)
{
    size_t line = 0;
    while (line < lines->count && lines->starts[line + 1] <= offset)
        line++;
    return line;
}

/* One change for each line that edits touch. A line that is only inserted before takes no original
 * line; the text for a touched line holds every edit of that line. */
static size_t changes_find(struct rw_edits *edits, const struct lines *lines, const char *text,
                           size_t length, struct change *changes)
{
    size_t count = 0;
    for (size_t i = 0; i < rw_edits_count(edits); i++) {
        const struct rw_edit *edit = rw_edits_at(edits, i);
        size_t line = line_of(lines, edit->offset);
        bool known = count > 0 && changes[count - 1].first == line;
        struct change *change = known ? &changes[count - 1] : &changes[count++];
        if (!known)
            *change = (struct change){.first = line, .last = line};
        if (!edit->own_line && line < lines->count)
            change->last = line + 1;
    }
    for (struct change *change = changes; change < changes + count; change++) {
        size_t end = change->last > change->first ? change->last : change->first + 1;
        end = end < lines->count ? end : lines->count;
        change->new = rw_edits_apply(edits, text, length, lines->starts[change->first],
                                     lines->starts[end], NULL);
        change->last = end; /* an inserted line is written with the line behind it */
        change->added = newlines(change->new.text, change->new.length);
    }
    return count;
}

static void block_print(FILE *out, char mark, const char *text, size_t length)
{
    for (size_t start = 0; start < length;) {
        const char *end = memchr(text + start, '\n', length - start);
        size_t next = end ? (size_t)(end - text) + 1 : length;
        fputc(mark, out);
        fwrite(text + start, 1, next - start, out);
        if (!end)
            fputs("\n\\ No newline at end of file\n", out);
        start = next;
    }
}

static void context_print(FILE *out, const struct lines *lines, const char *text, size_t first,
                          size_t last)
{
    block_print(out, ' ', text + lines->starts[first], lines->starts[last] - lines->starts[first]);
}

/* The change itself; where only lines were put before an unchanged line, that line is context. */
static void change_print(FILE *out, const struct lines *lines, const char *text,
                         const struct change *change)
{
    const char *old = text + lines->starts[change->first];
    size_t length = lines->starts[change->last] - lines->starts[change->first];
    size_t before = change->new.length - length; /* edits only insert */
    bool only_lines = before > 0 && change->new.text[before - 1] == '\n' &&
                      memcmp(change->new.text + before, old, length) == 0;
    if (only_lines) {
        block_print(out, '+', change->new.text, before);
        block_print(out, ' ', old, length);
    } else {
        block_print(out, '-', old, length);
        block_print(out, '+', change->new.text, change->new.length);
    }
}

/* The header of a hunk: an empty side is named by the line before it, as patch expects. */
static void hunk_header(FILE *out, size_t old_first, size_t old_count, size_t new_first,
                        size_t new_count)
{
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old_first + (old_count > 0), old_count,
            new_first + (new_count > 0), new_count);
}

/* Prints changes[0, count) as one hunk; `shift` is how many lines the earlier ones added. */
static void hunk_print(FILE *out, const struct lines *lines, const char *text,
                       const struct change *changes, size_t count, size_t *shift)
{
    size_t first = changes[0].first > CONTEXT ? changes[0].first - CONTEXT : 0;
    size_t last = changes[count - 1].last + CONTEXT;
    last = last < lines->count ? last : lines->count;
    size_t grown = 0;
    for (size_t i = 0; i < count; i++)
        grown += changes[i].added - (changes[i].last - changes[i].first);
    hunk_header(out, first, last - first, first + *shift, last - first + grown);
    size_t done = first;
    for (size_t i = 0; i < count; i++) {
        context_print(out, lines, text, done, changes[i].first);
        change_print(out, lines, text, &changes[i]);
        done = changes[i].last;
    }
    context_print(out, lines, text, done, last);
    *shift += grown;
}

void rw_diff_print(struct rw_edits *edits, const char *path, const char *text, size_t length,
                   FILE *out)
{
    if (rw_edits_count(edits) == 0)
        return;
    struct lines lines = lines_find(text, length);
    struct change *changes = calloc(rw_edits_count(edits), sizeof *changes);
    size_t count = changes_find(edits, &lines, text, length, changes);
    const char *prefix = *path == '/' || strncmp(path, "./", 2) == 0 ? "" : "./";
    fprintf(out, "--- %s%s\n+++ %s%s\n", prefix, path, prefix, path);
    size_t shift = 0;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && changes[next].first <= changes[next - 1].last + 2 * CONTEXT)
            next++;
        hunk_print(out, &lines, text, changes + i, next - i, &shift);
    }
    for (size_t i = 0; i < count; i++)
        free(changes[i].new.text);
    free(changes);
    free(lines.starts);
}
