/* Idea: a directive of OpenMP concerns the statement behind it, so what is kept of a file is where
 * those statements begin: behind the directive's line, blanks, comments and further directives.
 *
 * A `_Pragma` in a macro is not seen. */
#include "analysis/source/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Directives that stand alone, and those that start no threads and need not be inside of others. */
static const char *const others[] = {
    "allocate", "assumes", "atomic", "barrier",  "begin",     "cancel",        "cancellation",
    "declare",  "depobj",  "end",    "error",    "flush",     "interop",       "nothing",
    "requires", "scan",    "simd",   "taskwait", "taskyield", "threadprivate", NULL};

static const char *blanks_skip(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static const char *word_skip(const char *at, const char *end)
{
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    return at;
}

static const char *line_skip(const char *at, const char *end)
{
    while (at < end && !(*at == '\n' && at[-1] != '\\'))
        at++;
    return at < end ? at + 1 : end;
}

/* Behind the word `word` and blanks, or NULL. */
static const char *word_expect(const char *at, const char *end, const char *word)
{
    const char *behind = word_skip(at, end);
    size_t length = strlen(word);
    if ((size_t)(behind - at) != length || strncmp(at, word, length) != 0)
        return NULL;
    return blanks_skip(behind, end);
}

static bool concerns_statement(const char *at, const char *end)
{
    const char *behind = word_skip(at, end);
    for (size_t i = 0; others[i]; i++)
        if (strlen(others[i]) == (size_t)(behind - at) &&
            strncmp(at, others[i], (size_t)(behind - at)) == 0)
            return false;
    return behind != at;
}

/* Whether the line at `at` (behind its blanks) is a directive that concerns a statement. */
static bool is_directive(const char *at, const char *end)
{
    if (at >= end || *at != '#')
        return false;
    at = word_expect(blanks_skip(at + 1, end), end, "pragma");
    if (at)
        at = word_expect(at, end, "omp");
    return at && concerns_statement(at, end);
}

/* The first byte at or behind `at` that is no blank, comment or line of the preprocessor. */
static const char *statement_find(const char *at, const char *end)
{
    for (;;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
            at = close ? close + 2 : end;
        } else if (at < end && (*at == '#' || (end - at >= 2 && at[0] == '/' && at[1] == '/'))) {
            at = line_skip(at, end);
        } else {
            return at;
        }
    }
}

static unsigned lines_between(const char *from, const char *to)
{
    unsigned count = 0;
    for (; from < to; from++)
        count += *from == '\n';
    return count;
}

static void starts_read(struct an_walk *walk, struct an_file *file)
{
    const char *text = an_places_text(walk, file);
    if (!text || !memmem(text, file->length, "omp", 3))
        return;
    const char *end = text + file->length;
    const char *counted = text;
    struct an_start **last = &file->starts;
    unsigned number = 1;
    for (const char *line = text; line < end; line = line_skip(line, end)) {
        const char *sharp = blanks_skip(line, end);
        number += lines_between(counted, line);
        counted = line;
        if (!is_directive(sharp, end))
            continue;
        struct an_start *start = an_unit_alloc(walk->unit, sizeof *start);
        start->offset = (unsigned)(statement_find(line_skip(line, end), end) - text);
        start->directive = (struct an_place){file->name, number, (unsigned)(sharp - line) + 1,
                                             (unsigned)(sharp - text)};
        *last = start;
        last = &start->next;
    }
}

const struct an_start *an_pragmas_take(struct an_walk *walk, CXSourceLocation location)
{
    CXFile handle;
    unsigned offset;
    walk->clang->clang_getFileLocation(location, &handle, NULL, NULL, &offset);
    struct an_file *file = an_places_file(walk, handle);
    if (!file->scanned)
        starts_read(walk, file);
    file->scanned = true;
    const struct an_start *first = NULL;
    for (struct an_start *start = file->starts; start; start = start->next) {
        if (start->offset != offset || start->taken)
            continue;
        start->taken = true;
        first = first ? first : start;
    }
    return first;
}
