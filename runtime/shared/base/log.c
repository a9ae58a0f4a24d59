/* Messages of the runtime: one write(2) each, so that lines of several ranks do not mix, and no
 * stdio, so that they never disturb the program's own streams. */
#include "base/base.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int log_rank = -1;

void ft_base_rank_set(int rank)
{
    log_rank = rank;
}

int ft_log_enabled(const char *room)
{
    const char *spec = getenv("FT_LOG");
    size_t length = strlen(room);

    for (; spec && *spec; spec = strchr(spec, ',')) {
        if (*spec == ',')
            spec++;
        if (strncmp(spec, room, length) == 0 && strncmp(spec + length, ":debug", 6) == 0)
            return 1;
    }
    return 0;
}

static void log_line(const char *room, const char *format, va_list args)
{
    char line[1024];
    int used = 0, saved = errno;

    if (log_rank >= 0)
        used = snprintf(line, sizeof line, "ft: rank %d: ", log_rank);
    else
        used = snprintf(line, sizeof line, "ft: ");
    if (room)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s: ", room);
    used += vsnprintf(line + used, sizeof line - (size_t)used, format, args);
    if (used > (int)sizeof line - 2)
        used = (int)sizeof line - 2;
    line[used++] = '\n';
    if (write(2, line, (size_t)used) < 0)
        errno = saved; /* nowhere to complain */
    errno = saved;
}

void ft_log_debug(const char *room, const char *format, ...)
{
    va_list args;

    if (!ft_log_enabled(room))
        return;
    va_start(args, format);
    log_line(room, format, args);
    va_end(args);
}

void ft_warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_line(NULL, format, args);
    va_end(args);
}

_Noreturn void ft_panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    log_line(NULL, format, args);
    va_end(args);
    abort();
}
