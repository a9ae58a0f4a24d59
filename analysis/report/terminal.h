/* terminal: text that fits a terminal: wrapped lines, colours, and source lines with carets.
 *
 * Thread rule: one thread. */
#ifndef AN_REPORT_TERMINAL_H
#define AN_REPORT_TERMINAL_H

#include "analysis/report/parts.h"

struct an_terminal {
    FILE *out;
    unsigned width; /* columns */
    bool color;
    unsigned column; /* where the next character goes, from 0 */
};

enum an_color { AN_PLAIN, AN_BOLD, AN_GREEN, AN_YELLOW, AN_RED, AN_CYAN, AN_DIM };

/* Effect: ends the line, unless it is empty. */
void an_terminal_end(struct an_terminal *terminal);
/* Effect: writes `text` as words, and starts a new line, indented, before a word that does not fit.
 * Blanks in front of it and behind it count as one. Bytes that would command the terminal become
 * question marks. */
void an_terminal_words(struct an_terminal *terminal, enum an_color color, unsigned indent,
                       const char *text);
/* Effect: the same for a text as by printf. */
void an_terminal_print(struct an_terminal *terminal, enum an_color color, unsigned indent,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Effect: writes the line at `place` (a site, a step ...) of `file` with carets below what is
 * meant, as far as the source is known. */
void an_terminal_source(struct an_terminal *terminal, const struct an_text_file *file,
                        const json_t *place);

#endif
