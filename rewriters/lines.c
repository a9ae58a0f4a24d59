/* Idea: an insertion gets a line of its own where the rest of the line before or behind it is
 * empty; otherwise it stands in the line. */
#include "rewriters/lines.h"
#include "rewriters/lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t line_start(const char *text, size_t offset)
{
    while (offset > 0 && text[offset - 1] != '\n')
        offset--;
    return offset;
}

bool rw_line_before(const char *text, size_t offset, size_t *line)
{
    size_t start = line_start(text, offset);
    for (size_t i = start; i < offset; i++)
        if (!isblank((unsigned char)text[i]))
            return false;
    if (rw_line_is_joined(text, start))
        return false;
    *line = start;
    return true;
}

bool rw_line_behind(const char *text, size_t length, size_t offset, size_t *line)
{
    while (offset < length && text[offset] != '\n') {
        size_t end = rw_comment_end(text, length, offset);
        if (end == offset && !isblank((unsigned char)text[offset]) && text[offset] != '\r')
            return false;
        if (end > offset && memchr(text + offset, '\n', end - offset))
            return false;
        offset = end > offset ? end : offset + 1;
    }
    if (offset >= length || rw_line_is_joined(text, offset + 1))
        return false;
    *line = offset + 1;
    return true;
}

bool rw_statement_end(const char *text, size_t length, size_t offset, size_t *end)
{
    size_t next = rw_blank_end(text, length, offset);
    bool ended = offset > 0 && (text[offset - 1] == '}' || text[offset - 1] == ';');
    if (next < length && text[next] == ';' &&
        !(offset > 0 && text[offset - 1] == '}' && memchr(text + offset, '\n', next - offset)))
        *end = next + 1;
    else if (ended)
        *end = offset;
    else
        return false;
    return true;
}

static char *blanks(const char *text, size_t start, size_t end, const char *more)
{
    char *copy = NULL;
    if (asprintf(&copy, "%.*s%s", (int)(end - start), text + start, more) < 0)
        exit(1);
    return copy;
}

char *rw_indentation(const char *text, size_t offset)
{
    size_t start = line_start(text, offset), end = start;
    while (end < offset && isblank((unsigned char)text[end]))
        end++;
    return blanks(text, start, end, "");
}

char *rw_indentation_below(const char *text, size_t length, size_t line)
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
    return blanks(text, start, end, closes ? "    " : "");
}
