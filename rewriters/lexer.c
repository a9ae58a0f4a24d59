/* Idea: one scanner that knows comments, strings and characters; everything else is a byte. */
#include "rewriters/lexer.h"

#include <ctype.h>
#include <string.h>

static bool begins(const char *text, size_t length, size_t offset, const char *word)
{
    size_t size = strlen(word);
    return offset + size <= length && memcmp(text + offset, word, size) == 0;
}

/* The offset behind the newline that the backslash at `offset` takes away, or `offset`. Compilers
 * allow blanks between the two. */
static size_t splice_end(const char *text, size_t length, size_t offset)
{
    size_t end = offset + 1;
    if (offset >= length || text[offset] != '\\')
        return offset;
    while (end < length && text[end] != '\n' && isspace((unsigned char)text[end]))
        end++;
    return end < length && text[end] == '\n' ? end + 1 : offset;
}

/* The offset of the newline that ends the logical line, or the length. */
static size_t line_end(const char *text, size_t length, size_t offset)
{
    while (offset < length && text[offset] != '\n') {
        size_t end = splice_end(text, length, offset);
        offset = end > offset ? end : offset + 1;
    }
    return offset;
}

bool rw_line_is_joined(const char *text, size_t line)
{
    size_t end = line ? line - 1 : 0; /* of what stands before the newline */
    while (end > 0 && text[end - 1] != '\n' && isspace((unsigned char)text[end - 1]))
        end--;
    return (end >= 1 && text[end - 1] == '\\') ||
           (end >= 3 && memcmp(text + end - 3, "?\?/", 3) == 0);
}

size_t rw_comment_end(const char *text, size_t length, size_t offset)
{
    if (begins(text, length, offset, "//"))
        return line_end(text, length, offset);
    if (!begins(text, length, offset, "/*"))
        return offset;
    const char *end = memmem(text + offset + 2, length - offset - 2, "*/", 2);
    return end ? (size_t)(end - text) + 2 : length;
}

size_t rw_blank_end(const char *text, size_t length, size_t offset)
{
    while (offset < length) {
        size_t end = rw_comment_end(text, length, offset);
        if (end == offset && !isspace((unsigned char)text[offset]))
            break;
        offset = end > offset ? end : offset + 1;
    }
    return offset;
}

/* The offset behind the string or character constant that begins at `offset`, at the latest the
 * end of its line: an apostrophe in an #error is no constant. */
static size_t quoted_end(const char *text, size_t length, size_t offset)
{
    char quote = text[offset++];
    while (offset < length && text[offset] != quote && text[offset] != '\n') {
        size_t end = splice_end(text, length, offset);
        offset = end > offset ? end : offset + (text[offset] == '\\' ? 2 : 1);
    }
    if (offset >= length)
        return length;
    return text[offset] == '\n' ? offset : offset + 1;
}

/* The start of the line behind the one that `offset` is in, over comments and strings that span
 * lines. */
static size_t line_skip(const char *text, size_t length, size_t offset)
{
    while (offset < length && text[offset] != '\n') {
        size_t end = rw_comment_end(text, length, offset);
        if (end > offset)
            offset = end;
        else if (text[offset] == '"' || text[offset] == '\'')
            offset = quoted_end(text, length, offset);
        else if ((end = splice_end(text, length, offset)) > offset)
            offset = end;
        else
            offset++;
    }
    return offset < length ? offset + 1 : length;
}

static size_t blanks_skip(const char *text, size_t length, size_t offset)
{
    while (offset < length && (isblank((unsigned char)text[offset]) ||
                               rw_comment_end(text, length, offset) > offset)) {
        size_t end = rw_comment_end(text, length, offset);
        offset = end > offset ? end : offset + 1;
    }
    return offset;
}

static void directive_read(const char *text, size_t length, size_t offset,
                           struct rw_directive *directive)
{
    offset = blanks_skip(text, length, offset);
    directive->word = text + offset;
    while (offset < length && isalpha((unsigned char)text[offset]))
        offset++;
    directive->word_length = (size_t)(text + offset - directive->word);
    offset = blanks_skip(text, length, offset);
    directive->argument = text + offset;
    directive->argument_length = line_end(text, length, offset) - offset;
}

bool rw_directive_next(const char *text, size_t length, size_t *offset,
                       struct rw_directive *directive)
{
    while (*offset < length) {
        size_t line = *offset;
        size_t hash = rw_blank_end(text, length, line);
        *offset = line_skip(text, length, hash);
        if (hash >= length || text[hash] != '#')
            continue;
        directive->start = line;
        directive_read(text, length, hash + 1, directive);
        directive->next = *offset;
        return true;
    }
    return false;
}

/* Behind a byte order mark. */
static size_t text_start(const char *text, size_t length)
{
    return begins(text, length, 0, "\xef\xbb\xbf") ? 3 : 0;
}

static size_t newlines(const char *text, size_t first, size_t last)
{
    size_t count = 0;
    for (size_t i = first; i < last; i++)
        count += text[i] == '\n';
    return count;
}

static bool word_is(const struct rw_directive *directive, const char *word)
{
    return directive->word_length >= strlen(word) &&
           memcmp(directive->word, word, strlen(word)) == 0;
}

/* "#line 12 "name"", or "# 12 "name" 3" of a preprocessor: what it says of the line behind it. */
static void line_directive_read(const struct rw_directive *directive, struct rw_line *line)
{
    const char *at = directive->argument, *end = at + directive->argument_length;
    size_t number = 0;
    bool is_line = directive->word_length == 4 && word_is(directive, "line");
    if ((!is_line && directive->word_length > 0) || at == end || !isdigit((unsigned char)*at))
        return;
    for (; at < end && isdigit((unsigned char)*at); at++)
        number = number * 10 + (size_t)(*at - '0');
    line->number = number;
    at += blanks_skip(at, (size_t)(end - at), 0);
    if (at == end || *at != '"')
        return;
    line->name = at;
    line->name_length = quoted_end(at, (size_t)(end - at), 0);
}

void rw_line_advance(const char *text, size_t length, size_t offset, struct rw_line *line)
{
    struct rw_directive directive;
    size_t at = line->offset ? line->offset : text_start(text, length);
    while (rw_directive_next(text, length, &at, &directive) && directive.next <= offset) {
        line->number += newlines(text, line->offset, directive.next);
        line->offset = directive.next;
        line_directive_read(&directive, line);
    }
    line->number += newlines(text, line->offset, offset);
    line->offset = offset;
}

size_t rw_last_include(const char *text, size_t length, size_t limit)
{
    size_t offset = text_start(text, length);
    size_t found = offset;
    int depth = 0;
    struct rw_directive directive;
    while (rw_directive_next(text, length, &offset, &directive) && directive.start < limit) {
        if (word_is(&directive, "if"))
            depth++;
        else if (word_is(&directive, "endif"))
            depth--;
        else if (depth == 0 && word_is(&directive, "include") && directive.next <= limit &&
                 !rw_line_is_joined(text, directive.next))
            found = directive.next;
    }
    return found;
}
