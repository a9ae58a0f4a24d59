/* Idea: where the rest of the line behind the brace is empty, the hook gets a line of its own (with
 * the indentation of what follows); otherwise it stands in the line. The declaration goes behind
 * the last #include that stands outside of conditions and before the first declaration of the file,
 * because nothing can be open there: no attribute, no pragma, no macro call. */
#include "rewriters/hook.h"
#include "rewriters/lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char declaration[] = "extern void ft_hook(void);";

/* The start of the line behind `offset`, when nothing but blanks and whole comments stand between
 * them; 0 when not. A backslash would join the lines, so it counts as something. */
static size_t free_line_after(const char *text, size_t length, size_t offset)
{
    while (offset < length && text[offset] != '\n') {
        size_t end = rw_comment_end(text, length, offset);
        if (end == offset && !isblank((unsigned char)text[offset]) && text[offset] != '\r')
            return 0;
        if (end > offset && memchr(text + offset, '\n', end - offset))
            return 0;
        offset = end > offset ? end : offset + 1;
    }
    return offset < length ? offset + 1 : 0;
}

/* A copy of the blanks that indent the first line with code at or behind `line`, directives not
 * counted; a line that ends the block is indented less, so four blanks are added. */
static char *indentation(const char *text, size_t length, size_t line)
{
    size_t start = line, end = line;
    for (; end < length; end++) {
        if (text[end] == '#')
            end += strcspn(text + end, "\n");
        if (text[end] == '\n')
            start = end + 1;
        else if (!isspace((unsigned char)text[end]))
            break;
    }
    bool closes = end < length && text[end] == '}';
    char *blanks = NULL;
    int width = (int)(end - start);
    if (asprintf(&blanks, "%.*s%s", width, text + start, closes ? "    " : "") < 0)
        exit(1);
    return blanks;
}

static void hook_line_insert(const char *text, size_t length, size_t line, struct rw_edits *edits)
{
    char *blanks = indentation(text, length, line);
    char *hook = NULL;
    if (asprintf(&hook, "%sft_hook();", blanks) < 0)
        exit(1);
    rw_edits_insert_line(edits, line, hook);
    free(hook);
    free(blanks);
}

/* The offset behind a statement whose last token ends at `end`: clang leaves out the semicolon. 0
 * when the text there looks like neither. */
static size_t statement_end(const char *text, size_t length, size_t end)
{
    size_t next = rw_blank_end(text, length, end);
    if (next < length && text[next] == ';')
        return next + 1;
    return end > 0 && (text[end - 1] == '}' || text[end - 1] == ';') ? end : 0;
}

static bool loop_hook(const struct an_node *loop, const char *text, size_t length,
                      struct rw_edits *edits)
{
    if (loop->braced) {
        size_t line = free_line_after(text, length, loop->top.offset);
        if (line)
            hook_line_insert(text, length, line, edits);
        else
            rw_edits_insert(edits, loop->top.offset, " ft_hook();");
        return true;
    }
    size_t end = statement_end(text, length, loop->body_end);
    if (!end)
        return false;
    rw_edits_insert(edits, loop->top.offset, "{ ft_hook(); ");
    rw_edits_insert(edits, end, " }");
    return true;
}

unsigned rw_hook_insert(const struct an_facts *facts, const struct an_choice *choice,
                        const char *text, size_t length, struct rw_edits *edits)
{
    unsigned hooks = 0;
    for (unsigned i = 0; i < choice->count; i++)
        hooks += loop_hook(choice->loops[i], text, length, edits);
    if (hooks)
        rw_edits_insert_line(edits, rw_last_include(text, length, facts->first_declaration),
                             declaration);
    return hooks;
}
