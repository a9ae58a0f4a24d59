/* ignore: regexec from left to right. */
#include "ignore/ignore.h"

#include <stdio.h>
#include <string.h>

int ft_ignore_add(struct ft_ignore *ignore, const char *pattern, char *why, size_t size)
{
    if (ignore->count == FT_IGNORE_MOST) {
        snprintf(why, size, "at most %d times", FT_IGNORE_MOST);
        return -1;
    }
    int code = regcomp(&ignore->patterns[ignore->count], pattern, REG_EXTENDED | REG_NEWLINE);
    if (!code) {
        ignore->count++;
        return 0;
    }
    int used = snprintf(why, size, "'%s': ", pattern);
    if (used >= 0 && (size_t)used < size)
        regerror(code, &ignore->patterns[ignore->count], why + used, size - (size_t)used);
    return -1;
}

/* One pattern. A match of nothing ends it. */
static size_t replace(const regex_t *pattern, char *line, size_t length, size_t *matches)
{
    regmatch_t match;
    size_t at = 0;

    while (at <= length && !regexec(pattern, line + at, 1, &match, at ? REG_NOTBOL : 0) &&
           match.rm_eo > match.rm_so) {
        size_t from = at + (size_t)match.rm_so, to = at + (size_t)match.rm_eo;

        line[from] = '~';
        memmove(line + from + 1, line + to, length - to + 1);
        length -= to - from - 1;
        at = from + 1;
        ++*matches;
    }
    return length;
}

size_t ft_ignore_apply(const struct ft_ignore *ignore, char *line, size_t length, size_t *matches)
{
    if (strlen(line) != length)
        return length;
    for (int i = 0; i < ignore->count; i++)
        length = replace(&ignore->patterns[i], line, length, matches);
    return length;
}

void ft_ignore_free(struct ft_ignore *ignore)
{
    while (ignore->count > 0)
        regfree(&ignore->patterns[--ignore->count]);
}
