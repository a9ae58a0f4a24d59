/* Idea: comments and what the preprocessor left out are not in clang's tree; both are read from the
 * text by one scanner that knows comments and literals. */
#include "analysis/source/walk.h"

#include <ctype.h>
#include <string.h>
#include <xxhash.h>

/* A stretch of text: a comment, a literal, or one character or word of anything else. */
struct token {
    enum { TOKEN_COMMENT, TOKEN_LITERAL, TOKEN_WORD, TOKEN_OTHER } kind;
    const char *begin, *end;
};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *comment_end(const char *at, const char *end)
{
    if (at[1] == '*') {
        const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        return close ? close + 2 : end;
    }
    while (at < end && (*at != '\n' || at[-1] == '\\'))
        at++;
    return at;
}

/* A literal ends at the line's end at the latest: an apostrophe in removed lines opens nothing. */
static const char *literal_end(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end && *at == quote ? at + 1 : at < end ? at : end;
}

static struct token token_read(const char *at, const char *end)
{
    struct token token = {TOKEN_OTHER, at, at + 1};
    if (*at == '/' && end - at >= 2 && (at[1] == '*' || at[1] == '/')) {
        token.kind = TOKEN_COMMENT;
        token.end = comment_end(at, end);
    } else if (*at == '"' || *at == '\'') {
        token.kind = TOKEN_LITERAL;
        token.end = literal_end(at, end);
    } else if (in_word(*at)) {
        token.kind = TOKEN_WORD;
        while (token.end < end && in_word(*token.end))
            token.end++;
    }
    return token;
}

/* ---- Words ---- */

static unsigned line_of(const char *text, const char *at)
{
    unsigned line = 1;
    for (const char *next = text; (next = memchr(next, '\n', (size_t)(at - next))); next++)
        line++;
    return line;
}

static bool is_alone(const char *text, const char *at)
{
    while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == text || at[-1] == '\n';
}

static const char *trimmed(struct an_walk *walk, const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    return an_unit_printf(walk->unit, "%.*s", (int)(end - begin), begin);
}

static void word_note(struct an_walk *walk, const struct an_file *file, struct token comment,
                      struct an_word ***last)
{
    const char *begin = comment.begin + 2, *end = comment.end;
    if (comment.begin[1] == '*' && end - begin >= 2)
        end -= 2;
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    if (end - begin < 5 || strncmp(begin, "ftcc:", 5) != 0)
        return;
    struct an_word *word = an_unit_alloc(walk->unit, sizeof *word);
    word->file = file->name;
    word->line = line_of(file->text, comment.end);
    word->alone = is_alone(file->text, comment.begin);
    word->text = trimmed(walk, begin + 5, end);
    **last = word;
    *last = &word->next;
}

static void words_read(struct an_walk *walk, struct an_file *file, struct an_word ***last)
{
    const char *text = an_places_text(walk, file);
    if (!text || !memmem(text, file->length, "ftcc:", 5))
        return;
    const char *end = text + file->length;
    for (const char *at = text; at < end;) {
        struct token token = token_read(at, end);
        if (token.kind == TOKEN_COMMENT)
            word_note(walk, file, token, last);
        at = token.end;
    }
}

static void inclusion_note(CXFile included, CXSourceLocation *stack, unsigned depth,
                           CXClientData data)
{
    (void)stack;
    (void)depth;
    an_places_file(data, included);
}

/* ---- Gaps ---- */

/* MPI_Xxxx in front of a parenthesis: constants and types are written otherwise. */
static bool is_mpi_call(struct token word, const char *end)
{
    const char *name = word.begin;
    size_t length = (size_t)(word.end - name);
    if (length && *name == 'P') {
        name++;
        length--;
    }
    if (length < 6 || strncmp(name, "MPI_", 4) != 0 || !isupper((unsigned char)name[4]) ||
        !(islower((unsigned char)name[5]) || name[5] == '_'))
        return false;
    const char *behind = word.end;
    while (behind < end && isspace((unsigned char)*behind))
        behind++;
    return behind < end && *behind == '(';
}

static bool contains(const char *list, const char *name, size_t length)
{
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static const char *gap_calls(struct an_walk *walk, const char *begin, const char *end)
{
    const char *list = an_unit_string(walk->unit, "");
    for (const char *at = begin; at < end;) {
        struct token token = token_read(at, end);
        at = token.end;
        if (token.kind != TOKEN_WORD || !is_mpi_call(token, end))
            continue;
        size_t length = (size_t)(token.end - token.begin);
        const char *name = an_unit_printf(walk->unit, "%.*s", (int)length, token.begin);
        if (!contains(list, name, length))
            list = an_unit_printf(walk->unit, "%s%s%s", list, *list ? " " : "", name);
    }
    return list;
}

static void gaps_read(struct an_walk *walk, struct an_file *file)
{
    struct an_gap **last = &walk->unit->gaps;
    CXSourceRangeList *ranges = walk->clang->clang_getSkippedRanges(walk->tu, file->handle);
    for (unsigned i = 0; ranges && i < ranges->count; i++) {
        struct an_place first =
            an_places_at(walk, walk->clang->clang_getRangeStart(ranges->ranges[i]));
        struct an_place end = an_places_at(walk, walk->clang->clang_getRangeEnd(ranges->ranges[i]));
        struct an_gap *gap = an_unit_alloc(walk->unit, sizeof *gap);
        gap->file = file->name;
        gap->first = first.line;
        gap->last = end.line;
        bool inside = first.offset <= end.offset && end.offset <= file->length && file->text;
        gap->calls = inside ? gap_calls(walk, file->text + first.offset, file->text + end.offset)
                            : an_unit_string(walk->unit, "");
        *last = gap;
        last = &gap->next;
    }
    if (ranges)
        walk->clang->clang_disposeSourceRangeList(ranges);
}

void an_comments_read(struct an_walk *walk, struct an_file *main_file)
{
    struct an_word **last = &walk->unit->words;
    words_read(walk, main_file, &last);
    walk->clang->clang_getInclusions(walk->tu, inclusion_note, walk);
    for (struct an_file *file = walk->files; file; file = file->next)
        if (file != main_file && file->own)
            words_read(walk, file, &last);
    gaps_read(walk, main_file);
    if (main_file->text)
        walk->unit->digest = XXH64(main_file->text, main_file->length, 0);
}
