/* say: one write(2) a line. */
#include "console/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "store/store.h"

void ft_say(const char *format, ...)
{
    char line[8192] = "ftrun: ";
    va_list list;

    va_start(list, format);
    int length = vsnprintf(line + 7, sizeof(line) - 8, format, list) + 7;
    va_end(list);
    if (length > (int)sizeof(line) - 2)
        length = (int)sizeof(line) - 2;
    line[length++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written; /* there is nowhere else to say it */
}

int ft_say_and(int code, const char *format, ...)
{
    char text[FT_STORE_PATH + 512];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    ft_say("%s", text);
    return code;
}
