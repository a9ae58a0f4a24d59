/* lexer: the little that must be known about C text where no parser helps: blanks, comments and
 * the #include lines.
 *
 * Thread rule: pure functions. */
#ifndef RW_LEXER_H
#define RW_LEXER_H

#include <stdbool.h>
#include <stddef.h>

/* The offset behind the comment that begins at `offset` (a line comment ends before its newline),
 * or `offset` when none begins there. */
size_t rw_comment_end(const char *text, size_t length, size_t offset);

/* The offset of the first byte at or behind `offset` that is in no white space and no comment. */
size_t rw_blank_end(const char *text, size_t length, size_t offset);

/* Does a backslash, or a trigraph that may be one, join the line that starts at `line` to the one
 * before it? */
bool rw_line_is_joined(const char *text, size_t line);

/* A line that begins with '#'. */
struct rw_directive {
    const char *word;       /* "include", not terminated */
    size_t word_length;     /* of `word` */
    const char *argument;   /* what follows, behind blanks */
    size_t argument_length; /* up to the end of the line */
    size_t start;           /* offset of the line */
    size_t next;            /* offset of the line behind it, continuation lines included */
};

/* Effect: finds the first directive at or behind `*offset`, which is the start of a line outside of
 * a comment, and moves `*offset` behind it. Comments, strings and continued lines are stepped
 * over. Returns false at the end of the text. */
bool rw_directive_next(const char *text, size_t length, size_t *offset,
                       struct rw_directive *directive);

/* A line as compilers call it. The first one is {.number = 1}. */
struct rw_line {
    size_t offset, number;
    const char
        *name; /* the name of a #line before it, as it is spelled, with its quotes, or NULL */
    size_t name_length; /* of `name` */
};

/* Effect: goes on from a line to one that starts at `offset`, outside of comments. It is numbered
 * as the #line directives in between say; one whose number a macro makes is not understood. */
void rw_line_advance(const char *text, size_t length, size_t offset, struct rw_line *line);

/* The start of the line behind the last #include that stands outside of #if and before `limit`; the
 * start of the text (behind a byte order mark) when there is none. */
size_t rw_last_include(const char *text, size_t length, size_t limit);

#endif
