/* Idea: MPI_COMM_WORLD is ((MPI_Comm)0x44000000) to clang, and nobody wants to read that. An
 * expression gets the name of a macro when the use of the macro is all of its text, and the macro's
 * body, read where it is defined, is one expression that begins with it. */
#include "analysis/source/walk.h"

#include <ctype.h>
#include <string.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the identifier at `text`; 0 when there is none. */
static size_t identifier_length(const char *text, const char *end)
{
    const char *at = text;
    while (at < end && in_word(*at))
        at++;
    return at > text && isdigit((unsigned char)*text) ? 0 : (size_t)(at - text);
}

/* Back over blanks, and over what `also` holds. */
static const char *back_over(const char *begin, const char *at, const char *also)
{
    while (at > begin && (at[-1] == ' ' || at[-1] == '\t' || strchr(also, at[-1])))
        at--;
    return at;
}

/* The name that is defined as what begins at `at`, perhaps in parentheses; *length is 0 when it is
 * not the beginning of a definition. */
static const char *defined_name(const char *begin, const char *at, size_t *length)
{
    const char *end = back_over(begin, at, "(\\\n"), *name = end;
    while (name > begin && in_word(name[-1]))
        name--;
    const char *word = back_over(begin, name, "");
    bool defined = word - begin >= 6 && strncmp(word - 6, "define", 6) == 0 && name != word;
    *length = defined ? (size_t)(end - name) : 0;
    return name;
}

/* Whether a macro's body is one expression: nothing at its end and nothing between that would join
 * it to what stands around its use. */
static bool is_one_expression(const char *at, const char *end)
{
    int depth = 0;
    char last = '\0';
    for (; at < end && (*at != '\n' || at[-1] == '\\'); at++) {
        if (at + 1 < end && *at == '/' && (at[1] == '*' || at[1] == '/'))
            break;
        depth += (*at == '(') - (*at == ')');
        if (depth < 0 || (depth == 0 && (*at == ',' || *at == ';')))
            return false;
        if (!isspace((unsigned char)*at) && *at != '\\')
            last = *at;
    }
    return depth == 0 && (in_word(last) || (last && strchr(")]'\"", last)));
}

static bool definition_fits(struct an_walk *walk, CXSourceLocation start, const char *used,
                            size_t used_length)
{
    CXFile handle;
    unsigned offset;
    walk->clang->clang_getSpellingLocation(start, &handle, NULL, NULL, &offset);
    struct an_file *file = an_places_file(walk, handle);
    const char *text = an_places_text(walk, file);
    if (!text || offset >= file->length)
        return false;
    size_t length;
    const char *name = defined_name(text, text + offset, &length);
    if (length != used_length || strncmp(name, used, length) != 0)
        return length > 0; /* the use of another macro is the body of this one */
    return is_one_expression(name + length, text + file->length);
}

static bool same_range(const struct an_node *a, const struct an_node *b)
{
    return a->place.offset == b->place.offset && a->end.offset == b->end.offset &&
           a->place.file == b->place.file;
}

/* Whether another expression of the same use was given the name: then it belongs to neither. */
static bool is_second(struct an_walk *walk, const struct an_node *node)
{
    struct an_node *before = walk->last_named;
    if (!before || before->parent != node->parent || !same_range(before, node))
        return false;
    before->name = NULL;
    return true;
}

void an_macros_name(struct an_walk *walk, struct an_node *node, struct an_file *file,
                    CXSourceLocation start)
{
    const struct an_node *parent = node->parent;
    bool below = parent && same_range(parent, node);
    if (below) { /* a cast of it has the name already */
        node->name = parent->kind == AN_CAST ? parent->name : NULL;
        return;
    }
    const char *text = an_places_text(walk, file);
    if (!text || node->end.offset > file->length || node->end.offset <= node->place.offset)
        return;
    const char *used = text + node->place.offset;
    size_t length = node->end.offset - node->place.offset;
    if (identifier_length(used, used + length) != length || is_second(walk, node) ||
        !definition_fits(walk, start, used, length))
        return;
    node->name = an_unit_printf(walk->unit, "%.*s", (int)length, used);
    walk->last_named = node;
}
