/* values: a number, a time or an amount as the word behind an option (options/values.h). */
#include "options/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "options/options.h"

#define complain ft_options_complain

int ft_value_number(const char *name, const char *text, double low, double high, double *out)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= low && value <= high) || value != floor(value))
        return complain("%s: '%s' is not a whole number from %.0f to %.0f", name, text, low, high);
    *out = value;
    return 0;
}

int ft_value_time(const char *name, const char *text, double *out)
{
    unsigned hours, minutes, whole;
    int end_of_clock = 0;

    if (sscanf(text, "%u:%2u:%2u%n", &hours, &minutes, &whole, &end_of_clock) == 3 &&
        !text[end_of_clock] && minutes < 60 && whole < 60 && hours < 100000 &&
        hours + minutes + whole > 0) {
        *out = hours * 3600.0 + minutes * 60.0 + whole;
        return 0;
    }
    static const char units[] = "smhd";
    static const double seconds[] = {1, 60, 3600, 86400};
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : units;

    if (end == text || !unit || (*end && end[1]) || !(value > 0 && value < 1e9))
        return complain("%s: '%s' is not a time above 0 (30, 90s, 10m, 24h, 7d, 12:00:00)", name,
                        text);
    *out = value * seconds[unit - units];
    return 0;
}

int ft_value_limit(const char *name, const char *text, double *out)
{
    if (strcmp(text, "slurm") != 0)
        return ft_value_time(name, text, out);
    *out = INFINITY;
    return getenv("SLURM_JOB_ID") ? 0
                                  : complain("--time-limit slurm: this is no job of Slurm "
                                             "(SLURM_JOB_ID is not set)");
}

int ft_value_bytes(const char *name, const char *text, uint64_t *out)
{
    static const char units[] = "kMG";
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;

    if (unit)
        value = ldexp(value, 10 * (int)(unit - units + 1));
    if (end == text || (*end && (!unit || end[1])) || !(value >= 1024 && value < 1e15))
        return complain("%s: '%s' is not a number of bytes from 1k (4096, 64k, 1.5G)", name, text);
    *out = (uint64_t)value;
    return 0;
}

int ft_value_pattern(const char *name, const char *text)
{
    int good = *text != 0;

    for (const char *at = strchr(text, '%'); good && at; at = strchr(at + 2, '%'))
        good = at[1] == 'r' || at[1] == '%';
    return good ? 0
                : complain(
                      "%s: '%s' is not a name in which %%r is the rank, and %%%% a percent sign",
                      name, text);
}
