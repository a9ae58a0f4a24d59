/* edits: what is to be inserted into a source text, in order and without overlap, and the one
 * function that applies it.
 *
 * Thread rule: one thread. */
#ifndef RW_EDITS_H
#define RW_EDITS_H

#include <stdbool.h>
#include <stddef.h>

struct rw_edit {
    size_t offset;   /* in the original text, in bytes */
    char *text;      /* to insert there; without the newline when `own_line`; owned by the list */
    bool own_line;   /* `offset` is the start of a line, and the text becomes a line before it */
    bool is_header;  /* the line is the #include of ft.h */
    size_t sequence; /* of edits at one offset the one added first comes first */
};

/* A text as a compiler sees it. */
struct rw_compiled {
    const char *name; /* the name of its file */
    const char
        *header; /* the path of ft.h, as the program may have one, too; NULL: it is searched for */
};

struct rw_edits; /* a list of edits; it owns them */

/* A text with its length; free(text) releases it. There is a '\0' behind it. */
struct rw_text {
    char *text;
    size_t length;
};

struct rw_edits *rw_edits_create(void);

/* Effect: frees the list; NULL is allowed. */
void rw_edits_destroy(struct rw_edits *edits);

/* Effect: adds an insertion of `text` (copied) at `offset`. */
void rw_edits_insert(struct rw_edits *edits, size_t offset, const char *text);

/* Effect: adds an insertion of `text` (copied, without a newline) as a line of its own before the
 * line that starts at `offset`. */
void rw_edits_insert_line(struct rw_edits *edits, size_t offset, const char *text);

/* Effect: adds the #include of ft.h as a line of its own. */
void rw_edits_insert_header(struct rw_edits *edits, size_t offset);

size_t rw_edits_count(const struct rw_edits *edits);

/* The edit number `i` in the order of offsets. */
const struct rw_edit *rw_edits_at(struct rw_edits *edits, size_t i);

/* Effect: the bytes [first, last) of `text` with the edits whose offsets lie in [first, last) or,
 * at the end of the text, at `last`. With `compiled` the text is for the compiler: it begins with a
 * #line that gives it its name, and each line of its own is followed by a #line, so that every line
 * of the original keeps its number. Without, it is for people. The caller frees the result. */
struct rw_text rw_edits_apply(struct rw_edits *edits, const char *text, size_t length, size_t first,
                              size_t last, const struct rw_compiled *compiled);

#endif
