/* lines: where in a text something can be inserted before or behind a statement.
 *
 * Thread rule: pure functions. */
#ifndef RW_LINES_H
#define RW_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Effect: *line is the start of the line that `offset` is in. False when something but blanks
 * stands between them. */
bool rw_line_before(const char *text, size_t offset, size_t *line);

/* Effect: *line is the start of the line behind `offset`. False when something but blanks and whole
 * comments stands between them, or there is no such line. */
bool rw_line_behind(const char *text, size_t length, size_t offset, size_t *line);

/* Effect: *end is the offset behind a statement whose last token ends at `offset`; a semicolon that
 * follows belongs to it. False when the text there looks like no end of a statement. */
bool rw_statement_end(const char *text, size_t length, size_t offset, size_t *end);

/* The blanks that the line of `offset` begins with. The caller frees them. */
char *rw_indentation(const char *text, size_t offset);

/* The same for the first line with code at or behind `line`, directives not counted; a line that
 * ends a block is indented less, so four blanks are added. The caller frees them. */
char *rw_indentation_below(const char *text, size_t length, size_t line);

#endif
