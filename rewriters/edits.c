/* Idea: the original is copied from edit to edit.
 *
 * Invariant: the offsets rise, so output = original[0, o1) + e1 + original[o1, o2) + e2 + ... */
#include "rewriters/edits.h"
#include "rewriters/lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utarray.h>

struct rw_edits {
    UT_array list; /* of struct rw_edit */
    bool sorted;
};

static const UT_icd edit_icd = {sizeof(struct rw_edit), NULL, NULL, NULL};

struct rw_edits *rw_edits_create(void)
{
    struct rw_edits *edits = calloc(1, sizeof *edits);
    if (edits)
        utarray_init(&edits->list, &edit_icd);
    return edits;
}

void rw_edits_destroy(struct rw_edits *edits)
{
    if (!edits)
        return;
    for (size_t i = 0; i < rw_edits_count(edits); i++)
        free(((struct rw_edit *)utarray_eltptr(&edits->list, i))->text);
    utarray_done(&edits->list);
    free(edits);
}

static struct rw_edit *edit_add(struct rw_edits *edits, size_t offset, const char *text,
                                bool own_line)
{
    struct rw_edit edit = {.offset = offset,
                           .text = strdup(text),
                           .own_line = own_line,
                           .sequence = rw_edits_count(edits)};
    utarray_push_back(&edits->list, &edit);
    edits->sorted = false;
    return utarray_back(&edits->list);
}

void rw_edits_insert(struct rw_edits *edits, size_t offset, const char *text)
{
    edit_add(edits, offset, text, false);
}

void rw_edits_insert_line(struct rw_edits *edits, size_t offset, const char *text)
{
    edit_add(edits, offset, text, true);
}

void rw_edits_insert_header(struct rw_edits *edits, size_t offset)
{
    edit_add(edits, offset, "#include <ft.h>", true)->is_header = true;
}

size_t rw_edits_count(const struct rw_edits *edits)
{
    return utarray_len(&edits->list);
}

static int by_offset(const void *a, const void *b)
{
    const struct rw_edit *first = a, *second = b;
    if (first->offset != second->offset)
        return first->offset < second->offset ? -1 : 1;
    return (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

const struct rw_edit *rw_edits_at(struct rw_edits *edits, size_t i)
{
    if (!edits->sorted)
        utarray_sort(&edits->list, by_offset);
    edits->sorted = true;
    return utarray_eltptr(&edits->list, i);
}

/* "#line 12 "name"", with the name as a C string. */
static void line_directive(FILE *out, size_t line, const char *name)
{
    fprintf(out, "#line %zu \"", line);
    for (; *name; name++)
        if (*name == '"' || *name == '\\')
            fprintf(out, "\\%c", *name);
        else if ((unsigned char)*name < ' ')
            fprintf(out, "\\%03o", *name);
        else
            fputc(*name, out);
    fputs("\"\n", out);
}

/* The line keeps its number, and the name that a #line of its own gave it. */
static void line_restore(FILE *out, const struct rw_line *line, const char *name)
{
    if (line->name)
        fprintf(out, "#line %zu %.*s\n", line->number, (int)line->name_length, line->name);
    else
        line_directive(out, line->number, name);
}

static void edit_print(FILE *out, const struct rw_edit *edit, const struct rw_compiled *compiled)
{
    if (edit->is_header && compiled && compiled->header)
        fprintf(out, "#include \"%s\"", compiled->header);
    else
        fputs(edit->text, out);
    if (edit->own_line)
        fputc('\n', out);
}

struct rw_text rw_edits_apply(struct rw_edits *edits, const char *text, size_t length, size_t first,
                              size_t last, const struct rw_compiled *compiled)
{
    struct rw_text result = {NULL, 0};
    FILE *out = open_memstream(&result.text, &result.length);
    struct rw_line line = {.number = 1};
    size_t done = first;
    if (compiled) {
        /* A byte order mark is one only at the start of a file. */
        done += length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        line_directive(out, 1, compiled->name);
    }
    for (size_t i = 0; i < rw_edits_count(edits); i++) {
        const struct rw_edit *edit = rw_edits_at(edits, i);
        if (edit->offset < first || edit->offset > last || (edit->offset == last && last != length))
            continue;
        fwrite(text + done, 1, edit->offset - done, out);
        edit_print(out, edit, compiled);
        if (edit->own_line && compiled) {
            rw_line_advance(text, length, edit->offset, &line);
            line_restore(out, &line, compiled->name);
        }
        done = edit->offset;
    }
    fwrite(text + done, 1, last - done, out);
    fclose(out);
    return result;
}
