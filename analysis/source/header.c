/* Idea: libclang shows only those parts of a `for` that are there. Which they are is told by the
 * two semicolons of its header, and where a macro made the header, by what the parts are. */
#include "analysis/source/walk.h"

#include <string.h>

/* Behind the blanks, comments and literals at `at`, or `at` itself. */
static const char *quiet_skip(const char *at, const char *end)
{
    if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
        const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        return close ? close + 2 : end;
    }
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
        const char *close = memchr(at, '\n', (size_t)(end - at));
        return close ? close : end;
    }
    if (*at == '"' || *at == '\'') {
        for (char quote = *at++; at < end && *at != quote; at++)
            at += *at == '\\' && at + 1 < end;
        return at < end ? at + 1 : end;
    }
    return at;
}

/* The number of semicolons of the header itself between `at` and `end`; those of a statement
 * expression stand in braces. */
static unsigned semicolons_count(const char *at, const char *end)
{
    unsigned count = 0;
    int braces = 0;
    while (at < end) {
        const char *behind = quiet_skip(at, end);
        if (behind != at) {
            at = behind;
            continue;
        }
        braces += (*at == '{') - (*at == '}');
        count += *at == ';' && braces == 0;
        at++;
    }
    return count;
}

/* Where `cursor` is spelled: in a file, or in the body of a macro. */
static struct an_file *spelled_at(struct an_walk *walk, CXCursor cursor, unsigned *offset)
{
    CXFile file;
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    walk->clang->clang_getSpellingLocation(walk->clang->clang_getRangeStart(range), &file, NULL,
                                           NULL, offset);
    return an_places_file(walk, file);
}

/* Where it stands for a reader: at the use of the macro whose body made it. */
static struct an_file *found_at(struct an_walk *walk, CXCursor cursor, unsigned *offset)
{
    CXFile file;
    CXSourceRange range = walk->clang->clang_getCursorExtent(cursor);
    walk->clang->clang_getFileLocation(walk->clang->clang_getRangeStart(range), &file, NULL, NULL,
                                       offset);
    return an_places_file(walk, file);
}

/* Whether all between is in one line, as the body of a macro is. */
static bool is_one_line(const char *at, const char *end)
{
    for (const char *begin = at; at < end; at++)
        if (*at == '\n' && (at == begin || at[-1] != '\\'))
            return false;
    return true;
}

/* The part of the header that `cursor` is, by the semicolons between it and the word `for`;
 * AN_HEADER_PARTS when macros hide them. Either the loop is written out, and a part is where its
 * macro is used, or one macro's body holds both. */
static unsigned part_by_text(struct an_walk *walk, CXCursor loop, CXCursor cursor)
{
    unsigned begin, end, shown;
    struct an_file *file = spelled_at(walk, loop, &begin), *other;
    bool written = found_at(walk, loop, &shown) == file && shown == begin;
    other = written ? found_at(walk, cursor, &end) : spelled_at(walk, cursor, &end);
    const char *text = an_places_text(walk, file);
    if (other != file || !text || begin >= end || end > file->length ||
        !(written || is_one_line(text + begin, text + end)))
        return AN_HEADER_PARTS;
    unsigned count = semicolons_count(text + begin, text + end);
    return count <= AN_HEADER_STEP ? count : AN_HEADER_PARTS;
}

/* The part that an expression must be by itself, were it alone: what changes something initialises
 * or steps, anything else is a condition. */
static bool is_action(struct an_walk *walk, CXCursor cursor)
{
    const struct an_clang *clang = walk->clang;
    enum CXUnaryOperatorKind unary = clang->clang_getCursorUnaryOperatorKind(cursor);
    switch (clang->clang_getCursorKind(cursor)) {
    case CXCursor_BinaryOperator: {
        enum CXBinaryOperatorKind kind = clang->clang_getCursorBinaryOperatorKind(cursor);
        return kind == CXBinaryOperator_Assign || kind == CXBinaryOperator_Comma;
    }
    case CXCursor_UnaryOperator:
        return unary >= CXUnaryOperator_PostInc && unary <= CXUnaryOperator_PreDec;
    case CXCursor_DeclStmt:
    case CXCursor_CompoundAssignOperator:
        return true;
    default:
        return false;
    }
}

static unsigned part_by_shape(struct an_walk *walk, CXCursor cursor, unsigned next)
{
    if (walk->clang->clang_getCursorKind(cursor) == CXCursor_DeclStmt)
        return AN_HEADER_INIT;
    if (!is_action(walk, cursor))
        return AN_HEADER_CONDITION;
    return next == AN_HEADER_INIT ? AN_HEADER_INIT : AN_HEADER_STEP;
}

void an_header_sort(struct an_walk *walk, CXCursor loop, const struct an_cursors *parts,
                    const CXCursor *header[AN_HEADER_PARTS])
{
    unsigned count = parts->count - 1, next = AN_HEADER_INIT;
    for (unsigned i = 0; i < count && i < AN_HEADER_PARTS; i++) {
        unsigned part = i;
        if (count < AN_HEADER_PARTS)
            part = part_by_text(walk, loop, parts->first[i]);
        if (part == AN_HEADER_PARTS)
            part = part_by_shape(walk, parts->first[i], next);
        if (part < next) /* the parts come in order */
            part = next;
        header[part < AN_HEADER_PARTS ? part : AN_HEADER_STEP] = &parts->first[i];
        next = part + 1;
    }
}
