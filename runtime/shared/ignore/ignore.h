/* ignore: what may differ between two runs of a program, such as a time that it prints: parts of
 * lines that match regular expressions (POSIX, extended). Thread rule: single threaded. */
#ifndef FT_IGNORE_H
#define FT_IGNORE_H

#include <regex.h>
#include <stddef.h>

enum { FT_IGNORE_MOST = 16 };

struct ft_ignore {
    regex_t patterns[FT_IGNORE_MOST];
    int count;
};

/* Adds a pattern. 0; -1 with a sentence in why. */
int ft_ignore_add(struct ft_ignore *ignore, const char *pattern, char *why, size_t size);
/* Replaces each match in the line by "~", in place, and adds up in *matches how many there were.
 * The new length. A line with a byte 0 inside is left alone. */
size_t ft_ignore_apply(const struct ft_ignore *ignore, char *line, size_t length, size_t *matches);
void ft_ignore_free(struct ft_ignore *ignore);

#endif
