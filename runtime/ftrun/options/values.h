/* values: a number, a time or an amount as the word behind an option. Each function answers 0, or
 * -EINVAL after a message that begins with the option's name. Thread rule: any thread. */
#ifndef FT_VALUES_H
#define FT_VALUES_H

#include <stdint.h>

/* A whole number in [low, high]. */
int ft_value_number(const char *name, const char *text, double low, double high, double *out);
/* A time above 0, in seconds or with a unit s, m, h, d, or as HH:MM:SS. *out: seconds. */
int ft_value_time(const char *name, const char *text, double *out);
/* A time, or the word slurm, for the time that the job of Slurm has. *out: seconds, or INFINITY. */
int ft_value_limit(const char *name, const char *text, double *out);
/* A number of bytes from 1024, with a unit k, M, G (of 1024) or none. */
int ft_value_bytes(const char *name, const char *text, uint64_t *out);
/* The name of a file in which %r stands for a rank, and %% for a percent sign. */
int ft_value_pattern(const char *name, const char *text);

#endif
