/* say: what ftrun itself says on stderr. Thread rule: single threaded. */
#ifndef FT_SAY_H
#define FT_SAY_H

/* Prints "ftrun: ..." on stderr, in one write. */
void ft_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same before the run begins; returns `code`, which ftrun exits with. */
int ft_say_and(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
