/* html: pages that need nothing but themselves, for people: their head, their style, text in them.
 * Writing errors stay in the FILE (ferror). Thread rule: none of these functions shares state. */
#ifndef FT_HTML_H
#define FT_HTML_H

#include <stdio.h>

/* Effect: begins a page with its title, as a heading, too, and the style of all pages: colours
 * follow the reader's scheme. `style` is CSS of this page alone, behind it. The page may load
 * nothing. The caller ends it by </body></html>. */
void ft_html_begin(FILE *out, const char *title, const char *style);
/* Effect: writes any text such that it is only text, also between quotes. A control character
 * becomes U+FFFD. */
void ft_html_text(FILE *out, const char *text);
/* Effect: writes `format`, in which %s is text to be escaped and %d a number. There is nothing
 * else. */
void ft_html_put(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
